"""Ctrl-C stops a run within a moment."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textgrain.testing.trainers import Trainer

__all__ = ["check_interruption"]


def check_interruption(trainer: Trainer, corpus: Any, *, after: float = 0.3, within: float = 2.0) -> None:  # noqa: ANN401
    """Check that Ctrl-C stops a run.

    Parameters
    ----------
    trainer : trainer
        With settings that make training on `corpus` take clearly longer than `after`.
    corpus : Corpus, list of str or mapping of counts
        Large enough for that.
    after, within : float
        Seconds from the start to the interrupt, and from there to the end of the run. A run ends within
        0.2 seconds on a machine that does nothing else; the default leaves room for one that does.
    """
    with _interrupt(after) as fired:
        try:
            trainer.train(corpus)
        except KeyboardInterrupt:
            late = time.monotonic() - fired[0]
            assert late <= within, f"training went on for {late:.2f} s after Ctrl-C, over {within} s"
        else:
            raise AssertionError(f"training ended within {after} s, before Ctrl-C; use a larger corpus")


@contextmanager
def _interrupt(after: float) -> Iterator[list[float]]:
    """Interrupt the main thread as Ctrl-C does, and note when; harmless once the block has ended."""
    fired: list[float] = []
    active = True

    def fire() -> None:
        fired.append(time.monotonic())
        _thread.interrupt_main()

    def handle(*_: object) -> None:
        if active:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    timer = threading.Timer(after, fire)
    timer.start()
    try:
        yield fired
    finally:
        active = False
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)

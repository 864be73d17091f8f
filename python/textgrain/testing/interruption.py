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

#: Seconds that a run may take to end while this process does not work, as on a crowded machine.
PATIENCE = 30.0


def check_interruption(trainer: Trainer, corpus: Any, *, after: float = 0.3, within: float = 0.5) -> None:  # noqa: ANN401
    """Check that Ctrl-C stops a run.

    Parameters
    ----------
    trainer : trainer
        With settings that make training on `corpus` take clearly longer than `after`.
    corpus : Corpus, list of str or mapping of counts
        Large enough for that.
    after, within : float
        Seconds from the start to the interrupt, and from there to the end of the run. Of the latter those
        count in which this process worked: on a machine that does other things too it waits for its turn,
        which says nothing of the run.
    """
    fired: list[tuple[float, float]] = []
    try:
        with _interrupt(after, fired):
            trainer.train(corpus)
    except KeyboardInterrupt:
        started, worked = fired[0]
        wall, work = time.monotonic() - started, time.process_time() - worked
        # Two threads at once work for two seconds in one.
        late = min(wall, work)
        assert late <= within, f"training went on for {late:.2f} s after Ctrl-C, over {within} s"
        assert wall <= PATIENCE, f"training ended {wall:.0f} s after Ctrl-C, though it did next to nothing"
    else:
        raise AssertionError(f"training ended within {after} s, before Ctrl-C; use a larger corpus")


@contextmanager
def _interrupt(after: float, fired: list[tuple[float, float]]) -> Iterator[None]:
    """Interrupt the main thread as Ctrl-C does; harmless once the block has ended.

    Says in `fired` when it did, on the clock and in seconds in which this process worked.
    """
    active = True

    def fire() -> None:
        fired.append((time.monotonic(), time.process_time()))
        _thread.interrupt_main()

    def handle(*_: object) -> None:
        if active:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    timer = threading.Timer(after, fire)
    timer.start()
    try:
        yield
    finally:
        active = False
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)

"""Progress of long runs: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO, TypeAlias

__all__ = ["Progress", "ProgressPrinter"]

Progress: TypeAlias = Callable[[str, int, "int | None", str, "Sequence[tuple[str, float]]"], None]
"""Called with the stage, units done, units in all (or None), the unit's name and named figures."""

_BAR_WIDTH = 24
_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BEFORE_SHOWING = 0.5


def resolve(progress: Progress | bool | None) -> Progress | None:  # noqa: FBT001 - passed on from a keyword
    """What a trainer was given as ``progress``, as a callable or None."""
    if isinstance(progress, bool):
        return ProgressPrinter() if progress else None
    return progress


class ProgressPrinter:
    """Shows progress on a stream, with rate, figures and time left.

    On a terminal one line is redrawn; elsewhere, as in a log or a notebook, a plain line is written
    every few seconds. Stages that are over within half a second are not shown.

    Parameters
    ----------
    stream : text stream, optional
        Where to write; standard error if not given.
    terminal : bool, optional
        Whether the stream is a terminal; found out if not given.
    clock : callable, optional
        Returns seconds; for tests.

    Examples
    --------
    >>> import sys
    >>> show = ProgressPrinter(stream=sys.stdout, terminal=False)
    >>> show("counting pieces", 0, 10, "bytes", [])
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        *,
        terminal: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty() if terminal is None else terminal
        self._clock = clock
        self._stage = ""
        self._started = 0.0
        self._first_done = 0
        self._last_shown = 0.0
        self._open_line = 0

    def __call__(
        self,
        stage: str,
        done: int,
        total: int | None,
        unit: str,
        figures: Sequence[tuple[str, float]],
    ) -> None:
        """Take note of the progress and show it if it is time to."""
        now = self._clock()
        if stage != self._stage:
            self.close()
            self._stage, self._started, self._first_done = stage, now, done
            self._last_shown = now + _SECONDS_BEFORE_SHOWING - _SECONDS_BETWEEN_LINES
        finished = total is not None and done >= total
        shown_before = self._last_shown >= self._started
        if self._terminal:
            due = now - self._started >= _SECONDS_BEFORE_SHOWING
        else:
            due = now - self._last_shown >= _SECONDS_BETWEEN_LINES or (finished and shown_before)
        if not due:
            return
        self._last_shown = now
        self._write(self._line(done, total, unit, figures, now - self._started))
        if finished:
            self.close()
            self._stage = ""

    def close(self) -> None:
        """End the line that is being redrawn, if there is one."""
        if self._open_line:
            self._stream.write("\n")
            self._stream.flush()
            self._open_line = 0

    def _write(self, line: str) -> None:
        if self._terminal:
            self._stream.write("\r" + line.ljust(self._open_line))
            self._open_line = len(line)
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def _line(
        self, done: int, total: int | None, unit: str, figures: Sequence[tuple[str, float]], seconds: float
    ) -> str:
        rate = (done - self._first_done) / seconds if seconds > 0 else 0.0
        parts = [f"{self._stage:<16}"]
        if total:
            share = min(done / total, 1.0)
            filled = round(share * _BAR_WIDTH)
            if self._terminal:
                parts.append("━" * filled + "┄" * (_BAR_WIDTH - filled))
            parts.append(f"{share:>4.0%}")
        parts.append(f"{_amount(done, unit)}, {_amount(rate, unit)}/s")
        parts.extend(f"{name} {value:.4g}" for name, value in figures)
        if total and rate > 0:
            parts.append(f"{_duration((total - done) / rate)} left" if done < total else _duration(seconds))
        return "  ".join(parts)


def _amount(number: float, unit: str) -> str:
    if unit == "bytes":
        return f"{number / 1e6:,.1f} MB"
    if number >= 1e6:
        return f"{number / 1e6:,.2f} M {unit}"
    if number >= 1e4:
        return f"{number / 1e3:,.0f} k {unit}"
    return f"{number:,.0f} {unit}"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

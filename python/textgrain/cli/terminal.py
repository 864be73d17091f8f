"""What a person sees: notes, errors, tables, color where there is a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from textgrain.progress import Progress, ProgressPrinter

__all__ = ["Terminal"]

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


class Terminal:
    """Standard output for data, standard error for the rest."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._printer = ProgressPrinter(sys.stderr)

    @property
    def progress(self) -> Progress | None:
        """The progress callable for a run."""
        return None if self._quiet else self._printer

    def note(self, message: str) -> None:
        """One line on standard error, unless quiet."""
        if not self._quiet:
            self._printer.close()
            print(self.style("note: ", "yellow", stream=sys.stderr) + message, file=sys.stderr)

    def status(self, message: str) -> None:
        """One line on standard error that says what was done, unless quiet."""
        if not self._quiet:
            self._printer.close()
            print(message, file=sys.stderr)

    def error(self, message: str) -> None:
        """One line on standard error."""
        self._printer.close()
        print(self.style("textgrain: ", "red", stream=sys.stderr) + message, file=sys.stderr)

    def out(self, text: str = "") -> None:
        """A line of the result on standard output."""
        self._printer.close()
        print(text)

    def out_json(self, value: Any) -> None:  # noqa: ANN401
        """The result as one line of JSON on standard output."""
        self._printer.close()
        print(json.dumps(value, ensure_ascii=False, default=_plain))

    def style(self, text: str, *names: str, stream: Any = None) -> str:  # noqa: ANN401
        """The text in color where the stream is a terminal and NO_COLOR is not set."""
        target = sys.stdout if stream is None else stream
        if not target.isatty() or os.environ.get("NO_COLOR"):
            return text
        codes = ";".join(_STYLES[name] for name in names)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def table(self, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Aligned columns: numbers to the right, text to the left."""
        cells = [[_cell(value) for value in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
        right = [bool(rows) and isinstance(rows[0][index], (int, float)) for index in range(len(header))]

        def line(values: Sequence[str]) -> str:
            parts = (
                value.rjust(width) if to_right else value.ljust(width)
                for value, width, to_right in zip(values, widths, right, strict=True)
            )
            return "  ".join(parts).rstrip()

        self.out(self.style(line(header), "dim"))
        for row in cells:
            self.out(line(row))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def _plain(value: Any) -> Any:  # noqa: ANN401
    """NumPy arrays and scalars for the JSON writer."""
    return value.tolist()

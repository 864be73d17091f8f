"""What a person sees: notes, errors, tables, color where there is a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from textgrain._text import align, visible
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
        right = [
            index for index, value in enumerate(rows[0] if rows else ()) if isinstance(value, (int, float))
        ]
        first, *rest = align([[_cell(name) for name in header], *cells], right=right).split("\n")
        self.out(self.style(first, "dim"))
        for line in rest:
            self.out(line)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value)
    # A line feed would break the table, and nobody sees a space in front.
    return text if text.isprintable() and text == text.strip() else visible(text)


def _plain(value: Any) -> Any:  # noqa: ANN401
    """NumPy arrays and scalars for the JSON writer."""
    return value.tolist()

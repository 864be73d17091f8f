"""Tables of plain text for terminals, and of HTML for notebooks."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}


def visible(text: str) -> str:
    """Return the text with white space and control characters made visible."""
    shown = []
    for character in text:
        if character in _VISIBLE:
            shown.append(_VISIBLE[character])
        elif unicodedata.category(character) in {"Cc", "Cf", "Zl", "Zp", "Zs", "Cs"}:
            shown.append(f"\\u{{{ord(character):x}}}")
        else:
            shown.append(character)
    return "".join(shown)


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def align(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Rows as lines with aligned columns; those numbered in `right` are aligned to the right."""
    columns = max(map(len, rows), default=0)
    widths = [
        max((width(row[column]) for row in rows if column < len(row)), default=0) for column in range(columns)
    ]
    lines = []
    for row in rows:
        cells = []
        for column, cell in enumerate(row):
            padding = " " * (widths[column] - width(cell))
            cells.append(padding + cell if column in right else cell + padding)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def html_table(lines: Iterable[str], left_out: int) -> str:
    """A table of lines that are HTML already; below it, how many are not shown."""
    more = (
        f"<caption style='caption-side:bottom;text-align:left'>and {left_out:,} more</caption>"
        if left_out > 0
        else ""
    )
    return f"<table>{more}{''.join(lines)}</table>"

"""Why each merge was made."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, final, overload

from textgrain._text import align, html_table, visible

__all__ = ["MergeHistory", "MergeRecord"]

# Merges in the table of a notebook.
_SHOWN = 20

# Left, right and token by id, total, tied pairs, runner-up, its total, the first pieces of both.
_Row: TypeAlias = "tuple[int, int, int, int, int, tuple[int, int] | None, int, tuple[str, str] | None]"


@dataclass(frozen=True, kw_only=True)
class MergeRecord:
    """One merge and the competition that it won.

    Attributes
    ----------
    rank : int
        Place in the order of merges, from 1.
    left, right : str
        The pair.
    token : str
        What the pair becomes.
    id : int
        The id of the token; lower than that of the merge before if another pair gave the same token.
    total : int
        How often the pair occurred.
    tied_pairs : int
        Pairs that occurred that often, this one included.
    runner_up : tuple of two str, or None
        The pair that would have won without this one.
    runner_up_total : int or None
        How often the runner-up occurred.
    first_piece, runner_up_first_piece : str or None
        In a tie that the first occurrence decided: the pieces in which the two pairs occur first.
    """

    rank: int
    left: str
    right: str
    token: str
    id: int
    total: int
    tied_pairs: int
    runner_up: tuple[str, str] | None
    runner_up_total: int | None
    first_piece: str | None
    runner_up_first_piece: str | None

    @property
    def pair(self) -> tuple[str, str]:
        """Both parts."""
        return self.left, self.right

    def reason(self) -> str:
        """Why this pair won, in words."""
        if self.runner_up is None or self.runner_up_total is None:
            return "the only pair left"
        other = " + ".join(map(visible, self.runner_up))
        if self.runner_up_total < self.total:
            return f"most frequent; next {other} with {self.runner_up_total:,}"
        others = f"{self.tied_pairs - 1} others" if self.tied_pairs != 2 else f"{other}"
        if self.first_piece is None:
            return f"tied with {others}; smallest ids"
        if self.first_piece == self.runner_up_first_piece:
            return f"tied with {others}; first of both in {visible(self.first_piece)}"
        places = f"{visible(self.first_piece)} comes before {visible(self.runner_up_first_piece or '')}"
        return f"tied with {others}; {places}"


@final
class MergeHistory(Sequence[MergeRecord]):
    """The records of all merges, in order.

    Examples
    --------
    >>> import textgrain as tg
    >>> trainer = tg.BPE(merges=2, split="whitespace", symbols="characters")
    >>> history = trainer.train({"low": 5, "lower": 2, "newest": 6}).history
    >>> history[0].pair, history[0].total, history[0].tied_pairs
    (('w', 'e'), 8, 1)
    >>> print(history)
    rank  pair   token  total  ties  why
       1  w + e  we         8     1  most frequent; next l + o with 7
       2  l + o  lo         7     1  most frequent; next n + e with 6
    """

    def __init__(self, rows: list[_Row], tokens: list[str]) -> None:
        self._rows = rows
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> MergeRecord: ...
    @overload
    def __getitem__(self, index: slice) -> list[MergeRecord]: ...
    def __getitem__(self, index: int | slice) -> MergeRecord | list[MergeRecord]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        left, right, token, total, tied_pairs, runner_up, runner_up_total, first = self._rows[index]
        other = None if runner_up is None else (self._tokens[runner_up[0]], self._tokens[runner_up[1]])
        first_piece, runner_up_first_piece = first or (None, None)
        return MergeRecord(
            rank=range(1, len(self) + 1)[index],
            left=self._tokens[left],
            right=self._tokens[right],
            token=self._tokens[token],
            id=token,
            total=total,
            tied_pairs=tied_pairs,
            runner_up=other,
            runner_up_total=None if runner_up is None else runner_up_total,
            first_piece=first_piece,
            runner_up_first_piece=runner_up_first_piece,
        )

    def __repr__(self) -> str:
        return f"<MergeHistory of {len(self):,} merges>"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        header, *rows = self._rows_of_table(_SHOWN)
        lines = [_html_line(header, "th"), *(_html_line(row, "td") for row in rows)]
        return html_table(lines, len(self) - _SHOWN)

    def table(self, first: int = 30) -> str:
        """Return the first records as a table of plain text."""
        rows = self._rows_of_table(first)
        more = f"\n… and {len(self) - first:,} more" if len(self) > first else ""
        return align(rows, right=(0, 3, 4)) + more

    def _rows_of_table(self, first: int) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("rank", "pair", "token", "total", "ties", "why")]
        for record in self[:first]:
            pair = f"{visible(record.left)} + {visible(record.right)}"
            total = f"{record.total:,}"
            rows.append(
                (
                    str(record.rank),
                    pair,
                    visible(record.token),
                    total,
                    str(record.tied_pairs),
                    record.reason(),
                )
            )
        return rows


def _html_line(cells: tuple[str, ...], tag: str) -> str:
    inside = "".join(f"<{tag} style='text-align:left'>{html.escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inside}</tr>"

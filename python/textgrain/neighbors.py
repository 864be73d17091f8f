"""The neighbors of many words at once."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from textgrain._text import html_table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Neighbors"]

# A notebook shows so many queries.
_SHOWN = 20


class Neighbors(Sequence[list[tuple[str, float]]]):
    """The nearest words to each of many queries: the answers of ``most_similar_batch``.

    A sequence with one answer for each query, as ``most_similar`` gives it; and the same as two arrays.

    Attributes
    ----------
    rows : array of int64
        Of shape (queries, n): the rows of the neighbors, best first; -1 where there are fewer than n.
    scores : array of float32
        Of the same shape: what the metric says of each; "not a number" where there is none.
    queries : list of str or None
        The words that were asked about; None if the queries were vectors.
    """

    __slots__ = ("_metric", "_words", "queries", "rows", "scores")

    def __init__(
        self,
        rows: npt.NDArray[np.int64],
        scores: npt.NDArray[np.float32],
        words: Sequence[str],
        queries: list[str] | None,
        metric: str,
    ) -> None:
        self.rows = rows
        self.scores = scores
        self.queries = queries
        self._words = words
        self._metric = metric

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> list[tuple[str, float]]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[tuple[str, float]]]: ...
    def __getitem__(self, index: int | slice) -> list[tuple[str, float]] | list[list[tuple[str, float]]]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        pairs = zip(self.rows[index].tolist(), self.scores[index].tolist(), strict=True)
        return [(self._words[row], score) for row, score in pairs if row >= 0]

    @property
    def words(self) -> list[list[str]]:
        """The neighbors of each query, best first, without their scores."""
        return [[self._words[row] for row in answer if row >= 0] for answer in self.rows.tolist()]

    def __repr__(self) -> str:
        count, n = self.rows.shape
        return f"<Neighbors: {n:,} each of {count:,} queries, by {self._metric}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        lines = []
        for index, answer in enumerate(self[:_SHOWN]):
            name = self.queries[index] if self.queries is not None else f"vector {index}"
            cells = ", ".join(f"{html.escape(word)} <small>{score:.3f}</small>" for word, score in answer)
            lines.append(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{cells}</td></tr>")
        return html_table(lines, len(self) - _SHOWN)

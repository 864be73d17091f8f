"""The same question under several ideas of nearness."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textgrain._text import align

if TYPE_CHECKING:
    from textgrain.vectors import WordVectors
    from textgrain.vectors.search import Restriction

__all__ = ["MetricComparison", "MetricNeighbor", "compare_metrics"]

_METRICS = ("cosine", "euclidean", "dot")


@dataclass(frozen=True, kw_only=True)
class MetricNeighbor:
    """A neighbor under one metric: what it says, the length of the vector, and how often the word occurs."""

    word: str
    score: float
    length: float
    count: int


@dataclass(frozen=True, kw_only=True)
class MetricComparison:
    """The nearest words to one word by cosine, by distance and by dot product, with their lengths.

    The cosine looks at directions only. By distance a word's neighbors have about its own length; by dot
    product they are long, which mostly means frequent.

    Attributes
    ----------
    word : str
        The word that was asked about.
    length : float
        The length of its vector.
    neighbors : dict of str to list of MetricNeighbor
        For each metric its answer, best first.
    shared : dict of str to float
        For each two metrics, as ``"cosine, euclidean"``, the share of words in both answers.
    """

    word: str
    length: float
    neighbors: dict[str, list[MetricNeighbor]]
    shared: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        neighbors = {
            metric: [[near.word, near.score, near.length, near.count] for near in answer]
            for metric, answer in self.neighbors.items()
        }
        return {"word": self.word, "length": self.length, "neighbors": neighbors, "shared": self.shared}

    def _table(self) -> list[list[str]]:
        """A line for each place, with three columns for each metric."""
        columns = [
            [[near.word, f"{near.score:.3f}", f"{near.length:.2f}"] for near in answer]
            for answer in self.neighbors.values()
        ]
        return [[cell for answer in columns for cell in answer[place]] for place in range(len(columns[0]))]

    def __str__(self) -> str:
        header = [text for metric in self.neighbors for text in (metric, "score", "length")]
        table = align([header, *self._table()], right=[place for place in range(len(header)) if place % 3])
        shared = ", ".join(
            f"{pair.replace(', ', ' and ')} {share:.0%}" for pair, share in self.shared.items()
        )
        return f"{self.word}: length {self.length:.2f}\n{table}\nin common: {shared}"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        header = "".join(
            f"<th style='text-align:left'>{metric}</th><th>score</th><th>length</th>"
            for metric in self.neighbors
        )
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._table()
        )
        caption = f"{html.escape(self.word)}: length {self.length:.2f}"
        return f"<table><caption>{caption}</caption><tr>{header}</tr>{body}</table>"


def compare_metrics(
    vectors: WordVectors, word: str, *, n: int = 10, restrict: Restriction = None
) -> MetricComparison:
    """Return the neighbors of a word by cosine, by distance and by dot product, side by side.

    Parameters
    ----------
    vectors : WordVectors
        What is searched.
    word : str
        The word.
    n : int
        How many neighbors by each.
    restrict : int or iterable of str, optional
        Search among the first so many words, or among these words.

    Raises
    ------
    UnknownWordError
        The word has no vector.

    Examples
    --------
    >>> notes = {"cat": [2.0, 1.0], "kitten": [1.0, 0.6], "tiger": [6.0, 4.0], "car": [-1.0, 2.0]}
    >>> comparison = tg.WordVectors.from_mapping(notes).compare_metrics("cat", n=2)
    >>> {metric: [near.word for near in answer] for metric, answer in comparison.neighbors.items()}
    {'cosine': ['kitten', 'tiger'], 'euclidean': ['kitten', 'car'], 'dot': ['tiger', 'kitten']}
    """
    norms, counts = vectors._native.norms, vectors.counts
    neighbors = {}
    for metric in _METRICS:
        found = vectors.most_similar(word, n=n, metric=metric, restrict=restrict)  # type: ignore[arg-type]
        rows = [vectors._row(near) for near, _ in found]
        neighbors[metric] = [
            MetricNeighbor(word=near, score=score, length=float(norms[row]), count=int(counts[row]))
            for (near, score), row in zip(found, rows, strict=True)
        ]
    sets = {metric: {near.word for near in answer} for metric, answer in neighbors.items()}
    shared = {
        f"{first}, {second}": len(sets[first] & sets[second]) / max(1, len(sets[first]))
        for place, first in enumerate(_METRICS)
        for second in _METRICS[place + 1 :]
    }
    length = float(norms[vectors._row(word)])
    return MetricComparison(word=word, length=length, neighbors=neighbors, shared=shared)

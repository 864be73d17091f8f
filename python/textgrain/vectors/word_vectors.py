"""The public class of word vectors, put together from its roles."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from textgrain import _native
from textgrain.subwords import equal, parts_of, with_parts
from textgrain.vectors.files import Files
from textgrain.vectors.unseen import UnseenWords

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.figure import Figure

    from textgrain.projection import DistanceConcentration, Projection
    from textgrain.vectors.lookup import Vector

__all__ = ["WordVectors"]


@final
class WordVectors(Files, UnseenWords):
    """A vector for each word of a vocabulary, immutable.

    Made by a trainer, by :meth:`load` or by :meth:`from_mapping`. Words are in row order: by falling
    count, then by first appearance in the corpus.

    Examples
    --------
    >>> import textgrain as tg
    >>> notes = {"doctor": [0.8, 0.6], "physician": [0.7, 0.5], "car": [0.2, 0.9]}
    >>> vectors = tg.WordVectors.from_mapping(notes)
    >>> vectors.most_similar("doctor", n=1)[0][0]
    'physician'
    >>> round(vectors.distance("doctor", "physician"), 3)
    0.141
    """

    __slots__ = ()

    def project(
        self, words: Iterable[str] | None = None, *, dimensions: int = 2, unit: bool = True
    ) -> Projection:
        """Return the principal components of words; see :func:`textgrain.projection.project`."""
        from textgrain.projection import project

        return project(self, words, dimensions=dimensions, unit=unit)

    def distance_concentration(
        self, *, dimensions: Iterable[int] = (2, 10, 100, 1000), points: int = 1000, seed: int = 1
    ) -> DistanceConcentration:
        """Compare far and near in these vectors with random points of several dimensions.

        See :func:`textgrain.projection.distance_concentration`.
        """
        from textgrain.projection import distance_concentration

        return distance_concentration(self, dimensions=dimensions, points=points, seed=seed)

    def plot(
        self,
        words: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        style: Literal["light", "dark"] = "light",
        size: tuple[float, float] = (9.0, 7.0),
        unit: bool = True,
    ) -> Figure:
        """Draw words as a map; see :func:`textgrain.plot.plot_words`."""
        from textgrain.plot import plot_words

        return plot_words(self, words, path, title=title, style=style, size=size, unit=unit)

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self):,} words, {self.vector_size} numbers each>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordVectors):
            return NotImplemented
        return (
            self.words == other.words
            and np.array_equal(self.matrix, other.matrix)
            and np.array_equal(self.counts, other.counts)
            and equal(self.subwords, other.subwords)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        native = self._native
        # Copied: a view would keep a mapped file open in the process that reads the pickle's buffers.
        return _rebuild, (
            native.words,
            native.matrix.copy(),
            native.counts.tolist(),
            native.settings,
            native.history,
            None if self.subwords is None else parts_of(self.subwords),
        )


def _rebuild(
    words: list[str],
    matrix: Vector,
    counts: list[int],
    settings: str,
    history: list[float],
    ngrams: tuple[Any, ...] | None = None,
) -> WordVectors:
    native = _native.WordVectors.from_parts(words, matrix, counts, settings, history)
    return WordVectors(native if ngrams is None else with_parts(native, ngrams))

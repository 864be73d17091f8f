"""Which words are near: similarity, neighbors, analogies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textgrain.exceptions import ParameterError
from textgrain.vectors.lookup import Lookup

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from textgrain.vectors.lookup import Vector, WordOrVector

__all__ = ["Search"]


class Search(Lookup):
    """The methods of :class:`textgrain.WordVectors` that compare words."""

    __slots__ = ()

    def similarity(self, a: WordOrVector, b: WordOrVector) -> float:
        """Cosine of the angle between two words or vectors, from -1 to 1; 0 if either vector is zero."""
        return self._native.cosine(self._vector(a), self._vector(b))

    def distance(self, a: WordOrVector, b: WordOrVector) -> float:
        """Euclidean distance between two words or vectors."""
        difference = self._vector(a).astype(np.float64) - self._vector(b)
        return float(np.linalg.norm(difference))

    def most_similar(
        self,
        positive: WordOrVector | Sequence[WordOrVector],
        negative: WordOrVector | Sequence[WordOrVector] = (),
        *,
        n: int = 10,
        threads: int | None = None,
    ) -> list[tuple[str, float]]:
        """Return the words nearest to a word, a vector, or a sum of them, best first.

        All vectors are compared, so the answer is exact. Words of the query are never in it.

        Parameters
        ----------
        positive, negative : str, vector, or list of them
            The query is the sum of the unit vectors of ``positive`` minus those of ``negative``.
        n : int
            How many words to return.
        threads : int, optional
            All that the machine offers where none is given.

        Returns
        -------
        list of (str, float)
            Words with the cosine of their angle to the query; equal cosines in row order.

        Raises
        ------
        UnknownWordError
            A word has no vector.
        ParameterError
            The query is empty, or ``n`` is negative.
        """
        added, removed = _as_list(positive), _as_list(negative)
        if not added and not removed:
            raise ParameterError("`positive` must hold at least one word or vector, got none", "positive")
        if n < 0:
            raise ParameterError(f"`n` must be at least 0, got {n}", "n")
        query = np.zeros(self.vector_size, dtype=np.float64)
        for sign, terms in ((1, added), (-1, removed)):
            for term in terms:
                query += sign * _unit(self._vector(term))
        words = [term for term in (*added, *removed) if isinstance(term, str)]
        excluded = [row for word in words if (row := self._native.row(word)) is not None]
        found = self._native.nearest(query.astype(np.float32), n, excluded, threads)
        return [(self._native.word(row), score) for row, score in found]

    def analogy(self, a: str, b: str, c: str, *, n: int = 10) -> list[tuple[str, float]]:
        """Return what is to ``c`` as ``b`` is to ``a``: the words nearest to b - a + c.

        Known as 3CosAdd (Mikolov et al. 2013); the three words are never in the answer.

        Examples
        --------
        >>> vectors.analogy("man", "king", "woman", n=1)  # doctest: +SKIP
        [('queen', 0.78)]
        """
        return self.most_similar([b, c], [a], n=n)


def _as_list(terms: WordOrVector | Sequence[WordOrVector]) -> list[WordOrVector]:
    if isinstance(terms, str):
        return [terms]
    if isinstance(terms, np.ndarray):
        return [terms] if terms.ndim == 1 else list(terms)
    listed: list[WordOrVector] = list(terms)  # type: ignore[arg-type]
    # A list of numbers is one vector.
    one = bool(listed) and isinstance(listed[0], (int, float, np.number))
    return [np.asarray(listed, dtype=np.float32)] if one else listed


def _unit(vector: Vector) -> npt.NDArray[np.float64]:
    exact = vector.astype(np.float64)
    norm = float(np.linalg.norm(exact))
    return exact / norm if norm > 0 else exact

"""Which words are near: similarity, neighbors, analogies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from textgrain import _native
from textgrain.exceptions import ParameterError
from textgrain.neighbors import Neighbors
from textgrain.progress import resolve
from textgrain.vectors.lookup import Lookup

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from textgrain.progress import Progress
    from textgrain.vectors.lookup import Vector, WordOrVector

    Metric: TypeAlias = Literal["cosine", "euclidean", "dot"]
    Method: TypeAlias = Literal["3cosadd", "3cosmul"]
    Restriction: TypeAlias = int | Iterable[str] | None

__all__ = ["Search"]


class Search(Lookup):
    """The methods of :class:`textgrain.WordVectors` that compare words."""

    __slots__ = ()

    def similarity(self, a: WordOrVector, b: WordOrVector) -> float:
        """Cosine of the angle between two words or vectors, from -1 to 1; 0 if either vector is zero."""
        return self._native.cosine(self._vector(a), self._vector(b))

    def n_similarity(self, first: Sequence[WordOrVector], second: Sequence[WordOrVector]) -> float:
        """Cosine between the means of two sets of words, whose vectors count as long as they are.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 1], "c": [3, 3]})
        >>> round(vectors.n_similarity(["a", "b"], ["c"]), 3)
        1.0
        """
        return self._native.cosine(self.mean_vector(first, unit=False), self.mean_vector(second, unit=False))

    def distance(
        self, a: WordOrVector, b: WordOrVector, *, metric: Literal["euclidean", "cosine"] = "euclidean"
    ) -> float:
        """Euclidean distance between two words or vectors, or 1 minus their cosine.

        Raises
        ------
        ParameterError
            The metric is neither ``"euclidean"`` nor ``"cosine"``.
        """
        if metric == "cosine":
            return 1.0 - self.similarity(a, b)
        if metric != "euclidean":
            raise ParameterError(f'`metric` must be "euclidean" or "cosine", got {metric!r}', "metric")
        difference = self._vector(a).astype(np.float64) - self._vector(b)
        return float(np.linalg.norm(difference))

    def mean_vector(
        self, terms: Sequence[WordOrVector], *, weights: Sequence[float] | None = None, unit: bool = True
    ) -> Vector:
        """Return the mean of the vectors of words, weighted if weights are given.

        Parameters
        ----------
        terms : list of str or vector
            At least one.
        weights : list of float, optional
            How much each counts; the sum is divided by the sum of their absolute values.
        unit : bool
            Divide each vector by its length first, so that long ones do not outweigh the others.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 2]})
        >>> vectors.mean_vector(["a", "b"]).tolist()
        [0.5, 0.5]
        """
        listed = _as_list(terms)
        if not listed:
            raise ParameterError("`terms` must hold at least one word or vector, got none", "terms")
        factors = np.ones(len(listed)) if weights is None else np.asarray(weights, dtype=np.float64)
        if factors.shape != (len(listed),):
            message = f"`weights` must hold {len(listed)} numbers, one for each term, got {factors.size}"
            raise ParameterError(message, "weights")
        total = float(np.abs(factors).sum())
        if not 0 < total < np.inf:
            raise ParameterError(f"`weights` must add up to more than 0, got {total}", "weights")
        rows = [self._vector(term) for term in listed]
        points = np.stack([_unit(row) if unit else row.astype(np.float64) for row in rows])
        return (factors @ points / total).astype(np.float32)

    def most_similar(
        self,
        positive: WordOrVector | Sequence[WordOrVector],
        negative: WordOrVector | Sequence[WordOrVector] = (),
        *,
        n: int = 10,
        restrict: Restriction = None,
        metric: Metric = "cosine",
        method: Method = "3cosadd",
        threads: int | None = None,
    ) -> list[tuple[str, float]]:
        """Return the words nearest to a word, a vector, or a sum of them, best first.

        All vectors are compared, so the answer is exact. Words of the query are never in it.

        Parameters
        ----------
        positive, negative : str, vector, or list of them
            With the cosine, the query is the sum of the unit vectors of ``positive`` minus those of
            ``negative``. With the other metrics it is the sum of the vectors as they are, divided by how
            many more ``positive`` there are than ``negative``, so that two words give their midpoint.
        n : int
            How many words to return.
        restrict : int or iterable of str, optional
            Search among the first so many words, which are the most frequent ones, or among these words.
        metric : {"cosine", "euclidean", "dot"}
            What is compared: the angle; the distance of the points, of which the smallest is the best; or
            the dot product, which also grows with the lengths.
        method : {"3cosadd", "3cosmul"}
            How several words are put together: by the sum above, or by the product of the cosines to
            ``positive`` divided by the product of those to ``negative``, each moved to the range from 0
            to 1 (Levy and Goldberg 2014), which lets no single word decide.
        threads : int, optional
            All that the machine offers where none is given.

        Returns
        -------
        list of (str, float)
            Words with what the metric or the method says; equals in row order.

        Raises
        ------
        UnknownWordError
            A word has no vector.
        ParameterError
            The query is empty, ``n`` is negative, or the metric or the method is unknown.

        Notes
        -----
        After a few queries on a large matrix, a copy of it with one byte for each number is made, which
        takes a quarter of its memory. It tells which rows cannot be among the best; all others are scored
        in full, so the answers are the same, in a fraction of the time.

        Examples
        --------
        >>> notes = {"cat": [2.0, 1.0], "kitten": [1.0, 0.6], "tiger": [6.0, 4.0], "car": [-1.0, 2.0]}
        >>> vectors = tg.WordVectors.from_mapping(notes)
        >>> [word for word, _ in vectors.most_similar("cat", restrict=["tiger", "car"])]
        ['tiger', 'car']
        >>> [word for word, _ in vectors.most_similar("cat", n=2, metric="euclidean")]
        ['kitten', 'car']
        """
        added, removed = _as_list(positive), _as_list(negative)
        if not added and not removed:
            raise ParameterError("`positive` must hold at least one word or vector, got none", "positive")
        _check_number(n)
        words = [term for term in (*added, *removed) if isinstance(term, str)]
        excluded = [row for word in words if (row := self._native.row(word)) is not None]
        among = self._among(restrict)
        if method == "3cosmul":
            sides = [[self._vector(term) for term in side] for side in (added, removed)]
            found = _native.nearest_by_product(
                self._native, sides[0], sides[1], n, metric, among, excluded, threads
            )
        elif method == "3cosadd":
            query = self._sum(added, removed, unit=metric == "cosine")
            found = _native.nearest(self._native, query, n, metric, among, excluded, threads)
        else:
            raise ParameterError(f'`method` must be "3cosadd" or "3cosmul", got {method!r}', "method")
        return [(self._native.word(row), score) for row, score in found]

    def most_similar_batch(
        self,
        queries: Sequence[str] | npt.ArrayLike,
        *,
        n: int = 10,
        restrict: Restriction = None,
        metric: Metric = "cosine",
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Neighbors:
        """Return the words nearest to each of many words or vectors: a matrix in, a matrix out.

        The answers are those of :meth:`most_similar` for each query alone, at a small part of the cost: the
        matrix is read once for thousands of queries.

        Parameters
        ----------
        queries : list of str, or array of shape (queries, vector_size)
            A word is not in its own answer.
        n : int
            How many words to return for each query.
        restrict : int or iterable of str, optional
            Search among the first so many words, or among these words.
        metric : {"cosine", "euclidean", "dot"}
            As for :meth:`most_similar`.
        threads : int, optional
            All that the machine offers where none is given.
        progress : callable or bool, optional
            Shows progress on standard error if true.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [1, 1], "c": [0, 1]})
        >>> found = vectors.most_similar_batch(["a", "c"], n=1)
        >>> found.rows.tolist(), found[0]
        ([[1], [1]], [('b', 0.7071067690849304)])
        """
        _check_number(n)
        own = None
        if isinstance(queries, str):
            raise ParameterError(f"`queries` must be a list of words or a matrix, got {queries!r}", "queries")
        names = queries if isinstance(queries, (list, tuple)) else None
        if names is not None and all(isinstance(name, str) for name in names):
            # A word whose vector comes from its n-grams has no row to leave out.
            rows_of = [self._native.row(name) for name in names]
            own = np.array([-1 if row is None else row for row in rows_of], dtype=np.int64)
            points = np.array([self._vector(name) for name in names], dtype=np.float32)
            points = points.reshape(-1, self.vector_size)
        else:
            points = np.ascontiguousarray(queries, dtype=np.float32)
            names = None
        if points.ndim != 2 or points.shape[1] != self.vector_size:
            message = (
                f"`queries` must have {self.vector_size} numbers in each row, as the vectors do, got an "
                f"array of shape {points.shape}"
            )
            raise ParameterError(message, "queries")
        rows, scores = _native.nearest_to_each(
            self._native, points, own, n, metric, self._among(restrict), threads, resolve(progress)
        )
        return Neighbors(rows, scores, self._all_words(), list(names) if names is not None else None, metric)

    def analogy(
        self,
        a: str,
        b: str,
        c: str,
        *,
        n: int = 10,
        restrict: Restriction = None,
        method: Method = "3cosadd",
    ) -> list[tuple[str, float]]:
        """Return what is to ``c`` as ``b`` is to ``a``: the words nearest to b - a + c.

        Known as 3CosAdd (Mikolov et al. 2013), or 3CosMul; the three words are never in the answer. The
        settings are those of :meth:`most_similar`.

        Examples
        --------
        >>> vectors.analogy("man", "king", "woman", n=1)  # doctest: +SKIP
        [('queen', 0.78)]
        """
        return self.most_similar([b, c], [a], n=n, restrict=restrict, method=method)

    def odd_one_out(self, words: Sequence[str]) -> str:
        """Return the word that fits least among the others: the farthest by angle from their mean.

        The mean is that of all given words, each divided by its length; of words that fit equally little
        the first is returned.

        Raises
        ------
        ParameterError
            Fewer than three words: of two, neither is odder than the other.

        Examples
        --------
        >>> notes = {"apple": [2, 0], "pear": [3, 1], "plum": [1, 0.2], "truck": [-1, 1]}
        >>> tg.WordVectors.from_mapping(notes).odd_one_out(["apple", "pear", "truck", "plum"])
        'truck'
        """
        if len(words) < 3 or isinstance(words, str):
            raise ParameterError(f"`words` must hold at least 3 words, got {words!r}", "words")
        points = np.stack([_unit(self[word]) for word in words])
        return words[int((points @ points.mean(axis=0)).argmin())]

    def closer_than(self, word: str, other: str) -> list[str]:
        """Return the words whose cosine to ``word`` is larger than that of ``other``, best first.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [1, 1], "c": [0, 1]})
        >>> vectors.closer_than("a", "c")
        ['b']
        """
        rows, scores = self._ranking(word)
        limit = scores[rows == self._row(other)]
        # A word is nearer to itself than any other.
        closer = rows[scores > limit[0]] if len(limit) else rows[:0]
        return [self._native.word(int(row)) for row in closer]

    def rank(self, word: str, other: str) -> int:
        """Return the place of ``other`` among the neighbors of ``word``, from 1; 0 for the word itself.

        Words at the same angle share a place.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [1, 1], "c": [0, 1]})
        >>> vectors.rank("a", "b"), vectors.rank("a", "c"), vectors.rank("a", "a")
        (1, 2, 0)
        """
        return 0 if self._row(word) == self._row(other) else len(self.closer_than(word, other)) + 1

    def _ranking(self, word: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """All other rows by their cosine to a word."""
        own = np.array([self._row(word)], dtype=np.int64)
        rows, scores = _native.nearest_to_each(
            self._native, self._rows(own), own, len(self), "cosine", None, None, None
        )
        return rows[0], scores[0]

    def _among(self, restrict: Restriction) -> npt.NDArray[np.int64] | None:
        if restrict is None:
            return None
        if isinstance(restrict, (int, np.integer)):
            if restrict < 0:
                raise ParameterError(f"`restrict` must be at least 0 words, got {restrict}", "restrict")
            return None if restrict >= len(self) else np.arange(restrict, dtype=np.int64)
        if isinstance(restrict, str):
            raise ParameterError(
                f"`restrict` must be a number or a list of words, got {restrict!r}", "restrict"
            )
        return np.array([self._row(word) for word in restrict], dtype=np.int64)

    def _sum(self, added: list[WordOrVector], removed: list[WordOrVector], *, unit: bool) -> Vector:
        if len(added) == 1 and not removed:
            return self._vector(added[0])
        total = np.zeros(self.vector_size, dtype=np.float64)
        for sign, terms in ((1, added), (-1, removed)):
            for term in terms:
                vector = self._vector(term)
                total += sign * (_unit(vector) if unit else vector.astype(np.float64))
        if not unit:
            total /= max(1, len(added) - len(removed))
        return total.astype(np.float32)


def _check_number(n: int) -> None:
    if n < 0:
        raise ParameterError(f"`n` must be at least 0, got {n}", "n")


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

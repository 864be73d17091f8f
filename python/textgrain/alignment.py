"""One set of word vectors turned onto another: rotation and translation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from textgrain import _native
from textgrain._rows import unit_rows
from textgrain.evaluation.intrinsic import shared_words
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from textgrain.vectors import WordVectors

    Numbers = npt.NDArray[np.float64]

__all__ = ["Alignment", "TranslationScore", "align", "procrustes"]


def procrustes(source: npt.ArrayLike, target: npt.ArrayLike) -> Numbers:
    """Return the rotation or reflection that brings the rows of ``source`` nearest to those of ``target``.

    The solution of Schönemann (1966): from the singular value decomposition of sourceᵀ target.

    Examples
    --------
    >>> procrustes([[1, 0], [0, 1]], [[0, 1], [-1, 0]]).round(6).tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    left, _, right = np.linalg.svd(
        np.asarray(source, dtype=np.float64).T @ np.asarray(target, dtype=np.float64)
    )
    rotation: Numbers = left @ right
    return rotation


def align(
    source: WordVectors,
    target: WordVectors,
    pairs: Iterable[tuple[str, str]] | Mapping[str, str] | None = None,
    *,
    center: bool = True,
) -> Alignment:
    """Turn one set of vectors so that words lie near the same, or the translated, words of another.

    Only a rotation or reflection is applied, so angles and distances within ``source`` stay as they are
    (orthogonal Procrustes; Schönemann 1966, Hamilton et al. 2016, Artetxe et al. 2016). Vectors are divided
    by their lengths first, and centered if ``center`` says so.

    Parameters
    ----------
    source, target : WordVectors
        Of one vector size.
    pairs : iterable of (str, str) or mapping, optional
        Words of ``source`` with what they are in ``target``; pairs with an unknown word are left out and
        counted. The words that both have where none are given, up to 10,000 of them.
    center : bool
        Take the mean out of each side first, and divide by the lengths again.

    Raises
    ------
    ParameterError
        The sizes differ, or fewer than three pairs are known.

    Examples
    --------
    >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 1], "c": [1, 1], "d": [1, -2]})
    >>> turned = tg.WordVectors.from_mapping({word: [-y, x] for word, (x, y) in zip("abcd", vectors.matrix)})
    >>> alignment = tg.align(turned, vectors)
    >>> alignment.translate("d", n=1)[0][0], round(alignment.mean_cosine, 4)
    ('d', 1.0)
    """
    if source.vector_size != target.vector_size:
        message = (
            f"`target` must have {source.vector_size} numbers in each vector, as `source` has, got "
            f"{target.vector_size}"
        )
        raise ParameterError(message, "target")
    if pairs is None:
        words = shared_words([source, target], None)
        asked = [(word, word) for word in words]
    else:
        asked = list(dict.fromkeys(pairs.items() if isinstance(pairs, Mapping) else pairs))
    known = [(a, b) for a, b in asked if a in source and b in target]
    if len(known) < 3:
        found = f"{len(known)} of {len(asked)}"
        message = f"`pairs` must hold at least 3 pairs whose words both have vectors, got {found}"
        raise ParameterError(message, "pairs")
    left, left_mean = _prepared(source, center=center)
    right, right_mean = _prepared(target, center=center)
    rows = np.array([[source._row(a), target._row(b)] for a, b in known])
    rotation = procrustes(left[rows[:, 0]], right[rows[:, 1]])
    cosines = np.einsum("ij,ij->i", left[rows[:, 0]] @ rotation, right[rows[:, 1]])
    return Alignment(
        source=source,
        target=target,
        rotation=rotation,
        pairs=known,
        skipped=len(asked) - len(known),
        mean_cosine=float(cosines.mean()),
        center=center,
        _means=(left_mean, right_mean),
    )


def _unchanged_but(vectors: WordVectors, points: Numbers) -> WordVectors:
    """The words and counts of vectors with other numbers, and without n-grams."""
    settings = vectors.settings
    # What is turned is floats.
    settings.pop("stored", None)
    edits = settings.get("edits", [])
    settings["edits"] = [*(edits if isinstance(edits, list) else []), "aligned"]
    matrix, counts = points.astype(np.float32), vectors.counts.tolist()
    native = _native.WordVectors.from_parts(
        vectors.words, matrix, counts, json.dumps(settings), vectors.history
    )
    return type(vectors)(native)


def _prepared(vectors: WordVectors, *, center: bool) -> tuple[Numbers, Numbers]:
    """All vectors at length 1, centered and at length 1 again; and the mean that was taken out."""
    points = unit_rows(vectors.matrix.astype(np.float64))
    if not center:
        return points, np.zeros(vectors.vector_size)
    mean = points.mean(axis=0)
    return unit_rows(points - mean), mean


@dataclass(frozen=True, kw_only=True, eq=False)
class Alignment:
    """A rotation from one set of vectors to another.

    Attributes
    ----------
    source, target : WordVectors
        The two sets, as they were.
    rotation : array of float64
        Of shape (vector_size, vector_size), orthogonal: applied to rows from the right.
    pairs : list of (str, str)
        The pairs it was found from.
    skipped : int
        Pairs that were left out, as one of their words has no vector.
    mean_cosine : float
        The mean cosine of these pairs after the rotation.
    center : bool
        Whether the mean was taken out of both sides.
    """

    source: WordVectors = field(repr=False)
    target: WordVectors = field(repr=False)
    rotation: Numbers = field(repr=False)
    pairs: list[tuple[str, str]] = field(repr=False)
    skipped: int
    mean_cosine: float
    center: bool
    _means: tuple[Numbers, Numbers] = field(repr=False)

    def apply(self, words: Sequence[str]) -> Numbers:
        """Return vectors of the source at length 1 as the target would have them, one row for each word."""
        rows = self.source._rows([self.source._row(word) for word in words]).astype(np.float64)
        points = unit_rows(rows)
        if self.center:
            points = unit_rows(points - self._means[0])
        moved: Numbers = points @ self.rotation
        return moved

    def aligned(self) -> tuple[WordVectors, WordVectors]:
        """Return both sets as they are compared: the source turned onto the target, all of length 1.

        Where ``center`` is set the mean is taken out of each side, so both are new. Their words and counts
        are those of the sets as they were; n-grams are left out, which are not turned.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 1], "c": [-3, 1]})
        >>> turned = tg.WordVectors.from_mapping({"a": [0, 1], "b": [-1, 0], "c": [-1, -3]})
        >>> source, target = tg.align(turned, vectors).aligned()
        >>> round(source.distance("a", target["a"]), 3)
        0.0
        """
        right, _ = _prepared(self.target, center=self.center)
        return (
            _unchanged_but(self.source, self.apply(self.source.words)),
            _unchanged_but(self.target, right),
        )

    def translate(
        self,
        word: str,
        *,
        n: int = 10,
        method: Literal["csls", "cosine"] = "csls",
        restrict: int = 20_000,
        neighbors: int = 10,
    ) -> list[tuple[str, float]]:
        """Return the words of the target nearest to a word of the source, best first.

        Parameters
        ----------
        word : str
            A word of the source.
        n : int
            How many words to return.
        method : {"csls", "cosine"}
            The cosine alone, or twice the cosine less how near each of the two words is to its nearest
            ``neighbors`` on the other side (cross-domain similarity local scaling, Conneau et al. 2018),
            which keeps hubs from being the answer to everything.
        restrict : int
            Only the first so many words of each side are looked at.
        neighbors : int
            For ``"csls"``.
        """
        return self.translate_batch([word], n=n, method=method, restrict=restrict, neighbors=neighbors)[0]

    def translate_batch(
        self,
        words: Sequence[str],
        *,
        n: int = 10,
        method: Literal["csls", "cosine"] = "csls",
        restrict: int = 20_000,
        neighbors: int = 10,
    ) -> list[list[tuple[str, float]]]:
        """Return the same for each of many words, which shares most of the work."""
        if method not in ("csls", "cosine"):
            raise ParameterError(f'`method` must be "csls" or "cosine", got {method!r}', "method")
        for name, value in (("n", n), ("restrict", restrict), ("neighbors", neighbors)):
            if value < (0 if name == "n" else 1):
                raise ParameterError(
                    f"`{name}` must be at least {0 if name == 'n' else 1}, got {value}", name
                )
        right, _ = _prepared(self.target.select(self.target.words[:restrict]), center=False)
        if self.center:
            right = unit_rows(right - self._means[1])
        left = self.apply(words)
        names = self.target._all_words()
        if method == "csls":
            pool = self.apply(self.source.words[:restrict])
            crowd = _mean_of_nearest(right, pool, neighbors)
        answers = []
        for start in range(0, len(left), QUERIES_AT_ONCE):
            scores = left[start : start + QUERIES_AT_ONCE] @ right.T
            if method == "csls":
                own = _top_mean(scores, neighbors)
                scores = 2 * scores - own[:, None] - crowd[None, :]
            order = np.argsort(-scores, axis=1, kind="stable")[:, :n]
            answers += [
                [(names[place], float(line[place])) for place in places]
                for places, line in zip(order.tolist(), scores, strict=True)
            ]
        return answers

    def score(
        self,
        pairs: Iterable[tuple[str, str]] | Mapping[str, str],
        *,
        method: Literal["csls", "cosine"] = "csls",
        restrict: int = 20_000,
        rounds: int = 1000,
        seed: int = 1,
    ) -> TranslationScore:
        """Say how often a known translation is the first answer, or among the first five or ten.

        A word may have several translations, each of which is right. Use pairs that the alignment was not
        found from: those it has seen. For the interval, as many words are drawn from those asked, with
        ``seed``, ``rounds`` times.

        Raises
        ------
        ParameterError
            None of the pairs has two words with vectors.
        """
        wanted: dict[str, set[str]] = {}
        total = 0
        for a, b in dict.fromkeys(pairs.items() if isinstance(pairs, Mapping) else pairs):
            total += 1
            if a in self.source and b in self.target:
                wanted.setdefault(a, set()).add(b)
        if not wanted:
            raise ParameterError("`pairs` must hold at least one pair with two known words", "pairs")
        answers = self.translate_batch(list(wanted), n=10, method=method, restrict=restrict)
        places = [
            next((place for place, (word, _) in enumerate(answer) if word in right), 10)
            for answer, right in zip(answers, wanted.values(), strict=True)
        ]
        first, five, ten = (sum(place < limit for place in places) / len(places) for limit in (1, 5, 10))
        # Drawing words again, each right or not, is drawing from a binomial distribution.
        drawn = np.random.default_rng(seed).binomial(len(places), first, size=max(rounds, 1)) / len(places)
        low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
        return TranslationScore(
            at_1=first,
            at_5=five,
            at_10=ten,
            interval=(low, high),
            words=len(wanted),
            used=sum(len(right) for right in wanted.values()),
            total=total,
        )


# Words whose scores against the whole other side are held at once.
QUERIES_AT_ONCE = 512


@dataclass(frozen=True, kw_only=True)
class TranslationScore:
    """How often the right translation comes first, among the first five, or among the first ten.

    Attributes
    ----------
    at_1, at_5, at_10 : float
        Shares of the words, from 0 to 1.
    interval : (float, float)
        Where ``at_1`` lies with 95 % confidence, from resampling the words that were asked.
    words : int
        How many words of the source were asked.
    used, total : int
        Pairs whose words both have vectors, and pairs in all.
    """

    at_1: float
    at_5: float
    at_10: float
    interval: tuple[float, float]
    words: int
    used: int
    total: int

    @property
    def coverage(self) -> float:
        """The share of pairs whose words both have vectors."""
        return self.used / self.total

    def __str__(self) -> str:
        low, high = (100 * bound for bound in self.interval)
        shares = f"{100 * self.at_1:.1f} % right (95 %: {low:.1f} to {high:.1f}), "
        shares += f"{100 * self.at_5:.1f} % among the first 5, {100 * self.at_10:.1f} % among the first 10"
        return (
            f"{shares}; coverage {100 * self.coverage:.1f} %: {self.used:,} of {self.total:,} pairs, "
            f"{self.words:,} words"
        )


def _top_mean(scores: Numbers, count: int) -> Numbers:
    """The mean of the largest numbers of each row."""
    count = min(count, scores.shape[1])
    means: Numbers = np.partition(scores, -count, axis=1)[:, -count:].mean(axis=1)
    return means


def _mean_of_nearest(points: Numbers, others: Numbers, count: int) -> Numbers:
    """The mean cosine of each point to its nearest ones on the other side."""
    means = [
        _top_mean(points[start : start + QUERIES_AT_ONCE] @ others.T, count)
        for start in range(0, len(points), QUERIES_AT_ONCE)
    ]
    return np.concatenate(means)

"""What word vectors say of themselves, without a test made by people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.evaluation.scoring import spearman
from textgrain.exceptions import ParameterError
from textgrain.progress import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from textgrain.progress import Progress
    from textgrain.vectors import WordVectors

    Numbers = npt.NDArray[np.float64]

__all__ = ["Overlap", "VectorReport", "describe", "neighbor_overlap", "stability"]


@dataclass(frozen=True, kw_only=True)
class VectorReport:
    """How vectors fill their space.

    Attributes
    ----------
    words, vector_size : int
        The shape of the matrix.
    zero_vectors : int
        Words whose vector is zero.
    sample : int
        How many words the figures below were taken of.
    mean_cosine : float
        The mean cosine of two different words: 0 if directions are spread evenly, near 1 if all words point
        the same way (Ethayarajh 2019).
    isotropy : float
        From 0 to 1: how evenly the space is filled, as the smallest over the largest value of the partition
        function along the principal axes (Mu and Viswanath 2018).
    effective_dimensions : float
        How many axes carry the variance: the square of the sum of the variances along the principal axes over
        the sum of their squares. As many as ``vector_size`` if all carry the same.
    first_components : list of float
        The share of the variance along each of the first ten principal axes.
    norms : dict of str to float
        The smallest, median and largest length of a vector, and the 5th and 95th percentile.
    norm_and_frequency : float
        The rank correlation of length and frequency; by the order of words where counts are unknown.
    hubness : float
        The skewness of how often words occur among the nearest neighbors of others: near 0 if every word does
        so equally often, large if a few are neighbors of very many (Radovanović et al. 2010).
    hubs : list of (str, int)
        The words that are neighbors of the most others, and of how many.
    orphans : float
        The share of words that are a neighbor of none.
    neighbors : int
        How many neighbors of each word were looked at.
    """

    words: int
    vector_size: int
    zero_vectors: int
    sample: int
    mean_cosine: float
    isotropy: float
    effective_dimensions: float
    first_components: list[float]
    norms: dict[str, float]
    norm_and_frequency: float
    hubness: float
    hubs: list[tuple[str, int]]
    orphans: float
    neighbors: int

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        hubs = ", ".join(f"{word} ({count:,})" for word, count in self.hubs[:5])
        norms = ", ".join(f"{name} {value:.3g}" for name, value in self.norms.items())
        lines = [
            ("words", f"{self.words:,} of {self.vector_size} numbers, {self.zero_vectors:,} of them zero"),
            ("figures from", f"the first {self.sample:,} words that are not zero"),
            ("mean cosine", f"{self.mean_cosine:.4f}   (0: directions spread evenly)"),
            ("isotropy", f"{self.isotropy:.4f}   (1: the space is filled evenly)"),
            ("dimensions used", f"{self.effective_dimensions:.1f} of {self.vector_size}"),
            ("first components", ", ".join(f"{100 * share:.1f} %" for share in self.first_components[:5])),
            ("lengths", norms),
            ("length, frequency", f"{self.norm_and_frequency:+.3f}   (rank correlation)"),
            ("hubness", f"{self.hubness:.2f}   (0: every word is a neighbor equally often)"),
            ("hubs", f"{hubs}   (times among {self.neighbors} nearest)"),
            ("orphans", f"{100 * self.orphans:.1f} % of the words are a neighbor of none"),
        ]
        return "\n".join(f"{name:<18} {text}" for name, text in lines)


def describe(
    vectors: WordVectors,
    *,
    sample: int = 10_000,
    neighbors: int = 10,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> VectorReport:
    """Describe how vectors fill their space: directions, lengths, hubs.

    Parameters
    ----------
    vectors : WordVectors
        What is described.
    sample : int
        Take the figures of so many words at most: the first, which are the most frequent.
    neighbors : int
        How many neighbors of each word count for the hubs, searched among the sample.
    threads : int, optional
        All that the machine offers where none is given.
    progress : callable or bool, optional
        Shows progress on standard error if true.

    Raises
    ------
    ParameterError
        Fewer than three words have a vector that is not zero, or a setting is below 1.

    Examples
    --------
    >>> vectors = tg.Word2Vec(vector_size=20, epochs=1).train(tg.sample_corpus(), threads=1)
    >>> report = vectors.describe(sample=500)
    >>> report.sample, 0 < report.effective_dimensions <= 20
    (500, True)
    """
    for name, value in (("sample", sample), ("neighbors", neighbors)):
        if value < 1:
            raise ParameterError(f"`{name}` must be at least 1, got {value}", name)
    norms = vectors._native.norms.astype(np.float64)
    rows = np.flatnonzero(norms > 0)[: max(sample, 3)]
    if len(rows) < 3:
        message = f"`vectors` must hold at least 3 vectors that are not zero, got {len(rows)}"
        raise ParameterError(message, "vectors")
    points = vectors._rows(rows).astype(np.float64)
    unit = points / norms[rows, None]
    variances = _variances(points)
    counts = vectors.counts[rows].astype(np.float64)
    frequency = counts if counts.any() else -rows.astype(np.float64)
    hits = _times_a_neighbor(vectors, rows, neighbors, threads, resolve(progress))
    words = vectors._all_words()
    order = np.argsort(-hits, kind="stable")[:10]
    quantiles = np.quantile(norms[rows], [0, 0.05, 0.5, 0.95, 1])
    return VectorReport(
        words=len(vectors),
        vector_size=vectors.vector_size,
        zero_vectors=int((norms == 0).sum()),
        sample=len(rows),
        mean_cosine=_mean_cosine(unit),
        isotropy=_isotropy(points),
        effective_dimensions=float(variances.sum() ** 2 / (variances**2).sum()) if variances.any() else 0.0,
        first_components=(variances / (variances.sum() or 1.0))[:10].tolist(),
        norms=dict(zip(("least", "5 %", "median", "95 %", "most"), quantiles.tolist(), strict=True)),
        norm_and_frequency=spearman(norms[rows], frequency),
        hubness=_skewness(hits.astype(np.float64)),
        hubs=[(words[rows[place]], int(hits[place])) for place in order],
        orphans=float((hits == 0).mean()),
        neighbors=min(neighbors, len(rows) - 1),
    )


def _mean_cosine(unit: Numbers) -> float:
    """The mean over all pairs of different rows, from the length of their sum."""
    count = len(unit)
    total = unit.sum(axis=0)
    return float((total @ total - count) / (count * (count - 1)))


def _variances(points: Numbers) -> Numbers:
    """The variance along each principal axis, largest first."""
    centered = points - points.mean(axis=0)
    values = np.linalg.eigvalsh(centered.T @ centered / len(points))[::-1]
    clipped: Numbers = np.clip(values, 0, None)
    return clipped


def _isotropy(points: Numbers) -> float:
    """The least over the greatest sum of exp(axis times vector), over both ways along each axis."""
    _, axes = np.linalg.eigh(points.T @ points)
    products = points @ axes
    # The largest exponent is taken out, so that none is too large for a number.
    most = float(np.abs(products).max())
    sums = np.concatenate([np.exp(sign * products - most).sum(axis=0) for sign in (1, -1)])
    return float(sums.min() / sums.max())


def _skewness(values: Numbers) -> float:
    centered = values - values.mean()
    spread = float(np.sqrt((centered**2).mean()))
    return float((centered**3).mean()) / spread**3 if spread > 0 else 0.0


def _times_a_neighbor(
    vectors: WordVectors,
    rows: npt.NDArray[np.int64],
    neighbors: int,
    threads: int | None,
    progress: Progress | None,
) -> npt.NDArray[np.int64]:
    words = vectors._all_words()
    names = [words[row] for row in rows.tolist()]
    found = vectors.most_similar_batch(
        names, n=neighbors, restrict=names, threads=threads, progress=progress
    ).rows
    hits = np.bincount(found[found >= 0], minlength=len(vectors))
    return hits[rows]


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """How far several sets of vectors give words the same neighbors.

    Attributes
    ----------
    mean : float
        The mean share of neighbors that two sets have in common, from 0 to 1, over words and pairs of sets.
    chance : float
        What random neighbors would have in common.
    interval : (float, float)
        Where the mean lies with 95 % confidence, from resampling the words.
    words : int
        How many words were compared.
    neighbors : int
        How many neighbors of each.
    least, most : list of (str, float)
        The words with the least and with the most in common, and how much.
    by_word : dict of str to float
        The share for each word.
    """

    mean: float
    chance: float
    interval: tuple[float, float]
    words: int
    neighbors: int
    least: list[tuple[str, float]] = field(repr=False)
    most: list[tuple[str, float]] = field(repr=False)
    by_word: dict[str, float] = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, for JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "by_word"}

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{100 * self.mean:.1f} % of the {self.neighbors} nearest words in common "
            f"(95 %: {100 * low:.1f} to {100 * high:.1f}; by chance {100 * self.chance:.2f} %), "
            f"over {self.words:,} words\n"
            f"least alike: {_listed(self.least)}\nmost alike: {_listed(self.most)}"
        )


def _listed(words: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} ({100 * share:.0f} %)" for word, share in words[:8])


def neighbor_overlap(
    first: WordVectors,
    second: WordVectors,
    *,
    words: Sequence[str] | None = None,
    neighbors: int = 10,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> Overlap:
    """Compare the nearest neighbors of words in two sets of vectors, among the words that both have.

    Vectors of different corpora, settings or seeds cannot be compared number by number; their neighbors can.

    Parameters
    ----------
    first, second : WordVectors
        Of any sizes.
    words : list of str, optional
        The words to compare; the first 10,000 of ``first`` that both have where none are given.
    neighbors : int
        How many neighbors of each, searched among the words compared.
    seed : int
        For the resampling.
    threads : int, optional
        All that the machine offers where none is given.
    progress : callable or bool, optional
        Shows progress on standard error if true.

    Examples
    --------
    >>> trainer = tg.Word2Vec(vector_size=20, epochs=1)
    >>> one, other = (trainer.train(tg.sample_corpus(), threads=1) for _ in range(2))
    >>> tg.neighbor_overlap(one, other).mean
    1.0
    """
    return stability(
        [first, second], words=words, neighbors=neighbors, seed=seed, threads=threads, progress=progress
    )


def stability(
    models: Sequence[WordVectors],
    *,
    words: Sequence[str] | None = None,
    neighbors: int = 10,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> Overlap:
    """Compare the neighbors of words in each two of several sets of vectors, as of several seeds.

    What differs between seeds says nothing about the corpus: a finding should be larger than that. The
    settings are those of :func:`neighbor_overlap`.

    Raises
    ------
    ParameterError
        Fewer than two sets, or fewer than three words that all of them have.
    """
    if len(models) < 2:
        raise ParameterError(f"`models` must hold at least 2 sets of vectors, got {len(models)}", "models")
    shared = shared_words(models, words)
    count = min(neighbors, len(shared) - 1)
    if count < 1:
        raise ParameterError(f"`neighbors` must be at least 1, got {neighbors}", "neighbors")
    answers = []
    for model in models:
        found = model.select(shared).most_similar_batch(shared, n=count, threads=threads, progress=progress)
        answers.append(found.rows)
    shares = np.zeros(len(shared))
    pairs = [(a, b) for place, a in enumerate(answers) for b in answers[place + 1 :]]
    for left, right in pairs:
        # Rows of both are those of the shared words, each at most once.
        both = np.sort(np.concatenate([left, right], axis=1), axis=1)
        shares += (both[:, 1:] == both[:, :-1]).sum(axis=1) / count
    shares /= len(pairs)
    order = np.argsort(shares, kind="stable")
    by_word = dict(zip(shared, shares.tolist(), strict=True))
    ranked = [(shared[place], float(shares[place])) for place in order]
    return Overlap(
        mean=float(shares.mean()),
        chance=count / (len(shared) - 1),
        interval=_bootstrap(shares, seed),
        words=len(shared),
        neighbors=count,
        least=ranked[:20],
        most=ranked[::-1][:20],
        by_word=by_word,
    )


# Where the caller names no words: more take long, and rare ones have chance neighbors.
_WORDS_COMPARED = 10_000


def shared_words(models: Sequence[WordVectors], words: Sequence[str] | None) -> list[str]:
    """The words that all sets of vectors have, in the order given or that of the first set."""
    asked = list(dict.fromkeys(words)) if words is not None else models[0]._all_words()
    shared = [word for word in asked if all(word in model for model in models)]
    if words is None:
        shared = shared[:_WORDS_COMPARED]
    if len(shared) < 3:
        message = f"`words` must hold at least 3 words that all vectors have, got {len(shared)}"
        raise ParameterError(message, "words")
    return shared


def _bootstrap(values: Numbers, seed: int, rounds: int = 1000) -> tuple[float, float]:
    """The 95 % interval of the mean, by drawing as many values again and again."""
    random = np.random.default_rng(seed)
    means = [values[random.integers(0, len(values), len(values))].mean() for _ in range(rounds)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)

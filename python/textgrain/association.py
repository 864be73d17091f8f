"""Which sets of words lie near which: association tests, and axes given by pairs of words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from textgrain._rows import unit_rows
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.vectors import WordVectors

    Numbers = npt.NDArray[np.float64]

__all__ = ["Association", "Axis", "Position", "association_test", "axis"]

# With no more partitions than this, all of them are counted.
_ALL_PARTITIONS = 200_000


@dataclass(frozen=True, kw_only=True)
class Association:
    """What a word embedding association test came to.

    Attributes
    ----------
    effect_size : float
        The difference of the mean associations of both target sets over the standard deviation of all of
        them, from -2 to 2: positive if the first targets lie nearer to the first attributes.
    p_value : float
        How often a random division of the targets gives at least this difference (one-sided).
    statistic : float
        The difference of the sums of the associations.
    partitions : int
        The divisions that were counted.
    exact : bool
        Whether these are all there are; otherwise they were drawn at random, the given one among them.
    associations : dict of str to float
        For each target word its mean cosine to the first attributes less that to the second.
    unknown : list of str
        Words without a vector, which were left out.
    """

    effect_size: float
    p_value: float
    statistic: float
    partitions: int
    exact: bool
    associations: dict[str, float] = field(repr=False)
    unknown: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        kind = "all" if self.exact else "random"
        divisions = f"{self.partitions:,} {kind} divisions"
        text = f"effect size {self.effect_size:+.3f}, p = {self.p_value:.4g} ({divisions})"
        if self.unknown:
            text += f"; without a vector: {', '.join(self.unknown)}"
        return text


def association_test(
    vectors: WordVectors,
    first_targets: Sequence[str],
    second_targets: Sequence[str],
    first_attributes: Sequence[str],
    second_attributes: Sequence[str],
    *,
    unknown: Literal["error", "skip"] = "error",
    permutations: int = 10_000,
    seed: int = 1,
) -> Association:
    """Test whether two sets of target words differ in how near they lie to two sets of attributes (WEAT).

    The word embedding association test of Caliskan, Bryson and Narayanan (2017). The standard deviation is
    that of a sample (divided by n - 1). All divisions of the targets into sets of these sizes are counted
    where there are no more than 200,000; otherwise ``permutations`` random ones, and the p-value counts the
    given one too, so that it is never 0 (Phipson and Smyth 2010).

    Parameters
    ----------
    vectors : WordVectors
        What is tested.
    first_targets, second_targets : list of str
        Such as flowers and insects; at least two words each, and none in both.
    first_attributes, second_attributes : list of str
        Such as pleasant and unpleasant words; at least one each.
    unknown : {"error", "skip"}
        Whether a word without a vector is an error, or is left out and listed in the result.
    permutations : int
        Random divisions, where not all are counted.
    seed : int
        For the divisions.

    Raises
    ------
    UnknownWordError
        A word has no vector.
    ParameterError
        A set has too few words, or a word stands in both targets.

    Examples
    --------
    >>> flowers, insects = {"rose": [1, 0.2], "lily": [1, 0.1]}, {"wasp": [0.1, 1], "gnat": [0.3, 1]}
    >>> vectors = tg.WordVectors.from_mapping({**flowers, **insects, "good": [1, 0], "bad": [0, 1]})
    >>> test = tg.association_test(vectors, list(flowers), list(insects), ["good"], ["bad"])
    >>> round(test.effect_size, 3), round(test.p_value, 4)
    (1.722, 0.1667)
    """
    if unknown not in ("error", "skip"):
        raise ParameterError(f'`unknown` must be "error" or "skip", got {unknown!r}', "unknown")
    if permutations < 1:
        raise ParameterError(f"`permutations` must be at least 1, got {permutations}", "permutations")
    missing: list[str] = []
    sets = {
        name: _known(vectors, name, words, missing, least=least, skip=unknown == "skip")
        for name, words, least in (
            ("first_targets", first_targets, 2),
            ("second_targets", second_targets, 2),
            ("first_attributes", first_attributes, 1),
            ("second_attributes", second_attributes, 1),
        )
    }
    first, second = sets["first_targets"], sets["second_targets"]
    both = [word for word in first if word in second]
    if both:
        message = f"`second_targets` must share no word with `first_targets`, got {both[0]!r} in both"
        raise ParameterError(message, "second_targets")
    targets = _word_rows(vectors, [*first, *second])
    toward = _word_rows(vectors, sets["first_attributes"]).mean(axis=0)
    away = _word_rows(vectors, sets["second_attributes"]).mean(axis=0)
    scores = targets @ (toward - away)
    size = len(first)
    spread = float(scores.std(ddof=1))
    difference = float(scores[:size].mean() - scores[size:].mean())
    count, total, exact = _partitions(scores, size, permutations, seed)
    return Association(
        effect_size=difference / spread if spread > 0 else 0.0,
        p_value=count / total,
        statistic=float(scores[:size].sum() - scores[size:].sum()),
        partitions=total,
        exact=exact,
        associations=dict(zip([*first, *second], scores.tolist(), strict=True)),
        unknown=missing,
    )


def _known(
    vectors: WordVectors, name: str, words: Sequence[str], missing: list[str], *, least: int, skip: bool
) -> list[str]:
    if isinstance(words, str):
        raise ParameterError(f"`{name}` must be a list of words, got {words!r}", name)
    listed = list(dict.fromkeys(words))
    known = [word for word in listed if word in vectors] if skip else listed
    missing += [word for word in listed if word not in known]
    for word in known:
        vectors._row(word)
    if len(known) < least:
        message = f"`{name}` must hold at least {least} words with vectors, got {len(known)} of {len(listed)}"
        raise ParameterError(message, name)
    return known


def _word_rows(vectors: WordVectors, words: Sequence[str]) -> Numbers:
    return unit_rows(np.stack([vectors[word] for word in words]).astype(np.float64))


def _partitions(scores: Numbers, size: int, permutations: int, seed: int) -> tuple[int, int, bool]:
    """How many divisions have at least the sum of the given one, of how many; and whether these are all."""
    # Sums in another order differ in the last digits, which must not decide.
    given = scores[:size].sum() - 1e-9 * np.abs(scores).sum()
    if math.comb(len(scores), size) <= _ALL_PARTITIONS:
        chosen = itertools.combinations(range(len(scores)), size)
        sums = scores[np.array(list(chosen))].sum(axis=1)
        return int((sums >= given).sum()), len(sums), True
    random = np.random.default_rng(seed)
    sums = np.array([random.permutation(scores)[:size].sum() for _ in range(permutations)])
    return 1 + int((sums >= given).sum()), permutations + 1, False


@dataclass(frozen=True, kw_only=True)
class Position:
    """Where a word lies on an axis: the cosine to it, with its 95 % interval from resampling the pairs."""

    word: str
    score: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Axis:
    """A direction of meaning, given by pairs of words at its two ends.

    Attributes
    ----------
    pairs : list of (str, str)
        The pairs: each from one end to the other.
    direction : array of float64
        The mean of the differences of the unit vectors, at length 1.
    agreement : float
        The mean cosine of the differences to the direction: 1 if all pairs say the same, near 0 if they have
        nothing in common and the axis means little.
    """

    pairs: list[tuple[str, str]]
    direction: Numbers = field(repr=False)
    agreement: float
    _differences: Numbers = field(repr=False)
    _vectors: WordVectors = field(repr=False)

    def project(self, words: Sequence[str], *, rounds: int = 1000, seed: int = 1) -> list[Position]:
        """Return where words lie on the axis, from -1 to 1, those nearest to the second end first.

        Parameters
        ----------
        words : list of str
            Any words with vectors.
        rounds : int
            How often the pairs are drawn again for the intervals; with one pair there is nothing to draw.
        seed : int
            For the drawing.

        Raises
        ------
        UnknownWordError
            A word has no vector.
        """
        if isinstance(words, str):
            raise ParameterError(f"`words` must be a list of words, got {words!r}", "words")
        if rounds < 1:
            raise ParameterError(f"`rounds` must be at least 1, got {rounds}", "rounds")
        listed = list(dict.fromkeys(words))
        if not listed:
            return []
        points = _word_rows(self._vectors, listed)
        random = np.random.default_rng(seed)
        count = len(self.pairs)
        means = self._differences[random.integers(0, count, (rounds, count))].mean(axis=1)
        drawn = points @ unit_rows(means).T
        low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
        scores = points @ self.direction
        order = np.argsort(-scores, kind="stable")
        return [
            Position(
                word=listed[place],
                score=float(scores[place]),
                low=float(min(low[place], scores[place])),
                high=float(max(high[place], scores[place])),
            )
            for place in order
        ]


def axis(vectors: WordVectors, pairs: Sequence[tuple[str, str]]) -> Axis:
    """Return the axis from the first words of pairs to the second, on which other words can be placed.

    As in Kozlowski, Taddy and Evans (2019): the mean of the differences of the unit vectors of each pair.

    Parameters
    ----------
    vectors : WordVectors
        What the words are looked up in.
    pairs : list of (str, str)
        Opposites such as ``("poor", "rich")``; several say more than one.

    Raises
    ------
    UnknownWordError
        A word has no vector.
    ParameterError
        There are no pairs, or their differences cancel.

    Examples
    --------
    >>> notes = {"poor": [1, 0.1], "rich": [0.1, 1], "needy": [2, 0.3], "wealthy": [0.2, 1.2]}
    >>> notes["golf"] = [0.5, 2]
    >>> vectors = tg.WordVectors.from_mapping(notes)
    >>> wealth = vectors.axis([("poor", "rich"), ("needy", "wealthy")])
    >>> wealth.project(["golf"])[0].score > 0.5
    True
    """
    listed = [(str(a), str(b)) for a, b in pairs]
    if not listed:
        raise ParameterError("`pairs` must hold at least one pair of words, got none", "pairs")
    ends = [_word_rows(vectors, [pair[side] for pair in listed]) for side in (0, 1)]
    differences = ends[1] - ends[0]
    mean = differences.mean(axis=0)
    if np.linalg.norm(mean) < 1e-9:
        raise ParameterError("`pairs` must point somewhere, but their differences cancel", "pairs")
    direction = unit_rows(mean[None, :])[0]
    agreement = float((unit_rows(differences) @ direction).mean())
    return Axis(
        pairs=listed, direction=direction, agreement=agreement, _differences=differences, _vectors=vectors
    )

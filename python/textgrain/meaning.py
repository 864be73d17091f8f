"""How far words moved between two corpora, periods or communities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain._rows import unit_rows
from textgrain._text import align as align_columns
from textgrain.alignment import QUERIES_AT_ONCE, procrustes
from textgrain.evaluation.intrinsic import shared_words
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.vectors import WordVectors

    Numbers = npt.NDArray[np.float64]

__all__ = ["MeaningChange", "meaning_change"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MeaningChange:
    """How far words moved between two corpora or periods.

    Attributes
    ----------
    words : list of str
        By falling change.
    change : array of float64
        1 minus the cosine between both vectors of each word after alignment: the mean over all pairs of an
        earlier and a later model.
    low, high : array of float64
        The 95 % interval of each, from resampling the words that the alignment rests on and the models.
    noise : array of float64 or None
        The same change between models of one side, which says how much is chance; None where each side is one
        model.
    neighbors : array of float64
        The share of nearest neighbors that a word lost, for which nothing is aligned.
    """

    words: list[str]
    change: Numbers
    low: Numbers
    high: Numbers
    noise: Numbers | None
    neighbors: Numbers

    def __len__(self) -> int:
        return len(self.words)

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return the figures of each word as plain data, most changed first."""
        table = {}
        for place, word in enumerate(self.words):
            figures = {
                "change": float(self.change[place]),
                "low": float(self.low[place]),
                "high": float(self.high[place]),
                "neighbors_lost": float(self.neighbors[place]),
            }
            if self.noise is not None:
                figures["noise"] = float(self.noise[place])
            table[word] = figures
        return table

    def __str__(self) -> str:
        rows = [["", "change", "95 % interval", "neighbors lost"]]
        for place, word in enumerate(self.words[:20]):
            interval = f"{self.low[place]:.3f} to {self.high[place]:.3f}"
            lost = f"{100 * self.neighbors[place]:.0f} %"
            rows.append([word, f"{self.change[place]:.3f}", interval, lost])
        if self.noise is not None:
            rows[0].append("noise")
            for place, row in enumerate(rows[1:]):
                row.append(f"{self.noise[place]:.3f}")
        return align_columns(rows, right=(1, 3, 4))


def meaning_change(
    earlier: WordVectors | Sequence[WordVectors],
    later: WordVectors | Sequence[WordVectors],
    words: Sequence[str] | None = None,
    *,
    anchors: Sequence[str] | None = None,
    neighbors: int = 25,
    rounds: int = 50,
    seed: int = 1,
) -> MeaningChange:
    """Measure how far words moved between two corpora, periods or communities.

    The earlier vectors are turned onto the later ones by the anchors, and each word compared with itself
    (Hamilton, Leskovec and Jurafsky 2016). Give several models a side, trained with other seeds or on
    resampled texts, to learn how much of the change is chance: one model says nothing about that, and rare
    words always seem to move (Dubossarsky et al. 2017). The intervals of single models cover the choice of
    anchors only.

    Parameters
    ----------
    earlier, later : WordVectors, or list of them
        One or more models a side, all of one vector size.
    words : list of str, optional
        What to measure; the words that all have, up to 10,000, where none are given.
    anchors : list of str, optional
        The words that are to stay in place on the whole; those that all have, up to 10,000, where none are
        given.
    neighbors : int
        How many neighbors of each word to compare.
    rounds : int
        How often anchors are drawn again for the intervals.
    seed : int
        For the drawing.

    Raises
    ------
    ParameterError
        The sizes differ, fewer than three words are shared, or a number is below 1.

    Examples
    --------
    >>> old = tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 1], "c": [1, 1], "d": [1, -1], "e": [-2, 1]})
    >>> new = old.with_words({"e": [1, 2]})
    >>> tg.meaning_change(old, new, anchors=["a", "b", "c", "d"]).words[0]
    'e'
    """
    before = [earlier] if not isinstance(earlier, Sequence) else list(earlier)
    after = [later] if not isinstance(later, Sequence) else list(later)
    models = [*before, *after]
    sizes = {model.vector_size for model in models}
    if len(sizes) != 1:
        message = f"`later` must have vectors of the size of `earlier`, got the sizes {sorted(sizes)}"
        raise ParameterError(message, "later")
    for name, value in (("neighbors", neighbors), ("rounds", rounds)):
        if value < 1:
            raise ParameterError(f"`{name}` must be at least 1, got {value}", name)
    asked = shared_words(models, words)
    fixed = shared_words(models, anchors)
    random = np.random.default_rng(seed)
    measured = [_Side(model, asked, fixed) for model in models]
    left, right = measured[: len(before)], measured[len(before) :]
    drawn = [(a, b) for a in left for b in right]
    change = np.mean([_moved(a, b) for a, b in drawn], axis=0)
    resampled = np.stack([
        _moved(*drawn[random.integers(len(drawn))], random.integers(0, len(fixed), len(fixed)))
        for _ in range(rounds)
    ])  # fmt: skip
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    within = [(side[a], side[b]) for side in (left, right) for b in range(len(side)) for a in range(b)]
    noise = np.mean([_moved(a, b) for a, b in within], axis=0) if within else None
    lost = _neighbors_lost(left, right, neighbors)
    order = np.argsort(-change, kind="stable")
    return MeaningChange(
        words=[asked[place] for place in order],
        change=change[order],
        # The interval of a resampled rotation need not hold the plain one; it is made to.
        low=np.minimum(low, change)[order],
        high=np.maximum(high, change)[order],
        noise=None if noise is None else noise[order],
        neighbors=lost[order],
    )


class _Side:
    """The vectors of one model that are measured, and those it is turned by: centered, at length 1."""

    def __init__(self, model: WordVectors, words: list[str], anchors: list[str]) -> None:
        fixed = unit_rows(model.select(anchors).matrix.astype(np.float64))
        mean = fixed.mean(axis=0)
        self.anchors = unit_rows(fixed - mean)
        self.words = unit_rows(unit_rows(model.select(words).matrix.astype(np.float64)) - mean)
        place = {word: index for index, word in enumerate(anchors)}
        #: Which words are anchors too: no word is a neighbor of its own.
        self.own = [(row, place[word]) for row, word in enumerate(words) if word in place]


def _moved(before: _Side, after: _Side, drawn: npt.NDArray[np.int64] | None = None) -> Numbers:
    anchors = slice(None) if drawn is None else drawn
    rotation = procrustes(before.anchors[anchors], after.anchors[anchors])
    moved: Numbers = 1 - np.einsum("ij,ij->i", before.words @ rotation, after.words)
    return moved


def _neighbors_lost(left: list[_Side], right: list[_Side], count: int) -> Numbers:
    """The share of each word's nearest anchors that differs, the mean over all pairs of models."""
    before = [_nearest_anchors(side, count) for side in left]
    after = [_nearest_anchors(side, count) for side in right]
    lost = [1 - _shared(a, b) for a in before for b in after]
    mean: Numbers = np.mean(lost, axis=0)
    return mean


def _nearest_anchors(side: _Side, count: int) -> npt.NDArray[np.int64]:
    count = min(count, len(side.anchors) - 1)
    own = np.full(len(side.words), -1)
    for row, place in side.own:
        own[row] = place
    found = []
    for start in range(0, len(side.words), QUERIES_AT_ONCE):
        cosines = side.words[start : start + QUERIES_AT_ONCE] @ side.anchors.T
        mine = own[start : start + len(cosines)]
        rows = np.flatnonzero(mine >= 0)
        cosines[rows, mine[rows]] = -np.inf
        found.append(np.argpartition(-cosines, count - 1, axis=1)[:, :count])
    return np.concatenate(found)


def _shared(left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> Numbers:
    both = np.sort(np.concatenate([left, right], axis=1), axis=1)
    shared: Numbers = (both[:, 1:] == both[:, :-1]).sum(axis=1) / left.shape[1]
    return shared

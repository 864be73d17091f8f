r"""Comparing spaces of word vectors: rotations, hubs, associations.

**Procrustes.** Two trainings place the same words differently, but mostly turned. The rotation :math:`R` for
which the rows of :math:`A R` lie nearest to those of :math:`B` has a closed form: with :math:`A^\top B = U S
V^\top` it is :math:`U V^\top` (Schönemann 1966).

**CSLS.** Some words, hubs, are near to everything and would be the translation of everything. So a cosine
counts only for what it is above the usual around both words: :math:`2\cos(x, y) - r(x) - r(y)`, where
:math:`r` is the mean cosine to the :math:`k` nearest words on the other side (Conneau et al. 2018).

**WEAT.** The association of a word :math:`w` is its mean cosine to one set of attributes less that to
another. Two sets of targets differ by the difference of their mean associations, over the standard
deviation of all of them; how unusual that is, is told by all ways to divide the targets (Caliskan et al.
2017).

Examples
--------
>>> quarter_turn = procrustes(np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
>>> (quarter_turn @ [1.0, 0.0]).round(6).tolist()
[0.0, -1.0]
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from textgrain.reference.similarity import cosine, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

__all__ = ["association", "csls", "effect_size", "p_value", "procrustes"]


def procrustes(source: Matrix, target: Matrix) -> Matrix:
    """Find the orthogonal matrix that brings the rows of `source` nearest to those of `target`."""
    left, _, right = np.linalg.svd(source.T @ target)
    rotation: Matrix = left @ right
    return rotation


def csls(source: Matrix, target: Matrix, k: int = 10) -> Matrix:
    """Score each row of `source` with each of `target`, less how crowded the places of both are.

    Examples
    --------
    >>> csls(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]), k=1).tolist()
    [[0.0, -1.0]]
    """
    cosines = unit(source) @ unit(target).T
    scores = np.empty_like(cosines)
    for row in range(len(source)):
        for column in range(len(target)):
            around_source = np.sort(cosines[row])[-k:].mean()
            around_target = np.sort(cosines[:, column])[-k:].mean()
            scores[row, column] = 2 * cosines[row, column] - around_source - around_target
    return scores


def association(word: Matrix, first: Sequence[Matrix], second: Sequence[Matrix]) -> float:
    """How much nearer a word lies to the first attributes than to the second.

    Examples
    --------
    >>> east, north = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    >>> association(2 * east, [east], [north])
    1.0
    """
    toward = [cosine(word, attribute) for attribute in first]
    away = [cosine(word, attribute) for attribute in second]
    return sum(toward) / len(toward) - sum(away) / len(away)


def effect_size(first: Sequence[float], second: Sequence[float]) -> float:
    """The difference of two means over the standard deviation of all values, that of a sample.

    Examples
    --------
    >>> round(effect_size([1.0, 2.0], [3.0, 4.0]), 3)
    -1.549
    """
    everything = [*first, *second]
    mean = sum(everything) / len(everything)
    variance = sum((value - mean) ** 2 for value in everything) / (len(everything) - 1)
    return float((sum(first) / len(first) - sum(second) / len(second)) / variance**0.5)


def p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """The share of all divisions of the values in which the first part adds up to at least as much.

    Examples
    --------
    >>> p_value([4.0, 3.0], [1.0, 2.0]) * 6
    1.0
    """
    sums = [sum(chosen) for chosen in combinations([*first, *second], len(first))]
    return sum(total >= sum(first) for total in sums) / len(sums)

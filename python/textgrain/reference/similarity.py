r"""How near two vectors are, in two ways.

The **Euclidean distance** is the length of the straight line between two points. The **cosine** looks only
at the directions: :math:`\cos(a, b) = a \cdot b \,/\, (|a|\,|b|)`. Making a vector three times longer moves
the point far away and leaves the cosine as it was. Word vectors grow with the frequency of the word, which
says little about its meaning, so neighbours are ranked by cosine.

A second reason: in many dimensions distances **concentrate**. Seen from any one of a thousand random
points, the farthest of the others is scarcely farther away than the nearest.

Examples
--------
>>> doctor, physician = np.array([0.8, 0.6]), np.array([0.7, 0.5])
>>> round(euclidean(doctor, 3 * physician), 3), round(cosine(doctor, 3 * physician), 3)
(1.581, 1.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

__all__ = ["analogy", "cosine", "distance_concentration", "euclidean", "nearest", "unit"]


def euclidean(left: Vector, right: Vector) -> float:
    """Length of the straight line between two points."""
    return float(np.sqrt(((left - right) ** 2).sum()))


def unit(vectors: Vector) -> Vector:
    """Scale each vector to length 1; a zero vector has no direction and stays zero."""
    lengths = np.sqrt((vectors**2).sum(axis=-1, keepdims=True))
    return vectors / np.where(lengths == 0.0, 1.0, lengths)


def cosine(left: Vector, right: Vector) -> float:
    """Cosine of the angle between two vectors; 0 if one of them is zero.

    Examples
    --------
    >>> cosine(np.array([1.0, 0.0]), np.array([0.0, 5.0])), cosine(np.zeros(2), np.ones(2))
    (0.0, 0.0)
    """
    return float(unit(left) @ unit(right))


def nearest(
    target: Vector, words: Sequence[str], matrix: Vector, n: int, without: Iterable[str] = ()
) -> list[str]:
    """Find the `n` words whose rows point most nearly where `target` points; equals keep the order of rows.

    Examples
    --------
    >>> matrix = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> nearest(matrix[0], ["car", "bus", "day"], matrix, 1, without=["car"])
    ['bus']
    """
    scores = unit(matrix) @ unit(target)
    excluded = set(without)
    ranked = [words[row] for row in np.argsort(-scores, kind="stable")]
    return [word for word in ranked if word not in excluded][:n]


def analogy(a: str, b: str, c: str, words: Sequence[str], matrix: Vector, n: int = 1) -> list[str]:
    """Answer "`a` is to `b` as `c` is to what?": the words nearest to b − a + c, these three left out.

    Examples
    --------
    >>> words = ["man", "king", "woman", "queen", "car"]
    >>> matrix = np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0.1]])
    >>> analogy("man", "king", "woman", words, matrix)
    ['queen']
    """
    directions = unit(matrix)
    start, end, other = (directions[words.index(word)] for word in (a, b, c))
    return nearest(end - start + other, words, matrix, n, without=(a, b, c))


def distance_concentration(
    dimensions: Iterable[int] = (2, 10, 100, 1000), points: int = 1000, seed: int = 1
) -> dict[int, float]:
    """For each number of dimensions, how many times farther the farthest point is than the nearest.

    The points are normally distributed, all drawn from one stream, and seen from the first of them.

    Examples
    --------
    >>> {dimension: round(ratio, 2) for dimension, ratio in distance_concentration([2, 10]).items()}
    {2: 91.05, 10: 3.78}
    """
    random = np.random.default_rng(seed)
    ratios = {}
    for dimension in dimensions:
        cloud = random.normal(size=(points, dimension))
        distances = np.linalg.norm(cloud[1:] - cloud[0], axis=1)
        ratios[dimension] = float(distances.max() / distances.min())
    return ratios

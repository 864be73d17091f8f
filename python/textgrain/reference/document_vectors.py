r"""How a sentence gets a vector from its words.

The plain way is the **mean** of their vectors. It is drowned by words such as *the*, which stand everywhere
and say nothing, so the second way (Arora, Liang and Ma 2017, "A simple but tough-to-beat baseline for
sentence embeddings") does two things:

1. **Smooth inverse frequency**: a word whose share of the corpus is :math:`p` counts :math:`a / (a + p)`.
   With :math:`a = 0.001`, a word that is one in a hundred of all words counts a tenth of a rare one.
2. **Removal of the common component**: what all sentences share, the direction in which the whole set of
   vectors is longest, is taken out of each.

Examples
--------
>>> vectors = {"the": np.array([4.0, 1.0]), "cat": np.array([1.0, 3.0])}
>>> weights = sif_weights({"the": 99, "cat": 1}, smoothing=0.01)
>>> {word: round(weight, 2) for word, weight in weights.items()}
{'the': 0.01, 'cat': 0.5}
>>> weighted_mean(["the", "cat", "unseen"], vectors, weights).round(2).tolist()
[0.27, 0.76]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

__all__ = ["remove_common", "sif_weights", "weighted_mean"]


def sif_weights(counts: Mapping[str, int], smoothing: float = 1e-3) -> dict[str, float]:
    """Weigh each word: 1 if it hardly occurs, near 0 if it is everywhere."""
    total = sum(counts.values())
    return {word: smoothing / (smoothing + count / total) for word, count in counts.items()}


def weighted_mean(
    words: Sequence[str], vectors: Mapping[str, Vector], weights: Mapping[str, float]
) -> Vector:
    """Add up weight times vector over the words that have one, and divide by how many these are."""
    known = [word for word in words if word in vectors]
    size = len(next(iter(vectors.values())))
    total: Vector = sum((weights[word] * vectors[word] for word in known), start=np.zeros(size))
    return total / max(1, len(known))


def remove_common(matrix: Vector, count: int = 1) -> Vector:
    """Take the first `count` singular directions out of each row; the rows are not centered.

    Examples
    --------
    >>> remove_common(np.array([[3.0, 1.0], [3.0, -1.0]])).round(6).tolist()
    [[0.0, 1.0], [0.0, -1.0]]
    """
    _, _, directions = np.linalg.svd(matrix, full_matrices=False)
    common = directions[:count]
    rest: Vector = matrix - (matrix @ common.T) @ common
    return rest

"""The scores themselves: correlations, purity, and the clusters that it is taken of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textgrain._rows import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

__all__ = ["average_linkage", "mean_ranks", "pearson", "purity", "spearman"]


def mean_ranks(values: npt.ArrayLike) -> Numbers:
    """Return the rank of each value from 1; equal values share the mean of their ranks.

    Examples
    --------
    >>> mean_ranks([10, 30, 10, 20]).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    array = np.asarray(values, dtype=np.float64)
    _, places, counts = np.unique(array, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Numbers = ((ends - counts + 1 + ends) / 2)[places]
    return ranks


def pearson(left: npt.ArrayLike, right: npt.ArrayLike) -> float:
    """Return the linear correlation; "not a number" if either side does not vary.

    Examples
    --------
    >>> round(pearson([1, 2, 3], [2, 4, 6]), 6)
    1.0
    """
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if len(a) < 2:
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread > 0 else float("nan")


def spearman(left: npt.ArrayLike, right: npt.ArrayLike) -> float:
    """Return the correlation of the ranks, equal values sharing a rank.

    Examples
    --------
    >>> spearman([1, 2, 3], [1, 10, 100])
    1.0
    """
    return pearson(mean_ranks(left), mean_ranks(right))


def average_linkage(points: npt.ArrayLike, clusters: int) -> npt.NDArray[np.int64]:
    """Join points into clusters by the mean cosine between their members, and return each point's cluster.

    Starts with each point alone; the two clusters with the largest mean cosine are joined until so many are
    left, the earliest pair of those that are equal. Nothing is drawn at random.

    Examples
    --------
    >>> average_linkage([[1, 0], [0, 1], [2, 0.1], [0.1, 3]], 2).tolist()
    [0, 1, 0, 1]
    """
    rows = np.asarray(points, dtype=np.float64)
    unit = unit_rows(rows)
    # Sums of cosines between members; the mean divides by the product of both sizes.
    sums = unit @ unit.T
    sizes = np.ones(len(rows))
    labels = np.arange(len(rows))
    means = sums.copy()
    np.fill_diagonal(means, -np.inf)
    for _ in range(len(rows) - clusters):
        first, second = sorted(np.unravel_index(int(means.argmax()), means.shape))
        labels[labels == second] = first
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        sizes[first] += sizes[second]
        joined = sums[first] / (sizes[first] * sizes)
        joined[[first, second]] = -np.inf
        joined[np.isneginf(means[first])] = -np.inf
        means[first], means[:, first] = joined, joined
        means[second], means[:, second] = -np.inf, -np.inf
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def purity(clusters: Sequence[int] | npt.NDArray[np.int64], categories: Sequence[str]) -> float:
    """Return the share of items that belong to the most frequent category of their cluster.

    Examples
    --------
    >>> purity([0, 0, 0, 1], ["cat", "cat", "dog", "dog"])
    0.75
    """
    _, codes = np.unique(np.asarray(categories), return_inverse=True)
    table = np.zeros((int(np.max(clusters)) + 1, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(table, (np.asarray(clusters), codes), 1)
    return float(table.max(axis=1).sum()) / len(codes)

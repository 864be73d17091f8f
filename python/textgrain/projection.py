"""Vectors seen from a side: principal components, and what distances mean in many dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from textgrain._maps import map_by_library
from textgrain._rows import unit_rows
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from textgrain.vectors import WordVectors

__all__ = ["DistanceConcentration", "Projection", "distance_concentration", "principal_components", "project"]

# So many words are shown where the caller names none: more would cover each other on a map.
WORDS_SHOWN = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class Projection:
    """Words with few coordinates each, in which they spread the most.

    Attributes
    ----------
    words : list of str
        The words, in the order asked for.
    coordinates : array of float64
        Of shape (words, dimensions), centered; the first column spreads the most.
    explained : array of float64 or None
        The share of the whole variance that each column shows, from 0 to 1; None where the method has no
        axes.
    method : str
        How the coordinates were found.
    """

    words: list[str]
    coordinates: npt.NDArray[np.float64]
    explained: npt.NDArray[np.float64] | None
    method: str = "pca"


def principal_components(
    points: npt.ArrayLike, dimensions: int = 2
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the coordinates of points on their principal axes, and the share of variance of each axis.

    By singular value decomposition of the centered points; the sign of an axis is chosen so that its
    largest weight is positive, so that one set of points always gives one picture. Of very many points the
    axes are those of their covariance, and of points with very many coordinates they are found by a
    randomised decomposition (Halko, Martinsson and Tropp 2011), whose generator always starts the same.
    """
    centered = np.asarray(points, dtype=np.float64)
    centered = centered - centered.mean(axis=0)
    if centered.size > _SMALL and centered.shape[1] <= _NARROW:
        rows = rows_in_block(centered.shape[1])
        blocks = (centered[start : start + rows] for start in range(0, len(centered), rows))
        _, axes, explained = principal_axes(blocks, dimensions)
        return centered @ axes.T, explained
    strengths, axes, total = _decompose(centered, dimensions)
    axes = _signed(_filled_up(axes, dimensions))
    strengths = _filled_up(strengths, dimensions)
    explained = strengths**2 / total if total > 0 else np.zeros(dimensions)
    return centered @ axes.T, explained


def principal_axes(
    blocks: Iterable[npt.NDArray[np.floating[Any]]], dimensions: int = 2
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the mean of points, their principal axes, one a row, and the share of variance of each axis.

    The points come in blocks and are seen once: exactly, from their covariance, which is small. The signs of
    the axes are those of :func:`principal_components`.
    """
    count, mean, products = 0, np.zeros(0), np.zeros((0, 0))
    for block in blocks:
        if count == 0:
            mean, products = np.zeros(block.shape[1]), np.zeros((block.shape[1], block.shape[1]))
        count += len(block)
        mean += block.sum(axis=0, dtype=np.float64)
        products += block.T @ block
    mean /= max(count, 1)
    variances, columns = np.linalg.eigh(products / max(count, 1) - np.outer(mean, mean))
    variances = variances[::-1].clip(0)
    total = float(variances.sum())
    axes = _signed(_filled_up(columns.T[::-1], dimensions))
    explained = _filled_up(variances, dimensions) / total if total > 0 else np.zeros(dimensions)
    return mean, axes, explained


#: Numbers whose products are summed at a time: memory stays small, and threads seldom wait for each other.
_BLOCK = 8_000_000


def rows_in_block(width: int) -> int:
    """Return how many points of so many numbers are taken at a time."""
    return max(1, _BLOCK // max(width, 1))


# Up to so many numbers are decomposed whole, and covariances of up to so many coordinates are.
_SMALL = 2_000_000
_NARROW = 2_048


def _filled_up(rows: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    """The first rows; where there are fewer, as of fewer points than dimensions, the rest shows nothing."""
    missing = max(count - len(rows), 0)
    return np.concatenate([rows[:count], np.zeros((missing, *rows.shape[1:]))])


def _signed(axes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The axes turned so that the largest weight of each is positive."""
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    turned: npt.NDArray[np.float64] = axes * np.where(largest < 0, -1.0, 1.0)[:, None]
    return turned


def _decompose(
    centered: npt.NDArray[np.float64], dimensions: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float]:
    """The lengths along the principal axes, the axes, and the sum of the squares of all lengths."""
    if centered.size <= _SMALL:
        _, strengths, axes = np.linalg.svd(centered, full_matrices=False)
        return strengths, axes, float((strengths**2).sum())
    total = float((centered**2).sum())
    random = np.random.default_rng(0)
    # A few more directions than wanted, and a few rounds, so that near strengths come apart.
    sketch = centered @ random.normal(size=(centered.shape[1], dimensions + 10))
    for _ in range(6):
        basis = np.linalg.qr(centered.T @ np.linalg.qr(sketch)[0])[0]
        sketch = centered @ basis
    _, strengths, axes = np.linalg.svd(np.linalg.qr(sketch)[0].T @ centered, full_matrices=False)
    return strengths, axes, total


def project(
    vectors: WordVectors,
    words: Iterable[str] | None = None,
    *,
    dimensions: int = 2,
    unit: bool = True,
    method: Literal["pca", "tsne", "umap", "pacmap"] = "pca",
    seed: int = 1,
) -> Projection:
    """Return few coordinates for each word: principal components, or a map that keeps near words near.

    Parameters
    ----------
    vectors : WordVectors
        Where the words have their vectors.
    words : iterable of str, optional
        The most frequent 100 where none are given.
    dimensions : int
        Coordinates of each word in the result.
    unit : bool
        Divide each vector by its length first, so that nearness on the map is nearness by cosine.
    method : {"pca", "tsne", "umap", "pacmap"}
        Principal components; or t-SNE (van der Maaten and Hinton 2008) by scikit-learn, UMAP by umap-learn,
        or PaCMAP by pacmap, which must be installed.
    seed : int
        For the methods that draw at random.

    Raises
    ------
    UnknownWordError
        A word has no vector.
    ParameterError
        Fewer than two words, more dimensions than a vector has numbers, or an unknown method.
    ImportError
        The library of the method is not installed.
    """
    if method not in ("pca", "tsne", "umap", "pacmap"):
        raise ParameterError(f'`method` must be "pca", "tsne", "umap" or "pacmap", got {method!r}', "method")
    chosen = vectors.words[:WORDS_SHOWN] if words is None else list(dict.fromkeys(words))
    if len(chosen) < 2:
        raise ParameterError(f"`words` must hold at least 2 different words, got {len(chosen)}", "words")
    if not 1 <= dimensions <= vectors.vector_size:
        message = (
            f"`dimensions` must be from 1 to {vectors.vector_size}, the size of a vector, got {dimensions}"
        )
        raise ParameterError(message, "dimensions")
    points = np.stack([vectors[word] for word in chosen]).astype(np.float64)
    if unit:
        points = unit_rows(points)
    if method != "pca":
        places = map_by_library(points, method, dimensions, seed)
        return Projection(words=chosen, coordinates=places, explained=None, method=method)
    coordinates, explained = principal_components(points, dimensions)
    return Projection(words=chosen, coordinates=coordinates, explained=explained)


@dataclass(frozen=True, kw_only=True)
class DistanceConcentration:
    """How much farther the farthest of many points is than the nearest.

    In few dimensions the ratio is large. In many, random points are all about equally far away and it
    nears 1; vectors that learned something keep a larger ratio than random ones of their size.

    Attributes
    ----------
    random : dict of int to float
        For each number of dimensions, the ratio for random normal points.
    own_dimensions : int
        The size of the vectors that were compared.
    own : float
        Their ratio, the median over words; infinite if a word has a vector equal to its own.
    own_random : float
        The ratio for as many random points of the same size.
    points : int
        How many points of each kind were compared.
    """

    random: dict[int, float]
    own_dimensions: int
    own: float
    own_random: float
    points: int

    def __str__(self) -> str:
        lines = ["dimensions  farthest / nearest"]
        lines += [f"{dimensions:>10,}  {ratio:.2f}" for dimensions, ratio in self.random.items()]
        lines.append(
            f"{self.own_dimensions:>10,}  {self.own:.2f} (these vectors; random: {self.own_random:.2f})"
        )
        return "\n".join(lines)


def distance_concentration(
    vectors: WordVectors, *, dimensions: Iterable[int] = (2, 10, 100, 1000), points: int = 1000, seed: int = 1
) -> DistanceConcentration:
    """Compare how far and how near points lie: random points of several dimensions, and these vectors.

    For each number of dimensions, ``points`` normal points are drawn in turn from one generator, and the
    Euclidean distances of the first to all others taken. For the vectors, up to ``points`` of the most
    frequent words are compared in the same way, each in turn as the first.

    Raises
    ------
    ParameterError
        Fewer than 3 points or words, or a dimension below 1.
    """
    listed = list(dimensions)
    if points < 3 or len(vectors) < 3:
        found = points if points < 3 else len(vectors)
        raise ParameterError(f"`points` must be at least 3, and so must the words, got {found}", "points")
    if any(size < 1 for size in listed):
        raise ParameterError(f"`dimensions` must be at least 1 each, got {listed}", "dimensions")
    random = np.random.default_rng(seed)
    ratios = {size: _ratio(random.normal(size=(points, size)), 0) for size in listed}
    own = vectors._rows(np.arange(min(points, len(vectors)))).astype(np.float64)
    count, size = own.shape
    drawn = random.normal(size=(count, size))
    sample = range(min(count, 100))
    return DistanceConcentration(
        random=ratios,
        own_dimensions=size,
        own=float(np.median([_ratio(own, first) for first in sample])),
        own_random=float(np.median([_ratio(drawn, first) for first in sample])),
        points=count,
    )


def _ratio(points: npt.NDArray[np.float64], first: int) -> float:
    """Farthest over nearest of the distances from one point to all others."""
    distances = np.linalg.norm(np.delete(points, first, axis=0) - points[first], axis=1)
    nearest = float(distances.min())
    return float(distances.max()) / nearest if nearest > 0 else float("inf")

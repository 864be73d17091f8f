"""How distances crowd together in spaces of many dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.explorer.session import Question

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.explorer.session import Session

__all__ = ["distances"]

LARGEST_DIMENSION = 2000
BINS = 60


def distances(
    session: Session, dimension: int, points: int = 1000, vectors: str | None = None, seed: int = 1
) -> dict[str, Any]:
    """Distances from one point to all others: random points, and the user's vectors with as many numbers."""
    if not 1 <= dimension <= LARGEST_DIMENSION:
        raise Question(f"the dimension must be from 1 to {LARGEST_DIMENSION}, got {dimension}")
    if not 3 <= points <= 5000:
        raise Question(f"the number of points must be from 3 to 5000, got {points}")
    random_points = np.random.default_rng(seed).normal(size=(points, dimension))
    found = {"dimension": dimension, "random": _spread(random_points)}
    if vectors is not None:
        chosen = session.vectors_of(vectors)
        rows = np.random.default_rng(seed).permutation(len(chosen))[:points]
        used = min(dimension, chosen.vector_size)
        found |= {"vectors": _spread(chosen._rows(np.sort(rows))[:, :used]), "vectors_dimension": used}
    return found


def _spread(points: npt.NDArray[Any]) -> dict[str, Any]:
    lengths = np.linalg.norm(points[1:].astype(np.float64) - points[0], axis=1)
    nearest, farthest = float(lengths.min()), float(lengths.max())
    counts, edges = np.histogram(lengths, bins=BINS, range=(0, farthest or 1))
    return {
        "nearest": nearest,
        "farthest": farthest,
        "ratio": farthest / nearest if nearest > 0 else None,
        "mean": float(lengths.mean()),
        "counts": counts.tolist(),
        "edges": edges.tolist(),
    }

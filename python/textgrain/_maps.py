"""Maps that other libraries make: t-SNE, UMAP, PaCMAP."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

__all__ = ["map_by_library"]

# For each method the module, and what installs it.
_LIBRARIES = {
    "tsne": ("sklearn.manifold", "scikit-learn"),
    "umap": ("umap", "umap-learn"),
    "pacmap": ("pacmap", "pacmap"),
}


def map_by_library(
    points: npt.NDArray[np.float64],
    method: str,
    dimensions: int,
    seed: int,
    note: Callable[[int, int], None] | None = None,
) -> npt.NDArray[np.float64]:
    """Coordinates in which near points stay near, the same for one seed.

    UMAP calls ``note`` with the rounds that are done and the rounds that there are.
    """
    module, package = _LIBRARIES[method]
    try:
        library: Any = importlib.import_module(module)
    except ImportError as error:
        message = (
            f"the method {method!r} needs {package}, which is not installed: pip install {package}. "
            '"pca" needs nothing'
        )
        raise ImportError(message, name=module) from error
    count = len(points)
    if count < 5:
        message = f"`words` must hold at least 5 words for the method {method!r}, got {count}"
        raise ParameterError(message, "words")
    rows = points.astype(np.float32)
    if method == "tsne":
        # The usual 30 neighbors are too many for a few words.
        mapper = library.TSNE(
            n_components=dimensions, perplexity=min(30.0, (count - 1) / 3), init="pca", random_state=seed
        )
        places = mapper.fit_transform(rows)
    elif method == "umap":
        start = "spectral" if count > dimensions + 2 else "random"
        mapper = library.UMAP(
            n_components=dimensions,
            n_neighbors=min(15, count - 1),
            init=start,
            random_state=seed,
            # One seed gives one map with one thread only.
            n_jobs=1,
            tqdm_kwds={"disable": True} if note is None else _bar(note),
        )
        places = mapper.fit_transform(rows)
    else:
        # The usual 10 leave few words no farther ones to be kept away from: groups become points on a line.
        neighbors = min(10, max(2, count // 8))
        mapper = library.PaCMAP(n_components=dimensions, n_neighbors=neighbors, random_state=seed)
        places = mapper.fit_transform(rows, init="pca")
    centered = np.asarray(places, dtype=np.float64)
    result: npt.NDArray[np.float64] = centered - centered.mean(axis=0)
    return result


class _Rounds:
    """A file for the progress bar of the library, which reads the numbers that it writes."""

    def __init__(self, note: Callable[[int, int], None]) -> None:
        self._note = note

    def write(self, text: str) -> None:
        """Pass on two numbers, and nothing else."""
        parts = text.strip().split("/")
        if len(parts) == 2 and all(part.isdigit() for part in parts):
            self._note(int(parts[0]), int(parts[1]))

    def flush(self) -> None:
        """Nothing waits."""


def _bar(note: Callable[[int, int], None]) -> dict[str, object]:
    return {"disable": False, "file": _Rounds(note), "bar_format": "{n}/{total}", "mininterval": 0.2}

"""Vectors that leave or enter the command line: lines of numbers, and NumPy files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain._atomic import writing
from textgrain.exceptions import FormatError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["read_matrix", "shown", "write_matrix"]


def shown(vector: npt.NDArray[np.float32]) -> str:
    """The numbers of a vector with spaces between them, in the fewest digits that give the same floats."""
    return " ".join(map(str, vector))


def write_matrix(path: str, matrix: npt.NDArray[Any]) -> None:
    """Write a ``.npy`` file, whole or not at all."""
    with writing(Path(path)) as file:
        np.save(file, matrix, allow_pickle=False)


def read_matrix(path: str) -> npt.NDArray[Any]:
    """Read a ``.npy`` file."""
    try:
        matrix: npt.NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        reason = f"is no matrix in NumPy's format: {error}"
        raise FormatError(f"{path}: {reason}", path, reason) from error
    return matrix

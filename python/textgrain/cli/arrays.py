"""Vectors that leave or enter the command line: lines of numbers, and NumPy files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain._atomic import writing
from textgrain.exceptions import FormatError

if TYPE_CHECKING:
    import numpy.typing as npt

# How each such file begins.
_MAGIC = b"\x93NUMPY"

__all__ = ["read_matrix", "shown", "write_matrix"]


def shown(vector: npt.NDArray[np.float32]) -> str:
    """The numbers of a vector with spaces between them, in the fewest digits that give the same floats."""
    return " ".join(map(str, vector))


def write_matrix(path: str, matrix: npt.NDArray[Any]) -> None:
    """Write a ``.npy`` file, whole or not at all."""
    with writing(Path(path)) as file:
        np.save(file, matrix, allow_pickle=False)


def read_matrix(path: str) -> npt.NDArray[Any]:
    """Read the numbers of a ``.npy`` file."""
    with Path(path).open("rb") as file:
        reason = "" if file.read(len(_MAGIC)) == _MAGIC else "it does not begin as such a file does"
        file.seek(0)
        try:
            matrix: npt.NDArray[Any] = np.zeros(0) if reason else np.load(file, allow_pickle=False)
        except (ValueError, EOFError):
            reason = "its header or its numbers are damaged"
    if not reason and matrix.dtype.kind not in "fiu":
        reason = f"it holds {matrix.dtype} in place of numbers"
    if reason:
        reason = f"not a matrix in NumPy's format: {reason}"
        raise FormatError(f"{path}: {reason}", path, reason)
    return matrix

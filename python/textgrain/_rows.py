"""Arithmetic on the rows of a matrix that several modules need."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_Floats = TypeVar("_Floats", bound="np.floating[Any]")

__all__ = ["unit_rows"]


def unit_rows(points: npt.NDArray[_Floats]) -> npt.NDArray[_Floats]:
    """Each row divided by its length; a zero row stays zero."""
    norms = np.linalg.norm(points, axis=-1, keepdims=True)
    unit: npt.NDArray[_Floats] = np.divide(points, norms, out=np.zeros_like(points), where=norms > 0)
    return unit

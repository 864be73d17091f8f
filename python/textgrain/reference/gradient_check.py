r"""Is this derivative right? Ask the function itself.

A derivative tells how much a function rises when one number grows a little. So grow it a little, and see:

.. math:: \frac{\partial f}{\partial x_i} \approx \frac{f(x + h e_i) - f(x - h e_i)}{2 h}

With 64-bit numbers and :math:`h = 10^{-5}` the two agree to about nine digits, or the formula is wrong.

Examples
--------
>>> numerical_gradient(lambda x: float((x**3).sum()), np.array([1.0, 2.0])).round(6).tolist()
[3.0, 12.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["numerical_gradient"]


def numerical_gradient(
    function: Callable[[NDArray[np.float64]], float], point: NDArray[np.float64], step: float = 1e-5
) -> NDArray[np.float64]:
    """Estimate the derivatives of a function of an array: one central difference for each number in it."""
    gradient = np.empty_like(point)
    for place in np.ndindex(point.shape):
        above, below = point.copy(), point.copy()
        above[place] += step
        below[place] -= step
        gradient[place] = (function(above) - function(below)) / (2.0 * step)
    return gradient

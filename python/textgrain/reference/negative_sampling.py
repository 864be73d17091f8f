r"""Loss and derivatives of negative sampling: what is near goes together, what is drawn at random does not.

The model keeps two rows of numbers a word: ``v`` for the word as focus, ``u`` for the word as context. It
believes that two words belong together with probability :math:`\sigma(u \cdot v)`, where :math:`\sigma(z) =
1 / (1 + e^{-z})`. One true context with its negatives costs

.. math:: L = -\log \sigma(u_+ \cdot v) - \sum_k \log(1 - \sigma(u_k \cdot v))

The derivatives fit on one line, because :math:`\frac{d}{dz} \log \sigma(z) = 1 - \sigma(z)`. With the error
:math:`e = \sigma(u \cdot v) - y`, where :math:`y` is 1 for the true context and 0 for a negative,

.. math:: \partial L / \partial u = e\,v \qquad \partial L / \partial v = \sum e\,u

Source: Mikolov, Sutskever, Chen, Corrado and Dean, "Distributed Representations of Words and Phrases and
their Compositionality", 2013.

Examples
--------
>>> before_training = gradients(np.array([[0.5, -0.5]]), np.zeros((1, 6, 2)))
>>> round(float(before_training.loss[0]), 3)  # six coins, each worth log 2
4.159
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float64]

__all__ = ["Example", "gradients", "noise", "sigmoid"]


def sigmoid(score: Rows) -> Rows:
    """Turn scores into probabilities."""
    return np.asarray(1.0 / (1.0 + np.exp(-score)))


def noise(counts: Sequence[int] | NDArray[np.int64], exponent: float = 0.75) -> Rows:
    """How likely each word is to be drawn as a negative; the exponent lifts rare words.

    Examples
    --------
    >>> noise([81, 16]).round(2).tolist()
    [0.77, 0.23]
    """
    weights = np.asarray(counts, dtype=np.float64) ** exponent
    return np.asarray(weights / weights.sum())


class Example(NamedTuple):
    """Loss of a batch, one number an example, and its derivatives by the rows that took part."""

    loss: Rows  # [batch]
    focus: Rows  # [batch, width]
    contexts: Rows  # [batch, 1 + negatives, width]


def gradients(focus: Rows, contexts: Rows) -> Example:
    """Loss and exact derivatives for a batch.

    Parameters
    ----------
    focus : array [batch, width]
        The row of each focus word.
    contexts : array [batch, 1 + negatives, width]
        For each focus word the row of its true context, then those of its negatives.
    """
    belief = sigmoid(np.einsum("bw,bkw->bk", focus, contexts))
    loss = -np.log(belief[:, 0]) - np.log(1.0 - belief[:, 1:]).sum(axis=1)
    error = belief.copy()
    error[:, 0] -= 1.0
    return Example(loss, np.einsum("bk,bkw->bw", error, contexts), error[:, :, None] * focus[:, None, :])

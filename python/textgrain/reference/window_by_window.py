"""Skip-gram and continuous bag of words as the engine learns them: one window after the other.

A window is a word, the **middle**, with the words around it. In *skip-gram* each word around predicts the
middle; in *CBOW* their mean does. To predict is to say yes to some rows of the output table and no to others:
the **targets** of the middle, each with its label. For negative sampling these are the middle itself (1) and
noise words (0), for hierarchical softmax the turns on the way to it
(:mod:`textgrain.reference.hierarchical_softmax`).

All rows of a step change together, from their values before the step. In CBOW each word around takes the
whole change of the mean, not its share, as in the original program.

Source: Mikolov, Chen, Corrado and Dean, "Efficient Estimation of Word Representations in Vector Space", 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textgrain.reference.negative_sampling import sigmoid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float64]

__all__ = ["cbow", "descend", "skip_gram", "windows"]


def windows(sentence: Sequence[int], reach: int) -> Iterator[tuple[int, list[int]]]:
    """Each word with the words around it, if there are any.

    Examples
    --------
    >>> list(windows([7, 8, 9], 1))
    [(7, [8]), (8, [7, 9]), (9, [8])]
    """
    for place, middle in enumerate(sentence):
        around = [*sentence[max(place - reach, 0) : place], *sentence[place + 1 : place + 1 + reach]]
        if around:
            yield middle, around


def descend(inputs: Rows, targets: Rows, labels: Rows) -> tuple[float, Rows, Rows]:
    """Loss of all inputs with all targets, and how far down its slope both go at a rate of 1.

    Parameters
    ----------
    inputs : array [inputs, width]
    targets : array [targets, width]
    labels : array [targets]
        1 where the answer is yes.

    Examples
    --------
    >>> loss, _, _ = descend(np.ones((1, 2)), np.zeros((3, 2)), np.array([1.0, 0.0, 0.0]))
    >>> round(loss, 3)  # three coins
    2.079
    """
    belief = sigmoid(inputs @ targets.T)
    loss = -np.log(np.where(labels > 0, belief, 1.0 - belief)).sum()
    error = labels - belief
    return float(loss), error @ targets, error.T @ inputs


def skip_gram(
    vectors: Rows, output: Rows, around: list[int], targets: list[int], labels: list[int], rate: float
) -> float:
    """Step the rows of one window in place, and return the loss of its predictions before the step."""
    loss, by_inputs, by_targets = descend(vectors[around], output[targets], np.array(labels, dtype=float))
    # `add.at` adds up the steps of a row that occurs more than once; `+=` would keep only one.
    np.add.at(vectors, around, rate * by_inputs)
    np.add.at(output, targets, rate * by_targets)
    return loss


def cbow(
    vectors: Rows, output: Rows, around: list[int], targets: list[int], labels: list[int], rate: float
) -> float:
    """Do the same with the mean of the words around."""
    mean = vectors[around].mean(axis=0, keepdims=True)
    loss, by_mean, by_targets = descend(mean, output[targets], np.array(labels, dtype=float))
    np.add.at(vectors, around, rate * by_mean)
    np.add.at(output, targets, rate * by_targets)
    return loss

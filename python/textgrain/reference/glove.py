r"""GloVe: read the co-occurrence table of a corpus once, then fit vectors to it.

First, counting. Each time two words stand at most `window` places apart, their cell of the table grows by
:math:`1 / \text{distance}`, in both directions. Nothing else of the text is kept.

Then, fitting. The vectors should reproduce the logarithm of each cell that is not empty:

.. math:: w_i \cdot \tilde w_j + b_i + \tilde b_j \approx \log x_{ij}

A cell's error :math:`d` costs :math:`f(x)\,d^2`. The weight :math:`f(x) = \min(1, (x / x_{max})^{0.75})`
keeps rare cells, which are mostly chance, from counting as much as frequent ones, and frequent ones from
drowning everything else. Training visits the cells in the order in which they were first met and steps both
rows and both biases along :math:`f(x)\,d` (the factor 2 of the derivative is left to the learning rate).
The loss of an epoch is the sum of the costs, each taken just before its step.

The vector of a word is the sum of its two rows.

Source: Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", 2014.

Examples
--------
>>> words, cells = cooccurrence([["a", "b", "c"]], window=2)
>>> {f"{left}{right}": cells[words[left], words[right]] for left, right in ["ab", "ac"]}
{'ab': 1.0, 'ac': 0.5}
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float64]

__all__ = ["Cells", "GloVe", "Trained", "cooccurrence", "weight"]

Cells = dict[tuple[int, int], float]


def cooccurrence(documents: Sequence[Sequence[str]], window: int = 5) -> tuple[dict[str, int], Cells]:
    """Fill the table; words are numbered in the order of their first appearance."""
    words: dict[str, int] = {}
    cells: Cells = defaultdict(float)
    for document in documents:
        ids = [words.setdefault(word, len(words)) for word in document]
        for place, word in enumerate(ids):
            for other in range(max(place - window, 0), min(place + window + 1, len(ids))):
                if other != place:
                    cells[word, ids[other]] += 1.0 / abs(place - other)
    return words, dict(cells)


def weight(cell: float, x_max: float = 100.0, alpha: float = 0.75) -> float:
    """How much the error of a cell counts.

    Examples
    --------
    >>> weight(6.25), weight(250.0)
    (0.125, 1.0)
    """
    return min(1.0, float((cell / x_max) ** alpha))


class Trained(NamedTuple):
    """The vectors (both tables added), and the weighted squared loss of each epoch."""

    words: dict[str, int]
    vectors: Rows
    losses: list[float]


@dataclass(frozen=True)
class GloVe:
    """The settings of a run; :meth:`train` starts it.

    Examples
    --------
    >>> trained = GloVe(vector_size=4, epochs=3).train([["red", "car"], ["blue", "car"], ["red", "bus"]])
    >>> trained.losses[2] < trained.losses[0], trained.vectors.shape
    (True, (4, 4))
    """

    vector_size: int = 16
    window: int = 5
    epochs: int = 25
    learning_rate: float = 0.05
    x_max: float = 100.0
    alpha: float = 0.75
    seed: int = 0

    def train(self, documents: Sequence[Sequence[str]]) -> Trained:
        """Count, then fit."""
        words, cells = cooccurrence(documents, self.window)
        random = np.random.default_rng(self.seed)
        focus = random.normal(0.0, 0.1, (len(words), self.vector_size))
        context = random.normal(0.0, 0.1, (len(words), self.vector_size))
        focus_bias, context_bias = np.zeros(len(words)), np.zeros(len(words))
        losses = []
        for _ in range(self.epochs):
            loss = 0.0
            for (left, right), cell in cells.items():
                guess = focus[left] @ context[right] + focus_bias[left] + context_bias[right]
                error = guess - np.log(cell)
                slope = weight(cell, self.x_max, self.alpha) * error
                loss += slope * error
                step = self.learning_rate * slope
                # Both sides use the rows as they were before this step.
                focus[left], context[right] = (
                    focus[left] - step * context[right],
                    context[right] - step * focus[left],
                )
                focus_bias[left] -= step
                context_bias[right] -= step
            losses.append(float(loss))
        return Trained(words, focus + context, losses)

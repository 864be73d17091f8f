"""Skip-gram with negative sampling, the plainest way to learn what words mean from how they are used.

Take a word of a sentence, the **focus**, and each word near it, a **context**. Nobody tells the model what
any word means. It is shown what was said and, for contrast, what was not: for each true context a few
**negatives**, words drawn at random. Each time the rows of the words that took part step a little down the
slope of the loss (see :mod:`textgrain.reference.negative_sampling`), so that true pairs get a high product
and random ones a low one. Words that are used alike are pulled the same way, and end up side by side.

Here a batch of pairs is stepped at once, from the rows as they were before the batch; the steps of a row
that occurs several times add up. A negative may happen to be the true context: then it is pushed both ways.

The engine steps one window at a time and may redraw such negatives; it reaches the same neighbours.

Source: Mikolov, Chen, Corrado and Dean, "Efficient Estimation of Word Representations in Vector Space", 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from textgrain.reference.negative_sampling import gradients, noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float64]
    Ids = NDArray[np.int64]

__all__ = ["Trained", "Word2Vec", "pairs_in_window", "word_ids"]


def word_ids(sentences: Sequence[Sequence[str]]) -> dict[str, int]:
    """Give each word a number, in alphabetical order.

    Examples
    --------
    >>> word_ids([["the", "car"], ["a", "car"]])
    {'a': 0, 'car': 1, 'the': 2}
    """
    return {word: number for number, word in enumerate(sorted(set().union(*sentences)))}


def pairs_in_window(sentence: Sequence[int], window: int) -> list[tuple[int, int]]:
    """All (focus, context) pairs whose places are at most `window` apart, in reading order.

    Examples
    --------
    >>> pairs_in_window([7, 8, 9], 1)
    [(7, 8), (8, 7), (8, 9), (9, 8)]
    """
    return [
        (focus, sentence[other])
        for place, focus in enumerate(sentence)
        for other in range(max(place - window, 0), min(place + window + 1, len(sentence)))
        if other != place
    ]


class Trained(NamedTuple):
    """The rows of all words as focus and as context, and the mean loss of a pair in each epoch."""

    words: dict[str, int]
    focus: Rows
    context: Rows
    losses: list[float]


@dataclass(frozen=True)
class Word2Vec:
    """The settings of a run; :meth:`train` starts it.

    Examples
    --------
    >>> sentences = [["red", "car"], ["blue", "car"], ["red", "bus"], ["blue", "bus"]] * 50
    >>> trained = Word2Vec(vector_size=4, window=1, batch=8, epochs=2).train(sentences)
    >>> trained.losses[1] < trained.losses[0]
    True
    """

    vector_size: int = 16
    window: int = 2
    negative: int = 5
    learning_rate: float = 0.01
    epochs: int = 8
    batch: int = 64
    seed: int = 0

    def train(self, sentences: Sequence[Sequence[str]]) -> Trained:
        """Learn two rows a word. The order of the random draws is part of the recipe."""
        words = word_ids(sentences)
        numbered = [[words[word] for word in sentence] for sentence in sentences]
        pairs = np.array([pair for sentence in numbered for pair in pairs_in_window(sentence, self.window)])
        likely = noise(np.bincount([word for sentence in numbered for word in sentence]))
        random = np.random.default_rng(self.seed)
        focus = random.normal(0.0, 0.1, (len(words), self.vector_size))
        context = np.zeros_like(focus)
        losses = []
        for _ in range(self.epochs):
            shuffled = pairs[random.permutation(len(pairs))]
            total = 0.0
            for start in range(0, len(pairs), self.batch):
                batch = shuffled[start : start + self.batch]
                drawn = random.choice(len(words), (len(batch), self.negative), p=likely)
                total += self.step(focus, context, batch[:, 0], np.column_stack([batch[:, 1], drawn]))
            losses.append(total / len(pairs))
        return Trained(words, focus, context, losses)

    def step(self, focus: Rows, context: Rows, rows: Ids, columns: Ids) -> float:
        """Step the rows of one batch down the slope, in place, and return the loss before the step."""
        example = gradients(focus[rows], context[columns])
        # `add.at` adds up the steps of a row that occurs more than once; `+=` would keep only one.
        np.add.at(context, columns, -self.learning_rate * example.contexts)
        np.add.at(focus, rows, -self.learning_rate * example.focus)
        return float(example.loss.sum())

"""Learning vectors of words that are made of n-grams, in the order of the engine.

A word has a row of its own and a row for each of its n-grams (:mod:`textgrain.reference.ngrams`). Its vector
is their mean or their sum. It learns as any word does (:mod:`textgrain.reference.window_by_window`); the
question is only which rows move, and how far, when the vector should move by a **step**. The answer here: all
rows move equally far, and so far that the vector moves by exactly that step. For the mean of different rows,
each row moves by the whole step; for their sum, each by its share.

The engine does not do so at once. It puts the vector of a word together when the word comes within reach of
the window, makes all steps on that copy, and gives their sum to the rows when the word is out of reach again.
As far as no other word within reach has rows of this one, that is the same; if one has, it sees the steps a
little later.

Source: Bojanowski, Grave, Joulin and Mikolov, "Enriching Word Vectors with Subword Information", 2017.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from textgrain.reference.window_by_window import descend

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.float64]
    Targets = Callable[[int], tuple[list[int], list[int]]]

__all__ = ["Model", "step_of_rows"]


def step_of_rows(rows: Sequence[int], combine: Literal["mean", "sum"]) -> float:
    """How far each row of a word moves, as often as it is listed, for the vector to move by 1.

    Examples
    --------
    >>> step_of_rows([7, 8, 9], "mean"), step_of_rows([7, 8, 8], "mean"), step_of_rows([7, 8, 9, 5], "sum")
    (1.0, 0.6, 0.25)
    """
    squares = sum(times**2 for times in Counter(rows).values())
    return (len(rows) if combine == "mean" else 1) / squares


@dataclass
class Model:
    """The rows of words and n-grams, the rows of what is predicted, and which rows a word has.

    Examples
    --------
    >>> model = Model(np.array([[1.0], [3.0], [8.0]]), np.zeros((2, 1)), [[0, 2], [1, 2]], "mean")
    >>> model.vector(1)
    array([5.5])
    """

    table: Rows
    output: Rows
    rows: list[list[int]]
    combine: Literal["mean", "sum"]
    near: dict[int, tuple[int, Rows, Rows]] = field(default_factory=dict)

    def vector(self, word: int) -> Rows:
        """The vector of a word: the mean or the sum of its rows."""
        total: Rows = self.table[self.rows[word]].sum(axis=0)
        return total / len(self.rows[word]) if self.combine == "mean" else total

    def take(self, place: int, word: int) -> None:
        """A word comes within reach: its vector is put together, and kept as it was beside it."""
        vector = self.vector(word)
        self.near[place] = word, vector, vector.copy()

    def give_back(self, before: float) -> None:
        """Words in places `before` this one are out of reach: their rows move as their vectors did."""
        for place in sorted(place for place in self.near if place < before):
            word, now, then = self.near.pop(place)
            rows = self.rows[word]
            np.add.at(self.table, rows, step_of_rows(rows, self.combine) * (now - then))

    def learn(
        self,
        sentence: Sequence[int],
        targets: Targets,
        reach: int,
        rate: float,
        architecture: Literal["skipgram", "cbow"],
    ) -> tuple[float, int]:
        """Learn from each window of a sentence; returns the loss and the number of predictions."""
        loss, predictions = 0.0, 0
        for place, middle in enumerate(sentence):
            self.give_back(before=place - reach)
            for other in range(max(place - reach, 0), min(place + reach + 1, len(sentence))):
                if other not in self.near:
                    self.take(other, sentence[other])
            around = [other for other in sorted(self.near) if other != place]
            if around:
                loss += self.step(around, *targets(middle), rate, architecture)
                predictions += len(around) if architecture == "skipgram" else 1
        self.give_back(before=float("inf"))
        return loss, predictions

    def step(
        self,
        around: list[int],
        targets: list[int],
        labels: list[int],
        rate: float,
        architecture: Literal["skipgram", "cbow"],
    ) -> float:
        """Each vector around predicts, or the mean of all does, in which each counts as its rows do."""
        vectors = np.stack([self.near[place][1] for place in around])
        inputs = vectors
        if architecture == "cbow":
            counts = [len(self.rows[self.near[place][0]]) for place in around]
            weights = counts if self.combine == "mean" else None
            inputs = np.average(vectors, axis=0, weights=weights)[np.newaxis]
        loss, by_inputs, by_targets = descend(inputs, self.output[targets], np.array(labels, dtype=float))
        # A mean that moves by a step moves each vector by the whole of it.
        for place, change in zip(around, np.broadcast_to(by_inputs, vectors.shape), strict=True):
            self.near[place][1][:] += rate * change
        np.add.at(self.output, targets, rate * by_targets)
        return loss

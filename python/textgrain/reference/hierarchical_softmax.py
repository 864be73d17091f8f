r"""Hierarchical softmax: a word is found by turns in a tree, and only the turns on its way are learned.

To compare a word with all others costs as much as there are words. In a binary tree with the words as leaves
it costs one yes-or-no question for each inner node on the way: about :math:`\log_2` of their number, and
less for frequent words if they are near the root. Each inner node has a row ``u``; with ``v`` for what is
predicted from, a turn to the side with label 1 has probability :math:`\sigma(u \cdot v)`, one to the other
side the rest. The probabilities of all words add up to 1 without a sum over them.

The tree is that of Huffman (1952): the two rarest are joined again and again until one is left. It gives the
shortest way on average.

Source: Morin and Bengio, "Hierarchical Probabilistic Neural Network Language Model", 2005; Mikolov,
Sutskever, Chen, Corrado and Dean, "Distributed Representations of Words and Phrases and their
Compositionality", 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Way", "ways"]


class Way(NamedTuple):
    """The inner nodes from the root to a word, and the label of the turn at each."""

    nodes: list[int]
    labels: list[int]


def ways(counts: Sequence[int]) -> list[Way]:
    """The way to each word; inner nodes are numbered in the order in which they are made.

    Words wait in one queue, the rarest first, inner nodes in another in the order in which they are made,
    which is also that of their counts. The smaller head goes next, and of equal ones the inner node.

    Examples
    --------
    >>> for way in ways([9, 4, 2, 1]):
    ...     print(way.nodes, way.labels)
    [2] [0]
    [2, 1] [1, 0]
    [2, 1, 0] [1, 1, 0]
    [2, 1, 0] [1, 1, 1]
    """
    rarest_first = sorted(range(len(counts)), key=lambda word: (counts[word], -word))
    words = [(counts[word], word) for word in rarest_first]
    inner: list[tuple[int, int]] = []
    parent: dict[int, tuple[int, int]] = {}
    for made in range(len(counts) - 1):
        total = 0
        for label in (1, 0):
            from_words = bool(words) and (not inner or words[0][0] < inner[0][0])
            count, node = words.pop(0) if from_words else inner.pop(0)
            parent[node] = len(counts) + made, label
            total += count
        inner.append((total, len(counts) + made))
    return [_way_to(word, parent, len(counts)) for word in range(len(counts))]


def _way_to(word: int, parent: dict[int, tuple[int, int]], words: int) -> Way:
    nodes, labels = [], []
    while word in parent:
        word, label = parent[word]
        nodes.append(word - words)
        labels.append(label)
    return Way(nodes[::-1], labels[::-1])

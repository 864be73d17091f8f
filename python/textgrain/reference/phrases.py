r"""Two words that belong together.

*New* and *York* stand side by side far more often than two words that are thrown together: the pair has a
meaning that its words do not have. **Pointwise mutual information** compares how often a pair occurs with how
often it would by chance, if each word were drawn by itself:

.. math:: \mathrm{pmi}(a, b) = \ln \frac{p(ab)}{p(a)\,p(b)}

It favors rare pairs; divided by :math:`-\ln p(ab)` it lies between -1 (never together), 0 (by chance) and 1
(never apart), which makes a threshold mean the same everywhere. The original word2vec instead discounts each
count by a constant: :math:`(n_{ab} - \delta)\,N / (n_a\,n_b)`.

Examples
--------
>>> texts = [["new", "york", "is", "new"], ["new", "york"]]
>>> {pair: round(value, 3) for pair, value in scores(texts, scoring="npmi").items()}
{('new', 'york'): 0.631, ('york', 'is'): 0.613, ('is', 'new'): 0.387}
>>> join(["in", "new", "york", "is"], {("new", "york"), ("york", "is")})
['in', 'new_york', 'is']
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = ["join", "score", "scores"]


def score(pair: int, first: int, second: int, words: int, *, scoring: str, min_count: int) -> float:
    """Score a pair by its count, those of its words and the number of all words."""
    if scoring == "word2vec":
        return (pair - min_count) * words / (first * second)
    information = math.log(pair * words / (first * second))
    if scoring == "pmi":
        return information
    most = -math.log(pair / words)
    return information / most if most > 0 else 1.0


def scores(
    texts: Iterable[Sequence[str]], *, scoring: str = "npmi", min_count: int = 1
) -> dict[tuple[str, str], float]:
    """Score the pairs of neighbors that occur at least `min_count` times, in order of first appearance."""
    words: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        words.update(text)
        pairs.update(pairwise(text))
    total = words.total()
    return {
        (a, b): score(count, words[a], words[b], total, scoring=scoring, min_count=min_count)
        for (a, b), count in pairs.items()
        if count >= min_count
    }


def join(text: Sequence[str], phrases: Collection[tuple[str, str]], delimiter: str = "_") -> list[str]:
    """Join the pairs of a text that are phrases, from left to right."""
    joined: list[str] = []
    place = 0
    while place < len(text):
        if tuple(text[place : place + 2]) in phrases:
            joined.append(delimiter.join(text[place : place + 2]))
            place += 2
        else:
            joined.append(text[place])
            place += 1
    return joined

"""How a text is cut by a unigram model: the way whose scores have the highest sum.

Each token has a score, the logarithm of its probability. All ways to cut a text are a graph: its places are
the nodes, a token that fits between two of them is an edge. The best way to a place is the best way to the
beginning of its last token, plus that token; so one pass from left to right finds it (Viterbi).

A character that is no token has a score of its own, ten below that of the worst token, so that a text can
always be cut and unknown characters are used only where nothing else fits.

Examples
--------
>>> scores = {"low": -2.0, "l": -4.0, "o": -4.0, "w": -4.0, "er": -2.5, "we": -3.0, "lo": -3.5, "r": -4.0}
>>> best_cut("lower", scores)
['low', 'er']
>>> n_best("lower", scores, 2)
[(['low', 'er'], -4.5), (['lo', 'w', 'er'], -10.0)]
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["UNKNOWN_PENALTY", "best_cut", "expected_counts", "n_best", "tokens_at", "with_unknown_joined"]

UNKNOWN_PENALTY = 10.0


def tokens_at(text: str, start: int, scores: Mapping[str, float]) -> list[tuple[int, float]]:
    """Where the tokens that begin at a place end, and their scores; the shortest first."""
    longest = max(map(len, scores))
    ends = range(start + 1, min(start + longest, len(text)) + 1)
    found = [(end, scores[text[start:end]]) for end in ends if text[start:end] in scores]
    if text[start] not in scores:
        unknown = (start + 1, min(scores.values()) - UNKNOWN_PENALTY)
        found.append(unknown)
    return found


def best_cut(text: str, scores: Mapping[str, float]) -> list[str]:
    """The tokens of the highest sum; of equal sums the one whose last token is longest."""
    best: list[tuple[float, int] | None] = [(0.0, 0)] + [None] * len(text)
    for start in range(len(text)):
        before = best[start]
        assert before is not None  # every character is a token or unknown
        for end, score in tokens_at(text, start, scores):
            total, known = before[0] + score, best[end]
            if known is None or total > known[0]:
                best[end] = (total, start)
    tokens, end = [], len(text)
    while end > 0:
        step = best[end]
        assert step is not None
        tokens.append(text[step[1] : end])
        end = step[1]
    return tokens[::-1]


def with_unknown_joined(tokens: Sequence[str], scores: Mapping[str, float]) -> list[str]:
    """Make one token of unknown characters that stand next to each other."""
    joined: list[str] = []
    after_unknown = False
    for token in tokens:
        is_unknown = token not in scores
        if is_unknown and after_unknown:
            joined[-1] += token
        else:
            joined.append(token)
        after_unknown = is_unknown
    return joined


def n_best(text: str, scores: Mapping[str, float], count: int) -> list[tuple[list[str], float]]:
    """The best ways with their sums, the best first: all ways, sorted. Only for short texts."""

    def ways(start: int) -> list[tuple[list[str], float]]:
        if start == len(text):
            return [([], 0.0)]
        return [
            ([text[start:end], *rest], score + below)
            for end, score in tokens_at(text, start, scores)
            for rest, below in ways(end)
        ]

    return sorted(ways(0), key=lambda way: -way[1])[:count]


def expected_counts(text: str, scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """How often each token is expected, and the logarithm of the probability of the text.

    Expected are the counts when ways are drawn by their probability. The probability of an edge is that of
    all ways to its beginning, times its own, times that of all ways from its end (forward and backward),
    out of that of all ways.
    """
    edges = [(start, *edge) for start in range(len(text)) for edge in tokens_at(text, start, scores)]
    forward = [1.0] + [0.0] * len(text)
    backward = [0.0] * len(text) + [1.0]
    for start, end, score in edges:
        forward[end] += forward[start] * math.exp(score)
    for start, end, score in reversed(edges):
        backward[start] += math.exp(score) * backward[end]
    counts: dict[str, float] = {}
    for start, end, score in edges:
        share = forward[start] * math.exp(score) * backward[end] / forward[-1]
        counts[text[start:end]] = counts.get(text[start:end], 0.0) + share
    return counts, math.log(forward[-1])

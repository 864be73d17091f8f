"""How the tokens of a unigram model and their scores are learned from word counts.

Start with far more tokens than are wanted: all characters, and all strings that occur more than once and that
no longer string could stand in for. Then repeat two steps: fit the scores, so that the words become as
probable as they can (expectation maximization), and drop the tokens that are missed the least.

Examples
--------
>>> scores, losses = train({"lowest": 5, "newest": 6, "widest": 3, "lower": 2}, vocab_size=13)
>>> sorted(token for token in scores if len(token) > 1)
['lowest', 'newest', 'widest']
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from textgrain.reference.unigram import best_cut, expected_counts, tokens_at

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["digamma", "fit", "prune", "seeds", "train"]

LEAST_EXPECTED = 0.5


def seeds(words: Mapping[str, int], longest: int = 16) -> dict[str, float]:
    """All characters and strings of interest, with the share of the text that they cover as first scores."""
    counts: dict[str, int] = {}
    followers: dict[str, set[str]] = {}
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                string = word[start:end]
                counts[string] = counts.get(string, 0) + count
                followers.setdefault(string, set()).add(word[end : end + 1])
    covered = {
        string: count * len(string)
        for string, count in counts.items()
        if len(string) == 1
        or (count > 1 and (len(followers[string]) > 1 or "" in followers[string] or len(string) == longest))
    }
    total = math.log(sum(covered.values()))
    return {string: math.log(worth) - total for string, worth in covered.items()}


def digamma(number: float) -> float:
    """The derivative of the logarithm of the gamma function."""
    below = 0.0
    while number < 7:
        below += 1 / number
        number += 1
    middle = number - 0.5
    square = 1 / middle**2
    series = square * (1 / 24 - square * (7 / 960 - square * (31 / 8064 - square * 127 / 30720)))
    return math.log(middle) + series - below


def fit(words: Mapping[str, int], scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """New scores from the counts expected under the old ones, and the mean loss of a word under the old."""
    expected = dict.fromkeys(scores, 0.0)
    loss = 0.0
    for word, count in words.items():
        shares, log_probability = expected_counts(word, scores)
        loss -= count * log_probability
        for token, share in shares.items():
            expected[token] += count * share
    kept = {
        token: max(count, LEAST_EXPECTED)
        for token, count in expected.items()
        if len(token) == 1 or count >= LEAST_EXPECTED
    }
    total = digamma(sum(kept.values()))
    fitted = {token: digamma(count) - total for token, count in kept.items()}
    return fitted, loss / sum(words.values())


def prune(words: Mapping[str, int], scores: Mapping[str, float], size: int) -> dict[str, float]:
    """Keep all characters, and of the other tokens those that would be missed the most."""
    uses = dict.fromkeys(scores, 0)
    for word, count in words.items():
        for token in best_cut(word, scores):
            uses[token] += count
    total = sum(uses.values())
    missed: dict[str, float] = {}
    for token, own in uses.items():
        without = {other: score for other, score in scores.items() if other != token}
        if len(token) == 1 or own == 0:
            continue
        parts = best_cut(token, without)
        if sum(scores[part] for part in parts) > scores[token]:
            continue
        # The parts take over the uses of the whole.
        total_after = total + own * (len(parts) - 1)
        after = sum(math.log(uses[part] + own) - math.log(total_after) for part in parts)
        missed[token] = own * (math.log(own) - math.log(total) - after)
    characters = sum(len(token) == 1 for token in scores)
    order = sorted(missed, key=lambda token: (-missed[token], token))
    kept = set(order[: max(size - characters, 0)])
    return {token: score for token, score in scores.items() if len(token) == 1 or token in kept}


def train(
    words: Mapping[str, int],
    vocab_size: int,
    *,
    longest: int = 16,
    shrink_factor: float = 0.75,
    iterations: int = 2,
) -> tuple[dict[str, float], list[float]]:
    """The characters and the best tokens, with their scores; and the losses on the way."""
    scores = seeds(words, longest)
    characters = sum(len(token) == 1 for token in scores)
    room = vocab_size - characters
    wanted = characters + int(room * 1.1)
    losses: list[float] = []
    while True:
        for _ in range(iterations):
            scores, loss = fit(words, scores)
            losses.append(loss)
        if len(scores) <= wanted:
            break
        scores = prune(words, scores, max(wanted, int(shrink_factor * len(scores))))
    others = sorted((token for token in scores if len(token) > 1), key=lambda token: (-scores[token], token))
    kept = set(others[:room])
    assert all(tokens_at(word, 0, scores) for word in words)
    return {token: score for token, score in scores.items() if len(token) == 1 or token in kept}, losses

"""WordPiece, as one would do it with a pencil.

A word starts as its characters; all but the first carry a mark, ``##``, that says "goes on with a word".
Training asks again and again: *which two neighbors meet more often than chance would have them meet?* If
tokens were drawn one by one, the pair ``a b`` would stand side by side in proportion to the product
``count(a) * count(b)``; the pair whose count is the largest multiple of that becomes a token. It is the one
that raises the likelihood of the corpus most for each time that it occurs. (Byte-pair encoding asks for the
most frequent pair instead.)

Encoding does not follow the merges: it takes the longest token that fits, again and again.

Source: Schuster and Nakajima, "Japanese and Korean Voice Search", 2012.

Examples
--------
>>> tokens = train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=11)
>>> tokens
['b', 'h', 'p', '##g', '##n', '##s', '##u', '##gs', 'pu', 'hu', 'bu']
>>> encode("hugs", tokens)
['hu', '##gs']
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["encode", "join", "score", "train"]

PREFIX = "##"


def score(pair_count: int, left_count: int, right_count: int) -> float:
    """How much more often two tokens meet than chance would have it, up to a constant."""
    return float(pair_count) / (float(left_count) * float(right_count))


def join(left: str, right: str) -> str:
    """Return the token that two neighbors form.

    Examples
    --------
    >>> join("##a", "##b")
    '##ab'
    """
    return left + right.removeprefix(PREFIX)


def train(words: Mapping[str, int], vocab_size: int, min_frequency: int = 2) -> list[str]:
    """Return the tokens in the order of their ids: the alphabet, then joined tokens as they are made."""
    cut = [
        [character if place == 0 else PREFIX + character for place, character in enumerate(word)]
        for word in words
    ]
    counts = list(words.values())
    alphabet = {symbol for word in cut for symbol in word}
    tokens = sorted(alphabet, key=lambda symbol: (len(symbol) > 1, symbol))
    while len(tokens) < vocab_size:
        alone: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in zip(cut, counts, strict=True):
            for symbol in word:
                alone[symbol] += count
            for pair in pairwise(word):
                pairs[pair] += count
        candidates = [pair for pair, count in pairs.items() if count >= max(min_frequency, 1)]
        if not candidates:
            break
        ids = {token: number for number, token in enumerate(tokens)}
        left, right = min(
            candidates,
            key=lambda pair: (
                -score(pairs[pair], alone[pair[0]], alone[pair[1]]),
                -pairs[pair],
                ids[pair[0]],
                ids[pair[1]],
            ),
        )
        token = join(left, right)
        if token not in ids:
            tokens.append(token)
        cut = [_merged(word, left, right, token) for word in cut]
    return tokens


def _merged(word: Sequence[str], left: str, right: str, token: str) -> list[str]:
    merged: list[str] = []
    place = 0
    while place < len(word):
        here = tuple(word[place : place + 2]) == (left, right)
        merged.append(token if here else word[place])
        place += 2 if here else 1
    return merged


def encode(word: str, tokens: Sequence[str], unknown: str = "[UNK]") -> list[str]:
    """Cut a word into the longest tokens, from left to right; unknown as a whole if some part has none."""
    known = set(tokens)
    found: list[str] = []
    start = 0
    while start < len(word):
        mark = PREFIX if start else ""
        ends = (end for end in range(len(word), start, -1) if mark + word[start:end] in known)
        end = next(ends, None)
        if end is None:
            return [unknown]
        found.append(mark + word[start:end])
        start = end
    return found

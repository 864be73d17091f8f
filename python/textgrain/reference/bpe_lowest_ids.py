"""Byte-pair encoding with the tie rule and the corner cases of Hugging Face tokenizers.

With ``tie_break="lowest-ids"`` a tie goes to the pair with the smallest (left id, right id). Ids are
numbers given in the order in which tokens come into being; the 256 bytes are numbered by the code point of
the printable character that stands for each of them in GPT-2's files, so the visible ones come first.

That library does not count anew in each round. It keeps a **queue** of pairs and corrects totals as merges
change the neighbours. Three habits of this queue can be seen in the result, and are kept here on purpose:

* a pair waits in the queue with the *words* in which it stood when it was put there, and is merged only
  there;
* the total of a pair that has been merged is not set to zero, so if two merges later spell one of its
  halves again, it starts from what was left;
* such a pair is put into the queue a second time, and may therefore appear twice in the list of merges.

Encoding differs too: the pair with the lowest rank is joined first, wherever it stands, until none is left.
The two ways of encoding agree unless a token can be spelled by more than one pair.

Examples
--------
>>> from textgrain.reference.bpe import train
>>> counts = {"cd": 1, "ab": 1}
>>> [step.token for step in train(counts).merges]
['cd', 'ab']
>>> [step.token for step in train(counts, tie_break="lowest-ids").merges]
['ab', 'cd']
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from textgrain.reference.bpe import count_pairs
from textgrain.reference.bpe_model import Merge, Model, Pair, start_symbols, visible_first

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["encode_by_rank", "merge_and_report", "train_lowest_ids"]

Entry = tuple[int, tuple[int, int], int, Pair, set[int]]


def merge_and_report(symbols: list[str], pair: Pair) -> list[tuple[Pair, int]]:
    """Join the pair in place, and tell which neighbouring pairs came (+1) and went (−1).

    Examples
    --------
    >>> word = ["x", "a", "b"]
    >>> merge_and_report(word, ("a", "b")), word
    ([(('x', 'a'), -1), (('x', 'ab'), 1)], ['x', 'ab'])
    """
    left, right = pair
    token = left + right
    changes: list[tuple[Pair, int]] = []
    position = 0
    while position + 1 < len(symbols):
        if (symbols[position], symbols[position + 1]) == pair:
            symbols[position : position + 2] = [token]
            if position > 0:
                before = symbols[position - 1]
                changes += [((before, left), -1), ((before, token), +1)]
            if position + 1 < len(symbols):
                after = symbols[position + 1]
                changes += [((right, after), -1), ((token, after), +1)]
        position += 1
    return changes


def train_lowest_ids(
    words: Sequence[tuple[list[str], int]], alphabet: Sequence[str], merges: int | None, min_frequency: int
) -> list[Merge]:
    """Make merges with the queue that the page above describes; the words are cut up on the way."""
    numbers = {symbol: number for number, symbol in enumerate(visible_first(alphabet))}
    totals = count_pairs(words)
    queue: list[Entry] = []

    def put(places: dict[Pair, set[int]]) -> None:
        for pair, where in places.items():
            if totals[pair] > 0:
                ids = (numbers[pair[0]], numbers[pair[1]])
                heapq.heappush(queue, (-totals[pair], ids, len(queue), pair, where))

    put(_places(words))
    steps: list[Merge] = []
    while queue and (merges is None or len(steps) < merges):
        negative_total, ids, order, pair, where = heapq.heappop(queue)
        if -negative_total != totals[pair]:
            heapq.heappush(queue, (-totals[pair], ids, order, pair, where))
            continue
        if totals[pair] < max(min_frequency, 1):
            break
        steps.append(_describe(pair, totals[pair], words, numbers))
        numbers.setdefault(pair[0] + pair[1], len(numbers))
        gained: dict[Pair, set[int]] = defaultdict(set)
        for index in where:
            symbols, count = words[index]
            for changed, change in merge_and_report(symbols, pair):
                totals[changed] += change * count
                if change > 0:
                    gained[changed].add(index)
        put(gained)
    return steps


def _places(words: Sequence[tuple[list[str], int]]) -> dict[Pair, set[int]]:
    places: dict[Pair, set[int]] = defaultdict(set)
    for index, (symbols, _) in enumerate(words):
        for pair in pairwise(symbols):
            places[pair].add(index)
    return places


def _describe(
    pair: Pair, total: int, words: Sequence[tuple[list[str], int]], numbers: dict[str, int]
) -> Merge:
    others: Counter[Pair] = count_pairs(words)
    others.pop(pair, None)
    second = min(
        others, key=lambda other: (-others[other], numbers[other[0]], numbers[other[1]]), default=None
    )
    tied = 1 + sum(other == total for other in others.values())
    return Merge(*pair, total, tied, second, others[second] if second else None)


def encode_by_rank(word: str, model: Model) -> list[str]:
    """Cut one word into tokens: join the pair with the lowest rank, the leftmost first, until none is left.

    Examples
    --------
    >>> from textgrain.reference.bpe import train
    >>> encode_by_rank("abcab", train({"ab": 2, "abc": 1}, tie_break="lowest-ids"))
    ['abc', 'ab']
    """
    ranks = {(step.left, step.right): rank for rank, step in enumerate(model.merges)}
    symbols = start_symbols(word, model.symbols, model.end_of_word)
    while True:
        found = [(ranks[pair], place) for place, pair in enumerate(pairwise(symbols)) if pair in ranks]
        if not found:
            return symbols
        _, place = min(found)
        symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]

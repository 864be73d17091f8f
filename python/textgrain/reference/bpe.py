"""Byte-pair encoding, as one would do it with a pencil.

Training asks one question again and again: *which two neighbouring symbols stand side by side most often?*
Those two become one new symbol, everywhere, and the question is asked anew. Each answer is a **merge**, and
the list of merges, in the order in which they were made, is all that is learned.

Encoding needs no counting. A new word is cut into its smallest symbols, and the list of merges is walked once
from top to bottom; each merge joins whatever it finds.

Two rules make the result unique:

* a pair counts once for each place where it stands, times the number of times that its word occurs; places
  may overlap, so ``aaa`` holds the pair ``a a`` twice, although only one merge fits in it;
* the pair with the highest total wins. Among equals it is the one that is met first when the words are read
  in the order in which they first appeared, as they are cut *now* (``"first"``); the one with the smallest
  (left id, right id), as in Hugging Face tokenizers (``"lowest-ids"``); or the one with the largest
  (left text, right text), as in subword-nmt (``"largest-text"``).

What a word is before any merge, and what training hands over, stands in
:mod:`textgrain.reference.bpe_model`; another way to encode in :mod:`textgrain.reference.bpe_by_rank`.

Source: Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units", 2016.

Examples
--------
>>> model = train({"low": 5, "lower": 2, "newest": 6, "widest": 3}, merges=4, end_of_word="</w>")
>>> [merge.token for merge in model.merges]
['es', 'est', 'est</w>', 'lo']
>>> encode("lowest", model)
['lo', 'w', 'est</w>']
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from textgrain.reference.bpe_model import (
    Merge,
    Model,
    Pair,
    describe,
    start_alphabet,
    start_symbols,
    visible_first,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["count_pairs", "encode", "merge", "train"]


def count_pairs(words: Iterable[tuple[Sequence[str], int]]) -> Counter[Pair]:
    """Total of each neighbouring pair, in the order in which the pairs are first met.

    Examples
    --------
    >>> count_pairs([(["a", "a", "a"], 2), (["a", "b"], 5)])
    Counter({('a', 'b'): 5, ('a', 'a'): 4})
    """
    totals: Counter[Pair] = Counter()
    for symbols, count in words:
        for pair in pairwise(symbols):
            totals[pair] += count
    return totals


def merge(symbols: Sequence[str], pair: Pair) -> list[str]:
    """Join the pair wherever it stands, from left to right and without overlap.

    Examples
    --------
    >>> merge(["a", "a", "a", "b"], ("a", "a"))
    ['aa', 'a', 'b']
    """
    merged: list[str] = []
    rest = list(reversed(symbols))  # the next symbol to read lies on top
    while rest:
        symbol = rest.pop()
        if rest and (symbol, rest[-1]) == pair:
            symbol += rest.pop()
        merged.append(symbol)
    return merged


def train(
    counts: Mapping[str, int],
    *,
    merges: int | None = None,
    symbols: Literal["characters", "bytes"] = "characters",
    end_of_word: str | None = None,
    tie_break: Literal["first", "lowest-ids", "largest-text"] = "first",
    min_frequency: int = 1,
) -> Model:
    """Learn merges from words and the number of times that each occurs.

    Parameters
    ----------
    counts : mapping of str to int
        The words in the order of their first appearance.
    merges : int, optional
        How many merges to make; without it, as long as a pair occurs `min_frequency` times.
    symbols : {"characters", "bytes"}
        What a word is made of before any merge.
    end_of_word : str, optional
        A symbol that is added to the end of each word.
    tie_break : {"first", "lowest-ids", "largest-text"}
        Which of several pairs with the same total wins. For "lowest-ids" bytes are numbered by the characters
        that stand for them in GPT-2's files.
    min_frequency : int
        Pairs with a lower total are not merged.

    Examples
    --------
    >>> [step.token for step in train({"abab": 1, "cd": 2}).merges]
    ['ab', 'cd', 'abab']
    """
    counts = {word: count for word, count in counts.items() if count > 0}
    words = [(start_symbols(word, symbols, end_of_word), count) for word, count in counts.items()]
    alphabet = start_alphabet(counts, symbols, end_of_word)
    numbers = {symbol: number for number, symbol in enumerate(visible_first(alphabet))}
    steps: list[Merge] = []
    while merges is None or len(steps) < merges:
        totals = count_pairs(words)
        candidates = list(totals)  # in the order in which they are first met
        if tie_break == "lowest-ids":
            candidates.sort(key=lambda pair: (numbers[pair[0]], numbers[pair[1]]))
        if tie_break == "largest-text":
            candidates.sort(reverse=True)
        ranking = sorted(candidates, key=lambda pair: -totals[pair])  # sorting keeps the order of equals
        if not ranking or totals[ranking[0]] < max(min_frequency, 1):
            break
        steps.append(describe(ranking, totals))
        words = [(merge(word, ranking[0]), count) for word, count in words]
        numbers[steps[-1].token] = len(numbers)
    return Model(alphabet, tuple(steps), symbols, end_of_word)


def encode(word: str, model: Model) -> list[str]:
    """Cut one word into tokens: down the list of merges, once.

    Examples
    --------
    >>> model = train({"patient": 60, "patients": 40, "pain": 30})
    >>> encode("patients", model), encode("paints", model)
    (['patients'], ['pain', 't', 's'])
    """
    symbols = start_symbols(word, model.symbols, model.end_of_word)
    for step in model.merges:
        symbols = merge(symbols, (step.left, step.right))
    return symbols

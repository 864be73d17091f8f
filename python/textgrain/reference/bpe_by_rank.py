"""A second way to encode, and why it gives the same tokens.

Walking down a list of 50,000 merges for a word of five letters is a long walk. One may instead look at the
pairs that the word has *now*, join the one that was learned first, and look again.

Both give the same. A merge makes a token that stood nowhere before, so every pair with this token was
learned later: joining can never bring up work for a merge further up the list. And no two merges spell the
same token, because the text of a token is always cut the same way by the merges before it.

Examples
--------
>>> from textgrain.reference.bpe import train
>>> encode_by_rank("patients", train({"patient": 60, "patients": 40, "pain": 30}))
['patients']
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from textgrain.reference.bpe_model import start_symbols

if TYPE_CHECKING:
    from textgrain.reference.bpe_model import Model

__all__ = ["encode_by_rank"]


def encode_by_rank(word: str, model: Model) -> list[str]:
    """Cut one word into tokens: join the pair that was learned first, until none is left."""
    ranks = {(step.left, step.right): rank for rank, step in enumerate(model.merges)}
    symbols = start_symbols(word, model.symbols, model.end_of_word)
    while found := [(ranks[pair], at) for at, pair in enumerate(pairwise(symbols)) if pair in ranks]:
        _, place = min(found)
        symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]
    return symbols

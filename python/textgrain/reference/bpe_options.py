"""Byte-pair encoding with a say in which pairs are merged.

Counts do not know everything. A chemist wants ``C`` and ``l`` to be chlorine from the start, a linguist does
not want a stem to swallow its ending, and a corpus from the web holds thousands of characters that occur
once. So

* **seed merges** are made first, in the order given, whatever their totals;
* pairs that are not **allowed** never compete, because they are forbidden or would make a token too long;
* characters beyond the **limit of the alphabet** cut a word: no pair reaches across them.

The rest is :mod:`textgrain.reference.bpe`, whose steps are used here.

Examples
--------
>>> model = train({"NaCl": 1, "HCl": 2, "CH": 9}, merges=2, seed_merges=[("C", "l")])
>>> [step.token for step in model.merges]
['Cl', 'CH']
>>> keep_most_frequent({"déjà": 2, "dada": 3}, limit=2)
('a', 'd')
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from textgrain.reference.bpe import count_pairs, merge
from textgrain.reference.bpe_model import Merge, Model, Pair, describe, start_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

__all__ = ["keep_most_frequent", "train"]


def keep_most_frequent(
    counts: Mapping[str, int], limit: int, initial: Collection[str] = ()
) -> tuple[str, ...]:
    """Choose an alphabet: the characters that must be there, then the most frequent of the others.

    Of equally frequent characters the one with the lower code point stays.
    """
    totals: Counter[str] = Counter()
    for word, count in counts.items():
        for character in word:
            totals[character] += count
    others = sorted(set(totals) - set(initial), key=lambda character: (-totals[character], character))
    return tuple(sorted([*set(initial), *others[: limit - len(set(initial))]]))


def cut_at_unknown(symbols: Iterable[str], alphabet: Collection[str]) -> list[list[str]]:
    """Cut a word at each symbol that the alphabet does not have.

    Examples
    --------
    >>> cut_at_unknown("déjà", "dàj")
    [['d'], ['j', 'à']]
    """
    parts: list[list[str]] = [[]]
    for symbol in symbols:
        if symbol in alphabet:
            parts[-1].append(symbol)
        else:
            parts.append([])
    return parts


def train(
    counts: Mapping[str, int],
    *,
    merges: int | None = None,
    end_of_word: str | None = None,
    seed_merges: Iterable[Pair] = (),
    allowed: Callable[[Pair], bool] = lambda _: True,
    alphabet: Collection[str] | None = None,
) -> Model:
    """Learn merges of characters; ties go to the pair that is met first.

    Parameters
    ----------
    counts : mapping of str to int
        The words in the order of their first appearance.
    merges : int, optional
        How many merges to make, seed merges included.
    end_of_word : str, optional
        A symbol that is added to the end of each word.
    seed_merges : iterable of pairs
        Merged first, whatever their totals.
    allowed : callable
        Whether a pair may be merged.
    alphabet : collection of str, optional
        The characters to keep; all by default.
    """
    known = sorted(set(alphabet if alphabet is not None else "".join(counts)))
    known += [end_of_word] if end_of_word else []
    words = [
        (part, count)
        for word, count in counts.items()
        for part in cut_at_unknown(start_symbols(word, end_of_word=end_of_word), known)
    ]
    seeds, steps = list(seed_merges), list[Merge]()
    while merges is None or len(steps) < merges:
        totals = count_pairs(words)
        if seeds:
            seed = seeds.pop(0)
            steps.append(Merge(*seed, totals[seed], 1, None, None))
        else:
            totals = Counter({pair: total for pair, total in totals.items() if allowed(pair)})
            # In the order in which they are first met, which sorting keeps among equals.
            ranking = sorted(totals, key=lambda pair: -totals[pair])
            if not ranking:
                break
            steps.append(describe(ranking, totals))
        words = [(merge(part, (steps[-1].left, steps[-1].right)), count) for part, count in words]
    return Model(tuple(known), tuple(steps), "characters", end_of_word)

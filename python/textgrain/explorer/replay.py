"""Every step of a training of byte-pair encoding, for all words of a corpus at once.

A token is made by one merge, so what a word became at the end tells what it was before: after `step` merges
it is its final tokens, with each token of a later merge taken apart. A pair of neighbors therefore stands
either between two final tokens or inside a token, and both kinds are counted once, when the replay is made.
A step then costs a look at each token and at each different pair of final tokens, however long the corpus.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from textgrain.tokenizer import Tokenizer

    Integers = npt.NDArray[np.int64]

__all__ = ["Pairs", "Replay"]

#: Places of symbols in a word; a longer word is no word.
_WORD = 1 << 24
#: Later than every place.
_NEVER = np.iinfo(np.int64).max


class Replay:
    """Words with their counts, cut as they were after any number of merges."""

    def __init__(self, tokenizer: Tokenizer, words: Sequence[str], counts: Sequence[int]) -> None:
        self.words = words
        self.counts = np.asarray(counts, dtype=np.int64)
        self._names = tokenizer.vocabulary
        settings = tokenizer.settings
        self._places = _places_of_others(len(self._names), bytes_first=settings["symbols"] == "bytes")
        self._by_ids = settings["tie_break"] == "lowest-ids"
        self._forest = _Forest(tokenizer._native.merges(), len(self._names))
        ids, bounds = tokenizer.encode_ids_batch(words)
        self._nodes, self._ends = self._forest.plant(ids.astype(np.int64), bounds.astype(np.int64))
        self._word_of = np.repeat(np.arange(len(words)), np.diff(self._ends, prepend=0))

    # ---- Words ------------------------------------------------------------------------------

    def cut(self, word: int, step: int) -> list[str]:
        """The tokens of a word after so many merges."""
        end = int(self._ends[word])
        start = int(self._ends[word - 1]) if word else 0
        nodes = self._forest.after(step, self._nodes[start:end].tolist())
        return [self._names[self._forest.token[node]] for node in nodes]

    def changing(self, step: int, most: int) -> list[int]:
        """The most frequent words that the next merge changes."""
        forest = self._forest
        holds = [rank == step + 1 for rank in forest.rank]
        for node in forest.order:
            holds[node] = holds[node] or holds[forest.left[node]] or holds[forest.right[node]]
        words = np.unique(self._word_of[np.array(holds, dtype=bool)[self._nodes]])
        order = np.argsort(-self.counts[words], kind="stable")[:most]
        found: list[int] = words[order].tolist()
        return found

    @cached_property
    def by_frequency(self) -> Integers:
        """The numbers of all words, most frequent first."""
        return np.argsort(-self.counts, kind="stable")

    # ---- Pairs ------------------------------------------------------------------------------

    def pairs(self, step: int) -> Pairs:
        """All pairs after so many merges, the one that the rule of the training prefers first."""
        left, right, totals, places = self._counted(step)
        size = len(self._names)
        keys = left * size + right
        order = np.argsort(keys, kind="stable")
        keys, totals, places = keys[order], totals[order], places[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        if len(starts):
            keys, totals = keys[starts], np.add.reduceat(totals, starts)
            places = np.minimum.reduceat(places, starts)
        if self._by_ids:
            places = self._places[keys // size] * size + self._places[keys % size]
        return Pairs(keys, totals, places, self._names)

    def _counted(self, step: int) -> tuple[Integers, Integers, Integers, Integers]:
        """Neighbors, how often they are, and where first; a pair may come more than once."""
        forest, sums = self._forest, self._sums
        rank, left, right, token = forest.arrays
        inner = np.flatnonzero((rank > step) & (sums.total > 0))
        head, tail = _ends_after(step, rank, left), _ends_after(step, rank, right)
        return (
            token[np.concatenate([tail[sums.before], tail[left[inner]]])],
            token[np.concatenate([head[sums.after], head[right[inner]]])],
            np.concatenate([sums.between, sums.total[inner]]),
            np.concatenate([sums.between_first, sums.first[inner] + sums.size[left[inner]]]),
        )

    @cached_property
    def _sums(self) -> _Sums:
        return _Sums(self._forest, self._nodes, self._word_of, self.counts)


class Pairs:
    """All pairs of one step with their totals, put into order and into words only where somebody looks."""

    def __init__(self, keys: Integers, totals: Integers, preference: Integers, names: list[str]) -> None:
        self._keys, self._totals, self._preference, self._names = keys, totals, preference, names

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def best(self) -> int:
        """The largest total; 0 where there are no pairs."""
        return int(self._totals.max(initial=0))

    @property
    def tied(self) -> int:
        """How many pairs have it."""
        return int((self._totals == self.best).sum())

    def first(self, count: int) -> list[tuple[str, str, int]]:
        """The most frequent pairs: left, right, total; of equals the one that the training prefers first."""
        if len(self) > count:
            least = np.partition(self._totals, len(self) - count)[len(self) - count]
            chosen = np.flatnonzero(self._totals >= least)
        else:
            chosen = np.arange(len(self))
        order = np.lexsort((self._preference[chosen], -self._totals[chosen]))
        size, names = len(self._names), self._names
        return [
            (names[self._keys[at] // size], names[self._keys[at] % size], int(self._totals[at]))
            for at in chosen[order[:count]].tolist()
        ]


class _Forest:
    """How each token came about, as nodes with two parts; symbols have none.

    A node has the number of its token. Where several merges give one token, a word tells which one made it,
    and such tokens, with all that contain them, get nodes of their own behind the tokens.
    """

    def __init__(self, merges: Sequence[tuple[int, int, int]], tokens: int) -> None:
        self.rank = [0] * tokens
        self.left, self.right, self.token = list(range(tokens)), list(range(tokens)), list(range(tokens))
        self._ranks = {}
        doubtful: set[int] = set()
        for rank, (left, right, token) in enumerate(merges, 1):
            self._ranks[left, right] = rank, token
            if self.rank[token] or left in doubtful or right in doubtful:
                doubtful.add(token)
            if not self.rank[token]:
                self.rank[token], self.left[token], self.right[token] = rank, left, right
        self._doubtful = doubtful
        self._grown: dict[tuple[int, int, int], int] = {}

    def plant(self, ids: Integers, bounds: Integers) -> tuple[Integers, Integers]:
        """The nodes of all words from their final ids, and where each word ends."""
        doubtful = np.isin(ids, list(self._doubtful))
        words = np.unique(np.searchsorted(bounds, np.flatnonzero(doubtful), side="right") - 1).tolist()
        nodes, lengths, before = [], np.diff(bounds), 0
        for word in words:
            own = self._grown_from(ids[bounds[word] : bounds[word + 1]].tolist())
            nodes += [ids[before : bounds[word]], np.array(own, dtype=np.int64)]
            lengths[word], before = len(own), bounds[word + 1]
        return np.concatenate([*nodes, ids[before:]]), np.cumsum(lengths)

    def _grown_from(self, ids: list[int]) -> list[int]:
        """The merges that made a word, in their order, from the symbols on."""
        nodes = self.after(0, ids)
        done = 0
        while True:
            ranks = [
                found[0] for pair in pairwise(nodes) if (found := self._merge(*pair)) and found[0] > done
            ]
            if not ranks:
                return nodes
            done = min(ranks)
            nodes = self._merged(nodes, done)

    def after(self, step: int, nodes: list[int]) -> list[int]:
        """What nodes were after so many merges."""
        waiting, found = nodes[::-1], []
        while waiting:
            node = waiting.pop()
            if self.rank[node] > step:
                waiting += (self.right[node], self.left[node])
            else:
                found.append(node)
        return found

    def _merge(self, left: int, right: int) -> tuple[int, int] | None:
        return self._ranks.get((self.token[left], self.token[right]))

    def _merged(self, nodes: list[int], rank: int) -> list[int]:
        merged, at = [], 0
        while at < len(nodes):
            found = self._merge(*nodes[at : at + 2]) if at + 1 < len(nodes) else None
            if found and found[0] == rank:
                merged.append(self._grow(rank, nodes[at], nodes[at + 1], found[1]))
                at += 2
            else:
                merged.append(nodes[at])
                at += 1
        return merged

    def _grow(self, rank: int, left: int, right: int, token: int) -> int:
        if (self.rank[token], self.left[token], self.right[token]) == (rank, left, right):
            return token
        node = self._grown.setdefault((rank, left, right), len(self.rank))
        if node == len(self.rank):
            self.rank.append(rank)
            self.left.append(left)
            self.right.append(right)
            self.token.append(token)
        return node

    @cached_property
    def order(self) -> list[int]:
        """The nodes that have parts, each after its parts."""
        return sorted((node for node, rank in enumerate(self.rank) if rank), key=self.rank.__getitem__)

    @cached_property
    def arrays(self) -> tuple[Integers, Integers, Integers, Integers]:
        rank, left, right, token = (
            np.array(values, dtype=np.int64) for values in (self.rank, self.left, self.right, self.token)
        )
        return rank, left, right, token


class _Sums:
    """What is counted once: final neighbors, and every node wherever it stands, also within others."""

    def __init__(self, forest: _Forest, nodes: Integers, word_of: Integers, counts: Integers) -> None:
        size = [1] * len(forest.rank)
        for node in forest.order:
            size[node] = size[forest.left[node]] + size[forest.right[node]]
        self.size = np.array(size, dtype=np.int64)
        places = self._places(nodes, word_of)
        self._count_nodes(forest, size, nodes, places, counts[word_of])
        self._count_neighbors(nodes, places, word_of, counts)

    def _places(self, nodes: Integers, word_of: Integers) -> Integers:
        """Where each final node begins: the word, then the symbols before it in the word."""
        begins = np.cumsum(self.size[nodes]) - self.size[nodes]
        firsts = np.flatnonzero(np.diff(word_of, prepend=-1))
        within = begins - np.repeat(begins[firsts], np.diff(firsts, append=len(nodes)))
        return word_of * _WORD + within

    def _count_nodes(
        self, forest: _Forest, size: list[int], nodes: Integers, places: Integers, weights: Integers
    ) -> None:
        totals = np.zeros(len(size), dtype=np.int64)
        np.add.at(totals, nodes, weights)
        firsts = np.full(len(size), _NEVER)
        np.minimum.at(firsts, nodes, places)
        total, first = totals.tolist(), firsts.tolist()
        for node in reversed(forest.order):
            left, right = forest.left[node], forest.right[node]
            if not total[node]:
                continue
            total[left] += total[node]
            total[right] += total[node]
            first[left] = min(first[left], first[node])
            first[right] = min(first[right], first[node] + size[left])
        self.total = np.array(total, dtype=np.int64)
        self.first = np.array(first, dtype=np.int64)

    def _count_neighbors(
        self, nodes: Integers, places: Integers, word_of: Integers, counts: Integers
    ) -> None:
        inside = np.flatnonzero(word_of[1:] == word_of[:-1])
        keys = nodes[inside] * len(self.size) + nodes[inside + 1]
        order = np.lexsort((places[inside + 1], keys))
        inside, keys = inside[order], keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        weights = counts[word_of[inside]]
        self.before, self.after = nodes[inside[starts]], nodes[inside[starts] + 1]
        self.between = np.add.reduceat(weights, starts) if len(starts) else weights
        self.between_first = places[inside[starts] + 1]


def _places_of_others(tokens: int, *, bytes_first: bool) -> Integers:
    """The places that Hugging Face tokenizers gives to tokens while it trains: printable bytes come first."""
    if not bytes_first:
        return np.arange(tokens)
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    places = np.arange(tokens)
    places[[*printable, *sorted(set(range(256)) - set(printable))]] = np.arange(256)
    return places


def _ends_after(step: int, rank: Integers, part: Integers) -> Integers:
    """The outermost token of each node on one side, after so many merges."""
    found = np.arange(len(rank))
    while len(later := np.flatnonzero(rank[found] > step)):
        found[later] = part[found[later]]
    return found

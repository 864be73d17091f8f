"""Which part of each text goes into which row, where texts or pairs of texts are longer than a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from textgrain.exceptions import ParameterError

__all__ = ["Parts", "Truncation"]

Integers = npt.NDArray[np.int64]
Strategy = Literal["longest_first", "only_first", "only_second"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Parts:
    """For each row, the text that it is of, where its part of that text begins and how long it is."""

    texts: Integers
    starts: Integers
    lengths: Integers


@dataclass(frozen=True, kw_only=True)
class Truncation:
    """How texts are cut so that a row holds no more than `room` of their ids."""

    room: int | None
    stride: int | None
    side: Literal["left", "right"]
    strategy: Strategy

    def single(self, sizes: Integers) -> Parts:
        """Cut texts that stand alone."""
        kept = sizes if self.room is None else np.minimum(sizes, self.room)
        counts = self._counts(sizes, kept)
        texts = np.repeat(np.arange(len(sizes)), counts)
        starts, lengths = self._part(sizes[texts], kept[texts], _within(counts))
        return Parts(texts=texts, starts=starts, lengths=lengths)

    def pairs(self, first: Integers, second: Integers, *, second_leads: bool) -> tuple[Parts, Parts]:
        """Cut pairs of texts: each part of the one with each part of the other.

        Rows come in the order of Hugging Face tokenizers: both first parts; each later part of the text that
        leads with all parts of the other; the first part of the one that leads with each later part of the
        other. It is the text that comes first in the template that leads.
        """
        sizes = [first, second]
        kept = self._kept(first, second)
        counts = [self._counts(*each) for each in zip(sizes, kept, strict=True)]
        texts = np.repeat(np.arange(len(first)), counts[0] * counts[1])
        numbers = _combined(texts, *(reversed(counts) if second_leads else counts))
        if second_leads:
            numbers = numbers[1], numbers[0]
        parts = []
        for size, keep, number in zip(sizes, kept, numbers, strict=True):
            starts, lengths = self._part(size[texts], keep[texts], number)
            parts.append(Parts(texts=texts, starts=starts, lengths=lengths))
        return parts[0], parts[1]

    def _kept(self, first: Integers, second: Integers) -> tuple[Integers, Integers]:
        """How many ids a part of each text may have."""
        if self.room is None:
            return first, second
        too_many = np.maximum(first + second - self.room, 0)
        if self.strategy == "longest_first":
            shorter = np.minimum(np.minimum(first, second), self.room // 2)
            longer = np.where(too_many > 0, self.room - shorter, np.maximum(first, second))
            swapped = first > second
            return np.where(swapped, longer, shorter), np.where(swapped, shorter, longer)
        target = first if self.strategy == "only_first" else second
        short = np.flatnonzero((too_many > 0) & (target <= too_many))
        if short.size:
            pair, other = int(short[0]), second if target is first else first
            raise ParameterError(
                f"`truncation` cannot be {self.strategy!r} for pair {pair}: there is room for {self.room:,} "
                f"ids, and the other text alone has {int(other[pair]):,}. "
                'Use "longest_first", or a larger max_length',
                "truncation",
            )
        if self.strategy == "only_first":
            return first - too_many, second
        return first, second - too_many

    def _counts(self, sizes: Integers, kept: Integers) -> Integers:
        """How many parts each text has."""
        if self.stride is None:
            return np.ones_like(sizes)
        is_cut = sizes > kept
        narrow = kept[is_cut & (kept <= self.stride)]
        if narrow.size:
            raise ParameterError(
                f"`stride` must be less than the number of ids that a part of a text has, {int(narrow[0])}, "
                f"got {self.stride}. Use a smaller stride or a larger max_length",
                "stride",
            )
        # Each part after the first brings so many new ids.
        step = np.where(is_cut, kept - self.stride, 1)
        return 1 + -(-(sizes - kept) // step)

    def _part(self, sizes: Integers, kept: Integers, number: Integers) -> tuple[Integers, Integers]:
        """Where part `number` of each text begins, and its length."""
        step = kept - (self.stride or 0)
        if self.side == "right":
            starts = number * step
            ends = np.minimum(starts + kept, sizes)
        else:
            ends = sizes - number * step
            starts = np.maximum(ends - kept, 0)
        return starts, ends - starts


def _within(counts: Integers) -> Integers:
    """The numbers from 0 to each count, one after the other."""
    places: Integers = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


def _combined(texts: Integers, leading: Integers, other: Integers) -> tuple[Integers, Integers]:
    """For each row, which part of the text that leads meets which part of the other."""
    row = _within(leading * other) - 1
    across = other[texts]
    later = (leading[texts] - 1) * across
    is_later = (row >= 0) & (row < later)
    number = np.where(is_later, 1 + row // across, 0)
    number_other = np.where(is_later, row % across, np.where(row < 0, 0, 1 + row - later))
    return number, number_other

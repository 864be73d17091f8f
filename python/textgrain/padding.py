"""Many texts as one matrix of ids: long ones are cut, short ones filled up."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
import numpy.typing as npt

from textgrain.exceptions import ParameterError

__all__ = ["PaddedBatch", "RowShape"]

Integers = npt.NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class PaddedBatch:
    """The ids of many texts as a matrix; made by :meth:`Tokenizer.encode_padded`.

    Attributes
    ----------
    ids : ndarray of int64, shape (rows, columns)
        The ids, with those of the padding token around them.
    attention_mask : ndarray of int64, shape (rows, columns)
        1 for each id of a text, 0 for padding.
    texts : ndarray of int64, shape (rows,)
        The text that each row comes from, counted from 0; a long text may have several rows.
    starts : ndarray of int64, shape (rows,)
        The number of the token of that text with which the row begins.
    lengths : ndarray of int64, shape (rows,)
        How many ids of each row belong to the text.
    dropped : ndarray of int64, shape (texts,)
        How many ids of each text are in no row.
    """

    ids: Integers
    attention_mask: Integers
    texts: Integers
    starts: Integers
    lengths: Integers
    dropped: Integers

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        rows, columns = self.ids.shape
        dropped = int(self.dropped.sum())
        lost = f", {dropped:,} ids dropped" if dropped else ""
        return f"<PaddedBatch of {rows:,} rows and {columns:,} columns{lost}>"


@dataclass(frozen=True, kw_only=True)
class RowShape:
    """How long rows are, and what happens to texts that are not; checked when it is made."""

    padding: Literal["longest", "max_length"]
    max_length: int | None
    stride: int | None
    pad_to_multiple_of: int | None
    padding_side: Literal["left", "right"]
    truncation_side: Literal["left", "right"]

    def __post_init__(self) -> None:
        _check_choice("padding", self.padding, ("longest", "max_length"))
        _check_choice("padding_side", self.padding_side, ("left", "right"))
        _check_choice("truncation_side", self.truncation_side, ("left", "right"))
        _check_whole("max_length", self.max_length, 1)
        _check_whole("pad_to_multiple_of", self.pad_to_multiple_of, 1)
        _check_whole("stride", self.stride, 0)
        if self.max_length is None:
            if self.padding == "max_length":
                raise ParameterError(
                    '`max_length` must be set with padding="max_length", got None', "max_length"
                )
            if self.stride is not None:
                raise ParameterError(
                    f"`stride` can only be used with max_length, got {self.stride} without it", "stride"
                )
        elif self.stride is not None and self.stride >= self.max_length:
            raise ParameterError(
                f"`stride` must be less than max_length ({self.max_length}), got {self.stride}", "stride"
            )

    def batch(self, ids: npt.NDArray[np.uint32], offsets: Integers, pad_id: int) -> PaddedBatch:
        """Put the ids of texts, one after the other, into rows."""
        texts, starts, lengths = self._rows(np.diff(offsets))
        columns = self._columns(lengths)
        places = np.arange(columns)
        if self.padding_side == "right":
            mask = places < lengths[:, None]
        else:
            mask = places >= columns - lengths[:, None]
        matrix = np.full(mask.shape, pad_id, dtype=np.int64)
        # Both sides list the ids of the rows one after the other.
        firsts = offsets[texts] + starts
        before = np.cumsum(lengths) - lengths
        matrix[mask] = ids[np.repeat(firsts - before, lengths) + np.arange(lengths.sum())]
        kept = np.zeros(len(offsets) - 1, dtype=np.int64)
        if self.stride is None:
            kept[texts] = lengths
        else:
            kept = np.diff(offsets)
        return PaddedBatch(
            ids=matrix,
            attention_mask=mask.astype(np.int64),
            texts=texts,
            starts=starts,
            lengths=lengths,
            dropped=np.diff(offsets) - kept,
        )

    def _rows(self, sizes: Integers) -> tuple[Integers, Integers, Integers]:
        """For each row its text, the token of it with which the row begins, and its length."""
        if self.max_length is None:
            return np.arange(len(sizes)), np.zeros_like(sizes), sizes
        # Each row after the first brings so many new ids.
        step = self.max_length - (self.stride or 0)
        further = -(-np.maximum(sizes - self.max_length, 0) // step)
        rows = 1 + (further if self.stride is not None else np.zeros_like(further))
        texts = np.repeat(np.arange(len(sizes)), rows)
        number = np.arange(len(texts)) - np.repeat(np.cumsum(rows) - rows, rows)
        if self.truncation_side == "right":
            starts = number * step
            ends = np.minimum(starts + self.max_length, sizes[texts])
        else:
            ends = sizes[texts] - number * step
            starts = np.maximum(ends - self.max_length, 0)
        return texts, starts, ends - starts

    def _columns(self, lengths: Integers) -> int:
        columns = int(lengths.max(initial=0))
        if self.padding == "max_length" and self.max_length is not None:
            columns = self.max_length
        multiple = self.pad_to_multiple_of or 1
        return -(-columns // multiple) * multiple


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        wanted = " or ".join(f'"{choice}"' for choice in choices)
        raise ParameterError(f"`{name}` must be {wanted}, got {value!r}", name)


def _check_whole(name: str, value: object, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not hasattr(value, "__index__") or operator.index(value) < least:
        raise ParameterError(f"`{name}` must be a whole number of at least {least}, got {value!r}", name)

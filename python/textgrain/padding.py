"""Many texts as one matrix of ids: long ones are cut, short ones filled up."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np
import numpy.typing as npt

from textgrain.exceptions import ParameterError
from textgrain.truncation import Parts, Strategy, Truncation

if TYPE_CHECKING:
    from textgrain.template import Slot

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
        1 for each id of a text or of the template, 0 for padding.
    type_ids : ndarray of int64, shape (rows, columns)
        The kind of segment of each id, as the template says it; 0 for padding.
    sequence_ids : ndarray of int64, shape (rows, columns)
        0 for ids of the text, 1 for ids of the second text of a pair, -1 for the template and padding.
    texts : ndarray of int64, shape (rows,)
        The text, or pair, that each row comes from, counted from 0; a long text may have several rows.
    starts : ndarray of int64, shape (rows,)
        The number of the token of that text with which the row begins.
    lengths : ndarray of int64, shape (rows,)
        How many ids of each row belong to the text.
    pair_starts, pair_lengths : ndarray of int64, shape (rows,), or None
        The same for the second text of a pair.
    dropped : ndarray of int64, shape (texts,)
        How many ids of each text, or pair, are in no row.
    """

    ids: Integers
    attention_mask: Integers
    type_ids: Integers
    sequence_ids: Integers
    texts: Integers
    starts: Integers
    lengths: Integers
    pair_starts: Integers | None
    pair_lengths: Integers | None
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
    truncation: Strategy
    layout: tuple[Slot, ...]
    is_pair: bool

    def __post_init__(self) -> None:
        _check_choice("padding", self.padding, ("longest", "max_length"))
        _check_choice("padding_side", self.padding_side, ("left", "right"))
        _check_choice("truncation_side", self.truncation_side, ("left", "right"))
        _check_choice("truncation", self.truncation, ("longest_first", "only_first", "only_second"))
        _check_whole("max_length", self.max_length, 1)
        _check_whole("pad_to_multiple_of", self.pad_to_multiple_of, 1)
        _check_whole("stride", self.stride, 0)
        if self.truncation == "only_second" and not self.is_pair:
            raise ParameterError(
                '`truncation` can only be "only_second" with pairs, got texts that stand alone', "truncation"
            )
        if self.max_length is None:
            self._check_without_length()
        else:
            self._check_length(self.max_length)

    def _check_without_length(self) -> None:
        if self.padding == "max_length":
            raise ParameterError('`max_length` must be set with padding="max_length", got None', "max_length")
        if self.stride is not None:
            raise ParameterError(
                f"`stride` can only be used with max_length, got {self.stride} without it", "stride"
            )

    def _check_length(self, max_length: int) -> None:
        room = max_length - self._template_length
        if room < 1:
            raise ParameterError(
                f"`max_length` must be more than the {self._template_length} ids that the template adds, "
                f"got {max_length}. Use a larger max_length, or add_special_tokens=False",
                "max_length",
            )
        if self.stride is not None and self.stride >= room:
            less = f", {max_length} without the template" if room < max_length else ""
            raise ParameterError(
                f"`stride` must be less than the ids of a text in a row ({room}{less}), got {self.stride}",
                "stride",
            )

    @property
    def _template_length(self) -> int:
        return sum(slot.is_special for slot in self.layout)

    def batch(self, ids: npt.NDArray[np.uint32], offsets: Integers, pad_id: int) -> PaddedBatch:
        """Put the ids of texts, one after the other, into rows; second texts come after all first ones."""
        truncation = Truncation(
            room=None if self.max_length is None else self.max_length - self._template_length,
            stride=self.stride,
            side=self.truncation_side,
            strategy=self.truncation,
        )
        sizes = np.diff(offsets)
        parts: tuple[Parts, ...]
        if self.is_pair:
            first, second = np.split(sizes, 2)
            leads = next((slot.which for slot in self.layout if not slot.is_special), 0)
            parts = truncation.pairs(first, second, second_leads=leads == 1)
            sizes = first + second
        else:
            parts = (truncation.single(sizes),)
        matrices = self._matrices(parts, ids, offsets, pad_id)
        one, *others = parts
        return PaddedBatch(
            **matrices,
            texts=one.texts,
            starts=one.starts,
            lengths=one.lengths,
            pair_starts=others[0].starts if others else None,
            pair_lengths=others[0].lengths if others else None,
            dropped=self._dropped(sizes, parts),
        )

    def _dropped(self, sizes: Integers, parts: tuple[Parts, ...]) -> Integers:
        if self.stride is not None:
            return np.zeros_like(sizes)
        # Without a stride each text has one row.
        return sizes - _lengths(parts)

    def _matrices(
        self, parts: tuple[Parts, ...], ids: npt.NDArray[np.uint32], offsets: Integers, pad_id: int
    ) -> dict[str, Integers]:
        lengths = self._template_length + _lengths(parts)
        columns = self._columns(lengths)
        shape = (len(lengths), columns)
        at = np.arange(len(lengths)) * columns
        if self.padding_side == "left":
            at += columns - lengths
        mask = np.zeros(shape, dtype=np.int64)
        matrix, kinds, sequences = np.full_like(mask, pad_id), np.zeros_like(mask), np.full_like(mask, -1)
        per_part = len(offsets) // len(parts)
        for slot in self.layout:
            if slot.is_special:
                places, values = at, np.int64(slot.id)
                at = at + 1
            else:
                part = parts[slot.which]
                # Where each id stands, in the matrix and among all ids: both list rows one after the other.
                before = np.cumsum(part.lengths) - part.lengths
                within = np.arange(part.lengths.sum())
                places = within + np.repeat(at - before, part.lengths)
                sources = offsets[slot.which * per_part + part.texts] + part.starts
                values = ids[within + np.repeat(sources - before, part.lengths)]
                sequences.flat[places] = slot.which
                at = at + part.lengths
            matrix.flat[places] = values
            mask.flat[places] = 1
            if slot.type_id:
                kinds.flat[places] = slot.type_id
        return {"ids": matrix, "attention_mask": mask, "type_ids": kinds, "sequence_ids": sequences}

    def _columns(self, lengths: Integers) -> int:
        columns = int(lengths.max(initial=0))
        if self.padding == "max_length" and self.max_length is not None:
            columns = self.max_length
        multiple = self.pad_to_multiple_of or 1
        return -(-columns // multiple) * multiple


def _lengths(parts: tuple[Parts, ...]) -> Integers:
    """How many ids of texts each row has."""
    lengths: Integers = np.sum([part.lengths for part in parts], axis=0)
    return lengths


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        wanted = " or ".join(f'"{choice}"' for choice in choices)
        raise ParameterError(f"`{name}` must be {wanted}, got {value!r}", name)


def _check_whole(name: str, value: object, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not hasattr(value, "__index__") or operator.index(value) < least:
        raise ParameterError(f"`{name}` must be a whole number of at least {least}, got {value!r}", name)

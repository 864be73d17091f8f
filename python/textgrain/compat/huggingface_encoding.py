"""What encoding gives in the shape of Hugging Face tokenizers: lists, with all that a model is given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textgrain.encoding import Encoding
    from textgrain.template import Slot

__all__ = ["Filling", "HuggingFaceEncoding", "Row", "Source"]

Value = TypeVar("Value")


@dataclass(frozen=True)
class Filling:
    """What encodings are filled up with, and to which length."""

    length: int
    on_left: bool
    id: int
    type_id: int
    token: str


class Source:
    """A text, whole or as words that are encoded one by one."""

    def __init__(
        self, encodings: Sequence[Encoding], token: Callable[[Encoding, int], str], *, are_words: bool
    ) -> None:
        self._encodings = encodings
        self._token = token
        self._are_words = are_words

    def __len__(self) -> int:
        return sum(map(len, self._encodings))

    @cached_property
    def ids(self) -> list[int]:
        """The ids."""
        return [number for encoding in self._encodings for number in encoding.ids.tolist()]

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens as that library shows them."""
        return [
            self._token(encoding, number) for encoding in self._encodings for number in range(len(encoding))
        ]

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in its text, or in its word."""
        return [span for encoding in self._encodings for span in encoding.offsets]

    @cached_property
    def words(self) -> list[int]:
        """The word, or the piece of the text, that each token is part of."""
        if self._are_words:
            return [word for word, encoding in enumerate(self._encodings) for _ in range(len(encoding))]
        return [number for encoding in self._encodings for number in encoding.piece_numbers]


class Row:
    """Parts of a text or of a pair in the template of a tokenizer."""

    def __init__(
        self,
        template: Sequence[Slot],
        sources: Sequence[Source],
        spans: Sequence[tuple[int, int]],
        forms: Sequence[str],
    ) -> None:
        self.template = template
        self.sources = sources
        self.spans = spans
        self.forms = forms

    def __len__(self) -> int:
        return sum(1 if slot.is_special else self.spans[slot.which][1] for slot in self.template)

    def values(
        self, of_special: Callable[[Slot], Value], of_source: Callable[[Source, Slot], Sequence[Value]]
    ) -> list[Value]:
        """A value for each id: of special tokens, and of the part of a text."""
        found: list[Value] = []
        for slot in self.template:
            if slot.is_special:
                found.append(of_special(slot))
            else:
                start, length = self.spans[slot.which]
                found += of_source(self.sources[slot.which], slot)[start : start + length]
        return found


@final
class HuggingFaceEncoding:
    """The tokens of a text or of a pair, with the attributes of ``tokenizers.Encoding``.

    All but the ids is computed when it is first asked for.
    """

    def __init__(
        self, row: Row, filling: Filling | None, overflowing: Sequence[HuggingFaceEncoding] = ()
    ) -> None:
        self._row = row
        self._filling = filling
        #: What was cut off, in parts that overlap as `stride` says.
        self.overflowing = list(overflowing)

    def _filled(self, values: list[Value], filler: Value) -> list[Value]:
        missing = 0 if self._filling is None else max(self._filling.length - len(values), 0)
        if self._filling is not None and self._filling.on_left:
            return [filler] * missing + values
        return values + [filler] * missing

    @cached_property
    def ids(self) -> list[int]:
        """The ids."""
        filler = 0 if self._filling is None else self._filling.id
        return self._filled(self._row.values(lambda slot: slot.id, lambda source, _: source.ids), filler)

    @cached_property
    def type_ids(self) -> list[int]:
        """The kind of segment of each id."""
        filler = 0 if self._filling is None else self._filling.type_id
        values = self._row.values(
            lambda slot: slot.type_id, lambda source, slot: [slot.type_id] * len(source)
        )
        return self._filled(values, filler)

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens as a ``tokenizer.json`` writes them; for added tokens, what was found in the text."""
        filler = "" if self._filling is None else self._filling.token
        forms = self._row.forms
        return self._filled(
            self._row.values(lambda slot: forms[slot.id], lambda source, _: source.tokens), filler
        )

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in its text, in characters."""
        return self._filled(self._row.values(lambda _: (0, 0), lambda source, _: source.offsets), (0, 0))

    @cached_property
    def attention_mask(self) -> list[int]:
        """1 for each token, 0 for what was filled up."""
        return self._filled([1] * len(self._row), 0)

    @cached_property
    def special_tokens_mask(self) -> list[int]:
        """1 for special tokens of the template and for what was filled up."""
        return self._filled(self._row.values(lambda _: 1, lambda source, _: [0] * len(source)), 1)

    @cached_property
    def word_ids(self) -> list[int | None]:
        """The piece of the text that each token is part of."""
        return self._filled(self._row.values(_nothing, lambda source, _: source.words), None)

    @property
    def words(self) -> list[int | None]:
        """The old name of :attr:`word_ids`."""
        return self.word_ids

    @cached_property
    def sequence_ids(self) -> list[int | None]:
        """The text of each token, 0 or 1."""
        values = self._row.values(_nothing, lambda source, slot: [slot.which] * len(source))
        return self._filled(values, None)

    @property
    def n_sequences(self) -> int:
        """How many texts there are."""
        return len(self._row.sources)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return (
            f"Encoding(num_tokens={len(self)}, attributes=[ids, type_ids, tokens, offsets, attention_mask, "
            "special_tokens_mask, overflowing])"
        )

    # ---- From texts to tokens and back ----------------------------------------------------------

    def token_to_sequence(self, token_index: int) -> int | None:
        """Return the text of a token."""
        return _at(self.sequence_ids, token_index)

    def token_to_word(self, token_index: int) -> int | None:
        """Return the piece of a token."""
        return _at(self.word_ids, token_index)

    def token_to_chars(self, token_index: int) -> tuple[int, int] | None:
        """Return where a token begins and ends in its text; ``None`` if it is of no text."""
        return None if self.token_to_sequence(token_index) is None else self.offsets[token_index]

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the first token that holds a character of a text."""
        return self._first(
            sequence_index, lambda number: self.offsets[number][0] <= char_pos < self.offsets[number][1]
        )

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """Return the piece of a character of a text."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.word_ids[token]

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return the first token of a piece, and the one after its last."""
        held = self._held(sequence_index, lambda number: self.word_ids[number] == word_index)
        return (held[0], held[-1] + 1) if held else None

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> tuple[int, int] | None:
        """Return where a piece begins and ends in its text."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        return None if tokens is None else (self.offsets[tokens[0]][0], self.offsets[tokens[1] - 1][1])

    def _held(self, sequence: int, holds: Callable[[int], bool]) -> list[int]:
        return [number for number, of in enumerate(self.sequence_ids) if of == sequence and holds(number)]

    def _first(self, sequence: int, holds: Callable[[int], bool]) -> int | None:
        return next(iter(self._held(sequence, holds)), None)


def _nothing(_: Slot) -> int | None:
    return None


def _at(values: Sequence[int | None], index: int) -> int | None:
    return values[index] if 0 <= index < len(values) else None

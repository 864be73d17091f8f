"""The methods of the `Tokenizer` of Hugging Face tokenizers."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, final

import numpy as np

from textgrain import _native
from textgrain.compat.huggingface_encoding import Filling, HuggingFaceEncoding, Row, Source
from textgrain.exceptions import UnknownIdError
from textgrain.template import slots
from textgrain.truncation import Truncation

if TYPE_CHECKING:
    from textgrain.encoding import Encoding
    from textgrain.tokenizer import Tokenizer

__all__ = ["HuggingFaceTokenizer"]

#: A text, or the words of one.
Text: TypeAlias = str | Sequence[str]
Side: TypeAlias = Literal["left", "right"]
Strategy: TypeAlias = Literal["longest_first", "only_first", "only_second"]

_STRATEGIES: dict[str, Strategy] = {
    "LongestFirst": "longest_first",
    "OnlyFirst": "only_first",
    "OnlySecond": "only_second",
}


@final
class HuggingFaceTokenizer:
    """A tokenizer with the methods and defaults of ``tokenizers.Tokenizer``.

    Made by :meth:`Tokenizer.as_huggingface`. As there, names of special tokens in a text become their ids,
    settings such as :meth:`enable_padding` and :meth:`add_tokens` change the object, and the truncation and
    padding that a ``tokenizer.json`` holds are on from the start. A character that the vocabulary cannot
    express is an error where that library drops it.

    Parameters
    ----------
    tokenizer : Tokenizer
        The tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._truncation: dict[str, Any] | None = None
        self._padding: dict[str, Any] | None = None
        self._set(tokenizer)
        around = json.loads(_native.surroundings(tokenizer._native))
        if around["truncation"] is not None:
            kept = around["truncation"]
            self.enable_truncation(
                kept["max_length"],
                stride=kept["stride"],
                strategy=_STRATEGIES[kept["strategy"]],
                direction=kept["direction"].lower(),
            )
        if around["padding"] is not None:
            kept = around["padding"]
            self.enable_padding(
                direction=kept["direction"].lower(),
                pad_id=kept["pad_id"],
                pad_type_id=kept["pad_type_id"],
                pad_token=kept["pad_token"],
                length=None if kept["strategy"] == "BatchLongest" else kept["strategy"]["Fixed"],
                pad_to_multiple_of=kept["pad_to_multiple_of"],
            )

    def _set(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._forms = _native.file_vocabulary(tokenizer._native)
        self._templates = {
            (is_pair, is_framed): slots(tokenizer._native, is_pair=is_pair, add_special_tokens=is_framed)
            for is_pair in (False, True)
            for is_framed in (False, True)
        }
        self._ids = {form: number for number, form in enumerate(self._forms) if form}
        around = json.loads(_native.surroundings(tokenizer._native))
        self._added = {token["id"]: token for token in around["added_tokens"]}
        self._special = {number for number, token in self._added.items() if token["special"]}
        self._special_is_the_same = self._special == set(tokenizer.special_tokens.values())
        self._outside = set(around["outside"])
        name = tokenizer.settings["unknown_token"]
        self._unknown = self._ids.get(name) if name is not None else None
        # Models of scores show the text itself; the others the name of the unknown token.
        self._shows_unknown_text = tokenizer.settings["kind"] == "unigram"

    def __repr__(self) -> str:
        return f"<HuggingFaceTokenizer of {self._tokenizer!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"_truncation": self._truncation, "_padding": self._padding}
        return HuggingFaceTokenizer, (self._tokenizer,), state

    # ---- Encoding ---------------------------------------------------------------------------

    def encode(
        self,
        sequence: Text,
        pair: Text | None = None,
        is_pretokenized: bool = False,  # noqa: FBT001, FBT002 - as there
        add_special_tokens: bool = True,  # noqa: FBT001, FBT002 - as there
    ) -> HuggingFaceEncoding:
        """Encode a text or a pair, or with `is_pretokenized` the words of them, each on its own."""
        given = [sequence] if pair is None else [(sequence, pair)]
        return self._encode(given, is_pretokenized=is_pretokenized, add_special_tokens=add_special_tokens)[0]

    def encode_batch(
        self,
        input: Sequence[Any],
        is_pretokenized: bool = False,  # noqa: FBT001, FBT002 - as there
        add_special_tokens: bool = True,  # noqa: FBT001, FBT002 - as there
    ) -> list[HuggingFaceEncoding]:
        """Encode many texts, or pairs as tuples, in threads."""
        return self._encode(
            list(input), is_pretokenized=is_pretokenized, add_special_tokens=add_special_tokens
        )

    #: Nothing is left out here that `encode_batch` computes.
    encode_batch_fast = encode_batch

    def _encode(
        self, given: list[Any], *, is_pretokenized: bool, add_special_tokens: bool
    ) -> list[HuggingFaceEncoding]:
        parts = [_parts(item, is_pretokenized=is_pretokenized) for item in given]
        words = [word for texts in parts for text in texts for word in text]
        if len(words) == 1:
            encodings = iter([self._tokenizer.encode(words[0], special="allow")])
        else:
            encodings = iter(self._tokenizer.encode_batch(words, special="allow"))
        rows = []
        for texts in parts:
            sources = [
                Source([next(encodings) for _ in text], self._token, are_words=is_pretokenized)
                for text in texts
            ]
            rows.append(self._rows(sources, add_special_tokens=add_special_tokens))
        filling = self._filling([row[0] for row in rows])
        return [
            HuggingFaceEncoding(row[0], filling, [HuggingFaceEncoding(more, filling) for more in row[1:]])
            for row in rows
        ]

    def _token(self, encoding: Encoding, number: int) -> str:
        """A token as that library shows it."""
        token = int(encoding.ids[number])
        is_unknown = token == self._unknown
        if (is_unknown and not self._shows_unknown_text) or not (is_unknown or token in self._added):
            return self._forms[token]
        start, end = encoding.offsets[number]
        text = encoding.text[start:end]
        is_normalized = is_unknown or self._added[token]["normalized"]
        return self._tokenizer.normalize(text) if is_normalized else text

    def _rows(self, sources: list[Source], *, add_special_tokens: bool) -> list[Row]:
        """The parts of a text or of a pair, each in the template."""
        is_pair = len(sources) == 2
        template = self._templates[is_pair, add_special_tokens]
        if self._truncation is None:
            return [Row(template, sources, [(0, len(source)) for source in sources], self._forms)]
        sizes = [np.array([len(source)]) for source in sources]
        around = sum(slot.is_special for slot in template)
        rule = Truncation(
            room=max(self._truncation["max_length"] - around, 0),
            stride=self._truncation["stride"],
            side=self._truncation["direction"],
            strategy=self._truncation["strategy"],
        )
        if is_pair:
            order = [slot.which for slot in template if not slot.is_special]
            parts = list(rule.pairs(sizes[0], sizes[1], second_leads=order[:1] == [1]))
        else:
            parts = [rule.single(sizes[0])]
        ranges = [list(zip(part.starts.tolist(), part.lengths.tolist(), strict=True)) for part in parts]
        return [Row(template, sources, spans, self._forms) for spans in zip(*ranges, strict=True)]

    def _filling(self, rows: list[Row]) -> Filling | None:
        if self._padding is None:
            return None
        length = self._padding["length"]
        if length is None:
            length = max(map(len, rows), default=0)
        multiple = self._padding["pad_to_multiple_of"] or 1
        return Filling(
            length=-(-length // multiple) * multiple,
            on_left=self._padding["direction"] == "left",
            id=self._padding["pad_id"],
            type_id=self._padding["pad_type_id"],
            token=self._padding["pad_token"],
        )

    def num_special_tokens_to_add(self, is_pair: bool) -> int:  # noqa: FBT001 - as there
        """Return how many special tokens the template puts around a text or a pair."""
        return sum(slot.is_special for slot in self._templates[is_pair, True])

    # ---- Padding and truncation -----------------------------------------------------------------

    def enable_padding(
        self,
        direction: Side = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Fill encodings up, to `length` or to the longest of a batch."""
        self._padding = {
            "length": length,
            "pad_to_multiple_of": pad_to_multiple_of,
            "pad_id": pad_id,
            "pad_token": pad_token,
            "pad_type_id": pad_type_id,
            "direction": _side(direction),
        }

    def no_padding(self) -> None:
        """Do not fill encodings up."""
        self._padding = None

    @property
    def padding(self) -> dict[str, Any] | None:
        """What :meth:`enable_padding` was told."""
        return None if self._padding is None else dict(self._padding)

    def enable_truncation(
        self,
        max_length: int,
        stride: int = 0,
        strategy: Strategy = "longest_first",
        direction: Side = "right",
    ) -> None:
        """Cut encodings to `max_length`; what is cut off goes to ``overflowing``."""
        if strategy not in _STRATEGIES.values():
            raise ValueError(f"strategy must be one of {list(_STRATEGIES.values())}, got {strategy!r}")
        self._truncation = {
            "max_length": max_length,
            "stride": stride,
            "strategy": strategy,
            "direction": _side(direction),
        }

    def no_truncation(self) -> None:
        """Do not cut encodings."""
        self._truncation = None

    @property
    def truncation(self) -> dict[str, Any] | None:
        """What :meth:`enable_truncation` was told."""
        return None if self._truncation is None else dict(self._truncation)

    # ---- Decoding -------------------------------------------------------------------------------

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:  # noqa: FBT001, FBT002 - as there
        """Return the text of ids; ids that the vocabulary does not have are passed over, as there."""
        if self._special_is_the_same or not skip_special_tokens:
            try:
                return self._tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
            except UnknownIdError:
                pass
        known = [number for number in ids if 0 <= number < len(self._forms) and self._forms[number]]
        if skip_special_tokens:
            # An unknown token is one of them where the file says so.
            known = [number for number in known if number not in self._special]
        return self._tokenizer.decode(known)

    def decode_batch(
        self,
        sequences: Sequence[Sequence[int]],
        skip_special_tokens: bool = True,  # noqa: FBT001, FBT002 - as there
    ) -> list[str]:
        """Return the texts of many sequences of ids."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    # ---- Vocabulary -----------------------------------------------------------------------------

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:  # noqa: FBT001, FBT002 - as there
        """Return tokens and their ids, as a ``tokenizer.json`` writes them."""
        if with_added_tokens:
            return dict(self._ids)
        return {token: number for token, number in self._ids.items() if number not in self._outside}

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:  # noqa: FBT001, FBT002 - as there
        """Return the number of tokens."""
        return len(self._ids) - (0 if with_added_tokens else len(self._outside))

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a token, as a ``tokenizer.json`` writes it; ``None`` if there is none."""
        return self._ids.get(token)

    def id_to_token(self, id: int) -> str | None:
        """Return the token of an id; ``None`` if there is none."""
        return (self._forms[id] or None) if 0 <= id < len(self._forms) else None

    def add_special_tokens(self, tokens: Sequence[str]) -> int:
        """Add special tokens that are not there yet; return how many were added."""
        new = self._new(tokens)
        self._set(self._tokenizer.add_special_tokens(new))
        return len(new)

    def add_tokens(self, tokens: Sequence[str]) -> int:
        """Add tokens that are not there yet; return how many were added."""
        new = self._new(tokens)
        self._set(self._tokenizer.add_tokens(new))
        return len(new)

    def _new(self, tokens: Sequence[str]) -> list[str]:
        return [token for token in dict.fromkeys(tokens) if token and token not in self._ids]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``tokenizer.json``, as :meth:`Tokenizer.save` does it."""
        self._tokenizer.save(path)


def _parts(item: Any, *, is_pretokenized: bool) -> list[list[str]]:  # noqa: ANN401 - many shapes, as there
    """The words of a text or of both texts of a pair; a text that is not cut is one word."""
    if is_pretokenized:
        is_pair = bool(item) and not isinstance(item[0], str)
        return [list(text) for text in item] if is_pair else [list(item)]
    if isinstance(item, str):
        return [[item]]
    if isinstance(item, Sequence) and len(item) == 2 and all(isinstance(text, str) for text in item):
        return [[text] for text in item]
    raise TypeError(
        f"a text must be a str or a pair of them, got {item!r}; for words set is_pretokenized=True"
    )


def _side(direction: str) -> str:
    if direction not in ("left", "right"):
        raise ValueError(f'direction must be "left" or "right", got {direction!r}')
    return direction

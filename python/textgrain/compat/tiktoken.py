"""The methods of tiktoken's `Encoding`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
import numpy.typing as npt

from textgrain import _native
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from textgrain.tokenizer import Tokenizer

__all__ = ["TiktokenEncoding"]

#: What tiktoken accepts for sets of special tokens.
Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]

_ORDINARY = 0


@final
class TiktokenEncoding:
    """A tokenizer with the methods, defaults and errors of ``tiktoken.Encoding``.

    Made by :meth:`Tokenizer.as_tiktoken`. As there, :meth:`encode` refuses text that holds the name of a
    special token unless the call says what is to become of it, and ids come back as a list. Where one name
    begins like another, the longest is found, which tiktoken leaves to chance.

    Parameters
    ----------
    tokenizer : Tokenizer
        The tokenizer.
    name : str
        What :attr:`name` says.
    """

    def __init__(self, tokenizer: Tokenizer, name: str = "textgrain") -> None:
        self._tokenizer = tokenizer
        self._special = tokenizer.special_tokens
        self.name = name

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    # ---- Encoding ---------------------------------------------------------------------------

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode a text; names of special tokens in it are ordinary text."""
        return self._tokenizer.encode_list(text)

    def encode(
        self, text: str, *, allowed_special: Allowed = frozenset(), disallowed_special: Disallowed = "all"
    ) -> list[int]:
        """Encode a text; names of special tokens in it become their ids, raise, or are ordinary text.

        Raises
        ------
        ValueError
            The text holds the name of a special token that is not allowed.
        """
        if not allowed_special and disallowed_special == "all":
            try:
                return self._tokenizer.encode_list(text, "error")
            except ParameterError:
                pass  # What follows raises as that library does.
        ids: list[int] = self._encoded(text, allowed_special, disallowed_special).tolist()
        return ids

    def encode_to_numpy(
        self, text: str, *, allowed_special: Allowed = frozenset(), disallowed_special: Disallowed = "all"
    ) -> npt.NDArray[np.uint32]:
        """Encode a text to an array."""
        return self._encoded(text, allowed_special, disallowed_special)

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """Encode many texts; names of special tokens are ordinary text.

        Making lists takes longer than encoding, and only one thread can: `num_threads` has no influence.
        """
        del num_threads
        return self._batch(text, "text")

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[list[int]]:
        """Encode many texts; `num_threads` has no influence."""
        del num_threads
        allowed = self._checked(text, allowed_special, disallowed_special)
        if allowed and allowed != self.special_tokens_set:
            return [self._with_some(item, allowed).tolist() for item in text]
        return self._batch(text, "allow" if allowed else "text")

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of one token.

        Raises
        ------
        KeyError
            It is no token.
        """
        content = text_or_bytes.encode() if isinstance(text_or_bytes, str) else bytes(text_or_bytes)
        name = content.decode("utf-8", "replace")
        if name in self._special:
            return self._special[name]
        return self._tokenizer.token_to_id(content)

    def _encoded(
        self, text: str, allowed_special: Allowed, disallowed_special: Disallowed
    ) -> npt.NDArray[np.uint32]:
        allowed = self._checked([text], allowed_special, disallowed_special)
        if allowed and allowed != self.special_tokens_set:
            return self._with_some(text, allowed)
        return self._tokenizer.encode_ids(text, "allow" if allowed else "text")

    def _checked(self, texts: list[str], allowed: Allowed, disallowed: Disallowed) -> AbstractSet[str]:
        """The special tokens that are allowed, once none is in the texts that is not."""
        known = self.special_tokens_set
        allowed = known if allowed == "all" else allowed
        refused = known - allowed if disallowed == "all" else frozenset(disallowed)
        if refused:
            pattern = _any_of(frozenset(refused))
            for text in texts:
                if found := pattern.search(text):
                    raise ValueError(
                        f"the text holds the special token {found.group()!r}, which is not allowed. Pass "
                        f"allowed_special={{{found.group()!r}}} to make it that token, or "
                        "disallowed_special=() to make it ordinary text"
                    )
        return allowed & known

    def _with_some(self, text: str, allowed: AbstractSet[str]) -> npt.NDArray[np.uint32]:
        """Encode a text in which only some special tokens are found."""
        parts, place = [], 0
        for found in _any_of(frozenset(allowed)).finditer(text):
            parts.append(self._tokenizer.encode_ids(text[place : found.start()]))
            parts.append(np.array([self._special[found.group()]], dtype=np.uint32))
            place = found.end()
        return np.concatenate([*parts, self._tokenizer.encode_ids(text[place:])])

    def _batch(self, texts: list[str], special: Literal["text", "allow"]) -> list[list[int]]:
        return [self._tokenizer.encode_list(text, special) for text in texts]

    # ---- Decoding ---------------------------------------------------------------------------

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Return the text of ids; `errors` is as for ``bytes.decode``."""
        return self.decode_bytes(tokens).decode("utf-8", errors)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the bytes of ids."""
        return self._tokenizer.decode_bytes(tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one id.

        Raises
        ------
        KeyError
            The vocabulary does not have the id.
        """
        try:
            return self._tokenizer.id_to_bytes(token)
        except IndexError as error:
            raise KeyError(token) from error

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Return the bytes of each id."""
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Return the text of ids, and the character with which each of them begins."""
        text, spans = self._tokenizer.decode_with_offsets(tokens)
        return text, [start for start, _ in spans]

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Return the texts of many sequences of ids; `num_threads` has no influence."""
        del num_threads
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """Return the bytes of many sequences of ids; `num_threads` has no influence."""
        del num_threads
        return [self.decode_bytes(tokens) for tokens in batch]

    # ---- Vocabulary -------------------------------------------------------------------------

    @property
    def n_vocab(self) -> int:
        """The number of ids; one more than the largest."""
        return len(self._tokenizer)

    @property
    def max_token_value(self) -> int:
        """The largest id."""
        return len(self._tokenizer) - 1

    @property
    def special_tokens_set(self) -> set[str]:
        """The names of the special tokens."""
        return set(self._special)

    @property
    def eot_token(self) -> int:
        """The id of ``<|endoftext|>``; a KeyError if there is none."""
        return self._special["<|endoftext|>"]

    def is_special_token(self, token: int) -> bool:
        """Whether this id is that of a special token."""
        return token in self._special.values()

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of all tokens that are not special, sorted."""
        _, kinds = _native.token_facts(self._tokenizer._native)
        return sorted(
            self._tokenizer.id_to_bytes(int(number)) for number in np.flatnonzero(kinds == _ORDINARY)
        )

    def __reduce__(self) -> tuple[type[TiktokenEncoding], tuple[Any, ...]]:
        return TiktokenEncoding, (self._tokenizer, self.name)


@lru_cache(maxsize=128)
def _any_of(names: frozenset[str]) -> re.Pattern[str]:
    """Finds these names, the longest where several begin at the same place."""
    return re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))

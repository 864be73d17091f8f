"""The tokens of a tokenizer and their ids."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from textgrain import _native
from textgrain.exceptions import UnknownIdError, UnknownTokenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textgrain._native import Tokenizer as NativeTokenizer
    from textgrain.history import MergeHistory

__all__ = ["SpecialPolicy", "Vocabulary"]

SpecialPolicy: TypeAlias = Literal["text", "allow", "error"]


class Vocabulary(_native.TokenizerCalls):
    """The methods of :class:`textgrain.Tokenizer` that look tokens up.

    `encode_ids`, `encode_list`, `count`, `decode` and `decode_bytes` come from the native class: a function
    of Python between the caller and the engine would take as long as a short text does.
    """

    __slots__ = ("_history", "_native", "_tokens")

    _native: NativeTokenizer
    _tokens: list[str] | None
    _history: MergeHistory | None

    def __init__(self, native: NativeTokenizer) -> None:
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_tokens", None)
        object.__setattr__(self, "_history", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a tokenizer cannot be changed, so {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a tokenizer cannot be changed, so {name!r} cannot be deleted")

    @property
    def vocab_size(self) -> int:
        """The number of ids, which run from 0 to one less; in loaded vocabularies some may have no token."""
        return self._native.vocab_size

    def __len__(self) -> int:
        return self._native.vocab_size

    @property
    def vocabulary(self) -> list[str]:
        r"""All tokens in the order of their ids; bytes that are no text on their own are written ``\xNN``.

        A new list each time. An id without a token has an empty text.
        """
        return list(self._vocabulary())

    def _vocabulary(self) -> list[str]:
        if self._tokens is None:
            object.__setattr__(self, "_tokens", self._native.vocabulary())
        return self._tokens or []

    def token_to_id(self, token: str | bytes) -> int:
        """Return the id of a token, as :attr:`vocabulary` writes it, or as bytes.

        Raises
        ------
        UnknownTokenError
            The vocabulary does not have the token.
        """
        number = self._native.token_to_id(token)
        if number is None:
            raise UnknownTokenError(
                f"{token!r} is not one token of the vocabulary; use encode() to cut it into tokens"
            )
        return number

    def __contains__(self, token: object) -> bool:
        return isinstance(token, (str, bytes)) and self._native.token_to_id(token) is not None

    def id_to_token(self, id: int) -> str:
        """Return the token of an id, as :attr:`vocabulary` writes it."""
        return self._native.tokens(np.array([self._checked_id(id)], dtype=np.uint32))[0]

    def id_to_bytes(self, id: int) -> bytes:
        """Return the bytes of a token, with its end-of-word marker."""
        return self._native.id_to_bytes(self._checked_id(id))

    def _checked_id(self, number: int) -> int:
        value = operator.index(number)
        if not 0 <= value < len(self):
            raise self._unknown_id(value)
        return value

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of special tokens, in order."""
        return dict(self._native.special_tokens())

    def _checked_ids(self, ids: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        if isinstance(ids, np.ndarray) and ids.dtype == np.uint32 and ids.ndim == 1:
            return np.ascontiguousarray(ids)
        array = np.asarray(ids)
        if array.ndim != 1:
            raise TypeError(f"ids must be one sequence of whole numbers, got an array of shape {array.shape}")
        if array.size == 0:
            return np.empty(0, dtype=np.uint32)
        if array.dtype.kind not in "iu":
            # Whole numbers beyond 64 bits come out of the conversion as something else.
            values = list(ids)
            for value in values:
                if isinstance(value, (bool, np.bool_)) or not isinstance(value, int):
                    raise TypeError(f"ids must be whole numbers, got {value!r}")
            raise self._unknown_id(max(values, key=abs))
        smallest, largest = int(array.min()), int(array.max())
        if smallest < 0 or largest >= len(self):
            raise self._unknown_id(smallest if smallest < 0 else largest)
        return array.astype(np.uint32)

    def _unknown_id(self, number: int) -> UnknownIdError:
        return UnknownIdError(
            f"id {number} is not in the vocabulary, whose ids run from 0 to {len(self) - 1}"
        )

"""What encoding a text gives."""

from __future__ import annotations

import html
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from textgrain._text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from textgrain import _native

__all__ = ["Encoding"]

#: Backgrounds of neighboring tokens; each is light enough for dark text.
_COLORS = ("#dbeafe", "#dcfce7", "#fef3c7", "#fce7f3", "#ede9fe")

#: Tokens that a notebook shows; more of them would make the page slow.
_MOST_SHOWN = 2000


@final
class Encoding:
    r"""A text with its tokens; all but the ids is computed when it is first asked for.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(merges=2).train(["low lower lowest"])
    >>> encoding = tokenizer.encode("low lowly ⭢")
    >>> encoding.tokens
    ['low', ' ', 'low', 'l', 'y', ' ', '\\xe2', '\\xad', '\\xa2']
    >>> encoding.offsets[-3:]
    [(10, 11), (10, 11), (10, 11)]
    >>> encoding.byte_offsets[-3:]
    [(10, 11), (11, 12), (12, 13)]
    >>> encoding.piece_numbers
    [0, 1, 1, 1, 1, 2, 2, 2, 2]
    >>> print(encoding)
    low│␣│low│l│y│␣│\xe2│\xad│\xa2
    """

    def __init__(
        self,
        native: _native.Tokenizer,
        text: str,
        special: str,
        ids: npt.NDArray[np.uint32],
        *,
        truncated: bool = False,
    ) -> None:
        self._native = native
        self._special = special
        self._text = text
        self._truncated = truncated
        ids.flags.writeable = False
        self._ids = ids

    @property
    def text(self) -> str:
        """The text that was encoded."""
        return self._text

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """The ids of the tokens; read-only, shape ``(len(self),)``."""
        return self._ids

    @property
    def truncated(self) -> bool:
        """Whether the text has more tokens than were asked for; it goes on at ``offsets[-1][1]``."""
        return self._truncated

    @cached_property
    def tokens(self) -> list[str]:
        r"""The tokens as text; bytes that are no text on their own are written ``\xNN``."""
        return self._native.tokens(self._ids)

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in the text, in characters: ``text[start:end]`` is the token.

        All tokens of one character cover that character; a token that only marks the end of a word covers
        nothing. White space that the split rule drops is in no token.
        """
        return _pairs(self._places[0])

    @cached_property
    def byte_offsets(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in the UTF-8 bytes of the text."""
        return _pairs(self._places[1])

    @cached_property
    def piece_numbers(self) -> list[int]:
        """The piece of the text that each token is part of, counted from 0.

        Pieces are what the split rule yields, such as words; a special token is a piece of its own.
        """
        numbers: list[int] = self._places[2].tolist()
        return numbers

    @cached_property
    def special_tokens_mask(self) -> npt.NDArray[np.bool_]:
        """Whether each token is a special one; read-only, shape ``(len(self),)``."""
        mask = self._native.special_mask(self._ids)
        mask.flags.writeable = False
        return mask

    def token_at(self, character: int) -> int | None:
        """Return which token holds a character of the text: the number of the first that does, from 0.

        ``None`` if the split rule dropped the character, or the encoding ends before it.

        Raises
        ------
        IndexError
            The text does not have the character.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=2).train(["low lower lowest"])
        >>> tokenizer.encode("low lowly").token_at(5)
        2
        """
        if not 0 <= character < len(self._text):
            raise IndexError(f"a text of {len(self._text)} characters has no character {character}")
        number = bisect_right(self.offsets, (character, len(self._text))) - 1
        while number > 0 and self.offsets[number - 1][1] > character:
            number -= 1
        holds = number >= 0 and self.offsets[number][0] <= character < self.offsets[number][1]
        return number if holds else None

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        limit = len(self._ids) if self._truncated else None
        return self._native.places(self._text, self._special, limit)

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        shown = 12
        more = f", … {len(self) - shown} more" if len(self) > shown else ""
        tokens = ", ".join(map(repr, self._native.tokens(self._ids[:shown])))
        return f"Encoding([{tokens}{more}])"

    def __str__(self) -> str:
        return "│".join(map(visible, self.tokens))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return self._text == other._text and np.array_equal(self._ids, other._ids)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Encoding], tuple[Any, ...]]:
        return _encoding, (self._native, self._text, self._special, self._ids, self._truncated)

    def _repr_html_(self) -> str:
        count = f"{len(self):,} tokens, {len(self._text):,} characters"
        more = f"; the first {_MOST_SHOWN:,} tokens are shown" if len(self) > _MOST_SHOWN else ""
        spans = "".join(self._html_of(number) for number in range(min(len(self), _MOST_SHOWN)))
        return (
            f'<div style="font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere">{spans}</div>'
            f'<div style="font-size:smaller;opacity:.7">{count}{more}</div>'
        )

    def _html_of(self, number: int) -> str:
        start, end = self.offsets[number]
        is_special = bool(self.special_tokens_mask[number])
        border = "outline:1px solid #b91c1c;" if is_special else ""
        token = self.tokens[number]
        # A line feed on its own would end the line and be seen as no token at all.
        shown = visible(token) + token if token in {"\n", "\r\n"} else token
        return (
            f'<span style="{border}background:{_COLORS[number % len(_COLORS)]};color:#111;padding:1px 0" '
            f'title="id {self._ids[number]}, characters {start} to {end}'
            f'{", special" if is_special else ""}">{html.escape(shown)}</span>'
        )


def _encoding(
    native: _native.Tokenizer,
    text: str,
    special: str,
    ids: npt.NDArray[np.uint32],
    truncated: bool,  # noqa: FBT001 - passed on by pickle
) -> Encoding:
    return Encoding(native, text, special, ids, truncated=truncated)


def _pairs(flat: npt.NDArray[np.uint64]) -> list[tuple[int, int]]:
    values = iter(flat.tolist())
    return list(zip(values, values, strict=True))

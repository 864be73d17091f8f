"""What encoding a text gives."""

from __future__ import annotations

import html
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from textgrain import _native

__all__ = ["Encoding"]


@final
class Encoding:
    """A text with its tokens; tokens and offsets are made when they are first asked for.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(merges=2).train(["low lower lowest"])
    >>> encoding = tokenizer.encode("low lowly")
    >>> encoding.tokens
    ['low', ' ', 'low', 'l', 'y']
    >>> encoding.offsets
    [(0, 3), (3, 4), (4, 7), (7, 8), (8, 9)]
    """

    def __init__(
        self, native: _native.Tokenizer, text: str, special: str, ids: npt.NDArray[np.uint32]
    ) -> None:
        self._native = native
        self._special = special
        self._text = text
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

    @cached_property
    def tokens(self) -> list[str]:
        r"""The tokens as text; bytes that are no text on their own are written ``\xNN``."""
        return self._native.tokens(self._ids)

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in the text, in characters.

        All tokens of one character cover that character; a token that only marks the end of a word covers
        nothing. White space that the split rule drops is in no token.
        """
        return self._native.offsets(self._text, self._special)

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        shown = 12
        more = f", … {len(self) - shown} more" if len(self) > shown else ""
        tokens = ", ".join(map(repr, self._native.tokens(self._ids[:shown])))
        return f"Encoding([{tokens}{more}])"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return self._text == other._text and np.array_equal(self._ids, other._ids)

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        colors = ("#dbeafe", "#dcfce7", "#fef3c7", "#fce7f3", "#ede9fe")
        pairs = enumerate(zip(self.tokens, self._ids.tolist(), strict=True))
        spans = (
            f'<span style="background:{colors[index % len(colors)]};color:#111;padding:1px 2px" '
            f'title="id {number}">{html.escape(token)}</span>'
            for index, (token, number) in pairs
        )
        return f'<div style="font-family:monospace;white-space:pre-wrap">{"".join(spans)}</div>'

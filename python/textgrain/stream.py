"""Ids to text while they come, as a model makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from textgrain import _native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textgrain.tokenizer import Tokenizer

__all__ = ["DecodeStream"]


@final
class DecodeStream:
    """Decodes ids one by one; made by :meth:`Tokenizer.stream`.

    What :meth:`push` and :meth:`finish` return, joined, is exactly what :meth:`Tokenizer.decode` returns for
    all ids together. A part of a character is held back until the rest of it comes, so nothing that was
    returned has to be taken back. Threads may share a stream, but each id is part of one text.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(merges=0).train(["a"])
    >>> stream = tokenizer.stream()
    >>> [stream.push(id) for id in tokenizer.encode_ids("a🤗b")]
    ['a', '', '', '', '🤗', 'b']
    >>> stream.push([0xF0, 0x9F]), stream.finish()
    ('', '�')
    """

    __slots__ = ("_native", "_skip_special_tokens", "_tokenizer")

    def __init__(self, tokenizer: Tokenizer, *, skip_special_tokens: bool = False) -> None:
        self._tokenizer = tokenizer
        self._native = _native.DecodeStream(tokenizer._native)
        self._skip_special_tokens = skip_special_tokens

    def push(self, ids: int | Sequence[int] | npt.NDArray[Any]) -> str:
        """Return the text that is ready after these ids, which may be empty.

        Raises
        ------
        UnknownIdError
            An id is not in the vocabulary; the stream is as it was before.
        """
        if np.ndim(ids) == 0:
            return self._push_one(ids)
        checked = self._tokenizer._checked_ids(ids)  # type: ignore[arg-type]
        if self._skip_special_tokens:
            checked = checked[~self._tokenizer._native.special_mask(checked)]
        return self._native.push(checked)

    def _push_one(self, number: Any) -> str:  # noqa: ANN401
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"ids must be whole numbers, got {number!r}")
        if self._skip_special_tokens:
            return self.push([int(number)])
        return self._native.push_one(self._tokenizer._checked_id(int(number)))

    def finish(self) -> str:
        """Return what is left: nothing, or U+FFFD for a character that is not whole.

        The stream starts anew with the next id.
        """
        return self._native.finish()

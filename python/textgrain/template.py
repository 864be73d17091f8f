"""What a model is given for one text or for a pair: their tokens, with special tokens around them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from textgrain._text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from textgrain import _native
    from textgrain.encoding import Encoding

__all__ = ["Slot", "TemplateEncoding", "slots"]


class Slot(NamedTuple):
    """A part of a template: a text, or a special token."""

    #: 0 for the text, 1 for the second one of a pair, -1 for a special token.
    which: int
    #: The id of the special token.
    id: int
    #: The kind of segment that the model is told.
    type_id: int

    @property
    def is_special(self) -> bool:
        """Whether it is a special token."""
        return self.which < 0


def slots(native: _native.Tokenizer, *, is_pair: bool, add_special_tokens: bool) -> tuple[Slot, ...]:
    """Return the template of a tokenizer, for one text or for a pair."""
    parts = (Slot(*part) for part in native.layout(is_pair))
    return tuple(part for part in parts if add_special_tokens or not part.is_special)


@final
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TemplateEncoding:
    """A text or a pair of texts in the template of a tokenizer; made by :meth:`Tokenizer.encode_template`.

    All but `encodings` and `template` is computed when it is first asked for.

    Attributes
    ----------
    encodings : tuple of Encoding
        The text, or the two texts, as :meth:`Tokenizer.encode` gives them.
    template : tuple of Slot
        In which order texts and special tokens come.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(merges=0).train(["abc"])
    >>> pair = tokenizer.encode_template("ab", "c")
    >>> pair.tokens, pair.type_ids.tolist(), pair.sequence_ids.tolist(), pair.offsets
    (['a', 'b', 'c'], [0, 0, 1], [0, 0, 1], [(0, 1), (1, 2), (0, 1)])
    """

    encodings: tuple[Encoding, ...]
    template: tuple[Slot, ...]

    @cached_property
    def ids(self) -> npt.NDArray[np.uint32]:
        """The ids, with those of the special tokens; read-only, shape ``(len(self),)``."""
        return self._joined(np.uint32, lambda slot: slot.id, lambda encoding, _: encoding.ids)

    @cached_property
    def type_ids(self) -> npt.NDArray[np.int64]:
        """The kind of segment of each id, as the template says it."""
        return self._joined(
            np.int64, lambda slot: slot.type_id, lambda encoding, slot: [slot.type_id] * len(encoding)
        )

    @cached_property
    def sequence_ids(self) -> npt.NDArray[np.int64]:
        """The text of each id, 0 or 1; -1 for special tokens of the template."""
        return self._joined(np.int64, lambda _: -1, lambda encoding, slot: [slot.which] * len(encoding))

    @cached_property
    def special_tokens_mask(self) -> npt.NDArray[np.bool_]:
        """Whether each token is a special one, of the template or in a text."""
        return self._joined(np.bool_, lambda _: True, lambda encoding, _: encoding.special_tokens_mask)

    @cached_property
    def tokens(self) -> list[str]:
        r"""The tokens as text; bytes that are no text on their own are written ``\xNN``."""
        return self.encodings[0]._native.tokens(self.ids)

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in its text, in characters; (0, 0) for those of the template."""
        spans: list[tuple[int, int]] = []
        for slot in self.template:
            spans += [(0, 0)] if slot.is_special else self.encodings[slot.which].offsets
        return spans

    def __len__(self) -> int:
        return len(self.ids)

    def __str__(self) -> str:
        return "│".join(map(visible, self.tokens))

    def __repr__(self) -> str:
        texts = "a text" if len(self.encodings) == 1 else "a pair of texts"
        return f"<TemplateEncoding of {texts}, {len(self):,} ids>"

    def _joined(
        self,
        dtype: type[np.generic],
        of_special: Callable[[Slot], object],
        of_text: Callable[[Encoding, Slot], object],
    ) -> npt.NDArray[Any]:
        parts = [
            [of_special(slot)] if slot.is_special else of_text(self.encodings[slot.which], slot)
            for slot in self.template
        ]
        values = np.concatenate([np.asarray(part, dtype=dtype) for part in parts] or [np.empty(0, dtype)])
        values.flags.writeable = False
        return values

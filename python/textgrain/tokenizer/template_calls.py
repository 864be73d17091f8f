"""Texts and pairs of texts to what a model is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from textgrain.exceptions import ParameterError
from textgrain.padding import PaddedBatch, RowShape
from textgrain.template import TemplateEncoding, slots
from textgrain.tokenizer.encoding_calls import EncodingCalls, list_of_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textgrain.tokenizer.vocabulary import SpecialPolicy

__all__ = ["TemplateCalls"]


class TemplateCalls(EncodingCalls):
    """The methods of :class:`textgrain.Tokenizer` that put ids into the template of a model."""

    __slots__ = ()

    def encode_template(
        self,
        text: str,
        pair: str | None = None,
        *,
        add_special_tokens: bool = True,
        special: SpecialPolicy = "text",
    ) -> TemplateEncoding:
        """Encode a text or a pair of texts, with the special tokens that the tokenizer puts around them.

        ``tokenizer.json`` files call this template the post-processor. A tokenizer without one puts nothing
        around a text, and one text of a pair after the other.

        Parameters
        ----------
        text : str
            The text.
        pair : str, optional
            A second text, such as the passage that belongs to a question.
        add_special_tokens : bool
            Whether the special tokens of the template are put in.
        special : {"text", "allow", "error"}
            As in :meth:`encode`: what the name of a special token in a text is.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=0).train(["abc"])
        >>> tokenizer.encode_template("ab", "c").ids.tolist()
        [97, 98, 99]
        """
        texts = (text,) if pair is None else (text, pair)
        template = slots(self._native, is_pair=pair is not None, add_special_tokens=add_special_tokens)
        return TemplateEncoding(
            encodings=tuple(self.encode(text, special) for text in texts), template=template
        )

    def encode_padded(
        self,
        texts: Iterable[str],
        pairs: Iterable[str] | None = None,
        *,
        add_special_tokens: bool = True,
        padding: Literal["longest", "max_length"] = "longest",
        max_length: int | None = None,
        truncation: Literal["longest_first", "only_first", "only_second"] = "longest_first",
        stride: int | None = None,
        pad_to_multiple_of: int | None = None,
        pad_token: str | None = None,
        padding_side: Literal["left", "right"] = "right",
        truncation_side: Literal["left", "right"] = "right",
        threads: int | None = None,
        special: SpecialPolicy = "text",
        progress: Callable[..., Any] | None = None,
    ) -> PaddedBatch:
        """Encode many texts, or pairs of texts, into one matrix, a row for each, as models take them.

        Parameters
        ----------
        texts : iterable of str
            The texts.
        pairs : iterable of str, optional
            A second text for each of them.
        add_special_tokens : bool
            Whether the special tokens that the tokenizer's file puts around texts are put in; see
            :meth:`encode_template`. They count for `max_length`.
        padding : {"longest", "max_length"}
            Rows are filled up to the length of the longest one, or to `max_length`.
        max_length : int, optional
            The most ids in a row; longer texts are cut. What is cut is counted in
            :attr:`PaddedBatch.dropped`.
        truncation : {"longest_first", "only_first", "only_second"}
            Which text of a pair is cut: the longer one until both are equally long, then both; or only one.
        stride : int, optional
            Instead of being dropped, the rest of a long text goes on in the next rows, each of which
            repeats so many of the ids before it. If both texts of a pair are cut, each part of the one comes
            with each part of the other.
        pad_to_multiple_of : int, optional
            The number of columns is rounded up to a multiple of this.
        pad_token : str, optional
            The token that fills rows up. Without a name it is the special token ``<pad>``, ``[PAD]`` or
            ``<|pad|>`` if there is one, and id 0 otherwise; the attention mask says where it stands.
        padding_side, truncation_side : {"left", "right"}
            Where rows are filled up, and where texts are cut.
        threads : int, optional
            All that the machine offers where none is given.
        special : {"text", "allow", "error"}
            As in :meth:`encode`.
        progress : callable, optional
            Called with ``(stage, done, total, unit, figures)``.

        Raises
        ------
        ParameterError
            A setting is outside its range, or there are not as many `pairs` as `texts`.
        UnknownTokenError
            The vocabulary does not have the token `pad_token`.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=0, special_tokens=["<pad>"]).train(["abc"])
        >>> batch = tokenizer.encode_padded(["abcd", "a"], max_length=3)
        >>> batch.ids
        array([[ 97,  98,  99],
               [ 97, 256, 256]])
        >>> batch.attention_mask
        array([[1, 1, 1],
               [1, 0, 0]])
        >>> batch.dropped
        array([1, 0])
        >>> tokenizer.encode_padded(["abc", "a"], ["de", "d"], max_length=4).type_ids
        array([[0, 0, 1, 1],
               [0, 1, 0, 0]])
        """
        is_pair = pairs is not None
        # Texts may be read only once; rules are checked before any work.
        shape = RowShape(
            padding=padding,
            max_length=max_length,
            stride=stride,
            pad_to_multiple_of=pad_to_multiple_of,
            padding_side=padding_side,
            truncation_side=truncation_side,
            truncation=truncation,
            layout=slots(self._native, is_pair=is_pair, add_special_tokens=add_special_tokens),
            is_pair=is_pair,
        )
        pad_id = self._pad_id(pad_token)
        listed = list_of_texts(texts)
        if pairs is not None:
            others = list_of_texts(pairs)
            if len(others) != len(listed):
                raise ParameterError(
                    f"`pairs` must hold a text for each of the {len(listed):,} texts, got {len(others):,}",
                    "pairs",
                )
            listed = [*listed, *others]
        ids, offsets = self._native.encode_batch(listed, threads, special, progress)
        return shape.batch(ids, offsets.astype(np.int64), pad_id)

    def _pad_id(self, name: str | None) -> int:
        if name is not None:
            return self.token_to_id(name)
        specials = self.special_tokens
        return next((specials[name] for name in ("<pad>", "[PAD]", "<|pad|>") if name in specials), 0)

"""Tokenizers: text to ids and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, final

from textgrain import _native
from textgrain.compat.huggingface import HuggingFaceTokenizer
from textgrain.compat.tiktoken import TiktokenEncoding
from textgrain.compat.transformers import fast_tokenizer
from textgrain.corpus import Corpus
from textgrain.cuts import CutComparison
from textgrain.embedding_table import parameter_count
from textgrain.explanation import EncodingExplanation
from textgrain.history import MergeHistory
from textgrain.progress import Progress
from textgrain.splitting import normalizer_setting, split_setting
from textgrain.statistics import TokenStatistics, count_tokens
from textgrain.stream import DecodeStream
from textgrain.tokenizer.growing import Growing
from textgrain.tokenizer.vocabulary import SpecialPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt


__all__ = ["Tokenizer"]


@final
class Tokenizer(Growing):
    """Cuts text into tokens and gives each its id; made by a trainer or :meth:`load`, and never changed.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(vocab_size=260).train(["low lower lowest"])
    >>> tokenizer
    <Tokenizer bpe of 260 tokens>
    >>> tokenizer.decode(tokenizer.encode_ids("lowest slopes"))
    'lowest slopes'
    """

    __slots__ = ()

    # ---- Decoding ---------------------------------------------------------------------------

    def decode_batch(
        self,
        batch: Iterable[Sequence[int] | npt.NDArray[Any]],
        errors: Literal["replace", "strict"] = "replace",
        *,
        skip_special_tokens: bool = False,
    ) -> list[str]:
        """Return the texts of many sequences of ids."""
        return [self.decode(ids, errors, skip_special_tokens=skip_special_tokens) for ids in batch]

    def decode_with_offsets(self, ids: Sequence[int] | npt.NDArray[Any]) -> tuple[str, list[tuple[int, int]]]:
        """Return the text of ids, and where in it each of them begins and ends, in characters.

        All ids of one character cover that character.

        Raises
        ------
        UnknownIdError
            An id is not in the vocabulary.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=2).train(["low lower lowest"])
        >>> tokenizer.decode_with_offsets(tokenizer.encode_ids("low é"))
        ('low é', [(0, 3), (3, 4), (4, 5), (4, 5)])
        """
        return self._native.decode_with_offsets(self._checked_ids(ids))

    def stream(self, *, skip_special_tokens: bool = False) -> DecodeStream:
        """Return an object that decodes ids as they come, for the output of a model.

        Parameters
        ----------
        skip_special_tokens : bool
            Leave special tokens out; otherwise their names are part of the text.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=0).train(["a"])
        >>> stream = tokenizer.stream()
        >>> [stream.push(id) for id in tokenizer.encode_ids("né")]
        ['n', '', 'é']
        >>> stream.finish()
        ''
        """
        return DecodeStream(self, skip_special_tokens=skip_special_tokens)

    # ---- What it is -------------------------------------------------------------------------

    @property
    def lossless(self) -> bool:
        """Whether decoding gives back every text that can be encoded."""
        return self._native.lossless

    @property
    def fingerprint(self) -> str:
        """Stands for the tokens and their ids: equal where the same ids mean the same tokens.

        Files of ids carry it, so that they are not decoded with another vocabulary.
        """
        return self._native.fingerprint

    @property
    def settings(self) -> dict[str, Any]:
        """How the tokenizer was made."""
        settings = self._native.settings()
        spec = settings["split"]
        return settings | {"split": split_setting(spec), "normalizer": normalizer_setting(spec)}

    @property
    def history(self) -> MergeHistory | None:
        """Why each merge was made; ``None`` for tokenizers without merges."""
        if self._history is None:
            rows = self._native.history()
            if rows is not None:
                object.__setattr__(self, "_history", MergeHistory(rows, self._vocabulary()))
        return self._history

    @property
    def merges(self) -> list[tuple[str, str]]:
        """The merged pairs in order."""
        tokens = self._vocabulary()
        return [(tokens[left], tokens[right]) for left, right, _ in self._native.merges()]

    @property
    def hugging_face_reason(self) -> str | None:
        """Why Hugging Face tokenizers cannot load the saved file; ``None`` if it can, with equal ids."""
        return self._native.hugging_face_reason

    def statistics(
        self,
        corpus: Corpus | str | os.PathLike[str] | Iterable[str],
        *,
        special: SpecialPolicy = "text",
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> TokenStatistics:
        """Encode a corpus and count: tokens a word, bytes a token, which tokens are used, and more.

        Parameters
        ----------
        corpus : Corpus, path or iterable of str
            The text; a path or pattern is read a line a document.
        special : {"text", "allow", "error"}
            As in :meth:`encode`.
        threads : int, optional
            All that the machine offers where none is given.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=2).train(["low lower lowest"])
        >>> figures = tokenizer.statistics(["low lower", "slow"])
        >>> figures
        <TokenStatistics: 7 tokens, 2.33 a word, 1.86 bytes each>
        >>> figures.most_frequent(1), figures.never_used[-1]
        ([('low', 3)], 'lo')
        """
        return count_tokens(self, corpus, special, threads=threads, progress=progress)

    def explain(self, text: str, special: SpecialPolicy = "text") -> EncodingExplanation:
        """How a text becomes its tokens: each piece, and each merge that is applied to it."""
        return EncodingExplanation(self._native, text, special)

    def compare_cuts(self, text: str, width: int = 512) -> CutComparison:
        """Cut the text into words, characters, tokens of this tokenizer, and bytes.

        Parameters
        ----------
        text : str
            The text.
        width : int
            Numbers in a row of the embedding table, for its size.
        """
        parameter_count(1, width)
        return CutComparison(self._native, text, width)

    # ---- In place of other libraries' tokenizers ----------------------------------------------

    def widget(self, text: str = "The patient has a critical condition") -> Any:  # noqa: ANN401 - anywidget may be absent
        """Return a notebook widget that cuts a text as you type it, and shows the merges behind each token.

        It is a view of :func:`textgrain.explore` that asks the kernel; nothing is loaded from a network.

        Raises
        ------
        TextgrainError
            The packages of the `notebook` extra are not installed.

        Examples
        --------
        >>> tokenizer = tg.BPE(merges=10).train(["low lower lowest"])
        >>> tokenizer.widget("the lowest of all")  # doctest: +SKIP
        """
        from textgrain.explorer.session import Session
        from textgrain.explorer.widget import widget

        return widget(Session.of([self]), "cut", {"text": text})

    def as_tiktoken(self, name: str = "textgrain") -> TiktokenEncoding:
        """Return an object with the methods of ``tiktoken.Encoding``, for code that was written for that.

        Examples
        --------
        >>> import textgrain as tg
        >>> trained = tg.BPE(merges=2, special_tokens=["<|endoftext|>"]).train(["low lower"])
        >>> encoding = trained.as_tiktoken()
        >>> encoding.encode_ordinary("low"), encoding.n_vocab, encoding.eot_token
        ([257], 259, 258)
        >>> encoding.encode("a<|endoftext|>", allowed_special="all")
        [97, 258]
        """
        return TiktokenEncoding(self, name)

    def as_huggingface(self) -> HuggingFaceTokenizer:
        """Return an object with the methods of ``tokenizers.Tokenizer``, for code that was written for that.

        That library need not be installed. Names of special tokens in a text become their ids, tokens are
        shown as files write them, and the padding and truncation that a loaded file asks for are on.

        Examples
        --------
        >>> import textgrain as tg
        >>> trained = tg.BPE(merges=2, special_tokens=["<pad>"]).train(["low lower"])
        >>> tokenizer = trained.as_huggingface()
        >>> tokenizer.enable_padding(pad_id=tokenizer.token_to_id("<pad>"), pad_token="<pad>")
        >>> first, second = tokenizer.encode_batch(["low", "a low"])
        >>> first.ids, first.tokens, first.attention_mask
        ([257, 258, 258], ['low', '<pad>', '<pad>'], [1, 0, 0])
        >>> second.tokens, second.word_ids
        (['a', 'Ġ', 'low'], [0, 1, 1])
        """
        return HuggingFaceTokenizer(self)

    def as_transformers(self, **settings: Any) -> Any:  # noqa: ANN401 - the library may be absent
        """Return a ``PreTrainedTokenizerFast`` of the transformers library, which gives the same ids.

        Parameters
        ----------
        **settings
            Passed on, such as ``pad_token="<pad>"``, ``eos_token="<end>"`` or ``model_max_length=512``.

        Raises
        ------
        ParameterError
            Hugging Face tokenizers cannot give the same ids; the message says why.
        ImportError
            The library is not installed.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(vocab_size=300, special_tokens=["<pad>"]).train(["low lower lowest"])
        >>> fast = tokenizer.as_transformers(pad_token="<pad>")  # doctest: +SKIP
        >>> fast(["low", "lower"], padding=True, return_tensors="pt")  # doctest: +SKIP
        """
        return fast_tokenizer(self, settings)

    def normalize(self, text: str) -> str:
        """Return a text as it is cut, after the replacements that a loaded SentencePiece model makes."""
        return self._native.normalize(text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return self._native is other._native or self._native.to_bytes() == other._native.to_bytes()

    def __hash__(self) -> int:
        return hash(self._native.to_bytes())

    def __repr__(self) -> str:
        return f"<Tokenizer {self.settings['kind']} of {len(self):,} tokens>"

    def __reduce__(self) -> tuple[Callable[[bytes], Tokenizer], tuple[bytes]]:
        return _from_bytes, (self._native.to_bytes(),)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        return self


def _from_bytes(content: bytes) -> Tokenizer:
    return Tokenizer(_native.Tokenizer.from_bytes(content))

"""Text to ids and back."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
import numpy.typing as npt

from textgrain import _native
from textgrain._tiktoken import special_tokens_of
from textgrain.cuts import CutComparison
from textgrain.embedding_table import parameter_count
from textgrain.encoding import Encoding
from textgrain.exceptions import UnknownIdError, UnknownTokenError
from textgrain.explanation import EncodingExplanation
from textgrain.history import MergeHistory
from textgrain.splitting import normalizer_setting, split_setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from textgrain._native import Tokenizer as NativeTokenizer

__all__ = ["Tokenizer"]

SpecialPolicy = Literal["text", "allow", "error"]


@final
class Tokenizer:
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

    # ---- Encoding ---------------------------------------------------------------------------

    def encode(self, text: str, special: SpecialPolicy = "text") -> Encoding:
        """Encode a text.

        Parameters
        ----------
        text : str
            The text. A lone surrogate, which is no character, becomes U+FFFD.
        special : {"text", "allow", "error"}
            What the name of a special token in the text is: text like any other, the special token, or
            an error.

        Raises
        ------
        UnknownTokenError
            The text holds a character or word that the vocabulary does not have, and there is no unknown
            token.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=0, special_tokens=["<end>"]).train(["abc"])
        >>> tokenizer.encode("a<end>", special="allow").ids.tolist()
        [97, 256]
        >>> tokenizer.encode("a<end>").ids.tolist()
        [97, 60, 101, 110, 100, 62]
        """
        return Encoding(self._native, text, special, self._native.encode(text, special))

    def encode_ids(self, text: str, special: SpecialPolicy = "text") -> npt.NDArray[np.uint32]:
        """Only the ids of a text, as a new array of shape ``(tokens,)``."""
        return self._native.encode(text, special)

    def encode_batch(
        self,
        texts: Iterable[str],
        threads: int | None = None,
        special: SpecialPolicy = "text",
        progress: Callable[..., Any] | None = None,
    ) -> list[Encoding]:
        """Encode many texts in threads."""
        listed = _texts(texts)
        ids, ends = self._native.encode_batch(listed, threads, special, progress)
        starts = ends.tolist()
        return [
            Encoding(self._native, text, special, ids[start:end])
            for text, start, end in zip(listed, starts, starts[1:], strict=False)
        ]

    def encode_ids_batch(
        self,
        texts: Iterable[str],
        threads: int | None = None,
        special: SpecialPolicy = "text",
        progress: Callable[..., Any] | None = None,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
        """Return the ids of many texts, one after the other, and where each text begins and ends.

        Returns
        -------
        ids : ndarray of uint32
            All ids.
        offsets : ndarray of uint64, shape (len(texts) + 1,)
            The ids of text `i` are ``ids[offsets[i]:offsets[i + 1]]``.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=0).train(["abc"])
        >>> ids, offsets = tokenizer.encode_ids_batch(["ab", "c"])
        >>> ids.tolist(), offsets.tolist()
        ([97, 98, 99], [0, 2, 3])
        """
        return self._native.encode_batch(_texts(texts), threads, special, progress)

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        return len(self._native.encode(text, "text"))

    # ---- Decoding ---------------------------------------------------------------------------

    def decode(
        self, ids: Sequence[int] | npt.NDArray[Any], errors: Literal["replace", "strict"] = "replace"
    ) -> str:
        """Return the text of ids.

        Where the split rule dropped white space, one space stands between words; if tokens do not tell
        where words end (no `end_of_word`, no `space_prefix`), words run into each other.

        Parameters
        ----------
        ids : sequence or array of int
            The ids, of any integer type.
        errors : {"replace", "strict"}
            Bytes that are not UTF-8, such as half a character, become U+FFFD, or are an error.

        Raises
        ------
        UnknownIdError
            An id is not in the vocabulary.
        """
        return self._native.decode(self._checked_ids(ids), errors)

    def decode_bytes(self, ids: Sequence[int] | npt.NDArray[Any]) -> bytes:
        """Return the bytes of ids, exactly."""
        return self._native.decode_bytes(self._checked_ids(ids))

    def decode_batch(
        self,
        batch: Iterable[Sequence[int] | npt.NDArray[Any]],
        errors: Literal["replace", "strict"] = "replace",
    ) -> list[str]:
        """Return the texts of many sequences of ids."""
        return [self.decode(ids, errors) for ids in batch]

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

    # ---- Vocabulary -------------------------------------------------------------------------

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

    # ---- What it is -------------------------------------------------------------------------

    @property
    def lossless(self) -> bool:
        """Whether decoding gives back every text that can be encoded."""
        return self._native.lossless

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

    # ---- Files ------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer to one file.

        Hugging Face tokenizers can load the file too, unless :attr:`hugging_face_reason` says why not.
        """
        self._native.save(os.fspath(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Tokenizer:
        """Read a ``tokenizer.json``: one that :meth:`save` wrote, or one of Hugging Face tokenizers.

        Ids are those that Hugging Face tokenizers gives. Two things differ: the name of a special token in a
        text is text unless ``special="allow"`` says otherwise, and a character that the vocabulary cannot
        express is an error where that library drops it.

        Raises
        ------
        FormatError
            The file is damaged, or says something that is not known here; the message names the field.
        """
        return Tokenizer(_native.Tokenizer.load(os.fspath(path)))

    @staticmethod
    def from_tiktoken(
        path: str | os.PathLike[str],
        *,
        split: str,
        special_tokens: Mapping[str, int] | str | None = None,
    ) -> Tokenizer:
        """Read a rank file of tiktoken; ids are those that tiktoken gives.

        A rank file says neither how text is split nor which special tokens there are.

        Parameters
        ----------
        path : path
            A ``.tiktoken`` file: a token in base64 and its rank on each line.
        split : {"gpt2", "gpt4", "o200k", "none"}
            How text is split: ``"gpt2"`` for ``r50k_base`` and ``p50k_base``, ``"gpt4"`` for ``cl100k_base``,
            ``"o200k"`` for ``o200k_base``. Any rule of :class:`BPE` can be named.
        special_tokens : mapping of str to int, or str, optional
            The ids of the special tokens, or the name of a published file whose special tokens are taken:
            ``"r50k_base"``, ``"p50k_base"``, ``"cl100k_base"``, ``"o200k_base"``.

        Raises
        ------
        FormatError
            The file is damaged, or tokens for single bytes are missing.

        Examples
        --------
        >>> import tempfile, textgrain as tg
        >>> trained = tg.BPE(merges=3, split="gpt4").train(["low lower lowest"])
        >>> with tempfile.NamedTemporaryFile(suffix=".tiktoken") as file:
        ...     trained.save_tiktoken(file.name)
        ...     loaded = tg.Tokenizer.from_tiktoken(file.name, split="gpt4", special_tokens={"<end>": 300})
        >>> loaded.encode("lower<end>", special="allow").ids.tolist()
        [257, 101, 114, 300]
        """
        specials = special_tokens_of(special_tokens)
        return Tokenizer(_native.Tokenizer.load_tiktoken(os.fspath(path), split, specials))

    def save_tiktoken(self, path: str | os.PathLike[str]) -> None:
        """Write the tokens as a rank file, from which tiktoken gives the same ids.

        The split rule and the special tokens are not part of the format and have to be given again where the
        file is loaded.

        Raises
        ------
        ParameterError
            The ranks could not give the same ids: the tokenizer is not byte-level, or tokens would be merged
            in another order.
        """
        self._native.save_tiktoken(os.fspath(path))

    @staticmethod
    def from_sentencepiece(path: str | os.PathLike[str]) -> Tokenizer:
        """Read a ``.model`` file of SentencePiece: unigram, BPE, word or char; ids are those it gives.

        The file says everything: the normalizer, the scores, user-defined and control symbols. Control
        symbols, such as ``<s>``, are the special tokens.

        Raises
        ------
        FormatError
            The file is damaged, or not a SentencePiece model.
        """
        return Tokenizer(_native.Tokenizer.load_sentencepiece(os.fspath(path)))

    def save_sentencepiece(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.model`` file, from which SentencePiece gives the same ids.

        Raises
        ------
        ParameterError
            The tokenizer cannot be said in such a file; the message says why.
        """
        self._native.save_sentencepiece(os.fspath(path))

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


def _texts(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of str, got one str; use encode() for a single text")
    return texts if isinstance(texts, list) else list(texts)

"""Tokenizers in files: ours and those of other programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textgrain import _native
from textgrain._gpt2 import document_of, files_of, write_text
from textgrain._tiktoken import special_tokens_of
from textgrain.tokenizer.template_calls import TemplateCalls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self

__all__ = ["Files"]


class Files(TemplateCalls):
    """The methods of :class:`textgrain.Tokenizer` that open and write files."""

    __slots__ = ()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer to one file.

        Hugging Face tokenizers can load the file too, unless :attr:`hugging_face_reason` says why not.
        """
        self._native.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a ``tokenizer.json``: one that :meth:`save` wrote, or one of Hugging Face tokenizers.

        Ids are those that Hugging Face tokenizers gives. Two things differ: the name of a special token in a
        text is text unless ``special="allow"`` says otherwise, and a character that the vocabulary cannot
        express is an error where that library drops it.

        Raises
        ------
        FormatError
            The file is damaged, or says something that is not known here; the message names the field.
        """
        return cls(_native.Tokenizer.load(os.fspath(path)))

    @classmethod
    def from_tiktoken(
        cls,
        path: str | os.PathLike[str],
        *,
        split: str,
        special_tokens: Mapping[str, int] | str | None = None,
    ) -> Self:
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
        return cls(_native.Tokenizer.load_tiktoken(os.fspath(path), split, specials))

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

    @classmethod
    def from_sentencepiece(cls, path: str | os.PathLike[str]) -> Self:
        """Read a ``.model`` file of SentencePiece: unigram, BPE, word or char; ids are those it gives.

        The file says everything: the normalizer, the scores, user-defined and control symbols. Control
        symbols, such as ``<s>``, are the special tokens.

        Raises
        ------
        FormatError
            The file is damaged, or not a SentencePiece model.
        """
        return cls(_native.Tokenizer.load_sentencepiece(os.fspath(path)))

    def save_sentencepiece(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.model`` file, from which SentencePiece gives the same ids.

        Raises
        ------
        ParameterError
            The tokenizer cannot be said in such a file; the message says why.
        """
        self._native.save_sentencepiece(os.fspath(path))

    @classmethod
    def from_gpt2(
        cls,
        vocabulary: str | os.PathLike[str],
        merges: str | os.PathLike[str],
        *,
        special_tokens: Iterable[str] = (),
    ) -> Self:
        """Read a ``vocab.json`` and a ``merges.txt`` of GPT-2's kind.

        The files say nothing of how text is split, which is as GPT-2 does it, nor which tokens are special.

        Parameters
        ----------
        vocabulary, merges : path
            The two files.
        special_tokens : iterable of str
            Tokens of the vocabulary that are special, such as ``"<|endoftext|>"``.

        Raises
        ------
        FormatError
            A file is damaged, or the two do not belong together.
        """
        return cls(_native.Tokenizer.from_bytes(document_of(vocabulary, merges, special_tokens)))

    def save_gpt2(self, vocabulary: str | os.PathLike[str], merges: str | os.PathLike[str]) -> None:
        """Write a ``vocab.json`` and a ``merges.txt``, from which the programs of GPT-2 give the same ids.

        Which tokens are special is not part of the files; :meth:`save` keeps everything in one file.

        Raises
        ------
        ParameterError
            The files cannot say the tokenizer; the message says why.
        """
        tokens, pairs = files_of(self._native.to_bytes())
        write_text(vocabulary, tokens)
        write_text(merges, pairs)

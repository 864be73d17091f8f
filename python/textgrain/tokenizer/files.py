"""Tokenizers in files: ours and those of other programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from textgrain import _native
from textgrain._gpt2 import both_files
from textgrain._tiktoken import KNOWN, identify, special_tokens_of
from textgrain.exceptions import ParameterError
from textgrain.tokenizer.template_calls import TemplateCalls

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Files", "TokenizerFormat"]

TokenizerFormat: TypeAlias = Literal["json", "tiktoken", "gpt2", "bert", "subword-nmt", "sentencepiece"]


class Files(TemplateCalls):
    """The methods of :class:`textgrain.Tokenizer` that open and write files."""

    __slots__ = ()

    def save(self, path: str | os.PathLike[str], *, format: TokenizerFormat = "json") -> None:
        """Write the tokenizer to a file, whole or not at all.

        Only ``"json"`` keeps everything. A format that would give a text other tokens is refused with the
        reason.

        Parameters
        ----------
        path : path
            The file; for ``"gpt2"`` a ``vocab.json``, beside which ``merges.txt`` is written.
        format : {"json", "tiktoken", "gpt2", "bert", "subword-nmt", "sentencepiece"}
            ``"json"`` is a ``tokenizer.json``, which Hugging Face tokenizers can load too, unless
            :attr:`hugging_face_reason` says why not. The others are those of :meth:`save_tiktoken`,
            :meth:`save_gpt2`, :meth:`save_bert`, :meth:`save_subword_nmt` and :meth:`save_sentencepiece`.

        Raises
        ------
        ParameterError
            The format is unknown, or it cannot say the tokenizer; the message says why, and what to do.
        OSError
            The file cannot be written.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=3, split="gpt4").train(["low lower lowest"])
        >>> tokenizer.save("tokenizer.json")
        >>> tg.Tokenizer.load("tokenizer.json").save("low.tiktoken", format="tiktoken")
        >>> tg.Tokenizer.load("low.tiktoken", split="gpt4").encode("lowest").tokens
        ['low', 'e', 's', 't']
        """
        if format == "json":
            self._native.save(os.fspath(path))
        elif format == "tiktoken":
            self.save_tiktoken(path)
        elif format == "gpt2":
            self.save_gpt2(*both_files(path))
        elif format == "bert":
            self.save_bert(path)
        elif format == "subword-nmt":
            self.save_subword_nmt(path)
        elif format == "sentencepiece":
            self.save_sentencepiece(path)
        else:
            rule = '"json", "tiktoken", "gpt2", "bert", "subword-nmt" or "sentencepiece"'
            raise ParameterError(f"`format` must be {rule}, got {format!r}", "format")

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        split: str | None = None,
        special_tokens: Mapping[str, int] | Iterable[str] | str | None = None,
    ) -> Self:
        """Read a tokenizer, ours or another program's; the format is found from the content.

        Reads what :meth:`save` writes: ``tokenizer.json``, also of Hugging Face tokenizers; ranks of
        tiktoken; ``vocab.json`` and ``merges.txt`` of GPT-2, of which one is named and the other lies beside
        it; ``vocab.txt`` of BERT; codes of subword-nmt; ``.model`` files of SentencePiece. Ids are those that
        the owner of the format gives. Two things differ: the name of a special token in a text is text unless
        ``special="allow"`` says otherwise, and a character that the vocabulary cannot express is an error
        where other libraries drop it.

        Parameters
        ----------
        path : path
            The file.
        split : str, optional
            How text is split, which only ranks of tiktoken do not say: see :meth:`from_tiktoken`. It is known
            for the files that OpenAI published, as their special tokens are.
        special_tokens : mapping of str to int, iterable of str, or str, optional
            Special tokens, for formats that do not say which there are: see :meth:`from_tiktoken`,
            :meth:`from_gpt2` and :meth:`from_subword_nmt`, which have further settings.

        Raises
        ------
        FormatError
            The file is damaged, or says something that is not known here; the message names the place.
        ParameterError
            The format needs the split rule, or says itself what was given.
        """
        found = _native.recognize_tokenizer(path)
        if split is not None and found != "tiktoken":
            message = f"`split` can only be used with a .tiktoken file, got {split!r} with {os.fspath(path)}"
            raise ParameterError(message, "split")
        if found == "tiktoken":
            return cls._from_ranks(path, split, special_tokens)
        if found in ("gpt2-vocabulary", "gpt2-merges"):
            return cls.from_gpt2(*both_files(path), special_tokens=special_tokens or ())
        if found == "subword-nmt":
            return cls.from_subword_nmt(path, special_tokens=special_tokens or ())
        if special_tokens is not None:
            message = f"`special_tokens` cannot be given for {os.fspath(path)}, which says them itself"
            raise ParameterError(f"{message}, got {special_tokens!r}", "special_tokens")
        if found == "bert":
            return cls.from_bert(path)
        return (
            cls.from_sentencepiece(path)
            if found == "sentencepiece"
            else cls(_native.Tokenizer.load(os.fspath(path)))
        )

    @classmethod
    def _from_ranks(
        cls,
        path: str | os.PathLike[str],
        split: str | None,
        special_tokens: Mapping[str, int] | Iterable[str] | str | None,
    ) -> Self:
        if special_tokens is not None and not isinstance(special_tokens, (Mapping, str)):
            raise TypeError(f"special_tokens must be a mapping of names to ids, got {special_tokens!r}")
        name = identify(path)
        if split is None and name is None:
            raise ParameterError(
                f"`split` must be set for {os.fspath(path)}, a .tiktoken file that is not among those known"
                f' by content ({", ".join(KNOWN)}), got none. For example split="gpt4"',
                "split",
            )
        rule = split or KNOWN[name or ""].split
        return cls.from_tiktoken(
            path, split=rule, special_tokens=name if special_tokens is None else special_tokens
        )

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
        native = _native.load_gpt2(vocabulary, merges, _names(special_tokens))
        return cls(native)

    def save_gpt2(self, vocabulary: str | os.PathLike[str], merges: str | os.PathLike[str]) -> None:
        """Write a ``vocab.json`` and a ``merges.txt``, from which the programs of GPT-2 give the same ids.

        Which tokens are special is not part of the files; :meth:`save` keeps everything in one file.

        Raises
        ------
        ParameterError
            The files cannot say the tokenizer; the message says why.
        """
        _native.save_gpt2(self._native, vocabulary, merges)

    @classmethod
    def from_bert(cls, path: str | os.PathLike[str], *, lowercase: bool | None = None) -> Self:
        r"""Read a ``vocab.txt`` of BERT: a token a line, whose number, from 0, is its id.

        Text is changed and cut as BERT does it, and words become the longest tokens that fit. Of the tokens
        ``[PAD]``, ``[UNK]``, ``[CLS]``, ``[SEP]`` and ``[MASK]`` those that are there are special.

        Parameters
        ----------
        path : path
            The file.
        lowercase : bool, optional
            Whether letters become lower case and lose their accents. The file does not say it; where this is
            not given, it is so if no token has upper case.

        Raises
        ------
        FormatError
            A token is there twice, or there is no ``[UNK]``.

        Examples
        --------
        >>> from pathlib import Path
        >>> _ = Path("vocab.txt").write_text("[UNK]\nhug\n##s\n", encoding="utf-8")
        >>> tg.Tokenizer.from_bert("vocab.txt").encode("Hugs pug").tokens
        ['hug', '##s', '[UNK]']
        """
        return cls(_native.load_bert(path, lowercase))

    def save_bert(self, path: str | os.PathLike[str]) -> None:
        """Write a ``vocab.txt``, from which BERT's programs give the same ids.

        The file does not say whether letters become lower case, which these programs have to be told.

        Raises
        ------
        ParameterError
            The tokenizer is not WordPiece, or treats text in another way than BERT. One that can be written
            is trained with ``WordPiece(normalizer="bert", split={"type": "BertPreTokenizer"})``.
        """
        _native.save_bert(self._native, path)

    @classmethod
    def from_subword_nmt(
        cls,
        codes: str | os.PathLike[str],
        vocabulary: str | os.PathLike[str] | None = None,
        *,
        unknown_token: str | None = None,
        special_tokens: Iterable[str] = (),
    ) -> Self:
        r"""Read codes of subword-nmt, version 0.1 or 0.2: a merge a line.

        Words are what spaces and line ends separate, and tokens are those of ``subword-nmt apply-bpe``, with
        ``</w>`` at the end of a word where that program writes ``@@`` inside one.

        Parameters
        ----------
        codes : path
            What ``subword-nmt learn-bpe`` wrote.
        vocabulary : path, optional
            What ``subword-nmt get-vocab`` wrote: a token and its count a line. The codes have no ids; these
            tokens get the first ones, in this order. Without it the characters come first, then the tokens
            in the order of merging. Merges are not undone, as ``apply-bpe --vocabulary`` does it.
        unknown_token : str, optional
            What characters become that the codes do not have. Without it they are an error.
        special_tokens : iterable of str
            Tokens for other uses than text. Names that the vocabulary does not hold get the last ids.

        Raises
        ------
        FormatError
            A file is damaged; the message names the line.

        Examples
        --------
        >>> from pathlib import Path
        >>> _ = Path("codes").write_text("#version: 0.2\nl o\nlo w</w>\n", encoding="utf-8")
        >>> tg.Tokenizer.from_subword_nmt("codes", unknown_token="?").encode("low owl so").tokens
        ['low</w>', 'o', 'w', 'l</w>', '?', 'o</w>']
        """
        native = _native.load_subword_nmt(codes, vocabulary, unknown_token, _names(special_tokens))
        return cls(native)

    def save_subword_nmt(
        self, codes: str | os.PathLike[str], vocabulary: str | os.PathLike[str] | None = None
    ) -> None:
        """Write codes, from which ``subword-nmt apply-bpe`` makes the same tokens.

        Codes hold merges and nothing else: no ids, no special tokens. White space other than spaces separates
        no words there. A marker that is a symbol of its own, as here, is written as version 0.1; one that is
        part of the last character, as in Hugging Face tokenizers, as version 0.2.

        Parameters
        ----------
        codes : path
            The file.
        vocabulary : path, optional
            Also write all tokens in the order of their ids, each with the count 1, from which
            :meth:`from_subword_nmt` gives the same ids. Only for version 0.2.

        Raises
        ------
        ParameterError
            Codes cannot say the tokenizer; the message says why.
        """
        _native.save_subword_nmt(self._native, codes, vocabulary)


def _names(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"special_tokens must be a sequence of names, got the string {names!r}")
    return list(names)

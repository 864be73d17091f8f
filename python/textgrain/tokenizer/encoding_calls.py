"""Text to ids."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from textgrain import _native
from textgrain.corpus import Corpus, as_corpus, warn_of_replacements
from textgrain.encoding import Encoding
from textgrain.idfile import IdFile
from textgrain.progress import Progress, resolve
from textgrain.tokenizer.vocabulary import SpecialPolicy, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    import numpy.typing as npt

__all__ = ["EncodingCalls", "list_of_texts"]


class EncodingCalls(Vocabulary):
    """The methods of :class:`textgrain.Tokenizer` that encode."""

    __slots__ = ()

    def encode(
        self, text: str, special: SpecialPolicy = "text", *, max_tokens: int | None = None
    ) -> Encoding:
        """Encode a text.

        Parameters
        ----------
        text : str
            The text. A lone surrogate, which is no character, becomes U+FFFD.
        special : {"text", "allow", "error"}
            What the name of a special token in the text is: text like any other, the special token, or
            an error.
        max_tokens : int, optional
            Only the first tokens, at most so many; the rest of the text is not encoded at all, so that the
            start of a long text costs little. ``truncated`` of the encoding says whether there are more.

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
        >>> start = tokenizer.encode("a long text", max_tokens=3)
        >>> start.tokens, start.truncated, start.offsets[-1][1]
        (['a', ' ', 'l'], True, 3)
        """
        if max_tokens is None:
            return Encoding(self._native, text, special, self._native.encode(text, special))
        ids, truncated = self._native.encode_at_most(text, special, max_tokens)
        return Encoding(self._native, text, special, ids, truncated=truncated)

    def encode_batch(
        self,
        texts: Iterable[str],
        threads: int | None = None,
        special: SpecialPolicy = "text",
        progress: Callable[..., Any] | None = None,
    ) -> list[Encoding]:
        """Encode many texts in threads."""
        listed = list_of_texts(texts)
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
        return self._native.encode_batch(list_of_texts(texts), threads, special, progress)

    def sample_ids(
        self,
        text: str,
        *,
        seed: int,
        alpha: float | None = None,
        dropout: float | None = None,
        special: SpecialPolicy = "text",
    ) -> npt.NDArray[np.uint32]:
        """Return ids of a text that is cut by chance, to train a model on several ways to cut it.

        Parameters
        ----------
        text : str
            The text.
        seed : int
            From 0 to 2**64 - 1. The same seed gives the same ids.
        alpha : float, optional
            For unigram models: ways are drawn by their probability to the power of `alpha`; 1 draws by the
            probability itself, 0 draws all ways alike, and a large number nearly always the best.
        dropout : float, optional
            For merges: each merge is left out with this probability (BPE-dropout); 0 is plain encoding.
        special : {"text", "allow", "error"}
            As for :meth:`encode`.

        Raises
        ------
        ParameterError
            Both or none of `alpha` and `dropout` are set, or the one that the tokenizer does not have.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(vocab_size=262).train(["low lower lowest"])
        >>> [len(tokenizer.sample_ids("lowest", dropout=0.5, seed=seed)) for seed in range(4)]
        [5, 5, 4, 6]
        >>> len(tokenizer.sample_ids("lowest", dropout=0, seed=0)) == tokenizer.count("lowest")
        True
        """
        return self._native.sample(text, special, alpha, dropout, seed)

    def n_best_ids(
        self, text: str, n: int, special: SpecialPolicy = "text"
    ) -> list[tuple[npt.NDArray[np.uint32], float]]:
        """Return the `n` best ways to cut a text, each with the sum of its scores, the best first.

        Only for unigram models. There may be fewer ways than `n`.

        Examples
        --------
        >>> import textgrain as tg
        >>> words = {"low": 5, "lower": 6, "lowest": 8, "new": 6, "newest": 7}
        >>> tokenizer = tg.Unigram(vocab_size=262, split="words").train(words)
        >>> for ids, score in tokenizer.n_best_ids("lowest", 2):
        ...     print([tokenizer.id_to_token(id) for id in ids], round(score, 2))
        ['lowest'] -1.56
        ['low', 'e', 's', 't'] -18.65
        """
        return self._native.n_best(text, n, special)

    def encode_files(
        self,
        corpus: Corpus | str | os.PathLike[str] | Iterable[str],
        path: str | os.PathLike[str],
        *,
        start_token: str | None = None,
        end_token: str | None = None,
        special: SpecialPolicy = "text",
        resume: bool = True,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> IdFile:
        """Encode a corpus of any size to a file of ids, for whoever trains on them.

        Ids have 16 bits if the vocabulary allows it, and 32 otherwise. The bytes of the file are the same for
        any number of threads. Memory does not grow with the corpus. A run that is stopped, by an error,
        Ctrl-C or a power cut, leaves what is done beside `path`; the same call goes on from there.

        Parameters
        ----------
        corpus : Corpus, path or iterable of str
            The documents; a path or pattern stands for ``Corpus.from_files``, with a document a line.
        path : path
            The file to write.
        start_token, end_token : str, optional
            Tokens to put in front of each document and after it.
        special : {"text", "allow", "error"}
            As in :meth:`encode`.
        resume : bool
            Go on where an earlier run for this file was stopped; otherwise start anew.
        threads : int, optional
            All that the machine offers where none is given.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``; an exception that it
            raises stops the run.

        Raises
        ------
        FormatError
            What a stopped run has left is of another corpus, tokenizer or setting.
        UnknownTokenError
            The vocabulary lacks `start_token` or `end_token`, or something in the text.

        Warns
        -----
        InvalidTextWarning
            Bytes that are not UTF-8 were replaced.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=2, special_tokens=["<end>"]).train(["low lower lowest"])
        >>> ids = tokenizer.encode_files(["low", "lowest"], "out.ids", end_token="<end>")
        >>> ids
        <IdFile of 7 ids in 2 documents, uint16>
        >>> tokenizer.decode(ids.documents[1])
        'lowest<end>'
        """
        if isinstance(corpus, (str, os.PathLike)):
            corpus = Corpus.from_files(corpus)
        report = _native.encode_files(
            self._native,
            as_corpus(corpus)._native,
            os.fspath(path),
            special=special,
            start=None if start_token is None else self.token_to_id(start_token),
            end=None if end_token is None else self.token_to_id(end_token),
            resume=resume,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return IdFile(path)


def list_of_texts(texts: Iterable[str]) -> list[str]:
    """Return texts as a list, unless they are one text by mistake."""
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of str, got one str; use encode() for a single text")
    return texts if isinstance(texts, list) else list(texts)

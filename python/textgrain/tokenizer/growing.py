"""New tokenizers from old ones: the ids that there are stay, new ones come after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textgrain import _native
from textgrain.corpus import Corpus, as_training_corpus, warn_of_replacements
from textgrain.progress import Progress, resolve
from textgrain.tokenizer.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self

    from textgrain.counts import PieceCounts

__all__ = ["Growing"]


class Growing(Files):
    """The methods of :class:`textgrain.Tokenizer` that make a larger one."""

    __slots__ = ()

    def extend(
        self,
        corpus: Corpus | PieceCounts | Iterable[str] | Mapping[str, int],
        *,
        vocab_size: int | None = None,
        merges: int | None = None,
        min_frequency: int = 1,
        max_token_length: int | None = None,
        tie_break: Literal["first", "lowest-ids", "largest-text"] = "first",
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Self:
        """Learn further merges from new text; ids that there are stay, new ones come after them.

        New merges are applied after all old ones, so the ids of a text stay as they are unless a new merge
        applies to it. Works for byte-pair encoding of any origin: trained here, Hugging Face's files,
        tiktoken's ranks. Characters that the alphabet does not have stay unknown.

        Parameters
        ----------
        corpus : Corpus, iterable of str, PieceCounts, or mapping of words to counts
            The new text.
        vocab_size : int, optional
            Size of the whole vocabulary to reach. Set this or `merges`.
        merges : int, optional
            Number of merges to add.
        min_frequency, max_token_length, tie_break
            As for :class:`BPE`.
        threads, progress
            As for :meth:`BPE.train`.

        Raises
        ------
        ParameterError
            A setting is out of range, or this kind of tokenizer has no merges to add to.
        CorpusError
            There is nothing to learn from.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(vocab_size=260).train(["low lower lowest"])
        >>> more = tokenizer.extend(["fever", "fevers"], vocab_size=263)
        >>> more.encode("fever low").tokens
        ['feve', 'r', ' low']
        >>> more.encode("low").ids.tolist() == tokenizer.encode("low").ids.tolist()
        True
        """
        native, report = _native.extend_bpe(
            self._native,
            as_training_corpus(corpus)._native,
            vocab_size=vocab_size,
            merges=merges,
            min_frequency=min_frequency,
            max_token_length=max_token_length,
            tie_break=tie_break,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return type(self)(native)

    def add_special_tokens(self, names: Iterable[str]) -> Self:
        """Append special tokens; they get the next ids, and all others stay.

        Raises
        ------
        ParameterError
            A token of this name is there already.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=0, special_tokens=["<end>"]).train(["abc"])
        >>> tokenizer.add_special_tokens(["<pad>"]).special_tokens
        {'<end>': 256, '<pad>': 257}
        """
        if isinstance(names, str):
            raise TypeError(f"names must be a sequence of names, got the string {names!r}; write [{names!r}]")
        return type(self)(_native.add_special_tokens(self._native, list(names)))

    def add_tokens(
        self,
        names: Iterable[str],
        *,
        single_word: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        normalized: bool = True,
    ) -> Self:
        """Append tokens that are found in a text before it is cut; they get the next ids, the others stay.

        Unlike special tokens they are text: they are found whatever `special` says, and decoded as they
        stand. Use them for terms that must not be cut. Where several begin at the same place, the longest
        is found.

        Parameters
        ----------
        names : iterable of str
            The tokens. Call again for tokens with other rules.
        single_word : bool
            A token has to be a word of its own, with no letter, digit or ``_`` next to it.
        lstrip, rstrip : bool
            A token takes the white space before it, or after it. What is taken is not decoded.
        normalized : bool
            A token is looked for in the text after the normalizer, so that ``"ECG"`` is found in lower
            case too if that is what the normalizer makes. Otherwise in the text as it was given.

        Raises
        ------
        ParameterError
            A token of this name is there already, or the tokenizer is a model of SentencePiece.

        Examples
        --------
        >>> import textgrain as tg
        >>> tokenizer = tg.BPE(merges=2).train(["low lower"]).add_tokens(["ECG"], single_word=True)
        >>> tokenizer.encode("low ECG ECGs").tokens
        ['low', ' ', 'ECG', ' ', 'E', 'C', 'G', 's']
        """
        if isinstance(names, str):
            raise TypeError(f"names must be a sequence of names, got the string {names!r}; write [{names!r}]")
        return type(self)(
            _native.add_tokens(self._native, list(names), single_word, lstrip, rstrip, normalized)
        )

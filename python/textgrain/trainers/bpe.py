"""Training of byte-pair encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textgrain import _native
from textgrain.corpus import Corpus, as_training_corpus, warn_of_replacements
from textgrain.counts import as_counts
from textgrain.progress import Progress, resolve
from textgrain.splitting import Normalizer, Split, split_spec
from textgrain.tokenizer import Tokenizer
from textgrain.trainers._names import listed_names, listed_pairs

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from textgrain.counts import PieceCounts

__all__ = ["BPE"]


@dataclass(frozen=True, kw_only=True)
class BPE:
    """Byte-pair encoding: the most frequent pair of neighboring tokens becomes a new token, again and again.

    Training is exact, and gives the same tokenizer for any number of threads.

    Parameters
    ----------
    vocab_size : int, optional
        Size of the whole vocabulary: alphabet, merged tokens, unknown and special tokens. Set this or
        `merges`.
    merges : int, optional
        Number of merges to make.
    split : str, Regex, mapping or sequence of them
        How documents are cut into pieces, which no token reaches across. ``"gpt2"``, ``"gpt4"``, ``"o200k"``,
        ``"llama3"``, ``"qwen2"`` and ``"deepseek"`` are published patterns and keep all white space;
        ``"whitespace"`` and ``"words"`` drop it; ``"metaspace"`` begins a piece at each space; ``"digits"``
        and ``"punctuation"`` cut at these; ``"script"`` begins a piece where the script changes (what scripts
        share, such as spaces and digits, stays with what is before it); ``"characters"`` makes each one a
        piece; ``"none"`` does not cut. Also a :class:`Regex`, a pre-tokenizer as
        Hugging Face tokenizers writes it in a file, or several of these, each cutting the pieces of the one
        before.
    normalizer : str, mapping or sequence of them, optional
        What changes a text before it is cut, in training and in encoding: ``"nfc"``, ``"nfd"``, ``"nfkc"``,
        ``"nfkd"``, ``"lowercase"``, ``"strip_accents"``, ``"nmt"``, ``"bert"``, a normalizer as Hugging Face
        tokenizers writes it in a file, or several in a row. Nothing is changed by default, because what is
        changed cannot be decoded back.
    symbols : {"bytes", "characters"}
        What pieces start as. With bytes, every text can be encoded.
    end_of_word : str, optional
        A marker, such as ``"</w>"``, that is appended to each piece as a symbol of its own.
    space_prefix : bool
        A word keeps the space in front of it, so that joined tokens are the text; for
        ``split="whitespace"`` and ``"words"``.
    tie_break : {"first", "lowest-ids", "largest-text"}
        Among pairs with the same total, the one that occurs first in the corpus as it is cut by then; the one
        with the smallest ids, which gives the merges of Hugging Face tokenizers; or the one with the largest
        left text, then right text, by code points, which gives those of subword-nmt.
    min_frequency : int
        Pairs that occur less often are not merged; with 2, a pair that stands in the corpus once stays apart.
    special_tokens : sequence of str
        Tokens for other uses than text; they get the last ids.
    unknown_token : str, optional
        Token for characters that the alphabet does not have; without one they are an error. Only
        ``symbols="characters"`` needs it.
    limit_alphabet : int, optional
        For ``symbols="characters"``: keep so many characters, the most frequent ones (of equals, the lower
        code point). No token reaches across a character that was left out. With 100, the thousands of rare
        characters of a web corpus do not use up the vocabulary.
    initial_alphabet : sequence of str
        For ``symbols="characters"``: characters that are in the alphabet whether they occur or not, such as
        ``"ACGTN"``.
    max_token_length : int, optional
        The most bytes or characters, as `symbols` says, in a merged token; the marker counts as one.
    seed_merges : sequence of pairs of str
        Pairs that are merged before all others, in this order, whatever their totals. Tokens are written as
        :attr:`Tokenizer.vocabulary` shows them. They count as merges.
    forbidden_merges : sequence of pairs of str
        Pairs that are never merged.

    Notes
    -----
    Ids: the alphabet in the order of code points (all 256 bytes for bytes), the marker, merged tokens in
    the order in which they were made, the unknown token, special tokens. The method is that of Sennrich,
    Haddow and Birch (2016).

    Examples
    --------
    >>> import textgrain as tg
    >>> trainer = tg.BPE(merges=3, split="whitespace", symbols="characters", end_of_word="</w>")
    >>> tokenizer = trainer.train({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> tokenizer.encode("lowest").tokens
    ['l', 'o', 'w', 'est</w>']

    An alphabet of one's own, as for DNA, where a piece is a whole sequence:

    >>> dna = tg.BPE(vocab_size=8, split="none", symbols="characters", initial_alphabet="ACGTN")
    >>> dna.train(["ACGACGTACG"]).vocabulary
    ['A', 'C', 'G', 'N', 'T', 'AC', 'ACG', 'ACGACG']
    """

    vocab_size: int | None = None
    merges: int | None = None
    split: Split = "gpt2"
    normalizer: Normalizer | None = None
    symbols: Literal["bytes", "characters"] = "bytes"
    end_of_word: str | None = None
    space_prefix: bool = False
    tie_break: Literal["first", "lowest-ids", "largest-text"] = "first"
    min_frequency: int = 1
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None
    limit_alphabet: int | None = None
    initial_alphabet: tuple[str, ...] = ()
    max_token_length: int | None = None
    seed_merges: tuple[tuple[str, str], ...] = ()
    forbidden_merges: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", listed_names(self.special_tokens))
        object.__setattr__(self, "initial_alphabet", tuple(self.initial_alphabet))
        for name in ("seed_merges", "forbidden_merges"):
            object.__setattr__(self, name, listed_pairs(name, getattr(self, name)))

    def train(
        self,
        corpus: Corpus | PieceCounts | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Tokenizer:
        """Learn merges from a corpus.

        Parameters
        ----------
        corpus : Corpus, iterable of str, PieceCounts, or mapping of words to counts
            Each word of a mapping is one piece; `split` is not applied to it.
        threads : int, optional
            Threads that count pieces; all of the machine by default. The result does not depend on it.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

        Raises
        ------
        ParameterError
            A setting is out of range. A vocabulary that cannot hold the alphabet is refused before any merge,
            with the smallest and the largest size that the corpus allows.
        CorpusError
            There is nothing to train on.
        """
        native, report = _native.train_bpe(
            as_training_corpus(corpus)._native,
            vocab_size=self.vocab_size,
            merges=self.merges,
            split=split_spec(self.split, self.normalizer),
            symbols=self.symbols,
            end_of_word=self.end_of_word,
            space_prefix=self.space_prefix,
            tie_break=self.tie_break,
            min_frequency=self.min_frequency,
            special_tokens=list(self.special_tokens),
            unknown_token=self.unknown_token,
            limit_alphabet=self.limit_alphabet,
            initial_alphabet=list(self.initial_alphabet),
            max_token_length=self.max_token_length,
            seed_merges=list(self.seed_merges),
            forbidden_merges=list(self.forbidden_merges),
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return Tokenizer(native)

    def train_from_counts(
        self,
        counts: Mapping[str, int] | PieceCounts | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Tokenizer:
        """Learn merges from counts that were made before, here or elsewhere.

        Parameters
        ----------
        counts : mapping of words to counts, PieceCounts, or paths of count files
            Files that :meth:`PieceCounts.save` or ``textgrain count`` wrote are added up in the order given.
        threads, progress
            As for :meth:`train`.

        Examples
        --------
        >>> tg.BPE(merges=1).train_from_counts({"the": 3_000_000_000, "cat": 10}).encode("the").tokens
        ['th', 'e']
        """
        return self.train(as_counts(counts), threads=threads, progress=progress)

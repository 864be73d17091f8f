"""Training of unigram models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textgrain import _native
from textgrain.corpus import Corpus, as_training_corpus, warn_of_replacements
from textgrain.progress import Progress, resolve
from textgrain.tokenizer import Tokenizer
from textgrain.trainers._names import listed_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textgrain.counts import PieceCounts

__all__ = ["Unigram"]


@dataclass(frozen=True, kw_only=True)
class Unigram:
    """A unigram model: each token has a probability, and a text becomes its most probable tokens.

    Training starts with very many tokens and drops, again and again, those without which the corpus becomes
    the least improbable. It gives the same tokenizer for any number of threads.

    Parameters
    ----------
    vocab_size : int
        Size of the whole vocabulary: bytes, alphabet, learned tokens, unknown and special tokens. It is a
        limit: a small corpus may not have that many tokens that are of use.
    split : {"gpt2", "gpt4", "o200k", "whitespace", "words", "metaspace", "none"}
        How documents are cut into pieces, which no token reaches across. ``"metaspace"`` begins a piece at
        each space, as SentencePiece does it, so that the tokenizer can become one of its ``.model`` files.
    space_prefix : bool
        A word keeps the space in front of it, so that joined tokens are the text; for
        ``split="whitespace"`` and ``"words"``.
    byte_fallback : bool
        Characters that are not in the alphabet become their bytes, so that every text can be encoded. This
        takes 256 tokens; those for the characters of ASCII are among them.
    character_coverage : float
        The alphabet is made of the most frequent characters that are together this share of the corpus.
    max_token_length : int
        Characters of the longest token.
    seed_size : int
        Number of tokens to start with.
    shrink_factor : float
        Share of the tokens that is kept each time that some are dropped.
    iterations : int
        How often scores are fitted before tokens are dropped.
    special_tokens : sequence of str
        Tokens for other uses than text; they get the last ids.
    unknown_token : str, optional
        Token for characters that are not in the alphabet, without `byte_fallback`.

    Notes
    -----
    Ids: bytes, the other characters of the alphabet in the order of code points, learned tokens from the most
    to the least probable, the unknown token, special tokens. The method is that of Kudo (2018), with the
    steps of SentencePiece's trainer and sums that do not depend on their order.

    Examples
    --------
    >>> import textgrain as tg
    >>> words = {"low": 5, "lower": 6, "lowest": 8, "slow": 4, "slowest": 4, "new": 6, "newest": 7}
    >>> tokenizer = tg.Unigram(vocab_size=262, split="words").train(words)
    >>> tokenizer.encode("newest low").tokens
    ['newest', 'low']
    >>> tokenizer.decode(tokenizer.encode_ids("é"))
    'é'
    """

    vocab_size: int = 8_000
    split: Literal["gpt2", "gpt4", "o200k", "whitespace", "words", "metaspace", "none"] = "gpt2"
    space_prefix: bool = False
    byte_fallback: bool = True
    character_coverage: float = 0.9995
    max_token_length: int = 16
    seed_size: int = 1_000_000
    shrink_factor: float = 0.75
    iterations: int = 2
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", listed_names(self.special_tokens))

    def train(
        self,
        corpus: Corpus | PieceCounts | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Tokenizer:
        """Learn tokens and their probabilities from a corpus.

        Parameters
        ----------
        corpus : Corpus, iterable of str, PieceCounts, or mapping of words to counts
            Each word of a mapping is one piece; `split` is not applied to it.
        threads : int, optional
            Threads to use; all of the machine by default. The result does not depend on it.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

        Raises
        ------
        ParameterError
            A setting is out of range; a vocabulary smaller than the alphabet tells the size it needs.
        CorpusError
            There is nothing to train on.
        """
        native, report = _native.train_unigram(
            as_training_corpus(corpus)._native,
            vocab_size=self.vocab_size,
            split=self.split,
            space_prefix=self.space_prefix,
            byte_fallback=self.byte_fallback,
            character_coverage=self.character_coverage,
            max_token_length=self.max_token_length,
            seed_size=self.seed_size,
            shrink_factor=self.shrink_factor,
            iterations=self.iterations,
            special_tokens=list(self.special_tokens),
            unknown_token=self.unknown_token,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return Tokenizer(native)

"""Vocabularies of single characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textgrain.trainers._levels import train_level
from textgrain.trainers._names import listed_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textgrain.corpus import Corpus
    from textgrain.progress import Progress
    from textgrain.tokenizer import Tokenizer

__all__ = ["CharLevel"]


@dataclass(frozen=True, kw_only=True)
class CharLevel:
    """One token for each character, white space included; ids are in the order of code points.

    Parameters
    ----------
    vocab_size : int, optional
        Size of the whole vocabulary, unknown and special tokens included; the most frequent characters
        stay.
    min_frequency : int
        Characters that occur less often are left out.
    special_tokens : sequence of str
        Tokens for other uses than text; they get the last ids.
    unknown_token : str, optional
        Token for characters that are not in the vocabulary; with ``None`` they are an error.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.CharLevel().train(["a bad cab"])
    >>> tokenizer.encode("bad").ids.tolist()
    [2, 1, 4]
    """

    vocab_size: int | None = None
    min_frequency: int = 1
    special_tokens: tuple[str, ...] = ()
    unknown_token: str | None = "<unk>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", listed_names(self.special_tokens))

    def train(
        self,
        corpus: Corpus | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Tokenizer:
        """Collect the characters of a corpus.

        Parameters
        ----------
        corpus : Corpus, iterable of str, or mapping of words to counts
            Where the characters come from.
        threads : int, optional
            Threads that read; all of the machine by default. The result does not depend on it.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

        Raises
        ------
        ParameterError
            A setting is out of range.
        CorpusError
            There is nothing to train on.
        """
        return train_level(
            self,
            corpus,
            kind="char_level",
            split="none",
            order="alphabetical",
            threads=threads,
            progress=progress,
        )

"""Phrases, found before vectors are learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textgrain import _native
from textgrain.corpus import as_training_corpus, warn_of_replacements
from textgrain.phrases import PhraseTable, native_split
from textgrain.progress import Progress, resolve
from textgrain.trainers._runs import number_or_auto

if TYPE_CHECKING:
    from textgrain.corpus import Corpus

__all__ = ["Phrases"]


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """Finder of phrases: pairs of words that stand together more often than chance lets them.

    Mikolov et al. 2013 (arXiv:1310.4546, section 4). The result is given to a trainer of vectors as
    ``split``; given to another finder it makes phrases of three and four words.

    Parameters
    ----------
    min_count : int
        Pairs that occur less often are no phrases.
    threshold : float or "auto"
        Pairs must score above this. "auto" is 0.5 for "npmi", 5 for "pmi" and 100 for "word2vec".
    scoring : {"npmi", "pmi", "word2vec"}
        Pointwise mutual information, normalized to at most 1 or plain, in natural logarithms; or
        ``(count - min_count) * words / (first * second)``, as the original program has it.
    delimiter : str
        What stands between the words of a phrase.
    split : {"words", "whitespace"} or PhraseTable
        How documents are cut into words.
    lowercase : bool
        Lower-case words before they are counted. Trainers that the phrases are given to must do so too.

    Examples
    --------
    >>> import textgrain as tg
    >>> notes = ["new york times", "york is old", "a new day", "the times are new"] * 10
    >>> pairs = tg.Phrases(threshold=0.2).train(notes)
    >>> pairs.cut("the new york times")
    ['the', 'new_york', 'times']
    """

    min_count: int = 5
    threshold: float | Literal["auto"] = "auto"
    scoring: Literal["npmi", "pmi", "word2vec"] = "npmi"
    delimiter: str = "_"
    split: str | PhraseTable = "words"
    lowercase: bool = False

    def train(
        self,
        corpus: Corpus | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> PhraseTable:
        """Find the phrases of a corpus.

        Parameters
        ----------
        corpus : Corpus or iterable of str
            Documents; no phrase reaches from one into the next.
        threads : int, optional
            All that the machine offers where none is given; the result does not depend on it.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``; an exception that it
            raises stops the run.

        Raises
        ------
        ParameterError
            A setting is outside its range.
        CorpusError
            There are no words.
        """
        native, report, threshold = _native.train_phrases(
            as_training_corpus(corpus)._native,
            min_count=self.min_count,
            threshold=number_or_auto("threshold", self.threshold),
            scoring=self.scoring,
            delimiter=self.delimiter,
            split=native_split(self.split),
            lowercase=self.lowercase,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        settings = {
            "min_count": self.min_count,
            "threshold": threshold,
            "scoring": self.scoring,
            "delimiter": self.delimiter,
            "lowercase": self.lowercase,
        }
        return PhraseTable(native, split=self.split, settings=settings)

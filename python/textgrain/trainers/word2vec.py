"""Word vectors by skip-gram with negative sampling."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textgrain import _native
from textgrain.corpus import as_corpus, warn_of_replacements
from textgrain.exceptions import ParameterError, SmallCorpusNotice
from textgrain.progress import Progress, resolve
from textgrain.vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textgrain.corpus import Corpus

__all__ = ["Word2Vec"]


@dataclass(frozen=True, kw_only=True)
class Word2Vec:
    """Trainer of word vectors: each word learns to tell its neighbors from random words.

    Skip-gram with negative sampling (Mikolov et al. 2013, arXiv:1310.4546). The noise words are drawn
    once for each window and shared by the words in it (Ji et al. 2016, arXiv:1604.04661).

    Parameters
    ----------
    vector_size : int
        Numbers in a vector.
    window : int
        Most words on each side that are the context of a word.
    min_count : int
        Words that occur less often get no vector.
    max_vocab : int, optional
        At most this many words get a vector, the most frequent ones.
    negative : int
        Noise words for each window.
    ns_exponent : float
        Noise is drawn in proportion to ``count ** ns_exponent``.
    subsample : float or "auto"
        Words whose share of the corpus is above this are skipped at random, the more the more frequent
        they are; 0 keeps all. "auto" is 1e-3, and 0 on a corpus of less than a million words.
    shrink_window : bool or "auto"
        Whether the size of each window is drawn at random from 1 to ``window``, which favors near words.
        "auto" is ``True``, and ``False`` on a corpus of less than a million words.
    epochs : int
        Passes over the corpus.
    learning_rate : float
        Step size at the start; falls in a straight line with the words that were processed.
    min_learning_rate : float, optional
        Step size at the end; ``learning_rate / 10_000`` where none is given. Equal to ``learning_rate``
        it keeps the rate constant.
    negative_may_equal_target : bool
        A noise word may be the very word that is to be predicted. By default it is drawn anew, as
        word2vec avoids it too. If it may, a frequent word is also pushed away from its own contexts, and
        the loss is higher: by 0.09 on a corpus of 66 words, by next to nothing on a large one.
    seed : int
        Starts the random numbers. With ``threads=1`` one seed gives the same bytes each time.
    split : {"words", "whitespace"}
        How documents are cut into words: runs of letters, digits and underscores, or at white space.
    lowercase : bool
        Lower-case words before they are counted.

    Examples
    --------
    >>> import textgrain as tg
    >>> notes = ["fever and cough", "cough and headache", "headache and fever"] * 50
    >>> vectors = tg.Word2Vec(vector_size=8, subsample=0, shrink_window=False).train(notes, threads=1)
    >>> len(vectors), vectors.vector_size
    (4, 8)
    """

    vector_size: int = 100
    window: int = 5
    min_count: int = 5
    max_vocab: int | None = None
    negative: int = 5
    ns_exponent: float = 0.75
    subsample: float | Literal["auto"] = "auto"
    shrink_window: bool | Literal["auto"] = "auto"
    epochs: int = 5
    learning_rate: float = 0.025
    min_learning_rate: float | None = None
    negative_may_equal_target: bool = False
    seed: int = 1
    split: str = "words"
    lowercase: bool = False

    def train(
        self,
        corpus: Corpus | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> WordVectors:
        """Train vectors for the words of a corpus.

        Parameters
        ----------
        corpus : Corpus or iterable of str
            Documents; context never reaches from one into the next.
        threads : int, optional
            All that the machine offers where none is given. More than one share the weights without
            locks, so that two runs differ a little; one gives the same bytes each time.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``; an exception that it
            raises stops the run.

        Raises
        ------
        ParameterError
            A setting is outside its range.
        CorpusError
            Fewer than two words occur ``min_count`` times, or no word has another beside it.
        DivergenceError
            The learning rate is too high.

        Warns
        -----
        SmallCorpusNotice
            Settings left at "auto" were chosen for a small corpus.
        InvalidTextWarning
            Bytes that are not UTF-8 were replaced.
        """
        native, report, small_corpus, words = _native.train_word2vec(
            as_corpus(corpus)._native,
            vector_size=self.vector_size,
            window=self.window,
            min_count=self.min_count,
            max_vocab=self.max_vocab,
            negative=self.negative,
            ns_exponent=self.ns_exponent,
            subsample=None if self.subsample == "auto" else _number("subsample", self.subsample),
            shrink_window=None
            if self.shrink_window == "auto"
            else _flag("shrink_window", self.shrink_window),
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            min_learning_rate=self.min_learning_rate,
            negative_may_equal_target=self.negative_may_equal_target,
            seed=self.seed,
            split=self.split,
            lowercase=self.lowercase,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        if small_corpus:
            self._notify_small_corpus(words)
        return WordVectors(native)

    def _notify_small_corpus(self, words: int) -> None:
        chosen = {"subsample": (self.subsample, "0"), "shrink_window": (self.shrink_window, "False")}
        done = [f"{name}={value}" for name, (given, value) in chosen.items() if given == "auto"]
        message = (
            f"small corpus of {words:,} words: trained with {' and '.join(done)}, so that every word and "
            f"every context counts. Pass {'it' if len(done) == 1 else 'them'} yourself to choose and to "
            "silence this notice"
        )
        warnings.warn(message, SmallCorpusNotice, stacklevel=3)


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ParameterError(f'`{name}` must be "auto" or a number, got {value!r}', name)
    return float(value)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f'`{name}` must be "auto", True or False, got {value!r}', name)
    return value

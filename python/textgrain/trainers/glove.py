"""Word vectors by GloVe."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from textgrain import _native
from textgrain.corpus import warn_of_replacements
from textgrain.phrases import PhraseTable
from textgrain.progress import Progress, resolve
from textgrain.tokenizer import Tokenizer
from textgrain.trainers._runs import OnEpoch, adapted, native_cut, opened, source_of
from textgrain.vectors import WordVectors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from textgrain.corpus import Corpus
    from textgrain.idfile import IdFile

__all__ = ["Cooccurrence", "GloVe"]


class Cooccurrence(NamedTuple):
    """How often words stand near each other: the table that :class:`GloVe` learns from.

    ``focus``, ``context`` and ``weight`` have one entry for each cell that is not empty, in the order of
    rows. Numbers in ``focus`` and ``context`` are places in ``words``.
    """

    words: list[str]
    focus: npt.NDArray[np.uint32]
    context: npt.NDArray[np.uint32]
    weight: npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class GloVe:
    """Trainer of word vectors: counts how often words stand near each other, then fits vectors to the counts.

    Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", 2014. Each time a word
    stands near another, their cell grows by 1/distance. The two vectors of a cell x and their two biases are
    fitted to ln x; the error of a cell counts ``min(1, (x / x_max) ** alpha)``. Each word has a vector as the
    focus and another as context; its final vector is the sum of both.

    Parameters
    ----------
    vector_size : int
        Numbers in a vector.
    window : int
        Most words on a side that are the context of a word.
    min_count : int
        Words that occur less often get no vector.
    max_vocab : int, optional
        At most this many words get a vector, the most frequent ones.
    x_max : float
        Cells of at least this size count fully, smaller ones less.
    alpha : float
        How fast the weight of a cell falls below ``x_max``; 0 weights all cells alike.
    epochs : int
        Passes over the cells.
    learning_rate : float
        Step size.
    symmetric : bool
        Words on both sides are context; otherwise only those on the left.
    optimizer : {"adagrad", "sgd"}
        "adagrad" lets the steps of each number shrink with its squared gradients, as the original program
        does; "sgd" takes plain steps.
    distance_weighting : bool
        A context at distance d adds 1/d to its cell; otherwise 1.
    held_out : float
        Share of the pairs of words, drawn by ``seed``, whose cells are not learned from. The run ends when
        their loss has not fallen for ``patience`` epochs.
    patience : int
        How many epochs that is.
    seed : int
        Starts the random numbers. One seed gives the same bytes each time, for any number of threads.
    split : {"words", "whitespace"}, PhraseTable or Tokenizer
        How documents are cut into words: runs of letters, digits and underscores, or at white space. A
        table of phrases joins words that belong together. With a tokenizer its tokens get the vectors,
        under the names that ``id_to_token`` gives them.
    lowercase : bool
        Lower-case words before they are counted.

    Notes
    -----
    ``history`` of the vectors holds the mean over all cells of their weighted squared error, each taken just
    before the cell is learned from. That is twice the "cost" that the original program prints. The same mean
    over the cells that are held out, taken after each epoch, is in ``settings["held_out_loss_per_epoch"]``.

    Examples
    --------
    >>> import textgrain as tg
    >>> notes = ["fever and cough", "cough and headache", "headache and fever"] * 50
    >>> vectors = tg.GloVe(vector_size=8, window=2).train(notes)
    >>> len(vectors), vectors.vector_size
    (4, 8)
    """

    vector_size: int = 50
    window: int = 15
    min_count: int = 5
    max_vocab: int | None = None
    x_max: float = 100.0
    alpha: float = 0.75
    epochs: int = 25
    learning_rate: float = 0.05
    symmetric: bool = True
    optimizer: Literal["adagrad", "sgd"] = "adagrad"
    distance_weighting: bool = True
    held_out: float = 0.0
    patience: int = 1
    seed: int = 1
    split: str | PhraseTable | Tokenizer = "words"
    lowercase: bool = False

    def train(
        self,
        corpus: Corpus | IdFile | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
        init_from: WordVectors | str | os.PathLike[str] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_minutes: float = 10.0,
        on_epoch: OnEpoch | None = None,
    ) -> WordVectors:
        """Train vectors for the words of a corpus.

        Parameters
        ----------
        corpus : Corpus, IdFile or iterable of str
            Documents; context never reaches from one into the next. A file of ids is read in place, with
            ``split`` the tokenizer that made it, and gives the bytes that its text would give.
        threads : int, optional
            All that the machine offers where none is given. The result is the same for any number.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``; an exception that it
            raises stops the run.
        init_from : WordVectors or path-like, optional
            Vectors to go on from, or a file of any format that :meth:`WordVectors.load` reads. All its
            words are kept and those of the corpus added; counts are added too. ``settings["init_from"]``
            of the result says how many words of it occur in the corpus (matched), do not (kept), and how
            many are new. A word starts with half of its vector as the focus and half as context, and with
            biases of 0, which are not in such a file and are learned anew, as are the step sizes of
            "adagrad". The counts are those of this corpus alone.
        checkpoint : path-like, optional
            Where to write the state of the run from time to time, at Ctrl-C and at the end. A run that
            finds the file counts again, goes on from it, and ends with the same bytes as one that was
            never stopped, for any number of threads. Settings and corpus must be the same, but for the
            rate: a run that diverged goes on from its last good state with a lower one.
        checkpoint_minutes : float
            How often it is written.
        on_epoch : callable, optional
            Called with an :class:`Epoch` after each; ``False`` ends the run.

        Raises
        ------
        ParameterError
            A setting is outside its range, or the checkpoint is that of another run.
        CorpusError
            Fewer than two words occur ``min_count`` times, or no word has another beside it.
        DivergenceError
            The learning rate is too high; its ``vectors`` are those of the last good epoch.

        Warns
        -----
        InvalidTextWarning
            Bytes that are not UTF-8 were replaced.

        Examples
        --------
        Stop when the loss is low enough:

        >>> import textgrain as tg
        >>> notes = ["fever and cough", "cough and headache", "headache and fever"] * 50
        >>> trainer = tg.GloVe(vector_size=8, window=2, epochs=500)
        >>> vectors = trainer.train(notes, on_epoch=lambda epoch: epoch.loss > 0.001)
        >>> len(vectors.history) < 500
        True

        Go on with other text:

        >>> more = trainer.train(["fever or chills"] * 50, init_from=vectors)
        >>> more.settings["init_from"]
        {'matched': 1, 'new': 2, 'kept': 3}

        Vectors of subwords, from a file of their ids, which need not fit into memory:

        >>> tokenizer = tg.BPE(merges=4).train(notes)
        >>> ids = tokenizer.encode_files(notes, "notes.ids")
        >>> subwords = tg.GloVe(split=tokenizer, vector_size=8, window=2)
        >>> subwords.train(ids) == subwords.train(notes)
        True
        """
        native, report = _native.train_glove(
            source_of(corpus, self.split),
            vector_size=self.vector_size,
            window=self.window,
            min_count=self.min_count,
            max_vocab=self.max_vocab,
            x_max=self.x_max,
            alpha=self.alpha,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            symmetric=self.symmetric,
            optimizer=self.optimizer,
            distance_weighting=self.distance_weighting,
            held_out=self.held_out,
            patience=self.patience,
            seed=self.seed,
            split=native_cut(self.split),
            lowercase=self.lowercase,
            init_from=opened(init_from),
            checkpoint=None if checkpoint is None else os.fspath(checkpoint),
            checkpoint_seconds=60 * checkpoint_minutes,
            on_epoch=None if on_epoch is None else adapted(on_epoch),
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return WordVectors(native)

    def cooccurrence(
        self,
        corpus: Corpus | IdFile | Iterable[str] | Mapping[str, int],
        *,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Cooccurrence:
        """Count the table that :meth:`train` learns from, and return it.

        Takes ``window``, ``min_count``, ``max_vocab``, ``symmetric``, ``distance_weighting``, ``split`` and
        ``lowercase`` into account. The table must fit into memory, at about 40 bytes for each cell.

        Parameters
        ----------
        corpus : Corpus, IdFile or iterable of str
            As in :meth:`train`.
        threads : int, optional
            All that the machine offers where none is given. The result is the same for any number.
        progress : bool or callable, optional
            As in :meth:`train`.

        Raises
        ------
        ParameterError
            A setting is outside its range.
        CorpusError
            Fewer than two words occur ``min_count`` times.

        Examples
        --------
        >>> table = tg.GloVe(window=2, min_count=1).cooccurrence(["fever and cough"])
        >>> for focus, context, weight in zip(table.focus, table.context, table.weight):
        ...     print(table.words[focus], table.words[context], weight)
        fever and 1.0
        fever cough 0.5
        and fever 1.0
        and cough 1.0
        cough fever 0.5
        cough and 1.0
        """
        words, focus, context, weight, report = _native.count_cooccurrence(
            source_of(corpus, self.split),
            window=self.window,
            min_count=self.min_count,
            max_vocab=self.max_vocab,
            symmetric=self.symmetric,
            distance_weighting=self.distance_weighting,
            split=native_cut(self.split),
            lowercase=self.lowercase,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return Cooccurrence(words, focus, context, weight)

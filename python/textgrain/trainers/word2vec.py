"""Word vectors by skip-gram and by continuous bag of words."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textgrain import _native
from textgrain.corpus import warn_of_replacements
from textgrain.phrases import PhraseTable
from textgrain.progress import Progress, resolve
from textgrain.tokenizer import Tokenizer
from textgrain.trainers._runs import (
    OnEpoch,
    adapted,
    flag_or_auto,
    native_cut,
    notify_small_corpus,
    number_or_auto,
    opened,
    source_of,
)
from textgrain.vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textgrain.corpus import Corpus
    from textgrain.idfile import IdFile

__all__ = ["Word2Vec"]


@dataclass(frozen=True, kw_only=True)
class Word2Vec:
    """Trainer of word vectors: each word learns to tell its neighbors from other words.

    Word2vec (Mikolov et al. 2013, arXiv:1301.3781 and arXiv:1310.4546). By default the noise words are
    drawn once for each window and shared by the words in it (Ji et al. 2016, arXiv:1604.04661).

    Parameters
    ----------
    architecture : {"skipgram", "cbow"}
        Each word of a window predicts the word in its middle, or the mean of all does, which is several
        times as fast and does less well on rare words.
    loss : {"negative-sampling", "hierarchical-softmax"}
        A predicted word is told apart from noise words, or from all other words by turns in a tree.
    vector_size : int
        Numbers in a vector.
    window : int
        Most words on each side that are the context of a word.
    min_count : int
        Words that occur less often get no vector.
    max_vocab : int, optional
        At most this many words get a vector, the most frequent ones.
    negative : int
        Noise words that a predicted word is told apart from, with negative sampling. Hierarchical softmax
        draws none, and takes 0 as well.
    shared_negatives : bool
        The words of a window share their noise words. If false, each draws its own, as the original does:
        a third as fast. With "cbow" they predict as one in any case.
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
    learning_rate : float or "auto"
        Step size at the start; falls in a straight line with the words that were processed. "auto" is
        0.025, and 0.05 with "cbow", as in the original.
    min_learning_rate : float, optional
        Step size at the end; ``learning_rate / 10_000`` where none is given. Equal to ``learning_rate``
        it keeps the rate constant.
    negative_may_equal_target : bool
        A noise word may be the very word that is to be predicted. By default it is drawn anew, as
        word2vec avoids it too. If it may, a frequent word is also pushed away from its own contexts, and
        the loss is higher: by 0.09 on a corpus of 66 words, by next to nothing on a large one.
    held_out : float
        Share of the corpus, at its end, that is not learned from. The run ends when the loss of that share
        has not fallen for ``patience`` epochs.
    patience : int
        How many epochs that is.
    deterministic : bool
        Any number of threads gives the same bytes. Threads, at most four, then learn on copies of rows, and
        the changes are added in a fixed order, which takes more than twice the time and learns a little
        less in the first epochs.
    seed : int
        Starts the random numbers. With ``threads=1`` one seed gives the same bytes each time on processors
        of one level (:func:`textgrain.processor_level`).
    split : {"words", "whitespace"}, PhraseTable or Tokenizer
        How documents are cut into words: runs of letters, digits and underscores, or at white space. A
        table of phrases joins words that belong together. With a tokenizer its tokens get the vectors,
        under the names that ``id_to_token`` gives them.
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

    architecture: Literal["skipgram", "cbow"] = "skipgram"
    loss: Literal["negative-sampling", "hierarchical-softmax"] = "negative-sampling"
    vector_size: int = 100
    window: int = 5
    min_count: int = 5
    max_vocab: int | None = None
    negative: int = 5
    shared_negatives: bool = True
    ns_exponent: float = 0.75
    subsample: float | Literal["auto"] = "auto"
    shrink_window: bool | Literal["auto"] = "auto"
    epochs: int = 5
    learning_rate: float | Literal["auto"] = "auto"
    min_learning_rate: float | None = None
    negative_may_equal_target: bool = False
    held_out: float = 0.0
    patience: int = 1
    deterministic: bool = False
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
            All that the machine offers where none is given. More than one share the weights without
            locks, so that two runs differ a little; one gives the same bytes each time, and so do many
            with ``deterministic``. The second of two rests while the system has them on processors so far
            apart (two sockets, mostly) that it would take more than it gives.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``; an exception that it
            raises stops the run.
        init_from : WordVectors or path-like, optional
            Vectors to go on from, or a file of any format that :meth:`WordVectors.load` reads. All its
            words are kept and those of the corpus added; counts are added too. ``settings["init_from"]``
            of the result says how many words of it occur in the corpus (matched), do not (kept), and how
            many are new. What was learned of contexts is not in such a file and is learned anew.
        checkpoint : path-like, optional
            Where to write the state of the run from time to time, at Ctrl-C and at the end. A run that
            finds the file goes on from it, and with one thread, or ``deterministic``, ends with the same
            bytes as one that was never stopped. Settings and corpus must be the same, but for the
            rates: a run that diverged goes on from its last good state with a lower one.
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
        SmallCorpusNotice
            Settings left at "auto" were chosen for a small corpus.
        InvalidTextWarning
            Bytes that are not UTF-8 were replaced.

        Examples
        --------
        Vectors of subwords:

        >>> import textgrain as tg
        >>> notes = ["fever and cough", "cough and headache", "headache and fever"] * 50
        >>> tokenizer = tg.BPE(merges=4).train(notes)
        >>> trainer = tg.Word2Vec(split=tokenizer, vector_size=8, subsample=0, shrink_window=False)
        >>> subwords = trainer.train(notes, threads=1)
        >>> tokenizer.id_to_token(tokenizer.encode("fever").ids[0]) in subwords
        True

        The same from a file of ids, which need not fit into memory:

        >>> ids = tokenizer.encode_files(notes, "notes.ids")
        >>> from_ids = trainer.train(ids, threads=1)
        >>> bool((from_ids.matrix == subwords.matrix).all())
        True

        Stop when words that should be near are near:

        >>> def near(epoch):
        ...     return epoch.vectors.similarity("fever", "cough") < 0.5
        >>> trainer = tg.Word2Vec(vector_size=8, subsample=0, shrink_window=False, epochs=500)
        >>> vectors = trainer.train(notes, threads=1, on_epoch=near)
        >>> len(vectors.history) < 500
        True

        Go on with other text:

        >>> more = trainer.train(["fever or chills"] * 50, threads=1, init_from=vectors)
        >>> more.settings["init_from"]
        {'matched': 1, 'new': 2, 'kept': 3}
        """
        native, report, small_corpus, words = _native.train_word2vec(
            source_of(corpus, self.split),
            architecture=self.architecture,
            loss=self.loss,
            vector_size=self.vector_size,
            window=self.window,
            min_count=self.min_count,
            max_vocab=self.max_vocab,
            negative=self.negative,
            shared_negatives=self.shared_negatives,
            ns_exponent=self.ns_exponent,
            subsample=number_or_auto("subsample", self.subsample),
            shrink_window=flag_or_auto("shrink_window", self.shrink_window),
            epochs=self.epochs,
            learning_rate=number_or_auto("learning_rate", self.learning_rate),
            min_learning_rate=self.min_learning_rate,
            negative_may_equal_target=self.negative_may_equal_target,
            held_out=self.held_out,
            patience=self.patience,
            deterministic=self.deterministic,
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
        if small_corpus:
            notify_small_corpus(self, words)
        return WordVectors(native)

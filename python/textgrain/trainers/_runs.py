"""What the trainers on the loop over a corpus have in common."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from textgrain import _native
from textgrain.corpus import as_training_corpus
from textgrain.exceptions import ParameterError, SmallCorpusNotice
from textgrain.idfile import IdFile
from textgrain.phrases import PhraseTable, native_split
from textgrain.tokenizer import Tokenizer
from textgrain.vectors import WordVectors

if TYPE_CHECKING:
    from textgrain.corpus import Corpus
    from textgrain.trainers.fasttext import FastText
    from textgrain.trainers.word2vec import Word2Vec

__all__ = [
    "Epoch",
    "OnEpoch",
    "adapted",
    "flag_or_auto",
    "native_cut",
    "notify_small_corpus",
    "number_or_auto",
    "opened",
    "source_of",
]


@dataclass(frozen=True, kw_only=True)
class Epoch:
    """The state of a run after one pass over the corpus.

    Attributes
    ----------
    number : int
        Which pass, from 1.
    loss : float
        The mean loss of its predictions, as ``history`` keeps it.
    held_out_loss : float or None
        The mean loss of the part of the corpus that is held out, if one is.
    learning_rate : float
        The step size with which the next pass starts.
    vectors : WordVectors
        The vectors as they are now.
    """

    number: int
    loss: float
    held_out_loss: float | None
    learning_rate: float
    vectors: WordVectors


OnEpoch: TypeAlias = Callable[[Epoch], "bool | None"]
"""Called after each epoch; ``False`` ends the run."""


def notify_small_corpus(trainer: Word2Vec | FastText, words: int) -> None:
    """Say which settings were chosen for a small corpus."""
    chosen = {"subsample": (trainer.subsample, "0"), "shrink_window": (trainer.shrink_window, "False")}
    done = [f"{name}={value}" for name, (given, value) in chosen.items() if given == "auto"]
    message = (
        f"small corpus of {words:,} words: trained with {' and '.join(done)}, so that every word and "
        f"every context counts. Pass {'it' if len(done) == 1 else 'them'} yourself to choose and to "
        "silence this notice"
    )
    warnings.warn(message, SmallCorpusNotice, stacklevel=3)


def adapted(on_epoch: OnEpoch) -> Callable[[int, float, float | None, float, _native.WordVectors], bool]:
    """Return the callable as the engine calls it."""

    def ask(
        number: int, loss: float, held_out: float | None, rate: float, native: _native.WordVectors
    ) -> bool:
        epoch = Epoch(
            number=number,
            loss=loss,
            held_out_loss=held_out,
            learning_rate=rate,
            vectors=WordVectors(native),
        )
        return on_epoch(epoch) is not False

    return ask


def opened(init_from: WordVectors | str | os.PathLike[str] | None) -> _native.WordVectors | None:
    """Return the vectors to start from, read if they are in a file."""
    if init_from is None:
        return None
    vectors = init_from if isinstance(init_from, WordVectors) else WordVectors.load(init_from)
    return vectors._native


def native_cut(split: str | PhraseTable | Tokenizer) -> str | _native.Phrases | _native.Tokenizer:
    """Return how documents are cut, as the engine takes it."""
    return split._native if isinstance(split, Tokenizer) else native_split(split)


def source_of(
    corpus: Corpus | IdFile | Iterable[str] | Mapping[str, int], split: str | PhraseTable | Tokenizer
) -> _native.Source | _native.IdFile:
    """Return what to read: text, or ids where they lie."""
    if not isinstance(corpus, IdFile):
        return as_training_corpus(corpus)._native
    if not isinstance(split, Tokenizer):
        raise ParameterError(
            f"`split` must be the tokenizer that made the file of ids, {corpus.path.name}, got {split!r}",
            "split",
        )
    return corpus._native


def number_or_auto(name: str, value: object) -> float | None:
    """Check a setting that is a number, or "auto", which is None."""
    if value == "auto":
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ParameterError(f'`{name}` must be "auto" or a number, got {value!r}', name)
    return float(value)


def flag_or_auto(name: str, value: object) -> bool | None:
    """Check a setting that is yes or no, or "auto", which is None."""
    if value == "auto":
        return None
    if not isinstance(value, bool):
        raise ParameterError(f'`{name}` must be "auto", True or False, got {value!r}', name)
    return value

"""Checks that hold for every trainer."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import TYPE_CHECKING, Any, Protocol

from textgrain.exceptions import CorpusError, ParameterError
from textgrain.testing.artifacts import check_copies, check_immutable, expect, file_bytes
from textgrain.tokenizer import Tokenizer

if TYPE_CHECKING:
    from textgrain.progress import Progress

__all__ = ["Trainer", "check_trainer"]


class Trainer(Protocol):
    """Settings, and one method that makes an artifact from a corpus."""

    def train(self, corpus: Any, *, threads: int | None = None, progress: Progress | None = None) -> Any:  # noqa: ANN401
        """Train on a corpus."""


def check_trainer(trainer: Trainer, corpus: Any) -> None:  # noqa: ANN401
    """Check that a trainer keeps the contract, by training it about a dozen times.

    Parameters
    ----------
    trainer : trainer
        With settings that suit the corpus.
    corpus : Corpus, list of str or mapping of counts
        Small, and readable more than once.
    """
    _check_settings_are_kept(trainer, corpus)
    _check_same_settings_same_bytes(trainer, corpus)
    _check_trainer_copies(trainer, corpus)
    _check_nothing_to_train_on(trainer)
    _check_one_word(trainer)
    _check_progress(trainer, corpus)
    artifact = trainer.train(corpus, threads=1)
    check_immutable(artifact)
    check_copies(artifact)


def _check_settings_are_kept(trainer: Trainer, corpus: Any) -> None:  # noqa: ANN401
    before = _settings(trainer)
    trainer.train(corpus, threads=1)
    assert _settings(trainer) == before, f"training changed the settings {before}"
    for name in before:
        expect((AttributeError, TypeError), setattr, trainer, name, before[name])


def _check_same_settings_same_bytes(trainer: Trainer, corpus: Any) -> None:  # noqa: ANN401
    first = trainer.train(corpus, threads=1)
    expected = file_bytes(first)
    assert file_bytes(trainer.train(corpus, threads=1)) == expected, "a second run gave another file"
    for threads in (2, 3, 7, None):
        again = trainer.train(corpus, threads=threads)
        if isinstance(first, Tokenizer):
            assert file_bytes(again) == expected, f"threads={threads} gave another file than threads=1"
    for wrong in (-1, 1.5, "two"):
        expect((ValueError, TypeError, OverflowError), trainer.train, corpus, threads=wrong)


def _check_trainer_copies(trainer: Trainer, corpus: Any) -> None:  # noqa: ANN401
    expected = file_bytes(trainer.train(corpus, threads=1))
    for twin in (pickle.loads(pickle.dumps(trainer)), copy.copy(trainer), copy.deepcopy(trainer)):
        assert twin == trainer, f"a copy of {trainer} must equal it, got {twin}"
        assert file_bytes(twin.train(corpus, threads=1)) == expected, "a copy gave another file"


def _check_nothing_to_train_on(trainer: Trainer) -> None:
    for nothing in ([], [""], dict[str, int]()):
        expect(CorpusError, trainer.train, nothing)


def _check_one_word(trainer: Trainer) -> None:
    """One distinct word is enough for a tokenizer and too little for vectors."""
    try:
        artifact = trainer.train(["word"] * 50)
    except (CorpusError, ParameterError):
        return
    assert isinstance(artifact, Tokenizer), "one word is too little for vectors"
    assert artifact.decode(artifact.encode("word").ids) == "word", "the one word does not come back"


def _check_progress(trainer: Trainer, corpus: Any) -> None:  # noqa: ANN401
    calls: list[tuple[Any, ...]] = []
    trainer.train(corpus, progress=lambda *call: calls.append(call))
    assert calls, "the progress callable was never called"
    for stage, done, total, unit, figures in calls:
        assert isinstance(stage, str), f"a stage must be a str, got {stage!r}"
        assert isinstance(unit, str), f"a unit must be a str, got {unit!r}"
        assert total is None or 0 <= done <= total, f"{stage}: {done} of {total} {unit} done"
        assert all(isinstance(name, str) for name, _ in figures), f"figures must be named, got {figures!r}"

    class Stop(Exception):  # noqa: N818
        pass

    def stop(*_: object) -> None:
        raise Stop

    expect(Stop, trainer.train, corpus, progress=stop)
    expect(TypeError, trainer.train, corpus, progress="yes")


def _settings(trainer: Trainer) -> dict[str, Any]:
    assert dataclasses.is_dataclass(trainer), f"a trainer must be a dataclass, got {type(trainer).__name__}"
    return {field.name: copy.deepcopy(getattr(trainer, field.name)) for field in dataclasses.fields(trainer)}

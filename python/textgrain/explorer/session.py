"""What an explorer shows: the models that it was given, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textgrain.corpus import Corpus
from textgrain.exceptions import ParameterError
from textgrain.tokenizer import Tokenizer
from textgrain.vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textgrain.explorer.views.layout import Layout
    from textgrain.explorer.views.learn import Lesson
    from textgrain.explorer.views.training import Run

__all__ = ["Question", "Session"]

_Shown = TypeVar("_Shown")


class Question(ValueError):  # noqa: N818 - not a defect of the program: what was asked cannot be answered
    """A question that cannot be answered, with the reason for the person who asked."""


@dataclass(frozen=True)
class Session:
    """The models and texts of one explorer.

    Attributes
    ----------
    tokenizers, vectors, corpora : dict
        What is shown, by the name that the page uses.
    folders : tuple of Path
        Folders below which the page may read a corpus and save what it trained.
    """

    tokenizers: dict[str, Tokenizer] = field(default_factory=dict)
    vectors: dict[str, WordVectors] = field(default_factory=dict)
    corpora: dict[str, Corpus] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    #: Trainings of tokenizers that the page looks at step by step, by number.
    lessons: dict[int, Lesson] = field(default_factory=dict)
    #: Trainings of vectors that the page started, by number.
    runs: dict[int, Run] = field(default_factory=dict)
    #: Maps that are made in the background, by number.
    layouts: dict[int, Layout] = field(default_factory=dict)

    @classmethod
    def of(cls, artifacts: Iterable[object], folders: Iterable[str | Path] = ()) -> Session:
        """Sort tokenizers, vectors and corpora, and give each a name."""
        session = cls(folders=tuple(Path(folder).resolve() for folder in folders))
        for artifact in artifacts:
            if isinstance(artifact, Mapping):
                for name, named in artifact.items():
                    session.add(named, str(name))
            else:
                session.add(artifact)
        return session

    def add(self, artifact: object, name: str | None = None) -> str:
        """Show one more; returns its name."""
        if isinstance(artifact, Tokenizer):
            return _put(self.tokenizers, artifact, name or "tokenizer")
        if isinstance(artifact, WordVectors):
            return _put(self.vectors, artifact, name or "vectors")
        if isinstance(artifact, Corpus):
            return _put(self.corpora, artifact, name or "corpus")
        raise ParameterError(
            f"the explorer shows tokenizers, word vectors and corpora, got {type(artifact).__name__}",
            "artifacts",
        )

    def close(self) -> None:
        """End what runs in the background."""
        for layout in self.layouts.values():
            layout.process.kill()
        for run in self.runs.values():
            run.wish_to_stop.set()

    def tokenizer(self, name: str) -> Tokenizer:
        """The tokenizer of this name."""
        return _get(self.tokenizers, name, "tokenizer")

    def vectors_of(self, name: str) -> WordVectors:
        """The vectors of this name."""
        return _get(self.vectors, name, "word vectors")

    def corpus(self, name: str) -> Corpus:
        """The corpus of this name."""
        return _get(self.corpora, name, "corpus")

    def path(self, text: str) -> Path:
        """A path that the page named, if it lies below one of the folders that were opened to it."""
        for folder in self.folders:
            path = (folder / text).resolve()
            if path.is_relative_to(folder):
                return path
        opened = ", ".join(map(str, self.folders)) or "none was opened"
        raise Question(f"{text!r} is not below a folder that is open to the explorer ({opened})")


def _put(shelf: dict[str, _Shown], artifact: _Shown, name: str) -> str:
    unique, number = name, 2
    while unique in shelf:
        unique, number = f"{name} {number}", number + 1
    shelf[unique] = artifact
    return unique


def _get(shelf: dict[str, _Shown], name: str, what: str) -> _Shown:
    if name not in shelf:
        known = ", ".join(map(repr, shelf)) or "none"
        raise Question(f"there is no {what} named {name!r}; there is {known}")
    return shelf[name]

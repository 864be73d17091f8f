"""A small training of word vectors, started, watched, stopped and saved from the page."""

from __future__ import annotations

import threading
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.corpus import Corpus
from textgrain.exceptions import SmallCorpusNotice, TextgrainError
from textgrain.explorer.session import Question
from textgrain.trainers import Word2Vec

if TYPE_CHECKING:
    from textgrain.explorer.session import Session
    from textgrain.trainers import Epoch
    from textgrain.vectors import WordVectors

__all__ = ["Run", "plane", "save", "start", "state", "stop"]

#: Settings that the page may choose, with the largest value of each.
LARGEST = {
    "vector_size": 300,
    "window": 20,
    "min_count": 10_000,
    "epochs": 100,
    "negative": 20,
    "max_vocab": 200_000,
}
CHOICES = ("architecture", "loss", "learning_rate", "lowercase", "seed")
MOST_PINNED = 12
MOST_DRAWN = 400


class _Stopped(Exception):  # noqa: N818 - a wish of the user, not a failure
    pass


@dataclass
class Run:
    """One training in a thread of its own."""

    trainer: Word2Vec
    corpus: Corpus
    status: str = "running"
    reason: str = ""
    epochs: list[dict[str, Any]] = field(default_factory=list)
    progress: dict[str, Any] = field(default_factory=dict)
    vectors: WordVectors | None = None
    wish_to_stop: threading.Event = field(default_factory=threading.Event)
    started: float = field(default_factory=time.monotonic)

    def work(self, done: Any) -> None:  # noqa: ANN401 - called with the run when it is over
        """Train until it is done, stopped or failed."""
        try:
            with warnings.catch_warnings():
                # The page says itself what the trainer makes of a small corpus.
                warnings.simplefilter("ignore", SmallCorpusNotice)
                self.vectors = self.trainer.train(self.corpus, progress=self._note, on_epoch=self._epoch)
            self.status = "done"
        except _Stopped:
            self.status = "stopped"
        except (TextgrainError, OSError) as error:
            self.status, self.reason = "failed", str(error)
        done(self)

    def _note(self, stage: str, done: int, total: int | None, unit: str, figures: Any) -> None:  # noqa: ANN401
        self.progress = {
            "stage": stage,
            "done": done,
            "total": total,
            "unit": unit,
            "figures": dict(figures),
            "seconds": time.monotonic() - self.started,
        }
        if self.wish_to_stop.is_set():
            raise _Stopped

    def _epoch(self, epoch: Epoch) -> bool:
        self.vectors = epoch.vectors
        self.epochs.append({"number": epoch.number, "loss": epoch.loss, "learning_rate": epoch.learning_rate})
        return not self.wish_to_stop.is_set()


def start(
    session: Session,
    settings: dict[str, Any],
    corpus: str | None = None,
    path: str | None = None,
) -> dict[str, Any]:
    """Start a training on a corpus of the session, or on a file below a folder that is open to the page."""
    if (corpus is None) == (path is None):
        raise Question("a training needs either a corpus by name or the path of a file")
    if any(run.status == "running" for run in session.runs.values()):
        raise Question("a training is running; stop it first")
    trainer = Word2Vec(**_checked(settings))
    text = session.corpus(corpus) if corpus is not None else Corpus.from_files(session.path(path or ""))
    run = Run(trainer, text)
    number = max(session.runs, default=0) + 1
    session.runs[number] = run

    def done(finished: Run) -> None:
        if finished.vectors is not None:
            session.add(finished.vectors, f"training {number}")

    threading.Thread(target=run.work, args=(done,), name="textgrain training", daemon=True).start()
    return {"run": number}


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    for name, value in settings.items():
        if name in LARGEST:
            if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST[name]:
                raise Question(f"{name!r} must be a whole number from 1 to {LARGEST[name]}, got {value!r}")
        elif name not in CHOICES:
            raise Question(f"{name!r} cannot be set from the page")
    return settings


def _run(session: Session, run: int) -> Run:
    if run not in session.runs:
        raise Question(f"there is no training {run}")
    return session.runs[run]


def state(session: Session, run: int, pinned: list[str]) -> dict[str, Any]:
    """How far a training is: its epochs, its speed, and the neighbors of some words as they are now."""
    watched = _run(session, run)
    vectors = watched.vectors
    return {
        "status": watched.status,
        "reason": watched.reason,
        "epochs": list(watched.epochs),
        "planned": watched.trainer.epochs,
        "progress": watched.progress,
        "words": 0 if vectors is None else len(vectors),
        "neighbors": {
            word: [{"word": other, "score": float(score)} for other, score in vectors.most_similar(word, n=6)]
            for word in pinned[:MOST_PINNED]
            if vectors is not None and word in vectors
        },
    }


def plane(session: Session, run: int, count: int = 150) -> dict[str, Any]:
    """The most frequent words of a training on their two main directions, as they are now."""
    vectors = _run(session, run).vectors
    if vectors is None or len(vectors) < 3 or vectors.vector_size < 2:
        return {"words": [], "places": []}
    projection = vectors.project(vectors.words[: min(max(count, 3), MOST_DRAWN)])
    places = projection.coordinates
    largest = float(np.abs(places).max()) or 1.0
    return {"words": projection.words, "places": (places / largest).round(4).tolist()}


def stop(session: Session, run: int) -> dict[str, Any]:
    """Stop a training; the vectors of its last whole epoch are kept."""
    watched = _run(session, run)
    watched.wish_to_stop.set()
    return {"status": watched.status}


def save(session: Session, run: int, path: str) -> dict[str, Any]:
    """Save the vectors of a training below a folder that is open to the page."""
    watched = _run(session, run)
    if watched.vectors is None:
        raise Question("there are no vectors yet; wait for the first epoch")
    target = session.path(path)
    watched.vectors.save(target)
    return {"path": str(target)}

"""The training of byte-pair encoding, merge by merge."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain import _native
from textgrain.exceptions import TextgrainError
from textgrain.explorer.lessons import EXAMPLES
from textgrain.explorer.replay import Replay
from textgrain.explorer.session import Question
from textgrain.explorer.views.numbers import kinds
from textgrain.trainers import BPE

if TYPE_CHECKING:
    from textgrain.corpus import Corpus
    from textgrain.explorer.session import Session
    from textgrain.history import MergeRecord
    from textgrain.tokenizer import Tokenizer

__all__ = ["Lesson", "examples", "ready", "records", "replay", "sizes", "state", "train"]

#: Distinct words that the page may send for a lesson.
MOST_WORDS = 5000
MOST_RECORDS = 500
#: Words that the next merge changes, at the head of the list.
MOST_CHANGING = 16
SIZES = 40


@dataclass(eq=False)
class Lesson:
    """A training that can be looked at in every step."""

    tokenizer: Tokenizer
    corpus: str | None = None
    replay: Replay | None = None
    reason: str = ""
    #: Stage, how much of it is done, and of how much.
    progress: tuple[str, int, int | None] = ("counting", 0, None)

    @cached_property
    def alphabet(self) -> int:
        """How many tokens were there before the first merge."""
        return kinds(self.tokenizer).count("alphabet")

    @cached_property
    def sizes(self) -> list[int]:
        """The size of the vocabulary after each merge; two merges may give one token."""
        made = [token for _, _, token in self.tokenizer._native.merges()]
        new = np.zeros(len(made) + 1, dtype=np.int64)
        new[0] = self.alphabet
        new[1 + np.unique(made, return_index=True)[1]] = 1
        found: list[int] = np.cumsum(new).tolist()
        return found

    def read(self, corpus: Corpus) -> None:
        """Count the words of a corpus as the training did."""
        settings = self.tokenizer._native.settings()
        try:
            counts, _ = _native.count_pieces(
                corpus._native,
                split=settings["split"],
                space_prefix=settings["space_prefix"],
                threads=None,
                progress=self._note,
            )
            self.progress = ("cutting", 0, None)
            words = counts.items()
            self.replay = Replay(self.tokenizer, [word for word, _ in words], [count for _, count in words])
        except (TextgrainError, OSError) as error:
            self.reason = str(error)

    def _note(self, stage: str, done: int, total: int | None, _: str, __: object) -> None:
        self.progress = (stage, done, total)


#: Lessons that are kept; an older one is over.
MOST_LESSONS = 20


def examples(session: Session) -> list[dict[str, Any]]:
    """Small corpora to begin with."""
    return [
        {
            "name": example.name,
            "words": example.words,
            "merges": example.merges,
            "end_of_word": example.end_of_word,
        }
        for example in EXAMPLES
    ]


def train(
    session: Session,
    words: dict[str, Any],
    merges: int = 20,
    end_of_word: str | None = None,
    symbols: str = "characters",
) -> dict[str, Any]:
    """Train on words with their counts; returns the number of the lesson."""
    if len(words) > MOST_WORDS:
        raise Question(f"a lesson takes up to {MOST_WORDS} different words, got {len(words)}")
    if not all(isinstance(count, int) and not isinstance(count, bool) for count in words.values()):
        raise Question("each word needs a whole number as its count")
    trainer = BPE(merges=merges, split="whitespace", symbols=symbols, end_of_word=end_of_word or None)  # type: ignore[arg-type]
    tokenizer = trainer.train(words)
    return _begin(session, Lesson(tokenizer, replay=Replay(tokenizer, list(words), list(words.values()))))


def replay(session: Session, tokenizer: str, corpus: str) -> dict[str, Any]:
    """Begin to count a corpus, to show what a training on it did; see `ready`."""
    chosen, text = session.tokenizer(tokenizer), session.corpus(corpus)
    if chosen.history is None:
        raise Question(f"{tokenizer!r} keeps no history: it was not trained here")
    if chosen.settings["kind"] != "bpe" or chosen.settings["order"] != "frequency":
        raise Question(f"the merges of {tokenizer!r} were not chosen by how often a pair occurs")
    for number, lesson in session.lessons.items():
        if lesson.tokenizer is chosen and lesson.corpus == corpus and not lesson.reason:
            return _introduced(number, lesson)
    lesson = Lesson(chosen, corpus)
    threading.Thread(target=lesson.read, args=(text,), name="textgrain counting", daemon=True).start()
    return _begin(session, lesson)


def ready(session: Session, lesson: int) -> dict[str, Any]:
    """Whether a corpus is counted, and how far the counting is."""
    shown = _lesson(session, lesson)
    if shown.reason:
        raise Question(shown.reason)
    stage, done, total = shown.progress
    words = None if shown.replay is None else len(shown.replay.words)
    return {"ready": words is not None, "words": words, "stage": stage, "done": done, "total": total}


def _begin(session: Session, lesson: Lesson) -> dict[str, Any]:
    number = max(session.lessons, default=0) + 1
    session.lessons[number] = lesson
    session.lessons.pop(number - MOST_LESSONS, None)
    return _introduced(number, lesson)


def _introduced(number: int, lesson: Lesson) -> dict[str, Any]:
    return {"lesson": number, "merges": len(lesson.sizes) - 1, "alphabet": lesson.alphabet}


def _lesson(session: Session, number: int) -> Lesson:
    if number not in session.lessons:
        raise Question("this lesson is over; start it again")
    return session.lessons[number]


def state(session: Session, lesson: int, step: int, pairs: int = 12, words: int = 60) -> dict[str, Any]:
    """The words and pairs of a lesson after so many merges.

    Of many words those that the next merge changes are shown, and a sample of all, which stays the same.
    """
    shown = _lesson(session, lesson)
    if shown.replay is None:
        raise Question(shown.reason or "the words of the corpus are still being counted")
    seen, history = shown.replay, shown.tokenizer.history or ()
    step = min(max(step, 0), len(history))
    ranked = seen.pairs(step)
    following = history[step] if step < len(history) else None
    changing = seen.changing(step, len(seen.words) if len(seen.words) <= words else MOST_CHANGING)
    chosen = (
        range(len(seen.words)) if len(seen.words) <= words else [*changing, *_sample(seen, words, changing)]
    )
    return {
        "step": step,
        "steps": len(history),
        "size": shown.sizes[step],
        "words": [
            {
                "word": seen.words[word],
                "count": int(seen.counts[word]),
                "tokens": seen.cut(word, step),
                "changes": word in changing,
            }
            for word in chosen
        ],
        "distinct_words": len(seen.words),
        "pairs": [
            {"left": left, "right": right, "total": total, "tied": total == ranked.best}
            for left, right, total in ranked.first(max(pairs, 0))
        ],
        "tied": ranked.tied,
        "distinct_pairs": len(ranked),
        "next": None if following is None else _record(following),
        "made": [_record(record) for record in history[max(0, step - 24) : step]],
    }


def _sample(seen: Replay, words: int, beside: list[int]) -> list[int]:
    """Words of all frequencies, the same in each step."""
    places = np.geomspace(1, len(seen.words), words).astype(int) - 1
    sample = dict.fromkeys(seen.by_frequency[places].tolist())
    return [word for word in sample if word not in beside][: words - len(beside)]


def records(session: Session, tokenizer: str, first: int = 0, count: int = 100) -> dict[str, Any]:
    """The history of a trained tokenizer: who won each merge, and against whom."""
    history = session.tokenizer(tokenizer).history
    if history is None:
        raise Question(f"{tokenizer!r} keeps no history: it was not trained here")
    chosen = history[max(first, 0) : max(first, 0) + min(count, MOST_RECORDS)]
    return {"total": len(history), "records": [_record(record) for record in chosen]}


def _record(record: MergeRecord) -> dict[str, Any]:
    return {
        "rank": record.rank,
        "left": record.left,
        "right": record.right,
        "token": record.token,
        "id": record.id,
        "total": record.total,
        "tied": record.tied_pairs,
        "runner_up": record.runner_up,
        "runner_up_total": record.runner_up_total,
        "reason": record.reason(),
    }


def sizes(session: Session, tokenizer: str, text: str, width: int = 512) -> dict[str, Any]:
    """How long a text is, and how large the table, if the vocabulary ended earlier."""
    chosen = session.tokenizer(tokenizer)
    merges = len(chosen.merges)
    if not merges:
        raise Question(f"{tokenizer!r} has no merges, so it has only one size")
    pieces = chosen.explain(text[:20_000]).pieces
    start = sum(len(piece.symbols) for piece in pieces)
    saved = Counter[int]()
    for piece in pieces:
        before = len(piece.symbols)
        for step in piece.steps:
            saved[step.rank] += before - len(step.tokens)
            before = len(step.tokens)
    ranks = sorted(saved)
    gone = np.cumsum([saved[rank] for rank in ranks]) if ranks else np.zeros(0)
    alphabet = chosen.vocab_size - merges - len(chosen.special_tokens)
    steps = sorted({0, merges, *np.geomspace(1, merges, SIZES).round().astype(int).tolist()})
    counts = [start - int(gone[at - 1]) if (at := bisect_right(ranks, step)) else start for step in steps]
    words = max(len(text[:20_000].split()), 1)
    return {
        "sizes": [alphabet + step for step in steps],
        "tokens": counts,
        "fertility": [count / words for count in counts],
        "parameters": [(alphabet + step) * width for step in steps],
        "words": words,
    }

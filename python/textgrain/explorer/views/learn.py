"""The training of byte-pair encoding, merge by merge."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.explorer.lessons import EXAMPLES
from textgrain.explorer.session import Question
from textgrain.trainers import BPE

if TYPE_CHECKING:
    from textgrain.explorer.session import Session
    from textgrain.history import MergeRecord
    from textgrain.tokenizer import Tokenizer

__all__ = ["examples", "records", "sizes", "state", "train"]

#: Distinct words of a lesson, whose pairs are all counted again at each step.
MOST_WORDS = 5000
MOST_RECORDS = 500
SIZES = 40


@dataclass(frozen=True)
class Lesson:
    """A small training that can be looked at in every step."""

    tokenizer: Tokenizer
    counts: dict[str, int]
    _cuts: dict[str, tuple[list[int], list[tuple[str, ...]]]] = field(default_factory=dict)

    def cut(self, word: str, step: int) -> tuple[str, ...]:
        """The symbols of a word after so many merges."""
        if word not in self._cuts:
            (piece,) = self.tokenizer.explain(word).pieces
            ranks = [0, *(each.rank for each in piece.steps)]
            self._cuts[word] = ranks, [piece.symbols, *(each.tokens for each in piece.steps)]
        ranks, cuts = self._cuts[word]
        return cuts[bisect_right(ranks, step) - 1]

    @cached_property
    def alphabet(self) -> int:
        return self.tokenizer.vocab_size - len(self.tokenizer.merges) - len(self.tokenizer.special_tokens)


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
    lesson = Lesson(tokenizer, dict(words))
    number = max(session.lessons, default=0) + 1
    session.lessons[number] = lesson
    session.lessons.pop(number - MOST_LESSONS, None)
    return {"lesson": number, "merges": len(tokenizer.merges), "alphabet": lesson.alphabet}


def state(session: Session, lesson: int, step: int, pairs: int = 12, words: int = 60) -> dict[str, Any]:
    """The words and pairs of a lesson after so many merges."""
    shown = session.lessons.get(lesson)
    if not isinstance(shown, Lesson):
        raise Question("this lesson is over; start it again")
    history = shown.tokenizer.history or ()
    step = min(max(step, 0), len(history))
    totals: Counter[tuple[str, str]] = Counter()
    cuts = []
    for word, count in shown.counts.items():
        cut = shown.cut(word, step)
        cuts.append({"word": word, "count": count, "tokens": cut})
        for pair in pairwise(cut):
            totals[pair] += count
    # Counters keep the order of first appearance, and sorting keeps it among equals: the rule of ties.
    ranked = sorted(totals.items(), key=lambda item: -item[1])
    following = history[step] if step < len(history) else None
    best = ranked[0][1] if ranked else 0
    return {
        "step": step,
        "steps": len(history),
        "size": shown.alphabet + step,
        "words": cuts[:words],
        "pairs": [
            {"left": left, "right": right, "total": total, "tied": total == best}
            for (left, right), total in ranked[:pairs]
        ],
        "distinct_pairs": len(ranked),
        "next": None if following is None else _record(following),
        "made": [_record(record) for record in history[max(0, step - 24) : step]],
    }


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

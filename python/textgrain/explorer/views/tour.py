"""Nine small examples from text to vectors; every number is computed by the engine when it is asked for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.embedding_table import parameter_count
from textgrain.reference.hospital import make_sentences
from textgrain.trainers import BPE, Word2Vec
from textgrain.vectors import WordVectors

if TYPE_CHECKING:
    from textgrain.explorer.session import Session
    from textgrain.tokenizer import Tokenizer

__all__ = ["own", "tour"]

SENTENCE = "The patient has a critical condition"
SHORT = "I love LLMs"
UNSEEN = "les modèles"
COUNTS = {
    "love": 11, "LLM": 12, "LLMs": 3, "aime": 6, "les": 14, "grand": 6,
    "grands": 3, "modèle": 12, "modèles": 2, "I": 4, "J": 2, "’": 3,
}  # fmt: skip
MARKERS = ("<start>", "<end>", "<pad>")
WIDTH = 512

#: Words that are used alike, and sentences in which they are used.
GROUPS = {
    "person": ["doctor", "physician", "nurse", "surgeon"],
    "place": ["hospital", "clinic", "ward", "pharmacy"],
    "month": ["january", "march", "july", "october"],
    "complaint": ["fever", "cough", "headache", "nausea"],
    "vehicle": ["car", "bus", "bicycle", "train"],
}
TEMPLATES = [
    "a {person} at the {place} asked about the {complaint}",
    "the {complaint} began in {month} and ended in {month}",
    "every {person} came to the {place} by {vehicle}",
    "since {month} the {vehicle} stops at the {place}",
    "the {person} knows what helps against {complaint}",
    "with {complaint} nobody should drive a {vehicle}",
    "in {month} a new {person} joined the {place}",
]
ASKED = ("doctor", "march", "fever", "car")
#: Three points of a plane; the second has nearly the direction of the first.
PLANE = {"doctor": [0.8, 0.6], "physician": [0.7, 0.5], "car": [0.2, 0.9]}
DIMENSIONS = (2, 10, 100, 1000)


def tour(session: Session) -> dict[str, Any]:
    """The numbers of the first eight steps."""
    return _numbers()


@lru_cache(maxsize=1)
def _numbers() -> dict[str, Any]:
    tokenizer = _lesson()
    return {
        "cuts": _cuts(),
        "counts": COUNTS,
        "alphabet": tokenizer.vocab_size - len(tokenizer.merges) - len(MARKERS),
        "merges": [
            {
                "rank": record.rank,
                "left": record.left,
                "right": record.right,
                "total": record.total,
                "tied": record.tied_pairs,
                "reason": record.reason(),
            }
            for record in tokenizer.history or ()
        ],
        "applied": [_applied(tokenizer, text) for text in (SHORT, UNSEEN)],
        "size": tokenizer.vocab_size,
        "markers": tokenizer.special_tokens,
        "width": WIDTH,
        "parameters": {
            size: parameter_count(size, WIDTH) for size in (tokenizer.vocab_size, 37_000, 100_000)
        },
        "bytes": [
            {"text": text, "characters": len(text), "bytes": len(text.encode())}
            for text in ("love", "modèle", "東京", "😀")
        ],
        "learned": _learned(),
        "plane": _plane(),
        "concentration": _concentration(),
    }


def _lesson() -> Tokenizer:
    trainer = BPE(merges=18, split="words", symbols="characters", special_tokens=MARKERS)
    return trainer.train(COUNTS)


def _cuts() -> dict[str, Any]:
    comparison = BPE(merges=0).train([SENTENCE]).compare_cuts(SENTENCE, WIDTH)
    return {
        "sentence": SENTENCE,
        "rows": [
            {"cut": row.cut, "tokens": row.tokens, "count": row.count, "cells": row.grid}
            for row in comparison
            if row.cut != "subword"
        ],
    }


def _applied(tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    encoding = tokenizer.encode(text)
    return {"text": text, "tokens": encoding.tokens, "ids": encoding.ids.tolist()}


def _learned() -> dict[str, Any]:
    sentences = [" ".join(words) for words in make_sentences(GROUPS, TEMPLATES, 3000)]
    trainer = Word2Vec(
        vector_size=16,
        window=2,
        epochs=8,
        learning_rate=0.05,
        min_count=1,
        subsample=0,
        shrink_window=False,
        seed=1,
    )
    vectors = trainer.train(sentences, threads=1)
    return {
        "sentence": sentences[0],
        "sentences": len(sentences),
        "words": len(vectors),
        "loss": vectors.history,
        "neighbors": {word: vectors.most_similar(word, n=3) for word in ASKED},
    }


def _plane() -> dict[str, Any]:
    points = PLANE | {"3 × physician": [3 * number for number in PLANE["physician"]]}
    vectors = WordVectors.from_mapping(points)
    return {
        "points": points,
        "pairs": [
            {
                "word": other,
                "euclidean": vectors.distance("doctor", other),
                "cosine": vectors.similarity("doctor", other),
            }
            for other in list(points)[1:]
        ],
    }


def _concentration() -> list[dict[str, float]]:
    vectors = WordVectors.from_mapping({str(row): numbers for row, numbers in enumerate(np.eye(3))})
    ratios = vectors.distance_concentration(dimensions=DIMENSIONS).random
    return [{"dimensions": size, "ratio": ratio} for size, ratio in ratios.items()]


def own(session: Session, text: str = SENTENCE) -> dict[str, Any]:
    """The last step: the same with the models of the user."""
    found: dict[str, Any] = {}
    for name, tokenizer in list(session.tokenizers.items())[:1]:
        encoding = tokenizer.encode(text)
        found["tokenizer"] = {
            "name": name,
            "size": tokenizer.vocab_size,
            "tokens": encoding.tokens,
            "ids": encoding.ids.tolist(),
        }
    for name, vectors in list(session.vectors.items())[:1]:
        words = [word for word in text.lower().split() if word in vectors]
        asked = max(words, key=len) if words else vectors.words[0] if len(vectors) else None
        if asked is not None:
            found["vectors"] = {
                "name": name,
                "words": len(vectors),
                "size": vectors.vector_size,
                "word": asked,
                "neighbors": vectors.most_similar(asked, n=5),
            }
    return found

"""A text cut into tokens, and where a token comes from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from textgrain.embedding_table import parameter_count
from textgrain.explorer.session import Question

if TYPE_CHECKING:
    from textgrain.explorer.session import Session
    from textgrain.tokenizer import Tokenizer
    from textgrain.vectors import WordVectors

__all__ = ["cut", "steps", "tree"]

#: Tokenizers side by side; more could not be read on a screen.
MOST_TOKENIZERS = 4
#: Characters whose merges are shown step by step.
MOST_STEPPED = 2000
#: Numbers in a row, where nothing else is said: the width of the model that made transformers known.
WIDTH = 512


def cut(session: Session, text: str, tokenizers: list[str], width: int = WIDTH) -> dict[str, Any]:
    """Cut a text into words, characters, bytes and the tokens of up to four tokenizers.

    Places are in UTF-16 units, which is what a browser counts in.
    """
    if len(tokenizers) > MOST_TOKENIZERS:
        raise Question(f"up to {MOST_TOKENIZERS} tokenizers can be compared, got {len(tokenizers)}")
    place = _utf16(text)
    words = [match.span() for match in re.finditer(r"\S+", text)]
    known = list(session.vectors.values())[:1]
    return {
        "words": {
            "starts": [place(start) for start, _ in words],
            "ends": [place(end) for _, end in words],
            "count": len(words),
            "distinct": len({text[start:end] for start, end in words}),
            "unseen": [
                number
                for number, (start, end) in enumerate(words)
                if known and not _is_known(text[start:end], known[0])
            ],
        },
        "characters": {"count": len(text), "distinct": len(set(text))},
        "bytes": {"count": len(text.encode("utf-8", "replace"))},
        "tokenizers": [_tokens(session.tokenizer(name), name, text, place, width) for name in tokenizers],
        "width": width,
    }


def _is_known(word: str, vectors: WordVectors) -> bool:
    """Whether a word has a vector as it stands, in lower case, or without the punctuation around it."""
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", word)
    return any(form in vectors for form in (word, word.lower(), bare, bare.lower()) if form)


def _tokens(tokenizer: Tokenizer, name: str, text: str, place: Any, width: int) -> dict[str, Any]:  # noqa: ANN401
    encoding = tokenizer.encode(text)
    ids = encoding.ids.tolist()
    offsets = encoding.offsets
    return {
        "name": name,
        "ids": ids,
        "starts": [place(start) for start, _ in offsets],
        "ends": [place(end) for _, end in offsets],
        "names": {number: tokenizer.id_to_token(number) for number in set(ids)},
        "count": len(ids),
        "cells": len(ids) ** 2,
        "rows": tokenizer.vocab_size,
        "parameters": parameter_count(tokenizer.vocab_size, width),
    }


def _utf16(text: str) -> Any:  # noqa: ANN401 - a function of a place
    """Turn a place in characters into one in UTF-16 units."""
    if all(character <= "\uffff" for character in text):
        return int
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places.__getitem__


def tree(session: Session, tokenizer: str, id: int) -> dict[str, Any]:
    """The merges that made a token, down to single symbols."""
    chosen = session.tokenizer(tokenizer)
    chosen.id_to_token(id)
    made = {result: (rank, left, right) for rank, (left, right, result) in _merges(chosen)}
    history = chosen.history
    #: Deeper trees than this only come from damaged files.
    budget = 4096

    def node(number: int) -> dict[str, Any]:
        nonlocal budget
        budget -= 1
        found = {
            "id": number,
            "text": chosen.id_to_token(number),
            "bytes": list(chosen.id_to_bytes(number)),
        }
        if number in made and budget > 0:
            rank, left, right = made[number]
            found |= {"rank": rank + 1, "left": node(left), "right": node(right)}
            if history is not None:
                record = history[rank]
                found |= {"total": record.total, "reason": record.reason()}
        return found

    return node(id)


def _merges(tokenizer: Tokenizer) -> list[tuple[int, tuple[int, int, int]]]:
    """Rank and ids of each merge, the first that makes a token last, so that it wins in a dictionary."""
    return list(enumerate(tokenizer._native.merges()))[::-1]


def steps(session: Session, tokenizer: str, text: str) -> dict[str, Any]:
    """The merges that apply to a text, in order, piece by piece."""
    if len(text) > MOST_STEPPED:
        raise Question(f"up to {MOST_STEPPED} characters can be shown step by step, got {len(text)}")
    chosen = session.tokenizer(tokenizer)
    return {
        "merges": len(chosen.merges),
        "pieces": [
            {
                "text": piece.text,
                "symbols": piece.symbols,
                "steps": [
                    {"rank": step.rank, "left": step.left, "right": step.right, "tokens": step.tokens}
                    for step in piece.steps
                ],
                "tokens": piece.tokens,
                "ids": piece.ids,
            }
            for piece in chosen.explain(text).pieces
        ],
    }

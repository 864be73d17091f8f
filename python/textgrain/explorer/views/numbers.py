"""Tokens as numbers: ids, rows of a table, the sentence as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textgrain.embedding_table import EmbeddingTable, parameter_count
from textgrain.explorer.session import Question

if TYPE_CHECKING:
    from textgrain.explorer.session import Session
    from textgrain.tokenizer import Tokenizer

__all__ = ["kinds", "rows", "strip"]

MOST_TOKENS = 200
MOST_ROWS = 64
WIDEST = 64


def strip(
    session: Session, tokenizer: str, first: int = 0, count: int = 100, find: str = ""
) -> dict[str, Any]:
    """A part of the list of tokens, and where alphabet, merges and special tokens lie in it."""
    chosen = session.tokenizer(tokenizer)
    vocabulary, kind = chosen.vocabulary, kinds(chosen)
    numbers = range(max(first, 0), len(vocabulary))
    if find:
        numbers = [number for number in numbers if find in vocabulary[number]]  # type: ignore[assignment]
    shown = numbers[: min(max(count, 0), MOST_TOKENS)]
    return {
        "size": len(vocabulary),
        "found": len(numbers),
        "alphabet": kind.count("alphabet"),
        "merges": kind.count("merge"),
        "special": [number for number, each in enumerate(kind) if each == "special"],
        "tokens": [{"id": number, "text": vocabulary[number], "kind": kind[number]} for number in shown],
    }


def kinds(tokenizer: Tokenizer) -> list[str]:
    """What each token is: of the alphabet, a merge, or special."""
    found = ["alphabet"] * len(tokenizer.vocabulary)
    for _, _, merged in tokenizer._native.merges():
        found[merged] = "merge"
    for special in tokenizer.special_tokens.values():
        found[special] = "special"
    return found


def rows(session: Session, tokenizer: str, text: str, width: int = 16, seed: int = 0) -> dict[str, Any]:
    """The ids of a text, the rows of a fresh table that they select, and what the whole table costs."""
    if not 1 <= width <= WIDEST:
        raise Question(f"a row of 1 to {WIDEST} numbers can be drawn, got {width}")
    chosen = session.tokenizer(tokenizer)
    ids = chosen.encode_ids(text)
    shown = ids[:MOST_ROWS]
    table = EmbeddingTable(max(chosen.vocab_size, 1), width, seed=seed)
    around = (
        range(max(0, int(shown.min()) - 2), min(chosen.vocab_size, int(shown.min()) + 22))
        if len(shown)
        else range(0)
    )
    return {
        "ids": shown.tolist(),
        "tokens": [chosen.id_to_token(number) for number in shown.tolist()],
        "count": len(ids),
        "matrix": table.rows(shown).round(4).tolist() if len(shown) else [],
        "table": {"first": around.start, "rows": table.matrix[around.start : around.stop].round(4).tolist()},
        "size": chosen.vocab_size,
        "parameters": {
            size: parameter_count(chosen.vocab_size, size) for size in (width, 128, 512, 768, 4096)
        },
    }

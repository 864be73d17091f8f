"""All vectors on a plane, and their true neighbors in the space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.explorer.session import Question
from textgrain.projection import principal_axes, rows_in_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from textgrain.explorer.session import Session
    from textgrain.vectors import WordVectors

__all__ = ["analogy", "axis", "column", "complete", "lengths", "neighbors", "points", "scaled", "words"]

MOST_WORDS = 5000


def points(session: Session, vectors: str) -> npt.NDArray[np.float32]:
    """The share of variance of two axes, then the place of every word on them.

    The plane of the principal components of the unit vectors.
    """
    chosen = session.vectors_of(vectors)
    if len(chosen) < 2 or chosen.vector_size < 2:
        raise Question("a map needs at least 2 words and vectors of at least 2 numbers")
    mean, axes, explained = principal_axes(_unit_blocks(chosen))
    found = np.empty(2 + 2 * len(chosen), dtype=np.float32)
    found[:2] = explained
    places, start = found[2:].reshape(-1, 2), 0
    across, middle = axes.T.astype(np.float32), (axes @ mean).astype(np.float32)
    for block in _unit_blocks(chosen):
        np.subtract(block @ across, middle, out=places[start : start + len(block)])
        start += len(block)
    return found


def _unit_blocks(vectors: WordVectors) -> Iterator[npt.NDArray[np.float32]]:
    rows = rows_in_block(vectors.vector_size)
    for start in range(0, len(vectors), rows):
        block = vectors._rows(np.arange(start, min(start + rows, len(vectors))))
        norms = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=np.float64))
        shares = np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
        yield block * shares[:, None].astype(np.float32)


def words(session: Session, vectors: str, rows: list[int]) -> dict[str, Any]:
    """The words of some rows, with their counts where they are known."""
    chosen = session.vectors_of(vectors)
    if len(rows) > MOST_WORDS:
        raise Question(f"up to {MOST_WORDS} words can be asked for at once, got {len(rows)}")
    outside = [row for row in rows if not 0 <= row < len(chosen)]
    if outside:
        raise Question(f"there is no row {outside[0]}; rows go from 0 to {len(chosen) - 1}")
    counts = chosen.counts
    return {
        "words": [chosen._native.word(row) for row in rows],
        "counts": [int(counts[row]) for row in rows] if len(counts) else [],
    }


def complete(session: Session, vectors: str, beginning: str, n: int = 12) -> dict[str, Any]:
    """The most frequent words that begin so, and the word itself first."""
    chosen = session.vectors_of(vectors)
    found = []
    for row, word in enumerate(chosen.words):
        if word.startswith(beginning):
            found.append({"word": word, "row": row})
            if len(found) > 4 * n:
                break
    found.sort(key=lambda each: each["word"] != beginning)
    return {"found": found[:n]}


def neighbors(session: Session, vectors: str, word: str, n: int = 12) -> dict[str, Any]:
    """The nearest words by angle and by distance, side by side, with the length of each vector.

    A word outside the vocabulary has row -1, and the n-grams that its vector is made of.
    """
    chosen = session.vectors_of(vectors)
    n = min(max(n, 1), 100)
    row = chosen._native.row(word)

    def entry(name: str, score: float) -> dict[str, Any]:
        place = _row(chosen, name)
        return {"word": name, "row": place, "score": float(score), "norm": _length(chosen[name])}

    return {
        "word": word,
        "row": -1 if row is None else row,
        "norm": _length(chosen[word]),
        "parts": []
        if chosen.subwords is None
        else [
            {"ngram": part.ngram, "known": part.known, "weight": part.weight}
            for part in chosen.explain(word, n=0).parts
        ],
        "cosine": [entry(*near) for near in chosen.most_similar(word, n=n)],
        "euclidean": [entry(*near) for near in chosen.most_similar(word, n=n, metric="euclidean")],
    }


def scaled(session: Session, vectors: str, word: str, other: str, factor: float = 3.0) -> dict[str, Any]:
    """Angle and distance between two words before and after one vector is made longer."""
    chosen = session.vectors_of(vectors)
    longer = chosen[other] * np.float32(factor)
    return {
        "cosine": [chosen.similarity(word, other), chosen.similarity(word, longer)],
        "euclidean": [chosen.distance(word, other), chosen.distance(word, longer)],
    }


def analogy(session: Session, vectors: str, a: str, b: str, c: str, n: int = 8) -> dict[str, Any]:
    """What is to c as b is to a."""
    chosen = session.vectors_of(vectors)
    found = chosen.analogy(a, b, c, n=min(max(n, 1), 100))
    return {
        "terms": [_row(chosen, word) for word in (a, b, c)],
        "found": [{"word": word, "score": float(score), "row": _row(chosen, word)} for word, score in found],
    }


def axis(session: Session, vectors: str, pairs: list[list[str]]) -> npt.NDArray[np.float32]:
    """How far every word lies along the mean direction from the first to the second word of some pairs."""
    chosen = session.vectors_of(vectors)
    if not pairs or not all(len(pair) == 2 and all(isinstance(word, str) for word in pair) for pair in pairs):
        raise Question("an axis needs at least one pair of words")
    direction = np.zeros(chosen.vector_size)
    for low, high in pairs:
        direction += _unit(chosen[high]) - _unit(chosen[low])
    direction = _unit(direction)
    places = [block @ direction for block in _unit_blocks(chosen)]
    return np.concatenate(places).astype(np.float32)


def lengths(session: Session, vectors: str) -> npt.NDArray[np.float32]:
    """The characters of every word."""
    words = session.vectors_of(vectors).words
    return np.fromiter(map(len, words), dtype=np.float32, count=len(words))


def column(session: Session, vectors: str, values: dict[str, Any]) -> npt.NDArray[np.float32]:
    """A number for every word, from a column of the user: numbers as they are, groups by their order.

    Words without a value get NaN.
    """
    chosen = session.vectors_of(vectors)
    given = {word: value for word, value in values.items() if isinstance(value, (str, int, float))}
    try:
        numbers = {word: float(value) for word, value in given.items()}
    except ValueError:
        groups = {
            group: number for number, group in enumerate(sorted({str(value) for value in given.values()}))
        }
        numbers = {word: float(groups[str(value)]) for word, value in given.items()}
    found = np.full(len(chosen), np.nan, dtype=np.float32)
    for word, number in numbers.items():
        row = chosen._native.row(word)
        if row is not None:
            found[row] = number
    if np.isnan(found).all():
        raise Question("none of the words of this column has a vector here")
    return found


def _length(vector: npt.NDArray[Any]) -> float:
    return float(np.linalg.norm(vector.astype(np.float64)))


def _unit(vector: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    exact = vector.astype(np.float64)
    norm = float(np.linalg.norm(exact))
    return exact / norm if norm > 0 else exact


def _row(vectors: WordVectors, word: str) -> int:
    return vectors._row(word)

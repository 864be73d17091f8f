"""The answers to every question that a page without a server can ask, ready to be written into it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from textgrain.explorer.views import cut, distances, learn, numbers, overview, space, tour

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from textgrain.explorer.session import Session
    from textgrain.tokenizer import Tokenizer
    from textgrain.vectors import WordVectors

__all__ = ["DIMENSIONS", "MOST_LISTED", "MOST_RECORDED", "record"]

#: Merges whose competition is kept, and tokens of the list: more would make a file that is slow to send.
MOST_RECORDED = 2_000
MOST_LISTED = 50_000
NEIGHBORS = 10
#: Numbers in a row of the table that is drawn; the page begins with as many.
WIDTH = 16
#: Where the slider of the page stops.
DIMENSIONS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 300, 500, 1000)


def record(session: Session, texts: list[str], words: int) -> dict[str, Any]:
    """Ask all questions that the page can ask about these texts and so many of the most frequent words."""
    shown = overview.overview(session) | {"corpora": [], "folders": [], "texts": texts, "umap": False}
    for vectors in shown["vectors"]:
        vectors["drawn"] = min(vectors["words"], words)
    answers: list[tuple[str, dict[str, Any], Any]] = [
        ("overview", {}, shown),
        ("tour", {}, tour.tour(session)),
        ("tour/own", {"text": tour.SENTENCE}, tour.own(session)),
    ]
    answers += _lessons()
    answers += _texts(session, texts)
    answers += _distances(session)
    return {
        "answers": answers,
        "tokenizers": {name: _tokenizer(session, name, texts) for name in session.tokenizers},
        "spaces": {
            name: _space(session, name, words)
            for name, vectors in session.vectors.items()
            if _has_map(vectors)
        },
    }


def _lessons() -> Iterable[tuple[str, dict[str, Any], Any]]:
    """Each example in each of its steps; lessons of their own, so that the session keeps its own."""
    from textgrain.explorer.session import Session

    apart = Session()
    examples = learn.examples(apart)
    yield "learn/examples", {}, examples
    for example in examples:
        fields = {name: example[name] for name in ("words", "merges", "end_of_word")}
        lesson = learn.train(apart, **fields)
        yield "learn/train", fields, lesson
        for step in range(lesson["merges"] + 1):
            asked = {"lesson": lesson["lesson"], "step": step}
            yield "learn/state", asked, learn.state(apart, **asked)


def _texts(session: Session, texts: list[str]) -> Iterable[tuple[str, dict[str, Any], Any]]:
    names = list(session.tokenizers)
    for text in texts:
        for start in range(0, max(len(names), 1), cut.MOST_TOKENIZERS):
            some = names[start : start + cut.MOST_TOKENIZERS]
            yield "cut", {"text": text, "tokenizers": some}, cut.cut(session, text, some)
        for name in names:
            asked = {"tokenizer": name, "text": text}
            yield "numbers/rows", asked | {"width": WIDTH}, numbers.rows(session, name, text, WIDTH)
            if len(text) <= cut.MOST_STEPPED:
                yield "cut/steps", asked, cut.steps(session, name, text)
            if session.tokenizers[name].merges:
                yield "learn/sizes", asked, learn.sizes(session, name, text)


def _distances(session: Session) -> Iterable[tuple[str, dict[str, Any], Any]]:
    for name in session.vectors or [None]:
        for dimension in DIMENSIONS:
            asked = {"dimension": dimension, "vectors": name}
            yield "distances", asked, distances.distances(session, dimension, vectors=name)


def _tokenizer(session: Session, name: str, texts: list[str]) -> dict[str, Any]:
    """The list of tokens, the merges behind those of the texts, and the first of the history."""
    tokenizer = session.tokenizers[name]
    listed = numbers.strip(session, name, count=0)
    kinds = numbers.kinds(tokenizer)[:MOST_LISTED]
    used = {token for text in texts for token in tokenizer.encode_ids(text).tolist()}
    return {
        "strip": {field: listed[field] for field in ("size", "alphabet", "merges", "special")},
        "vocabulary": tokenizer.vocabulary[:MOST_LISTED],
        "kinds": "".join(kind[0] for kind in kinds),
        "nodes": _nodes(session, name, used),
        "records": _records(session, name, tokenizer),
    }


def _nodes(session: Session, name: str, used: set[int]) -> dict[int, dict[str, Any]]:
    """Each token of the trees once, with the ids of its parts in place of the parts."""
    found: dict[int, dict[str, Any]] = {}
    for token in sorted(used):
        waiting = [] if token in found else [cut.tree(session, name, token)]
        while waiting:
            node = waiting.pop()
            parts = [node[side] for side in ("left", "right") if side in node]
            found[node["id"]] = node | {side: node[side]["id"] for side in ("left", "right") if side in node}
            waiting += [part for part in parts if part["id"] not in found]
    return found


def _records(session: Session, name: str, tokenizer: Tokenizer) -> dict[str, Any] | None:
    if tokenizer.history is None:
        return None
    total = len(tokenizer.history)
    records = [
        each
        for first in range(0, min(total, MOST_RECORDED), learn.MOST_RECORDS)
        for each in learn.records(session, name, first, learn.MOST_RECORDS)["records"]
    ]
    return {"total": total, "records": records[:MOST_RECORDED]}


def _has_map(vectors: WordVectors) -> bool:
    return len(vectors) >= 2 and vectors.vector_size >= 2


def _space(session: Session, name: str, words: int) -> dict[str, Any]:
    """The places of the most frequent words, and the neighbors that they have among all."""
    vectors = session.vectors[name]
    drawn = min(len(vectors), words)
    points = space.points(session, name)
    queries = vectors.words[:drawn]
    near = {
        metric: vectors.most_similar_batch(queries, n=NEIGHBORS, metric=metric)
        for metric in ("cosine", "euclidean")
    }
    # Neighbors that are not drawn follow the drawn words, so that every row has its word.
    others = np.unique(np.concatenate([found.rows.ravel() for found in near.values()]))
    others = others[others >= drawn]
    place = {row: drawn + number for number, row in enumerate(others.tolist())}
    kept = np.concatenate([np.arange(drawn), others])
    lists = {
        metric: {
            "rows": _packed(
                np.vectorize(lambda row: place.get(row, row), otypes=[np.uint32])(found.rows), "<u4"
            ),
            "scores": _packed(found.scores, "<f4"),
            "count": found.rows.shape[1],
        }
        for metric, found in near.items()
    }
    return {
        "words": [vectors.words[row] for row in kept.tolist()],
        "drawn": drawn,
        "points": _packed(points[: 2 + 2 * drawn], "<f4"),
        "norms": _packed(np.linalg.norm(vectors.matrix[kept], axis=1), "<f4"),
        "near": lists,
        "stretched": _packed(_stretched(vectors, near["cosine"].rows), "<f4"),
    }


def _stretched(vectors: WordVectors, nearest: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """The distance to the nearest word, and to a vector three times as long as that of the nearest word."""
    if not nearest.shape[1]:
        return np.zeros((len(nearest), 2), dtype=np.float32)
    from_, to = vectors.matrix[: len(nearest)], vectors.matrix[nearest[:, 0]]
    away = [np.linalg.norm(from_.astype(np.float64) - factor * to, axis=1) for factor in (1, 3)]
    return np.stack(away, axis=1).astype(np.float32)


def _packed(numbers_: npt.ArrayLike, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers_, dtype=kind).tobytes()).decode("ascii")

"""The tasks done with gensim."""

from __future__ import annotations

import time
from pathlib import Path

import gensim
from gensim.models import KeyedVectors, Word2Vec

from benchmarks.engines import common, searches
from benchmarks.engines.common import Job

VERSION = gensim.__version__


def word2vec(job: Job) -> tuple[float, dict[str, object]]:
    started = time.perf_counter()
    model = Word2Vec(
        corpus_file=str(job.corpus), sg=1, workers=job.threads, sample=1e-3, **common.WORD_VECTOR_SETTINGS
    )
    seconds = time.perf_counter() - started
    vectors = model.wv
    facts: dict[str, object] = {"words": len(vectors)}
    for name, path in common.similarity_sets(job.work):
        known = lambda a, b: float(vectors.similarity(a, b)) if a in vectors and b in vectors else None  # noqa: E731
        facts[name], _ = common.spearman(path, known)
    return seconds, facts


def load_text(job: Job) -> tuple[float, dict[str, object]]:
    return _load(job.work / common.VECTOR_FILES["word2vec-text"], is_binary=False)


def load_binary(job: Job) -> tuple[float, dict[str, object]]:
    return _load(job.work / common.VECTOR_FILES["word2vec-binary"], is_binary=True)


def _load(path: Path, *, is_binary: bool) -> tuple[float, dict[str, object]]:
    started = time.perf_counter()
    vectors = KeyedVectors.load_word2vec_format(str(path), binary=is_binary)
    seconds = time.perf_counter() - started
    digest = common.digest_of_vectors(vectors.index_to_key, vectors.vectors)
    return seconds, {"words": len(vectors), "MB": path.stat().st_size // 10**6, "digest": digest}


def _native(job: Job) -> Path:
    """A file in the form of gensim; made once."""
    path = job.work / "vectors.gensim"
    if not path.exists():
        made = KeyedVectors(searches.SIZE)
        made.add_vectors(searches.words(), searches.matrix())
        made.save(str(path))
    return path


def open_vectors(job: Job) -> tuple[float, dict[str, object]]:
    path = str(_native(job))

    def ask() -> tuple[KeyedVectors, list[tuple[str, float]]]:
        opened = KeyedVectors.load(path, mmap="r")
        return opened, opened.most_similar("word0", topn=searches.NEIGHBORS)

    seconds, (opened, found) = searches.timed(job, ask)
    answers = [_rows(found)]
    return seconds, {"words": len(opened), "wrong": searches.wrong(job, opened.vectors, answers)}


def search_one(job: Job) -> tuple[float, dict[str, object]]:
    return _search(job, searches.SINGLE)


def search_first(job: Job) -> tuple[float, dict[str, object]]:
    return _search(job, searches.FIRST)


def search_batch(job: Job) -> tuple[float, dict[str, object]]:
    # There is no call for many queries.
    return _search(job, searches.BATCH)


def _search(job: Job, count: int) -> tuple[float, dict[str, object]]:
    opened = KeyedVectors.load(str(_native(job)))
    opened.fill_norms()
    asked = [f"word{row}" for row in searches.queries(count)]
    seconds, found = searches.timed(
        job, lambda: [opened.most_similar(word, topn=searches.NEIGHBORS) for word in asked]
    )
    answers = [_rows(near) for near in found]
    return seconds, {"queries": count, "wrong": searches.wrong(job, opened.vectors, answers)}


def _rows(found: list[tuple[str, float]]) -> list[int]:
    return [int(word.removeprefix("word")) for word, _ in found]


def analogies(job: Job) -> tuple[float, dict[str, object]]:
    opened = KeyedVectors.load(str(_native(job)))
    opened.fill_norms()
    path = searches.write_questions(job.work / "few-gensim.txt", searches.few_questions())
    seconds, (_, sections) = searches.timed(
        job, lambda: opened.evaluate_word_analogies(str(path), restrict_vocab=searches.ROWS)
    )
    right = len(sections[-1]["correct"])
    asked = right + len(sections[-1]["incorrect"])
    return seconds * searches.SPARSE, {"asked": asked, "right": right}

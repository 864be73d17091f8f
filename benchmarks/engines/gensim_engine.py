"""The tasks done with gensim."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import gensim
from gensim.models import FastText, KeyedVectors, Word2Vec

from benchmarks import simd, vectors
from benchmarks.engines import common, searches
from benchmarks.engines.common import Job
from benchmarks.vectors import Trained, VectorSettings

VERSION = gensim.__version__
SIMD = simd.openblas_kernel


def train_vectors(job: Job, settings: VectorSettings) -> Trained:
    by_tree = settings.loss == "hierarchical-softmax"
    chosen: dict[str, Any] = {
        "sg": int(settings.architecture == "skipgram"),
        "hs": int(by_tree),
        "negative": 0 if by_tree else settings.negative,
        "alpha": settings.learning_rate,
        "sample": settings.subsample,
        "vector_size": settings.vector_size,
        "window": settings.window,
        "min_count": settings.min_count,
        "epochs": job.epochs,
        "seed": job.seed,
        "workers": job.threads,
    }
    if settings.method == "fasttext":
        model: Word2Vec = FastText(ns_exponent=0.5, min_n=3, max_n=6, bucket=2_000_000, **chosen)
    else:
        model = Word2Vec(**chosen)
    clock = vectors.clock(job)
    started = clock()
    model.build_vocab(corpus_file=str(job.corpus))
    ready = clock()
    total = model.corpus_total_words
    model.train(corpus_file=str(job.corpus), total_words=total, epochs=job.epochs)
    finished = clock()
    words = model.wv.index_to_key
    counts = [model.wv.get_vecattr(word, "count") for word in words]
    return Trained(words, model.wv.vectors, counts, finished - started, finished - ready)


def count_words(job: Job) -> tuple[float, dict[str, object]]:
    clock = vectors.clock(job)
    started = clock()
    model = Word2Vec(min_count=5, vector_size=1)
    model.build_vocab(corpus_file=str(job.corpus))
    return clock() - started, {"words": len(model.wv)}


def load_text(job: Job) -> tuple[float, dict[str, object]]:
    return _load(job.work / common.VECTOR_FILES["word2vec-text"], is_binary=False)


def load_binary(job: Job) -> tuple[float, dict[str, object]]:
    return _load(job.work / common.VECTOR_FILES["word2vec-binary"], is_binary=True)


def _load(path: Path, *, is_binary: bool) -> tuple[float, dict[str, object]]:
    started = time.perf_counter()
    loaded = KeyedVectors.load_word2vec_format(str(path), binary=is_binary)
    seconds = time.perf_counter() - started
    digest = common.digest_of_vectors(loaded.index_to_key, loaded.vectors)
    return seconds, {"words": len(loaded), "MB": path.stat().st_size // 10**6, "digest": digest}


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


def search_fresh(job: Job) -> tuple[float, dict[str, object]]:
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

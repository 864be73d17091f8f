"""The tasks done with gensim."""

from __future__ import annotations

import time
from pathlib import Path

import gensim
from gensim.models import KeyedVectors, Word2Vec

from benchmarks.engines import common
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

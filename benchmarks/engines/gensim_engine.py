"""The tasks done with gensim."""

from __future__ import annotations

import time
from pathlib import Path

import gensim
from gensim.models import Word2Vec

from benchmarks.engines import common

VERSION = gensim.__version__


def word2vec(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    started = time.perf_counter()
    model = Word2Vec(
        corpus_file=str(corpus), sg=1, workers=threads, sample=1e-3, **common.WORD_VECTOR_SETTINGS
    )
    seconds = time.perf_counter() - started
    vectors = model.wv
    facts: dict[str, object] = {"words": len(vectors)}
    for name, path in common.similarity_sets(work):
        known = lambda a, b: float(vectors.similarity(a, b)) if a in vectors and b in vectors else None  # noqa: E731
        facts[name], _ = common.spearman(path, known)
    return seconds, facts

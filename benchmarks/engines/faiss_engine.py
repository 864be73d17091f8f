"""The tasks done with faiss: its index that looks at every vector."""

from __future__ import annotations

import faiss
import numpy as np

from benchmarks.engines import searches
from benchmarks.engines.common import Job

VERSION = faiss.__version__


def search_one(job: Job) -> tuple[float, dict[str, object]]:
    return _search(job, searches.SINGLE, 1)


def search_fresh(job: Job) -> tuple[float, dict[str, object]]:
    return search_one(job)


def quantize(job: Job) -> tuple[float, dict[str, object]]:
    faiss.omp_set_num_threads(job.threads)
    numbers = searches.matrix()
    unit = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    quantizer = faiss.ProductQuantizer(searches.SIZE, searches.PARTS, 8)

    def work() -> np.ndarray:
        quantizer.train(unit)
        codes: np.ndarray = quantizer.compute_codes(unit)
        return codes

    seconds, codes = searches.timed(job, work)
    rows = searches.queries(searches.BATCH)
    return seconds, {"mean cosine, %": 100 * searches.mean_cosine(unit[rows], quantizer.decode(codes[rows]))}


def search_batch(job: Job) -> tuple[float, dict[str, object]]:
    return _search(job, searches.BATCH, searches.BATCH)


def _search(job: Job, count: int, at_once: int) -> tuple[float, dict[str, object]]:
    faiss.omp_set_num_threads(job.threads)
    numbers = searches.matrix()
    unit = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    index = faiss.IndexFlatIP(searches.SIZE)
    index.add(unit)
    rows = searches.queries(count)
    asked = unit[rows]
    index.search(asked[:1], searches.NEIGHBORS + 1)

    def ask() -> np.ndarray:
        found = [
            index.search(asked[start : start + at_once], searches.NEIGHBORS + 1)[1]
            for start in range(0, count, at_once)
        ]
        return np.concatenate(found)

    seconds, found = searches.timed(job, ask)
    answers = [[row for row in near if row != own] for near, own in zip(found, rows, strict=True)]
    return seconds, {"queries": count, "wrong": searches.wrong(job, numbers, answers)}

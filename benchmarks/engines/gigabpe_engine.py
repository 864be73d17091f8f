"""The tasks done with gigabpe."""

from __future__ import annotations

import time
from importlib.metadata import version

import gigabpe

from benchmarks.engines import common
from benchmarks.engines.common import Job

VERSION = version("gigabpe")


def train_bpe(job: Job) -> tuple[float, dict[str, object]]:
    # Only the bytes of the corpus count as its alphabet: it makes some merges more, left out here.
    started = time.perf_counter()
    _, merges = gigabpe.train_bpe(
        [str(job.corpus)],
        common.VOCAB_SIZE,
        min_frequency=common.MERGE_FREQUENCY,
        pretokenizer="bytelevel",
        threads=job.threads,
    )
    seconds = time.perf_counter() - started
    merges = merges[: common.VOCAB_SIZE - 256]
    return seconds, {"merges": len(merges), "digest": common.digest_of_merges(merges)}


def train_characters(job: Job) -> tuple[float, dict[str, object]]:
    started = time.perf_counter()
    vocabulary, _ = gigabpe.train_bpe(
        [str(job.corpus)],
        common.VOCAB_SIZE,
        min_frequency=common.MERGE_FREQUENCY,
        pretokenizer="whitespace",
        end_of_word_suffix="</w>",
        threads=job.threads,
    )
    return time.perf_counter() - started, {"tokens": len(vocabulary)}

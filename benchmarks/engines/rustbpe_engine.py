"""The tasks done with rustbpe."""

from __future__ import annotations

import time
from importlib.metadata import version

import rustbpe

from benchmarks.engines import common
from benchmarks.engines.common import Job

VERSION = version("rustbpe")


def train_bpe_gpt4(job: Job) -> tuple[float, dict[str, object]]:
    common.limit_threads(job.threads)
    tokenizer = rustbpe.Tokenizer()
    started = time.perf_counter()
    tokenizer.train_from_iterator(
        common.lines(job.corpus), common.VOCAB_SIZE, pattern=common.PUBLISHED_PATTERNS["cl100k_base"]
    )
    return time.perf_counter() - started, {"merges": tokenizer.vocab_size - 256}

"""The tasks done with MiniBpeRust."""

from __future__ import annotations

import time
from importlib.metadata import version

from MiniBpeRust import FastRegexTokenizer

from benchmarks.engines import common
from benchmarks.engines.common import Job

VERSION = version("MiniBpeRust")


def train_bpe_gpt4(job: Job) -> tuple[float, dict[str, object]]:
    tokenizer = FastRegexTokenizer()
    started = time.perf_counter()
    tokenizer.train_files([str(job.corpus)], common.VOCAB_SIZE)
    return time.perf_counter() - started, {"merges": len(tokenizer.merges)}

"""The tasks done with gigatoken."""

from __future__ import annotations

import time
from importlib.metadata import version

import gigatoken
import numpy as np

from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job

VERSION = version("gigatoken")


def encoder(job: Job) -> Encoder:
    common.limit_threads(job.threads)
    if job.ranks is not None:
        tokenizer = gigatoken.Tokenizer.from_tiktoken(str(job.ranks))
    else:
        tokenizer = gigatoken.Tokenizer(str(job.tokenizer_json))
    return Encoder(
        line=tokenizer.encode,
        listed=lambda text: tokenizer.encode(text).tolist(),
        batch=lambda texts: tokenizer.encode_batch(texts, parallel=job.threads > 1),
        split_batch=lambda batch: [np.asarray(ids) for ids in batch],
        decode_array=tokenizer.decode,
        decode_list=tokenizer.decode,
    )


def train_bpe(job: Job) -> tuple[float, dict[str, object]]:
    common.limit_threads(job.threads)
    started = time.perf_counter()
    source = gigatoken.TextFileSource([str(job.corpus)], separator="\n")
    _, pairs = gigatoken.train_bpe(source, common.VOCAB_SIZE, [])
    seconds = time.perf_counter() - started
    merges = [[common.printable(left), common.printable(right)] for left, right in pairs]
    return seconds, {"merges": len(merges), "digest": common.digest_of_merges(merges)}

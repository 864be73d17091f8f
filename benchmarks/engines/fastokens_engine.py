"""The tasks done with fastokens."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import fastokens
import numpy as np

from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job

VERSION = version("fastokens")


def encoder(job: Job) -> Encoder:
    common.limit_threads(job.threads)
    if job.ranks is not None:
        tokenizer = fastokens.Tokenizer.from_tiktoken(str(job.ranks), encoding=job.encoding)
    else:
        tokenizer = fastokens.Tokenizer.from_file(str(job.tokenizer_json))

    def listed(text: str) -> list[int]:
        return tokenizer.encode_ordinary(text).ids

    def split_batch(batch: tuple[bytes, bytes]) -> list[Any]:
        return common.split_flat(np.frombuffer(batch[0], "<u4"), np.frombuffer(batch[1], "<u8"))

    return Encoder(
        line=listed,
        listed=listed,
        batch=tokenizer.encode_batch_flat,
        split_batch=split_batch,
        decode_list=tokenizer.decode,
    )

"""The tasks done with snaptokens."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import snaptokens

from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job

VERSION = version("snaptokens")


def encoder(job: Job) -> Encoder:
    common.limit_threads(job.threads)
    pattern = common.PUBLISHED_PATTERNS.get(job.encoding or "")
    tokenizer = snaptokens.Tokenizer.from_file(str(common.published_json(job, pattern)))

    def listed(text: str) -> list[int]:
        return tokenizer.encode(text).ids

    def split_batch(batch: tuple[bytes, bytes]) -> list[Any]:
        return common.split_flat(np.frombuffer(batch[0], "<u4"), np.frombuffer(batch[1], "<u8"))

    return Encoder(
        line=listed,
        listed=listed,
        batch=tokenizer.encode_batch_flat,
        split_batch=split_batch,
        decode_list=tokenizer.decode,
    )

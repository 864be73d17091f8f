"""The tasks done with splintr."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import splintr

from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job

VERSION = version("splintr-rs")


def encoder(job: Job) -> Encoder:
    common.limit_threads(job.threads)
    if job.encoding is not None:
        tokenizer = splintr.Tokenizer.from_pretrained(job.encoding)
    else:
        tokenizer = splintr.from_json(str(job.tokenizer_json))

    def split_batch(batch: tuple[bytes, Any]) -> list[Any]:
        return common.split_flat(np.frombuffer(batch[0], "<u4"), _offsets(batch[1]))

    return Encoder(
        line=tokenizer.encode_ordinary,
        listed=tokenizer.encode_ordinary,
        batch=getattr(tokenizer, "encode_batch_flat", None),
        split_batch=split_batch,
        decode_list=tokenizer.decode_bytes,
    )


def _offsets(offsets: bytes | list[int]) -> np.ndarray:
    return np.frombuffer(offsets, "<u8") if isinstance(offsets, bytes) else np.asarray(offsets)

"""The tasks done with tuetoken."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import tuetoken

from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job

VERSION = version("tuetoken")


def encoder(job: Job) -> Encoder:
    common.limit_threads(job.threads)
    tokenizer = tuetoken.Tokenizer(str(job.tokenizer_json))
    return Encoder(
        line=tokenizer.encode_to_bytes,
        to_array=lambda ids: np.frombuffer(ids, "<u4"),
        listed=tokenizer.encode_ordinary,
        batch=lambda texts: tokenizer.encode_ordinary_batch(texts, job.threads),
        decode_array=tokenizer.decode_array,
        decode_list=tokenizer.decode,
    )

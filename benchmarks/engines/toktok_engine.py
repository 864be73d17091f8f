"""The tasks done with toktok-rs."""

from __future__ import annotations

import toktok

from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job, Unsupported

VERSION = toktok.__version__


def encoder(job: Job) -> Encoder:
    try:
        # Encodings are compiled in; the full surface is reached by a call that the library keeps for tests.
        tokenizer = toktok._encoding(job.encoding or "")
    except KeyError as unknown:
        raise Unsupported(str(unknown)) from None
    return Encoder(
        line=tokenizer.encode_to_numpy,
        listed=tokenizer.encode_ordinary,
        batch=lambda texts: tokenizer.encode_batch_to_numpy(texts, job.threads),
        split_batch=lambda batch: common.split_flat(*batch),
        decode_list=tokenizer.decode_bytes,
    )

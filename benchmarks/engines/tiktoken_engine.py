"""The tasks done with tiktoken."""

from __future__ import annotations

import hashlib
import os
import shutil

import tiktoken

from benchmarks.engines.common import Encoder, Job, Unsupported

VERSION = tiktoken.__version__
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def encoder(job: Job) -> Encoder:
    if job.ranks is None or job.encoding is None:
        raise Unsupported("loads published rank files only")
    # The library looks for the file by the hash of its address, so nothing is downloaded.
    name = hashlib.sha1(ADDRESS.format(job.encoding).encode()).hexdigest()
    os.environ["TIKTOKEN_CACHE_DIR"] = str(job.work / "tiktoken")
    (job.work / "tiktoken").mkdir(exist_ok=True)
    shutil.copyfile(job.ranks, job.work / "tiktoken" / name)
    encoding = tiktoken.get_encoding(job.encoding)
    return Encoder(
        line=encoding.encode_ordinary,
        listed=encoding.encode_ordinary,
        batch=lambda texts: encoding.encode_ordinary_batch(texts, num_threads=job.threads),
        decode_list=encoding.decode_bytes,
    )

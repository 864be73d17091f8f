"""The tasks done with Hugging Face tokenizers."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import tokenizers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from benchmarks.engines import common

VERSION = tokenizers.__version__


def train_bpe(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=common.VOCAB_SIZE,
        min_frequency=common.MERGE_FREQUENCY,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    started = time.perf_counter()
    tokenizer.train_from_iterator(common.lines(corpus), trainer)
    seconds = time.perf_counter() - started
    tokenizer.save(str(work / "tokenizer-huggingface.json"))
    merges = common.merges_of_file(work / "tokenizer-huggingface.json")
    return seconds, {"merges": len(merges), "digest": common.digest_of_merges(merges)}


def encode(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    # The file that textgrain wrote: both must give the same ids with it.
    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    texts = list(common.lines(corpus))
    started = time.perf_counter()
    encodings = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    seconds = time.perf_counter() - started
    ids = np.concatenate([np.array(encoding.ids, dtype=np.uint32) for encoding in encodings])
    return seconds, {"tokens": len(ids), "digest": common.digest_of_ids(ids)}

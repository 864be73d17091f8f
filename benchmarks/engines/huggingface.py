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


def _bytes_of_stand_ins() -> dict[str, int]:
    """The printable characters that stand for the bytes in a byte-level vocabulary."""
    kept = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in kept]
    return {chr(byte): byte for byte in kept} | {chr(256 + place): byte for place, byte in enumerate(others)}


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
    import json

    stand_ins = _bytes_of_stand_ins()
    merges = json.loads((work / "tokenizer-huggingface.json").read_text(encoding="utf-8"))["model"]["merges"]
    pairs = [tuple(bytes(stand_ins[character] for character in side) for side in merge) for merge in merges]
    return seconds, {"merges": len(pairs), "digest": common.digest_of_merges(pairs)}


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

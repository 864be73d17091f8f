"""The tasks done with textgrain."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import numpy as np

import textgrain as tg
from benchmarks.engines import common

VERSION = dict(tg.build_info())["version"] + " " + dict(tg.build_info())["profile"]


def train_bpe(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    trainer = tg.BPE(vocab_size=common.VOCAB_SIZE, split="gpt2", tie_break="lowest-ids")
    started = time.perf_counter()
    tokenizer = trainer.train(tg.Corpus.from_files(corpus), threads=threads)
    seconds = time.perf_counter() - started
    tokenizer.save(work / "tokenizer.json")
    merges = common.merges_of_file(work / "tokenizer.json")
    return seconds, {"merges": len(merges), "digest": common.digest_of_merges(merges)}


def encode(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    tokenizer = tg.Tokenizer.load(work / "tokenizer.json")
    texts = list(common.lines(corpus))
    started = time.perf_counter()
    ids, _ = tokenizer.encode_ids_batch(texts, threads=threads)
    seconds = time.perf_counter() - started
    return seconds, {"tokens": len(ids), "digest": common.digest_of_ids(ids)}


def word2vec(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    # The peer's shrinking window and subsampling, whatever the size of the corpus.
    settings = common.WORD_VECTOR_SETTINGS | {"subsample": 1e-3, "shrink_window": True}
    trainer = tg.Word2Vec(**settings, split="whitespace")
    started = time.perf_counter()
    vectors = trainer.train(tg.Corpus.from_files(corpus), threads=threads)
    seconds = time.perf_counter() - started
    vectors.save(work / "vectors.safetensors")
    facts: dict[str, object] = {"words": len(vectors)}
    for name, path in common.similarity_sets(work):
        known = lambda a, b: vectors.similarity(a, b) if a in vectors and b in vectors else None  # noqa: E731
        facts[name], _ = common.spearman(path, known)
    return seconds, facts


def load_text(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    return _load(work, "word2vec-text", threads)


def load_binary(corpus: Path, threads: int, work: Path) -> tuple[float, dict[str, object]]:
    return _load(work, "word2vec-binary", threads)


def _load(
    work: Path, format: Literal["word2vec-text", "word2vec-binary"], threads: int
) -> tuple[float, dict[str, object]]:
    path = work / common.VECTOR_FILES[format]
    if not path.exists():
        numbers = np.random.default_rng(1).normal(scale=0.3, size=(100_000, 300)).round(5)
        made = {f"wörd{row}": numbers[row] for row in range(len(numbers))}
        tg.WordVectors.from_mapping(made).save(path, format=format)
    started = time.perf_counter()
    vectors = tg.WordVectors.load(path, threads=threads)
    seconds = time.perf_counter() - started
    digest = common.digest_of_vectors(vectors.words, vectors.matrix)
    return seconds, {"words": len(vectors), "MB": path.stat().st_size // 10**6, "digest": digest}

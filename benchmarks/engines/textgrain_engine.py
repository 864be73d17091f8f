"""The tasks done with textgrain."""

from __future__ import annotations

import time
from typing import Literal

import numpy as np

import textgrain as tg
from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job

VERSION = dict(tg.build_info())["version"] + " " + dict(tg.build_info())["profile"]


def train_bpe(job: Job) -> tuple[float, dict[str, object]]:
    return _train(job, tg.BPE(vocab_size=common.VOCAB_SIZE, split="gpt2", tie_break="lowest-ids"))


def train_bpe_gpt4(job: Job) -> tuple[float, dict[str, object]]:
    return _train(job, tg.BPE(vocab_size=common.VOCAB_SIZE, split="gpt4", tie_break="lowest-ids"))


def _train(job: Job, trainer: tg.BPE) -> tuple[float, dict[str, object]]:
    started = time.perf_counter()
    tokenizer = trainer.train(tg.Corpus.from_files(job.corpus), threads=job.threads)
    seconds = time.perf_counter() - started
    tokenizer.save(job.work / f"{job.task}.json")
    merges = common.merges_of_file(job.work / f"{job.task}.json")
    return seconds, {"merges": len(merges), "digest": common.digest_of_merges(merges)}


def train_characters(job: Job) -> tuple[float, dict[str, object]]:
    trainer = tg.BPE(
        vocab_size=common.VOCAB_SIZE,
        split="whitespace",
        symbols="characters",
        end_of_word="</w>",
        tie_break="lowest-ids",
    )
    started = time.perf_counter()
    tokenizer = trainer.train(tg.Corpus.from_files(job.corpus), threads=job.threads)
    return time.perf_counter() - started, {"tokens": len(tokenizer)}


def encoder(job: Job) -> Encoder:
    tokenizer = tg.Tokenizer.load(job.tokenizer_json)
    return Encoder(
        line=tokenizer.encode_ids,
        listed=tokenizer.encode_list,
        batch=lambda texts: tokenizer.encode_ids_batch(texts, threads=job.threads),
        split_batch=lambda batch: common.split_flat(*batch),
        decode_array=tokenizer.decode,
        decode_list=tokenizer.decode,
    )


def word2vec(job: Job) -> tuple[float, dict[str, object]]:
    # The peer's shrinking window and subsampling, whatever the size of the corpus.
    settings = common.WORD_VECTOR_SETTINGS | {"subsample": 1e-3, "shrink_window": True}
    trainer = tg.Word2Vec(**settings, split="whitespace")
    started = time.perf_counter()
    vectors = trainer.train(tg.Corpus.from_files(job.corpus), threads=job.threads)
    seconds = time.perf_counter() - started
    vectors.save(job.work / "vectors.safetensors")
    facts: dict[str, object] = {"words": len(vectors)}
    for name, path in common.similarity_sets(job.work):
        known = lambda a, b: vectors.similarity(a, b) if a in vectors and b in vectors else None  # noqa: E731
        facts[name], _ = common.spearman(path, known)
    return seconds, facts


def load_text(job: Job) -> tuple[float, dict[str, object]]:
    return _load(job, "word2vec-text")


def load_binary(job: Job) -> tuple[float, dict[str, object]]:
    return _load(job, "word2vec-binary")


def _load(job: Job, format: Literal["word2vec-text", "word2vec-binary"]) -> tuple[float, dict[str, object]]:
    path = job.work / common.VECTOR_FILES[format]
    if not path.exists():
        numbers = np.random.default_rng(1).normal(scale=0.3, size=(100_000, 300)).round(5)
        made = {f"wörd{row}": numbers[row] for row in range(len(numbers))}
        tg.WordVectors.from_mapping(made).save(path, format=format)
    started = time.perf_counter()
    vectors = tg.WordVectors.load(path, threads=job.threads)
    seconds = time.perf_counter() - started
    digest = common.digest_of_vectors(vectors.words, vectors.matrix)
    return seconds, {"words": len(vectors), "MB": path.stat().st_size // 10**6, "digest": digest}

"""The tasks done with textgrain."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import numpy as np

import textgrain as tg
from benchmarks import vectors
from benchmarks.engines import common, searches
from benchmarks.engines.common import Encoder, Job
from benchmarks.vectors import Trained, VectorSettings

_BUILD = dict(tg.build_info())
#: Of a wheel "0.1.0+profiled", as other versions have their build behind a plus sign.
VERSION = _BUILD["version"] + {"release": "", "release, profiled": "+profiled"}.get(
    _BUILD["profile"], "+debug"
)
SIMD = tg.processor_level


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


def train_vectors(job: Job, settings: VectorSettings) -> Trained:
    clock = vectors.clock(job)
    # The last report before training begins, so that what is called training is rather more than less.
    ready, begun = clock(), False

    def note(stage: str, *_: object) -> None:
        nonlocal ready, begun
        begun = begun or stage == "training"
        if not begun:
            ready = clock()

    started = clock()
    trainer = _vector_trainer(job, settings)
    trained = trainer.train(tg.Corpus.from_files(job.corpus), threads=job.threads, progress=note)
    finished = clock()
    return Trained(trained.words, trained.matrix, trained.counts, finished - started, finished - ready)


def _vector_trainer(job: Job, settings: VectorSettings) -> tg.Word2Vec | tg.FastText | tg.GloVe:
    chosen: dict[str, Any] = {
        "vector_size": settings.vector_size,
        "window": settings.window,
        "min_count": settings.min_count,
        "seed": job.seed,
        "split": "whitespace",
    }
    if settings.method == "glove":
        return tg.GloVe(epochs=settings.epochs_of(job), **chosen)
    # The peers' shrinking window and subsampling, whatever the size of the corpus.
    chosen |= {
        "architecture": settings.architecture,
        "loss": settings.loss,
        "negative": settings.negative,
        "shared_negatives": not settings.exact,
        "learning_rate": settings.learning_rate,
        "subsample": settings.subsample,
        "shrink_window": True,
        "epochs": settings.epochs_of(job),
    }
    return tg.FastText(**chosen) if settings.method == "fasttext" else tg.Word2Vec(**chosen)


def count_words(job: Job) -> tuple[float, dict[str, object]]:
    clock = vectors.clock(job)
    started = clock()
    # Vectors of one number that learn next to nothing: what is left is counting and numbering.
    trainer = tg.Word2Vec(
        vector_size=1, window=1, negative=1, epochs=1, subsample=1e-9, shrink_window=True, split="whitespace"
    )
    trained = trainer.train(tg.Corpus.from_files(job.corpus), threads=job.threads)
    return clock() - started, {"words": len(trained)}


def cooccurrence(job: Job) -> tuple[float, dict[str, object]]:
    clock = vectors.clock(job)
    started = clock()
    table = tg.GloVe(window=10, split="whitespace").cooccurrence(
        tg.Corpus.from_files(job.corpus), threads=job.threads
    )
    return clock() - started, {"words": len(table.words), "cells": len(table.weight)}


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
    loaded = tg.WordVectors.load(path, threads=job.threads)
    seconds = time.perf_counter() - started
    digest = common.digest_of_vectors(loaded.words, loaded.matrix)
    return seconds, {"words": len(loaded), "MB": path.stat().st_size // 10**6, "digest": digest}


def _native(job: Job) -> Path:
    """A file of this library; made once."""
    path = job.work / "many.safetensors"
    if not path.exists():
        tg.WordVectors.from_mapping(dict(zip(searches.words(), searches.matrix(), strict=True))).save(path)
    return path


def open_vectors(job: Job) -> tuple[float, dict[str, object]]:
    path = _native(job)

    def ask() -> tuple[tg.WordVectors, list[tuple[str, float]]]:
        opened = tg.WordVectors.load(path, threads=job.threads)
        return opened, opened.most_similar("word0", n=searches.NEIGHBORS, threads=job.threads)

    seconds, (opened, found) = searches.timed(job, ask)
    answers = [[int(word.removeprefix("word")) for word, _ in found]]
    return seconds, {"words": len(opened), "wrong": searches.wrong(job, opened.matrix, answers)}


def search_one(job: Job) -> tuple[float, dict[str, object]]:
    return _search(job, searches.SINGLE, before=searches.SINGLE)


def search_fresh(job: Job) -> tuple[float, dict[str, object]]:
    return _search(job, searches.SINGLE, before=0)


def search_first(job: Job) -> tuple[float, dict[str, object]]:
    return _search(job, searches.FIRST, before=0)


def _search(job: Job, count: int, *, before: int) -> tuple[float, dict[str, object]]:
    opened = tg.WordVectors.load(_native(job), threads=job.threads)
    # Every page of the file is in memory before the clock starts, as it is for the others.
    asked, _ = [f"word{row}" for row in searches.queries(count)], opened.matrix.sum()

    def ask(words: list[str]) -> list[list[tuple[str, float]]]:
        return [opened.most_similar(word, n=searches.NEIGHBORS, threads=job.threads) for word in words]

    ask(asked[:before])
    seconds, found = searches.timed(job, lambda: ask(asked))
    answers = [[int(word.removeprefix("word")) for word, _ in near] for near in found]
    return seconds, {"queries": count, "wrong": searches.wrong(job, opened.matrix, answers)}


def search_batch(job: Job) -> tuple[float, dict[str, object]]:
    opened = tg.WordVectors.load(_native(job), threads=job.threads)
    asked, _ = [f"word{row}" for row in searches.queries(searches.BATCH)], opened.matrix.sum()
    seconds, found = searches.timed(
        job, lambda: opened.most_similar_batch(asked, n=searches.NEIGHBORS, threads=job.threads)
    )
    answers = found.rows.tolist()
    return seconds, {"queries": searches.BATCH, "wrong": searches.wrong(job, opened.matrix, answers)}


def quantize(job: Job) -> tuple[float, dict[str, object]]:
    opened = tg.WordVectors.load(_native(job), threads=job.threads)
    seconds, small = searches.timed(
        job,
        lambda: opened.quantize("product", parts=searches.PARTS, sample=1, threads=job.threads).vectors,
    )
    rows = searches.queries(searches.BATCH)
    stored = small.lookup([f"word{row}" for row in rows])
    return seconds, {"mean cosine, %": 100 * searches.mean_cosine(opened.matrix[rows], stored)}


def analogies(job: Job) -> tuple[float, dict[str, object]]:
    opened = tg.WordVectors.load(_native(job), threads=job.threads)
    few = searches.write_questions(job.work / "few.txt", searches.few_questions())
    all_of_them = searches.write_questions(job.work / "all.txt", searches.questions())
    result = opened.evaluate(few, kind="analogy", threads=job.threads)
    seconds, _ = searches.timed(
        job, lambda: opened.evaluate(all_of_them, kind="analogy", threads=job.threads)
    )
    return seconds, {"asked": result.used, "right": result.correct}

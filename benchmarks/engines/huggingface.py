"""The tasks done with Hugging Face tokenizers."""

from __future__ import annotations

import time

import tokenizers
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from benchmarks.engines import common
from benchmarks.engines.common import Encoder, Job

VERSION = tokenizers.__version__


def train_bpe(job: Job) -> tuple[float, dict[str, object]]:
    return _train(job, pre_tokenizers.ByteLevel(add_prefix_space=False))


def train_bpe_gpt4(job: Job) -> tuple[float, dict[str, object]]:
    pattern = Regex(common.PUBLISHED_PATTERNS["cl100k_base"])
    steps = [
        pre_tokenizers.Split(pattern, behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
    return _train(job, pre_tokenizers.Sequence(steps))


def _train(job: Job, pre_tokenizer: pre_tokenizers.PreTokenizer) -> tuple[float, dict[str, object]]:
    common.limit_threads(job.threads)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=common.VOCAB_SIZE,
        min_frequency=common.MERGE_FREQUENCY,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    started = time.perf_counter()
    tokenizer.train_from_iterator(common.lines(job.corpus), trainer)
    seconds = time.perf_counter() - started
    tokenizer.save(str(job.work / "tokenizer-huggingface.json"))
    merges = common.merges_of_file(job.work / "tokenizer-huggingface.json")
    return seconds, {"merges": len(merges), "digest": common.digest_of_merges(merges)}


def train_characters(job: Job) -> tuple[float, dict[str, object]]:
    common.limit_threads(job.threads)
    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=common.VOCAB_SIZE,
        min_frequency=common.MERGE_FREQUENCY,
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    started = time.perf_counter()
    tokenizer.train([str(job.corpus)], trainer)
    return time.perf_counter() - started, {"tokens": tokenizer.get_vocab_size()}


def encoder(job: Job) -> Encoder:
    common.limit_threads(job.threads)
    tokenizer = Tokenizer.from_file(str(job.tokenizer_json))

    def listed(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    return Encoder(
        line=listed,
        listed=listed,
        batch=lambda texts: tokenizer.encode_batch_fast(texts, add_special_tokens=False),
        split_batch=lambda batch: [encoding.ids for encoding in batch],
        decode_list=lambda ids: tokenizer.decode(ids, skip_special_tokens=False),
    )

"""What is measured: each task with the engines that can do it.

A task is either done once (training, reading a file) or in passes over the documents of a corpus
(encoding, decoding), where the first pass of a fresh process is reported apart from the later ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.vectors import VectorSettings

OURS = "textgrain_engine"
ENCODERS = (
    OURS,
    "tiktoken_engine",
    "huggingface",
    "gigatoken_engine",
    "fastokens_engine",
    "snaptokens_engine",
    "toktok_engine",
    "splintr_engine",
    "tuetoken_engine",
)
SEARCHERS = (OURS, "gensim_engine", "faiss_engine")


@dataclass(frozen=True)
class Task:
    name: str
    title: str
    engines: tuple[str, ...]
    #: Facts that must be equal between all engines before a time means anything.
    equal: tuple[str, ...] = ()
    #: Whether the task goes over the documents in passes.
    passes: bool = False
    #: Whether the time of one call, and not megabytes a second, is what counts.
    latency: bool = False
    #: What is trained, if the task trains word vectors: a round for each seed.
    vectors: VectorSettings | None = None


GENSIM = (OURS, "gensim_engine")
SUBWORD = (OURS, "gensim_engine", "fasttext_engine")
VECTOR_TASKS = (
    ("word2vec", "skip-gram, 100 numbers", GENSIM, VectorSettings()),
    ("word2vec_300", "skip-gram, 300 numbers", GENSIM, VectorSettings(vector_size=300)),
    ("word2vec_exact", "skip-gram with noise for each pair, 100 numbers", GENSIM, VectorSettings(exact=True)),
    ("cbow", "continuous bag of words, 100 numbers", GENSIM, VectorSettings(architecture="cbow")),
    (
        "hierarchical_softmax",
        "skip-gram, hierarchical softmax, 100 numbers",
        GENSIM,
        VectorSettings(loss="hierarchical-softmax"),
    ),
    ("fasttext", "skip-gram with n-grams, 100 numbers", SUBWORD, VectorSettings(method="fasttext")),
    (
        "fasttext_300",
        "skip-gram with n-grams, 300 numbers",
        SUBWORD,
        VectorSettings(method="fasttext", vector_size=300),
    ),
    (
        "glove",
        "GloVe, 100 numbers, window 10",
        (OURS, "glove_engine"),
        VectorSettings(method="glove", window=10),
    ),
)

TASKS = {
    task.name: task
    for task in (
        Task(
            "train_bpe",
            "train byte-level BPE with the GPT-2 split, 32,000 tokens",
            (OURS, "huggingface", "gigabpe_engine", "gigatoken_engine"),
            ("merges", "digest"),
        ),
        Task(
            "train_bpe_gpt4",
            "train byte-level BPE with the GPT-4 split, 32,000 tokens",
            (OURS, "huggingface", "minibpe_engine", "rustbpe_engine"),
            ("merges",),
        ),
        Task(
            "train_characters",
            "train BPE on characters with </w>, 32,000 tokens",
            (OURS, "huggingface", "gigabpe_engine"),
            ("tokens",),
        ),
        Task("encode_lines", "encode, one call a document, fastest form", ENCODERS, passes=True),
        Task("encode_lists", "encode, one call a document, list of int", ENCODERS, passes=True),
        Task("encode_batch", "encode a list of documents in one call", ENCODERS, passes=True),
        Task("encode_whole", "encode all text as one string", ENCODERS, passes=True),
        Task("call_50", "encode 50 characters, list of int", ENCODERS, passes=True, latency=True),
        Task("call_1", "encode 1 character, list of int", ENCODERS, passes=True, latency=True),
        Task("decode_arrays", "decode, one call a document, from an array", ENCODERS, passes=True),
        Task("decode_lists", "decode, one call a document, from a list", ENCODERS, passes=True),
        Task("load_text", "read word2vec text, 100,000 x 300", (OURS, "gensim_engine"), ("words", "digest")),
        Task(
            "load_binary", "read word2vec binary, 100,000 x 300", (OURS, "gensim_engine"), ("words", "digest")
        ),
        Task(
            "open_vectors",
            "open 400,000 x 300 in the own format and ask one query",
            (OURS, "gensim_engine"),
            ("words", "wrong"),
        ),
        Task("search_first", "the first 5 queries, 400,000 x 300", (OURS, "gensim_engine"), ("wrong",)),
        Task("search_fresh", "the first 100 queries, one after the other", SEARCHERS, ("wrong",)),
        Task("search_one", "100 later queries, one after the other", SEARCHERS, ("wrong",)),
        Task("search_batch", "1,000 queries, in one call where there is one", SEARCHERS, ("wrong",)),
        Task("quantize", "product quantization, 400,000 x 300 in 75 bytes", (OURS, "faiss_engine")),
        Task("analogies", "19,684 analogies, 400,000 x 300", (OURS, "gensim_engine"), ("asked", "right")),
        *(
            Task(name, f"train {title}", engines, ("words",), vectors=settings)
            for name, title, engines, settings in VECTOR_TASKS
        ),
        Task("count_words", "count words and number the corpus", GENSIM, ("words",)),
        Task(
            "cooccurrence",
            "count words near each other, window 10",
            (OURS, "glove_engine"),
            ("words", "cells"),
        ),
    )
}

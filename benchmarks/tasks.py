"""What is measured: each task with the engines that can do it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    name: str
    title: str
    engines: tuple[str, ...]
    #: Facts that must be equal between all engines before a time means anything.
    equal: tuple[str, ...]


OURS = "textgrain_engine"

TASKS = {
    task.name: task
    for task in (
        Task("train_bpe", "train byte-level BPE, 32,000 tokens", (OURS, "huggingface"), ("merges", "digest")),
        Task("encode", "encode a list of lines", (OURS, "huggingface"), ("tokens", "digest")),
        Task("load_text", "read word2vec text, 100,000 x 300", (OURS, "gensim_engine"), ("words", "digest")),
        Task(
            "load_binary", "read word2vec binary, 100,000 x 300", (OURS, "gensim_engine"), ("words", "digest")
        ),
        Task("word2vec", "skip-gram, 100 numbers, 1 epoch", (OURS, "gensim_engine"), ("words",)),
    )
}

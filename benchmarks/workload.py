"""The work whose profile guides the compiler: `maturin build --pgo` runs this on a build that counts.

It does what the benchmarks measure, on texts that can be made anywhere, once on each level of this processor:
code that no profile saw is taken for code that hardly runs, and a wheel is for processors of every level.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal, get_args

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import textgrain as tg
from benchmarks import corpora, passes, vectors
from benchmarks.engines import textgrain_engine as ours
from benchmarks.engines.common import Job
from benchmarks.tasks import TASKS
from textgrain.counts import Split

#: Of each text that is made.
MEGABYTES = 1.5
#: Of the built-in sample.
PARAGRAPHS = 4000
SPLITS = (*get_args(Split), [tg.Regex(r"\p{L}+|\s+|[^\s\p{L}]+"), "digits"])
TRAINERS = (
    tg.BPE(vocab_size=4000, split="words", symbols="characters", end_of_word="</w>"),
    tg.WordPiece(vocab_size=2000),
    tg.Unigram(vocab_size=2000),
    tg.WordLevel(vocab_size=4000),
    tg.CharLevel(),
)
STORAGES: tuple[Literal["float16", "int8", "product"], ...] = ("float16", "int8", "product")
FORMATS: tuple[Literal["safetensors", "word2vec-text", "word2vec-binary"], ...] = (
    "safetensors",
    "word2vec-text",
    "word2vec-binary",
)


def main() -> None:
    """Makes the texts and a tokenizer, and starts a process for each level."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        texts = {
            "english.txt": tg.sample_corpus().take(range(PARAGRAPHS)),
            "code.docs": corpora.code(MEGABYTES),
            "languages.txt": corpora.languages(MEGABYTES),
            "new-words.txt": corpora.new_words(MEGABYTES / 10),
        }
        for name, documents in texts.items():
            corpora.write(work / name, documents)
        files = [work / name for name in texts]
        tg.BPE(vocab_size=32_000, split="gpt4").train(tg.Corpus.from_files(files)).save(work / "model.json")
        for level in tg.processor_levels():
            environment = os.environ | {"TEXTGRAIN_SIMD": level}
            subprocess.run([sys.executable, __file__, folder], check=True, env=environment)


def work_on_one_level(work: Path) -> None:
    for file in sorted(work.glob("*.txt")) + sorted(work.glob("*.docs")):
        tokenize(file, work)
    english = work / "english.txt"
    for threads in (1, 2):
        for name in ("train_bpe", "train_bpe_gpt4", "train_characters"):
            getattr(ours, name)(Job(name, english, threads, work))
    paragraphs = corpora.documents(english)
    for trainer in TRAINERS:
        tokenizer = trainer.train(paragraphs)
        for text in paragraphs[::4]:
            tokenizer.decode(tokenizer.encode_ids(text))
    for name, task in TASKS.items():
        if task.vectors is not None:
            vectors.measure(Job(name, english, 1, work), task.vectors, ours.train_vectors)
    search(work)


def tokenize(file: Path, work: Path) -> None:
    documents = corpora.documents(file)
    for name, task in TASKS.items():
        if task.passes:
            passes.measure(Job(name, file, 2, work, model=work / "model.json", passes=3), ours.encoder)
    some = documents[:: len(documents) // 200 + 1]
    for split in SPLITS:
        for text in some:
            tg.split_pieces(text, split)
    tokenizer = tg.Tokenizer.load(work / "model.json")
    for text in some:
        assert tokenizer.decode(tokenizer.encode(text).ids) == text
        tokenizer.count(text)


def search(work: Path) -> None:
    numbers = np.random.default_rng(1).normal(size=(5_000, 100)).astype(np.float32)
    drawn = tg.WordVectors.from_mapping({f"word{row}": line for row, line in enumerate(numbers)})
    words = drawn.words[::25]
    for table in drawn, *(drawn.quantize(storage, sample=10).vectors for storage in STORAGES):
        for word in words:
            table.most_similar(word)
        table.most_similar_batch(words)
    drawn.evaluate([tuple(words[at : at + 4]) for at in range(100)], kind="analogy")
    for form in FORMATS:
        drawn.save(work / "vectors", format=form)
        tg.WordVectors.load(work / "vectors")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        work_on_one_level(Path(sys.argv[1]))
    else:
        main()

"""What a process does on one level of processor: prints digests of what is exact, and keeps what is rounded.

Run as ``python work.py FOLDER [exact]``; the arrays go to ``FOLDER/rounded.npz``.
"""

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import get_args

import numpy as np

import textgrain as tg
from textgrain.counts import Split

SPLITS = (*get_args(Split), [tg.Regex(r"\p{L}+|\s+|[^\s\p{L}]+"), "digits"])
ONCE = {"epochs": 1, "subsample": 0.001, "shrink_window": True}
TRAINERS = {
    "skip-gram": tg.Word2Vec(vector_size=36, **ONCE),
    "noise for each pair": tg.Word2Vec(vector_size=20, shared_negatives=False, **ONCE),
    "bags of words": tg.Word2Vec(vector_size=36, architecture="cbow", **ONCE),
    "hierarchical softmax": tg.Word2Vec(vector_size=20, loss="hierarchical-softmax", **ONCE),
    "n-grams": tg.FastText(vector_size=20, buckets=10_000, **ONCE),
    "any number of threads": tg.Word2Vec(vector_size=20, deterministic=True, **ONCE),
    "counts": tg.GloVe(vector_size=36, epochs=3),
}


def texts():
    """Every character, windows that end everywhere around multiples of 64 bytes, and long pieces."""
    every = [chr(number) for number in range(sys.maxunicode + 1) if not 0xD800 <= number < 0xE000]
    planes = every[:0x3400] + every[0x3400:0x20000:7] + every[0x20000::97]
    yield "".join(planes)
    yield "".join(f"a{character} {character}" for character in planes[::3])
    marks = [
        "",
        "a",
        " ",
        "  ",
        "'s",
        "'S",
        "\n",
        "1",
        "12 ",
        "-",
        "é",
        "中",
        "\U0001f600",
        "e\u0301",
        "\u3000",
    ]
    for length in [*range(58, 68), *range(122, 132)]:
        ends = [f"{mark}{other}{'y' * 64}" for mark in marks for other in marks]
        yield "\n".join("x" * length + end for end in ends)
        yield "\n".join(("word " * 40)[: length - 1] + "é" + end for end in ends[::4])
    for character in "aA1 \n.é中\U0001f600":
        yield "go " + character * 5000 + " on"
    yield "ab" * 3000 + "é" * 63 + "1234567" * 500
    draw = random.Random(5)
    alphabet = [*"aaaeettt  \n.,;'sS019-_/", *"ßéÉñ中文字한글א\u0301\u00a0\u2028\U0001f600\U00010330"]
    for length in (0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 200, 5000):
        yield "".join(draw.choices(alphabet, k=length))


def digest(parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part if isinstance(part, bytes) else repr(part).encode("utf-8", "surrogatepass"))
        total.update(b"\0")
    return total.hexdigest()


def same_everywhere(folder):
    """Digests of all that must not depend on the level, by what they are of."""
    everything = list(texts())
    for number, split in enumerate(SPLITS):
        name = split if isinstance(split, str) else f"rule {number}"
        yield f"pieces, {name}", digest(tg.split_pieces(text, split) for text in everything)
    corpus = tg.sample_corpus()
    trained = {
        "bytes": tg.BPE(vocab_size=2000, split="gpt4", special_tokens=["<end>"]),
        "lowest ids": tg.BPE(vocab_size=1000, split="llama3", tie_break="lowest-ids"),
        "characters": tg.BPE(merges=500, split="words", symbols="characters", end_of_word="_"),
        "unigram": tg.Unigram(vocab_size=800),
        "word piece": tg.WordPiece(vocab_size=500),
    }
    for name, trainer in trained.items():
        for threads in (1, 2):
            tokenizer = trainer.train(corpus, threads=threads)
            tokenizer.save(folder / "tokenizer.json")
            yield f"training, {name}, {threads}", digest([(folder / "tokenizer.json").read_bytes()])
        if name == "characters":
            continue
        ids = [tokenizer.encode_ids(text) for text in everything]
        yield f"ids, {name}", digest(part.tobytes() for part in ids)
        yield f"texts, {name}", digest(tokenizer.decode(part) for part in ids)
        yield f"offsets, {name}", digest(tokenizer.encode(text).offsets for text in everything[2:])
        batch = tokenizer.encode_ids_batch(everything, threads=2)
        yield f"batch, {name}", digest(np.asarray(part).tobytes() for part in batch)
    vectors = drawn_vectors(600, 40)
    for storage in ("float16", "int8", "product"):
        vectors.quantize(storage, sample=10).save(folder / "small.safetensors")
        yield f"vectors as {storage}", digest([(folder / "small.safetensors").read_bytes()])


def rounded():
    """Arrays whose last digits may depend on the level."""
    corpus = tg.sample_corpus().take(range(1500))
    for name, trainer in TRAINERS.items():
        vectors = trainer.train(corpus, threads=1)
        yield f"{name}: vectors", vectors.matrix
        yield f"{name}: losses", np.asarray(vectors.history)
    for size in (20, 100):
        vectors = drawn_vectors(3000, size)
        words = vectors.words[::50]
        # The first query compares floats, later ones bytes.
        found = [vectors.most_similar(word, n=8) for word in words]
        yield f"one by one, {size}", np.array([[score for _, score in answer] for answer in found])
        yield f"at once, {size}", vectors.most_similar_batch(words, n=8).scores
        yield f"similarities, {size}", np.array([vectors.similarity(words[0], word) for word in words])


def answers():
    """The words that searches find."""
    for size in (20, 100):
        vectors = drawn_vectors(3000, size)
        words = vectors.words[::50]
        yield f"one by one, {size}", [[word for word, _ in vectors.most_similar(word, n=8)] for word in words]
        yield f"at once, {size}", vectors.most_similar_batch(words, n=8).rows.tolist()
        asked = [words[at : at + 3] for at in range(40)]
        questions = [(*words, vectors.analogy(*words, n=1)[0][0]) for words in asked]
        yield f"analogies, {size}", questions
        for method in ("3cosadd", "3cosmul"):
            yield f"{method}, {size}", vectors.evaluate(questions, method=method, threads=2).accuracy


def drawn_vectors(count, size):
    numbers = np.random.default_rng(size).normal(size=(count, size)).astype(np.float32)
    return tg.WordVectors.from_mapping({f"w{row}": line for row, line in enumerate(numbers)})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    report = {"level": tg.processor_level()}
    arrays = dict(rounded())
    np.savez(folder / "rounded.npz", **arrays)
    report["rounded"] = {name: digest([array.tobytes()]) for name, array in arrays.items()}
    if "exact" in sys.argv[2:]:
        report["exact"] = dict(same_everywhere(folder))
        report["answers"] = dict(answers())
    sys.stdout.write(json.dumps(report))

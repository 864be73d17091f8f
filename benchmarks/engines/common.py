"""What the engines share: the corpus as lines, and a digest of ids or merges."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

VOCAB_SIZE = 32_000
MERGE_FREQUENCY = 1
WORD_VECTOR_SETTINGS = {
    "vector_size": 100,
    "window": 5,
    "min_count": 5,
    "negative": 5,
    "epochs": 1,
    "seed": 1,
}


#: The files of the tasks that read vectors; textgrain, which goes first, writes them.
VECTOR_FILES = {"word2vec-text": "vectors.txt", "word2vec-binary": "vectors.bin"}


def digest_of_vectors(words: Iterable[str], matrix: np.ndarray) -> str:
    digest = hashlib.sha256("\n".join(words).encode())
    digest.update(np.ascontiguousarray(matrix, dtype="<f4").tobytes())
    return digest.hexdigest()[:16]


def lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.removesuffix("\n")


def digest_of_merges(merges: Iterable[list[str]]) -> str:
    digest = hashlib.sha256()
    for left, right in merges:
        digest.update(f"{left} {right}\n".encode())
    return digest.hexdigest()[:16]


def merges_of_file(path: Path) -> list[list[str]]:
    """The merges in a tokenizer.json, as pairs of strings in the printable alphabet of bytes."""
    merges: list[list[str]] = json.loads(path.read_text(encoding="utf-8"))["model"]["merges"]
    return merges


def digest_of_ids(ids: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(ids, dtype="<u4").tobytes()).hexdigest()[:16]


def spearman(path: Path, score: Callable[[str, str], float | None]) -> tuple[float, int]:
    """Rank correlation of `score` with a word-similarity file, and how many of its pairs are covered."""
    gold, found = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        first, second, value = line.split()
        similarity = score(first.lower(), second.lower())
        if similarity is not None:
            gold.append(float(value))
            found.append(similarity)
    if len(gold) < 10:
        return float("nan"), len(gold)
    return float(np.corrcoef(_ranks(gold), _ranks(found))[0, 1]), len(gold)


def _ranks(values: list[float]) -> np.ndarray:
    """Ranks from 0, equal values sharing their mean rank."""
    unique, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts + 1) / 2)[inverse] if len(unique) else np.array([])


def similarity_sets(work: Path) -> list[tuple[str, Path]]:
    """The word-similarity files that the run was given."""
    listed = work / "similarity-sets.txt"
    if not listed.exists():
        return []
    return [(Path(line).stem, Path(line)) for line in listed.read_text(encoding="utf-8").splitlines()]

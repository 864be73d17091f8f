"""What the engines share: the job, what an encoder offers, the corpus as lines, digests of results."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

VOCAB_SIZE = 32_000
MERGE_FREQUENCY = 1


class Unsupported(Exception):  # noqa: N818 - not an error: the line of this engine is left out
    """The engine cannot do the task, and why."""


@dataclass(frozen=True)
class Job:
    """One task on one corpus with one model."""

    task: str
    corpus: Path
    threads: int
    #: A folder that all processes of a run share.
    work: Path
    #: The tokenizer.json that encoders load.
    model: Path | None = None
    #: The published rank file that `model` says the same as, with the name of its encoding.
    ranks: Path | None = None
    encoding: str | None = None
    #: How many passes after the first.
    passes: int = 5
    #: Whether the results of this engine are the measure for the others.
    reference: bool = False
    #: Passes of training over the corpus, for word vectors.
    epochs: int = 1
    #: Starts the random numbers of training: another one in each round.
    seed: int = 1

    @property
    def tokenizer_json(self) -> Path:
        if self.model is None:
            raise Unsupported("needs a tokenizer.json")
        return self.model


@dataclass(frozen=True)
class Encoder:
    """The calls of one library; None where it has none of that kind."""

    #: A document to ids in the fastest form that the library has.
    line: Callable[[str], Any] | None = None
    #: A document to a list of int.
    listed: Callable[[str], list[int]] | None = None
    #: Documents to ids in the fastest form that the library has.
    batch: Callable[[list[str]], Any] | None = None
    #: What `batch` returns, document by document.
    split_batch: Callable[[Any], list[Any]] = list
    #: A very long text, where that is another call than `line`.
    whole: Callable[[str], Any] | None = None
    decode_array: Callable[[Any], str | bytes] | None = None
    decode_list: Callable[[list[int]], str | bytes] | None = None
    #: What `line` returns, as an array or a list.
    to_array: Callable[[Any], Any] = lambda ids: ids


def split_flat(ids: np.ndarray, offsets: np.ndarray) -> list[np.ndarray]:
    """Cut the ids of a batch at the offsets, which begin with 0 and end with the number of ids."""
    return np.split(np.asarray(ids), np.asarray(offsets)[1:-1].astype(np.int64))


def limit_threads(threads: int) -> None:
    """Tell libraries that count processors themselves how many threads to use."""
    os.environ |= {"RAYON_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "true"}


def published_json(job: Job, pattern: str | None) -> Path:
    """The model for libraries that know only published patterns and ids without gaps.

    Such a library looks for the pattern in the words in which it was published, although others cut the
    same, and refuses special tokens with a gap before them; texts here hold none.
    """
    document = json.loads(job.tokenizer_json.read_text(encoding="utf-8"))
    vocabulary = document["model"]["vocab"]
    for added in document["added_tokens"]:
        vocabulary.pop(added["content"], None)
    document["added_tokens"], document["post_processor"] = [], None
    if pattern is not None:
        for step in document["pre_tokenizer"].get("pretokenizers", []):
            if step["type"] == "Split":
                step["pattern"] = {"Regex": pattern}
    path = job.work / f"published-{os.getpid()}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


#: The patterns as tiktoken published them first; cut the same as today's.
PUBLISHED_PATTERNS = {
    "cl100k_base": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "o200k_base": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
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


def digest_of_merges(merges: Iterable[Sequence[str]]) -> str:
    digest = hashlib.sha256()
    for left, right in merges:
        digest.update(f"{left} {right}\n".encode())
    return digest.hexdigest()[:16]


def _byte_names() -> dict[int, str]:
    """The printable stand-in of each byte, by the rule that GPT-2's vocabulary file set."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + at) for at, byte in enumerate(rest)}


BYTE_NAMES = _byte_names()


def printable(token: bytes) -> str:
    return "".join(BYTE_NAMES[byte] for byte in token)


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


def listed_files(work: Path, kind: str) -> list[tuple[str, Path]]:
    """The files of a kind that the run was given, with a short name each."""
    listed = work / f"{kind}.txt"
    if not listed.exists():
        return []
    return [(Path(line).stem, Path(line)) for line in listed.read_text(encoding="utf-8").splitlines()]

"""The tasks that train word vectors: their settings, and how every library's result is scored.

A run of the task with one seed is one round; the scores of a table are means over its rounds. All scores are
computed here, from words and matrix, so that no library judges itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchmarks.engines import common
from benchmarks.measure import ROOT, environment_of

if TYPE_CHECKING:
    from benchmarks.engines.common import Job

#: Analogies are looked for among this many of the most frequent words, as is usual.
ANALOGY_WORDS = 30_000


@dataclass(frozen=True)
class VectorSettings:
    """What all engines of a task are told; what is not here has one value for all tasks."""

    method: Literal["word2vec", "fasttext", "glove"] = "word2vec"
    architecture: Literal["skipgram", "cbow"] = "skipgram"
    loss: Literal["negative-sampling", "hierarchical-softmax"] = "negative-sampling"
    vector_size: int = 100
    #: Whether noise is drawn anew for each pair of words, as the original does.
    exact: bool = False
    window: int = 5
    min_count: int = 5
    negative: int = 5

    @property
    def learning_rate(self) -> float:
        """What does well with the method, for all engines alike."""
        return 0.05 if self.architecture == "cbow" or self.method != "word2vec" else 0.025

    @property
    def epochs_for_one(self) -> int:
        """Passes of training for each that is asked for: GloVe needs more of them."""
        return 3 if self.method == "glove" else 1

    def epochs_of(self, job: Job) -> int:
        return job.epochs * self.epochs_for_one

    @property
    def subsample(self) -> float:
        return 1e-4 if self.method == "fasttext" else 1e-3


@dataclass(frozen=True)
class Trained:
    """What an engine returns: vectors in the order of falling counts, and how long it took."""

    words: Sequence[str]
    matrix: np.ndarray
    counts: Sequence[int] | None
    #: All of the call: reading, counting and training.
    seconds: float
    #: Training alone, where the library lets one see it.
    training: float | None


def clock(job: Job) -> Callable[[], float]:
    """Processor time on one thread, else time on the clock."""
    return time.process_time if job.threads == 1 else time.perf_counter


def measure(
    job: Job, settings: VectorSettings, train: Callable[[Job, VectorSettings], Trained]
) -> dict[str, Any]:
    """The report of one round."""
    trained = train(job, settings)
    facts: dict[str, Any] = {"words": len(trained.words)}
    if trained.counts is not None and trained.training is not None and settings.method == "word2vec":
        work = _operations(trained.counts, settings) * job.epochs
        if work:
            facts["GFLOP/s"] = work / trained.training / 1e9
    report = {"seconds": trained.seconds, "facts": facts | scores(job, trained)}
    return report if trained.training is None else report | {"training": trained.training}


def scores(job: Job, trained: Trained) -> dict[str, float]:
    """Rank correlations with the word-similarity files of the run, and the share of right analogies."""
    found: dict[str, float] = {}
    rows = {word: row for row, word in enumerate(trained.words)}
    norms = np.maximum(np.linalg.norm(trained.matrix, axis=1, keepdims=True), 1e-9)
    unit = np.asarray(trained.matrix, dtype=np.float32) / norms.astype(np.float32)

    def similarity(first: str, second: str) -> float | None:
        if first not in rows or second not in rows:
            return None
        return float(unit[rows[first]] @ unit[rows[second]])

    for name, path in common.listed_files(job.work, "similarity"):
        found[name] = 100 * common.spearman(path, similarity)[0]
    for name, path in common.listed_files(job.work, "analogies"):
        lines = path.read_text(encoding="utf-8").lower().splitlines()
        questions = [[rows.get(word, ANALOGY_WORDS) for word in line.split()] for line in lines]
        known = [question for question in questions if len(question) == 4 and max(question) < ANALOGY_WORDS]
        if known:
            found[name] = 100 * _share_right(np.array(known), unit[:ANALOGY_WORDS])
    return found


def _share_right(questions: np.ndarray, unit: np.ndarray) -> float:
    right = 0
    for start in range(0, len(questions), 500):
        part = questions[start : start + 500]
        wanted = unit[part[:, 1]] - unit[part[:, 0]] + unit[part[:, 2]]
        found = wanted @ unit.T
        for given in range(3):
            found[np.arange(len(part)), part[:, given]] = -np.inf
        right += int((found.argmax(1) == part[:, 3]).sum())
    return right / len(questions)


def _operations(counts: Sequence[int], settings: VectorSettings) -> float:
    """Multiplications and additions of an epoch over a corpus with these counts of words, about.

    Each product of two vectors takes two for each number, and each step on one of them as many. Windows are
    taken to be whole: at the ends of documents there is less to do.
    """
    if settings.loss != "negative-sampling":
        return 0.0
    occurring = np.asarray(counts, dtype=np.float64)
    ratio = settings.subsample * occurring.sum() / occurring
    kept = float((occurring * np.minimum(1.0, np.sqrt(ratio) + ratio)).sum())
    around = settings.window + 1  # the mean of both sides of windows of 1 to `window` words
    pairs = (1 if settings.architecture == "cbow" else around) * (settings.negative + 1)
    sums = 2 * around if settings.architecture == "cbow" else 0
    return kept * settings.vector_size * (6 * pairs + sums)


def limits() -> dict[str, float]:
    """What one processor of this machine can do at best: floating-point operations and bytes a second."""
    left, right = np.ones((2, 768, 768), dtype=np.float32)
    source = np.ones(1 << 26, dtype=np.float32)
    target = np.zeros_like(source)
    product = min(_seconds(lambda: left @ right) for _ in range(12))
    copy = min(_seconds(lambda: np.copyto(target, source)) for _ in range(6))
    return {"GFLOP/s": 2 * 768**3 / product / 1e9, "GB/s": 2 * source.nbytes / copy / 1e9}


def limits_of_a_process(simd: dict[str, str]) -> dict[str, float]:
    """The same in a process with these variables of the environment, which keep it to a level.

    One thread: the time of a second one is only counted at its next interruption.
    """
    command = [
        sys.executable,
        "-c",
        "import json; from benchmarks import vectors; print(json.dumps(vectors.limits()))",
    ]
    output = subprocess.check_output(command, cwd=ROOT, env=environment_of(1, simd))
    found: dict[str, float] = json.loads(output)
    return found


def _seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started

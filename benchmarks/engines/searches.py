"""What the tasks on finished vectors share: the vectors, what is asked, and whether answers are right.

The vectors are made with a fixed seed, in a shape that people download: 400,000 words of 300 numbers. The
words of the analogies lie so that about half of the questions have the answer that is expected.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.engines.common import Job

ROWS, SIZE = 400_000, 300
NEIGHBORS = 10

#: Queries of the tasks: one after the other, and all at once.
SINGLE, BATCH = 100, 1_000

#: Queries of a fresh process, before anything is prepared for many of them.
FIRST = 5

#: Sections of analogies, and pairs of words in each; every two pairs of a section are a question.
SECTIONS, PAIRS = 14, 38

#: How far the second word of a pair is from where the offset of the section puts it.
NOISE = np.float32(3.2)

#: Bytes of a vector that is stored by product quantization.
PARTS = 75

#: Engines that take minutes for all questions answer one in so many, and their time is multiplied.
SPARSE = 40

Answers = Sequence[Sequence[int]]
Result = TypeVar("Result")


def words() -> list[str]:
    return [f"word{row}" for row in range(ROWS)]


def matrix() -> np.ndarray:
    """The vectors; the first rows are the pairs of the analogies."""
    random = np.random.default_rng(7)
    numbers = random.standard_normal((ROWS, SIZE), dtype=np.float32)
    for section in range(SECTIONS):
        offset = random.standard_normal(SIZE, dtype=np.float32) * np.float32(1.2)
        pairs = numbers[section * 2 * PAIRS : (section + 1) * 2 * PAIRS].reshape(PAIRS, 2, SIZE)
        pairs[:, 1] = pairs[:, 0] + offset + NOISE * pairs[:, 1]
    return numbers


def questions() -> list[list[tuple[int, int, int, int]]]:
    """The analogies by section: a is to b as c is to d, by row."""
    sections = []
    for section in range(SECTIONS):
        pairs = [(row, row + 1) for row in range(section * 2 * PAIRS, (section + 1) * 2 * PAIRS, 2)]
        sections.append([(*one, *other) for one in pairs for other in pairs if one != other])
    return sections


def few_questions() -> list[list[tuple[int, int, int, int]]]:
    """Those that every engine answers."""
    return [section[::SPARSE] for section in questions()]


def write_questions(path: Path, sections: Iterable[Iterable[Sequence[int]]]) -> Path:
    """The questions in the form of Google's test, which all libraries read."""
    with path.open("w", encoding="utf-8") as file:
        for number, section in enumerate(sections):
            file.write(f": section{number}\n")
            file.writelines(" ".join(f"word{row}" for row in question) + "\n" for question in section)
    return path


def queries(count: int) -> np.ndarray:
    """The rows that are asked about."""
    return np.linspace(0, ROWS - 1, count).astype(np.int64)


def truth(job: Job, numbers: np.ndarray, count: int) -> np.ndarray:
    """The cosines of the nearest rows to each query, in double precision; the row itself left out."""
    path = job.work / f"truth-{count}.npy"
    if not path.exists():
        unit = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
        best = np.empty((count, NEIGHBORS))
        for start in range(0, count, 50):
            rows = queries(count)[start : start + 50]
            products = unit[rows] @ unit.T
            products[np.arange(len(rows)), rows] = -2.0
            # Single precision only chooses the rows that are looked at.
            near = np.argpartition(-products, 4 * NEIGHBORS, axis=1)[:, : 4 * NEIGHBORS]
            cosines = np.sort(_cosines(numbers, rows, near), axis=1)
            best[start : start + 50] = cosines[:, ::-1][:, :NEIGHBORS]
        np.save(path, best)
    found: np.ndarray = np.load(path)
    return found


def wrong(job: Job, numbers: np.ndarray, answers: Answers) -> int:
    """How many answers are not those of a look at every row; rows that are equally near count as equal."""
    rows, found = queries(len(answers)), np.asarray(answers)
    cosines = _cosines(numbers, rows, found)
    off = np.abs(cosines - truth(job, numbers, len(answers))).max(axis=1) > 1e-6
    itself = (found == rows[:, None]).any(axis=1)
    return int((off | itself).sum())


def _cosines(numbers: np.ndarray, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    left, right = numbers[rows].astype(np.float64), numbers[others].astype(np.float64)
    lengths = np.linalg.norm(left, axis=1)[:, None] * np.linalg.norm(right, axis=2)
    cosines: np.ndarray = np.einsum("qd,qnd->qn", left, right) / lengths
    return cosines


def mean_cosine(numbers: np.ndarray, stored: np.ndarray) -> float:
    """How near what is stored of some vectors is to them."""
    products = np.einsum("ij,ij->i", numbers.astype(np.float64), stored)
    return float((products / np.linalg.norm(numbers, axis=1) / np.linalg.norm(stored, axis=1)).mean())


def timed(job: Job, work: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds of the processor on one thread, which other programs disturb less, else of the clock."""
    clock = time.process_time if job.threads == 1 else time.perf_counter
    started = clock()
    result = work()
    return clock() - started, result

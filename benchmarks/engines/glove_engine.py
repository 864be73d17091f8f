"""The tasks done with the programs of the authors of GloVe, if they are on the PATH."""

from __future__ import annotations

import os
import resource
import shutil
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.engines.common import Job, Unsupported
from benchmarks.vectors import Trained, VectorSettings

VERSION = "as found"

#: A record of the table: two words and a sum.
_RECORD = struct.calcsize("<iid")


def train_vectors(job: Job, settings: VectorSettings) -> Trained:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        counting = _count(job, work, settings.window, settings.min_count)
        counting += _shuffle(job, work)
        command = [
            "glove", "-input-file", work / "shuffled", "-vocab-file", work / "words",
            "-save-file", work / "vectors", "-binary", 0, "-vector-size", settings.vector_size,
            "-iter", settings.epochs_of(job), "-x-max", 100, "-alpha", 0.75, "-eta", settings.learning_rate,
            "-threads", job.threads, "-seed", job.seed,
        ]  # fmt: skip
        training = _run(job, command)
        lines = (work / "vectors.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" ") for line in lines if not line.startswith("<unk> ")]
    matrix = np.array([row[1:] for row in rows], dtype=np.float32)
    return Trained([row[0] for row in rows], matrix, None, counting + training, training)


def cooccurrence(job: Job) -> tuple[float, dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        seconds = _count(job, work, window=10, min_count=5)
        seconds += _shuffle(job, work)
        words = len((work / "words").read_text(encoding="utf-8").splitlines())
        cells = (work / "shuffled").stat().st_size // _RECORD
    return seconds, {"words": words, "cells": cells}


def _count(job: Job, work: Path, window: int, min_count: int) -> float:
    """Fill the table; returns how long it took."""
    count = ["vocab_count", "-min-count", min_count]
    table = ["cooccur", "-memory", 4, "-vocab-file", work / "words", "-window-size", window]
    table += ["-overflow-file", work / "overflow"]
    return _run(job, count, job.corpus, work / "words") + _run(job, table, job.corpus, work / "cells")


def _shuffle(job: Job, work: Path) -> float:
    command = ["shuffle", "-memory", 4, "-seed", job.seed, "-temp-file", work / "part"]
    return _run(job, command, work / "cells", work / "shuffled")


def _run(
    job: Job, command: list[object], source: str | Path = os.devnull, target: str | Path = os.devnull
) -> float:
    """Seconds that a program took: of the processor on one thread, else of the clock."""
    program, *options = map(str, command)
    found = shutil.which(program)
    if found is None:
        raise Unsupported(f"{program}, one of the programs of GloVe, is not on the PATH")
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with Path(source).open("rb") as read, Path(target).open("wb") as written:
        subprocess.run(
            [found, "-verbose", "0", *options],
            stdin=read,
            stdout=written,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    if job.threads > 1:
        return time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

"""The tasks done with the fastText program, through its Python package."""

from __future__ import annotations

from importlib.metadata import version

import fasttext
import numpy as np

from benchmarks import vectors
from benchmarks.engines.common import Job
from benchmarks.vectors import Trained, VectorSettings

VERSION = version("fasttext-wheel")


def train_vectors(job: Job, settings: VectorSettings) -> Trained:
    # Its package takes no seed: rounds are equal but for threads.
    clock = vectors.clock(job)
    started = clock()
    model = fasttext.train_unsupervised(
        str(job.corpus),
        model=settings.architecture,
        lr=settings.learning_rate,
        dim=settings.vector_size,
        ws=settings.window,
        epoch=job.epochs,
        minCount=settings.min_count,
        minn=3,
        maxn=6,
        neg=settings.negative,
        bucket=2_000_000,
        t=settings.subsample,
        thread=job.threads,
        verbose=0,
    )
    seconds = clock() - started
    # Its vocabulary holds the end of a line as a word.
    words = [word for word in model.words if word != "</s>"]
    matrix = np.array([model.get_word_vector(word) for word in words])
    return Trained(words, matrix, None, seconds, None)

"""Fixtures that several test files use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import hospital  # noqa: E402


@pytest.fixture(scope="session")
def hospital_sentences() -> list[str]:
    return hospital.sentences()


@pytest.fixture(scope="session")
def hospital_vectors(hospital_sentences):
    import textgrain as tg

    trainer = tg.Word2Vec(vector_size=16, window=2, subsample=0, shrink_window=False)
    return trainer.train(hospital_sentences, threads=1)

"""Ctrl-C ends the training of vectors within 0.2 s, whatever it is doing."""

import gzip
from importlib import resources

import pytest

import textgrain as tg
from textgrain.testing import check_interruption

ENDLESS = 100_000
LARGE = [tg.Word2Vec(architecture="cbow"), tg.FastText(), tg.GloVe()]
SMALL = [
    tg.Word2Vec(epochs=ENDLESS),
    tg.Word2Vec(epochs=ENDLESS, vector_size=1000, window=50, negative=50),
    tg.Word2Vec(epochs=ENDLESS, loss="hierarchical-softmax", deterministic=True),
    tg.FastText(epochs=ENDLESS, vector_size=300, shared_negatives=False),
    tg.GloVe(epochs=ENDLESS, vector_size=300),
]


@pytest.fixture(scope="module")
def large_text(tmp_path_factory):
    """Enough text that reading and counting take a while; lines differ, so there are many words."""
    path = tmp_path_factory.mktemp("control-c") / "large.txt"
    with resources.files("textgrain.data").joinpath("economics.txt.gz").open("rb") as packed:
        lines = gzip.decompress(packed.read()).decode().splitlines()
    with path.open("w", encoding="utf-8") as file:
        for part in range(12):
            file.writelines(f"{line} word{part}x{number}\n" for number, line in enumerate(lines))
    return tg.Corpus.from_files(path)


@pytest.mark.parametrize("after", [0.05, 0.1, 0.4, 1.0])
@pytest.mark.parametrize("trainer", LARGE, ids=lambda trainer: type(trainer).__name__.lower())
def test_in_every_stage_of_a_large_corpus(trainer, after, large_text):
    check_interruption(trainer, large_text, after=after, within=0.2)


@pytest.mark.parametrize("trainer", SMALL, ids=["usual", "wide", "tree", "ngrams", "counts"])
def test_in_the_epochs_of_a_small_corpus(trainer):
    check_interruption(trainer, tg.sample_corpus(), after=1.0, within=0.2)

"""Whole small trainings of the engine give the vectors and losses of the readable twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.reference import hierarchical_softmax, window_by_window

RATE = 0.05
SETTINGS = {
    "vector_size": 5,
    "window": 2,
    "min_count": 1,
    "learning_rate": RATE,
    "min_learning_rate": RATE,
    "epochs": 3,
    "subsample": 0,
    "shrink_window": False,
    "split": "whitespace",
}

corpora = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=12), min_size=1, max_size=8)


def start(words):
    random = np.random.default_rng(len(words))
    return tg.WordVectors.from_mapping({word: random.normal(0, 0.3, 5) for word in words})


def twin(sentences, vectors, architecture, targets_of):
    rows = {word: row for row, word in enumerate(vectors.words)}
    tables = vectors.matrix.astype(np.float64), np.zeros((len(rows), 5))
    step = getattr(window_by_window, architecture)
    losses = []
    for _ in range(SETTINGS["epochs"]):
        loss, predictions = 0.0, 0
        for sentence in sentences:
            for middle, around in window_by_window.windows([rows[word] for word in sentence], 2):
                loss += step(*tables, around, *targets_of(middle), RATE)
                predictions += len(around) if architecture == "skip_gram" else 1
        losses.append(loss / predictions)
    return tables[0], losses


def check(sentences, architecture, trainer, targets_of, threads=1):
    documents = [" ".join(sentence) for sentence in sentences]
    # The engine orders rows by count; starting from vectors in that order keeps the twin simple.
    flat = [word for sentence in sentences for word in sentence]
    words = sorted(dict.fromkeys(flat), key=lambda word: -flat.count(word))
    vectors = start(words)
    found = trainer.train(documents, threads=threads, init_from=vectors)
    assert found.words == words
    expected, losses = twin(sentences, vectors, architecture, targets_of(found))
    np.testing.assert_allclose(found.matrix, expected, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(found.history, losses, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("architecture", ["skip_gram", "cbow"])
@given(sentences=corpora)
@settings(max_examples=25, deadline=None)
def test_hierarchical_softmax(architecture, sentences):
    if len({word for sentence in sentences for word in sentence}) < 2:
        return

    def targets_of(found):
        ways = hierarchical_softmax.ways(found.counts.tolist())
        return lambda middle: ways[middle]

    trainer = tg.Word2Vec(architecture=architecture.replace("_", ""), loss="hierarchical-softmax", **SETTINGS)
    check(sentences, architecture, trainer, targets_of)


@pytest.mark.parametrize("architecture", ["skip_gram", "cbow"])
@given(sentences=st.lists(st.lists(st.sampled_from("ab"), min_size=2, max_size=12), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_negative_sampling_with_two_words(architecture, sentences):
    """Of two words the noise is always the other one, so nothing is left to chance."""
    if len({word for sentence in sentences for word in sentence}) < 2:
        return
    trainer = tg.Word2Vec(architecture=architecture.replace("_", ""), negative=3, **SETTINGS)

    def targets_of(_):
        return lambda middle: ([middle] + 3 * [1 - middle], [1, 0, 0, 0])

    check(sentences, architecture, trainer, targets_of)


def test_ways_have_probabilities_that_add_up_to_one():
    ways = hierarchical_softmax.ways([50, 20, 10, 5, 5, 3, 1, 1])
    random = np.random.default_rng(0)
    chance = 1 / (1 + np.exp(-random.normal(size=7)))
    total = sum(
        np.prod([chance[node] if label else 1 - chance[node] for node, label in zip(*way, strict=True)])
        for way in ways
    )
    assert total == pytest.approx(1)

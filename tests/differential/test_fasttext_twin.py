"""Whole small trainings of fastText give the vectors, the n-grams and the losses of the readable twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.reference import fasttext, hierarchical_softmax
from textgrain.reference.gradient_check import numerical_gradient
from textgrain.reference.ngrams import ngrams

RATE = 0.05
SETTINGS = {
    "vector_size": 5,
    "window": 2,
    "min_count": 1,
    "min_n": 2,
    "max_n": 3,
    "buckets": 50,
    "learning_rate": RATE,
    "min_learning_rate": RATE,
    "subsample": 0,
    "shrink_window": False,
    "split": "whitespace",
}
# Words with n-grams in common, and n-grams that occur twice in a word.
WORDS = ["banana", "nana", "ban", "ab", "aba", "日本"]


def sentences_of(words):
    return st.lists(st.lists(st.sampled_from(words), min_size=2, max_size=9), min_size=1, max_size=5)


def twin_of(vectors, kind):
    """The twin of a model: its n-grams, and the rows of words that complete its vectors."""
    rows = [[row for _, places in vectors.subwords.rows(word) for row in places] for word in vectors.words]
    table = vectors.subwords.matrix.astype(np.float64)
    output = np.zeros((len(rows), table.shape[1]))
    if kind == "explicit":
        return fasttext.Model(table, output, rows, "sum")
    own = [
        vector * (len(places) + 1) - table[places].sum(axis=0)
        for vector, places in zip(vectors.matrix.astype(np.float64), rows, strict=True)
    ]
    listed = [[len(table) + number, *places] for number, places in enumerate(rows)]
    return fasttext.Model(np.vstack([table, own]), output, listed, "mean")


def check(sentences, kind, architecture, targets_of, **options):
    documents = [" ".join(sentence) for sentence in sentences]
    if len({word for sentence in sentences for word in sentence}) < 2:
        return
    trainer = tg.FastText(ngrams=kind, architecture=architecture, epochs=2, **SETTINGS, **options)
    start = trainer.train(documents, threads=1)
    found = trainer.train(documents, threads=1, init_from=start)
    assert found.words == start.words
    model = twin_of(start, kind)
    numbers = {word: number for number, word in enumerate(start.words)}
    for epoch in range(2):
        parts = [
            model.learn([numbers[word] for word in sentence], targets_of(start), 2, RATE, architecture)
            for sentence in sentences
        ]
        loss, predictions = map(sum, zip(*parts, strict=True))
        assert found.history[epoch] == pytest.approx(loss / predictions, rel=1e-4, abs=1e-5)
    expected = [model.vector(number) for number in range(len(numbers))]
    np.testing.assert_allclose(found.matrix, expected, rtol=1e-3, atol=5e-5)
    rows = len(found.subwords.matrix)
    np.testing.assert_allclose(found.subwords.matrix, model.table[:rows], rtol=1e-3, atol=5e-5)


@pytest.mark.parametrize("kind", ["hashed", "explicit"])
@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
@given(sentences=sentences_of(WORDS))
@settings(max_examples=15, deadline=None)
def test_hierarchical_softmax(kind, architecture, sentences):
    def targets_of(start):
        # The counts of a model that goes on are those of both runs.
        ways = hierarchical_softmax.ways(start.counts.tolist())
        return lambda middle: ways[middle]

    check(sentences, kind, architecture, targets_of, loss="hierarchical-softmax")


@pytest.mark.parametrize("kind", ["hashed", "explicit"])
@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
@given(sentences=sentences_of(["banana", "nab"]))
@settings(max_examples=15, deadline=None)
def test_negative_sampling_with_two_words(kind, architecture, sentences):
    def targets_of(_):
        return lambda middle: ([middle] + 3 * [1 - middle], [1, 0, 0, 0])

    check(sentences, kind, architecture, targets_of, negative=3)


@given(st.text(min_size=1, max_size=9).filter(lambda word: word.split() == [word]))
def test_rows_are_the_ngrams_of_the_lesson(word):
    documents = [f"{word} other"] * 5
    settings = {**SETTINGS, "vector_size": 2, "min_n": 3, "max_n": 6}
    vectors = tg.FastText(ngrams="explicit", epochs=1, **settings).train(documents, threads=1)
    known = vectors.subwords.rows(word)
    assert sorted(ngram for ngram, _ in known) == sorted(ngrams(word))
    assert all(len(rows) == 1 for _, rows in known)


def test_the_step_of_the_twin_is_down_the_slope():
    """A row of a sum has the slope of the vector; the step is that slope, shared among the rows."""
    random = np.random.default_rng(1)
    table, output = random.normal(size=(6, 4)), random.normal(size=(3, 4))
    model = fasttext.Model(table.copy(), output.copy(), [[0, 2, 3], [1, 3, 4, 5]], "sum")

    def loss(changed):
        probe = fasttext.Model(changed.copy(), output.copy(), model.rows, "sum")
        probe.take(0, 1)
        return probe.step([0], [0, 2], [1, 0], 0.0, "skipgram")

    slope = numerical_gradient(loss, table)
    model.take(0, 1)
    model.step([0], [0, 2], [1, 0], 1.0, "skipgram")
    model.give_back(before=1)
    np.testing.assert_allclose(model.table - table, -slope / 4, atol=1e-6)

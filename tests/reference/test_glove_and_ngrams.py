"""The GloVe and n-gram twins give the numbers of the lesson."""

import numpy as np
import pytest

from textgrain.reference import glove
from textgrain.reference.ngrams import ngrams, word_vector
from textgrain.reference.similarity import nearest


@pytest.fixture(scope="module")
def cells(seeds, hospital_corpus):
    return glove.cooccurrence(hospital_corpus, seeds["glove"]["settings"]["window"])


@pytest.fixture(scope="module")
def trained(seeds, hospital_corpus):
    settings = seeds["glove"]["settings"]
    names = ("window", "x_max", "alpha", "learning_rate")
    return glove.GloVe(epochs=25, **{name: settings[name] for name in names}).train(hospital_corpus)


def test_cooccurrence(seeds, cells):
    golden = seeds["glove"]["on_hospital_corpus"]
    words, table = cells
    assert len(words) == golden["words"]
    assert len(table) == golden["nonzero_pairs"]
    assert round(sum(table.values()), 1) == golden["total_weight"]
    (left, right), heaviest = max(table.items(), key=lambda item: item[1])
    names = list(words)
    assert [names[left], names[right], round(heaviest, 3)] == golden["heaviest"]


def test_cooccurrence_is_symmetric(cells):
    _, table = cells
    assert all(table[right, left] == pytest.approx(cell) for (left, right), cell in table.items())


def test_losses_to_the_printed_digits(seeds, trained):
    for epoch, expected in seeds["glove"]["on_hospital_corpus"]["weighted_squared_loss"].items():
        digits = len(str(expected).partition(".")[2])
        assert round(trained.losses[int(epoch) - 1], digits) == expected


def test_the_vectors_find_the_months(trained, hospital_groups):
    words = list(trained.words)
    row = trained.vectors[trained.words["march"]]
    assert set(nearest(row, words, trained.vectors, 4, without=["march"])) <= set(hospital_groups["month"])


def test_ngrams_of_where(seeds):
    golden = seeds["ngrams"]
    assert set(ngrams("where")) == set(golden["where"])
    assert len(ngrams("where")) == len(golden["where"])


def test_ngrams_shared_with_an_unseen_word(seeds):
    golden = seeds["ngrams"]
    assert len(ngrams("whereupon")) == golden["whereupon_count"]
    assert set(ngrams("where")) & set(ngrams("whereupon")) == set(golden["shared"])


def test_short_and_repetitive_words():
    assert ngrams("") == ["<>"]
    assert ngrams("ab") == ["<ab", "ab>", "<ab>"]
    assert len(ngrams("aaaaaaa")) == len(set(ngrams("aaaaaaa")))


def test_the_vector_of_an_unseen_word_is_the_sum_of_the_ngrams_it_shares(seeds):
    random = np.random.default_rng(0)
    table = {ngram: random.normal(size=5) for ngram in ngrams("where")}
    expected = sum(table[ngram] for ngram in seeds["ngrams"]["shared"])
    np.testing.assert_allclose(word_vector("whereupon", table), expected)
    np.testing.assert_allclose(word_vector("where", table), sum(table.values()))
    assert word_vector("zzz", table) is None

"""Words without a vector of their own: n-grams, what to do without any, and what made up a vector."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import ParameterError, UnknownWordError
from textgrain.reference.ngrams import ngrams, word_vector


@pytest.fixture
def where():
    table = {"<wh": [1, 0, 0], "her": [0, 2, 0], "<where>": [0, 0, 4], "ana": [1, 1, 1]}
    return tg.WordVectors.from_mapping({"where": [1, 2, 4], "low": [5, 6, 7]}, ngrams=table)


def test_in_means_in_the_vocabulary(where):
    assert "where" in where
    assert "whether" not in where
    assert where.can_vectorize("where")
    assert where.can_vectorize("whether")
    assert not where.can_vectorize("xyz")
    assert not where.can_vectorize("")
    plain = tg.WordVectors.from_mapping({"a": [1.0]})
    assert plain.subwords is None
    assert plain.can_vectorize("a")
    assert not plain.can_vectorize("b")


def test_each_policy(where):
    assert where["whether"].tolist() == where.vector("whether").tolist() == [1, 2, 0]
    assert where.vector("low", oov="error").tolist() == [5, 6, 7]
    with pytest.raises(UnknownWordError):
        where.vector("whether", oov="error")
    for ask in (where.__getitem__, where.vector, where.most_similar):
        with pytest.raises(UnknownWordError):
            ask("xyz")
    assert where.vector("xyz", oov="zero").tolist() == [0, 0, 0]
    assert where.vector("whether", oov=["subword", "zero"]).tolist() == [1, 2, 0]
    assert where.vector("xyz", oov=["subword", "zero"]).tolist() == [0, 0, 0]
    assert where.lookup(["xyz", "whether", "low"], oov=["subword", "skip"]).tolist() == [[1, 2, 0], [5, 6, 7]]
    assert where.lookup([], oov="error").shape == (0, 3)
    with pytest.raises(UnknownWordError, match="none of its n-grams is known"):
        where.lookup(["low", "xyz"])
    with pytest.raises(ParameterError, match='one of "error", "subword", "zero"'):
        where.vector("low", oov="skip")
    with pytest.raises(ParameterError, match="`oov`"):
        where.lookup(["low"], oov="ignore")
    with pytest.raises(ParameterError, match="a list of words"):
        where.lookup("low")


def test_vectors_of_unseen_words_are_read_only_and_can_be_searched(where):
    with pytest.raises(ValueError, match="read-only"):
        where["whether"][0] = 1
    assert where.most_similar("whether", n=1)[0][0] == "low"
    assert where.similarity("whether", [1, 2, 0]) == pytest.approx(1)
    assert where.distance("whether", "where") == pytest.approx(4)


@given(st.text(max_size=12), st.integers(1, 4), st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_table_agrees_with_its_twin(word, min_n, more, random):
    max_n = min_n + more
    parts = ngrams(word, min_n, max_n)
    table = {part: np.array([random.random(), 1.0]) for part in parts if random.random() < 0.5}
    vectors = tg.WordVectors.from_mapping({"other": [1, 1]}, ngrams=table, min_n=min_n, max_n=max_n)
    assert sorted(vectors.subwords.ngrams(word)) == sorted(parts)
    expected = word_vector(word, table, min_n, max_n)
    found = vectors.subwords.vector(word)
    assert (found is None) == (expected is None)
    if expected is not None:
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-30)


def test_ngrams_of_the_lesson(seeds):
    golden = seeds["ngrams"]
    random = np.random.default_rng(0)
    table = {ngram: random.normal(size=5) for ngram in golden["where"]}
    vectors = tg.WordVectors.from_mapping({"where": sum(table.values())}, ngrams=table)
    assert sorted(vectors.subwords.ngrams("where")) == sorted(golden["where"])
    assert len(vectors.subwords.ngrams("whereupon")) == golden["whereupon_count"]
    known = [part.ngram for part in vectors.explain("whereupon").parts if part.known]
    assert sorted(known) == sorted(golden["shared"])
    np.testing.assert_allclose(
        vectors["whereupon"], sum(table[ngram] for ngram in golden["shared"]), rtol=1e-5
    )


def test_an_explanation_adds_up(where):
    unseen = where.explain("whether", n=1)
    assert (unseen.word, unseen.in_vocabulary, len(unseen)) == ("whether", False, 23)
    weights = {part.ngram: part.weight for part in unseen.parts if part.known}
    assert weights == pytest.approx({"<wh": 0.2, "her": 0.8})
    assert all(len(part.neighbors) == 1 for part in unseen.parts if part.known)
    assert "its vector comes from 2 of 23 n-grams" in str(unseen)
    assert "<table" in unseen._repr_html_()
    assert repr(unseen) == "<WordExplanation of 'whether': 2 of 23 parts have a vector>"
    seen = where.explain("where")
    assert sum(part.weight for part in seen.parts if part.known) == pytest.approx(1)
    plain = tg.WordVectors.from_mapping({"a": [1.0, 2.0]}).explain("a")
    assert [(part.ngram, part.weight) for part in plain.parts] == [("a", pytest.approx(1))]
    assert "a vector of its own" in str(plain)
    with pytest.raises(UnknownWordError):
        where.explain("xyz")


def test_copies_and_files_keep_the_ngrams(where, tmp_path):
    path = tmp_path / "where.safetensors"
    where.save(path)
    plain = tg.WordVectors.from_mapping({"where": [1, 2, 4], "low": [5, 6, 7]})
    for twin in (tg.WordVectors.load(path), pickle.loads(pickle.dumps(where)), copy.deepcopy(where)):
        assert twin == where
        assert twin != plain
        assert twin["whether"].tolist() == [1, 2, 0]
        assert twin.subwords.settings == where.subwords.settings
    assert repr(where.subwords) == "<Subwords: 4 explicit n-grams of 3 to 6 characters>"


def test_what_ngrams_cannot_be():
    words = {"a": [1.0, 2.0]}
    with pytest.raises(ParameterError, match="lists of 2 numbers"):
        tg.WordVectors.from_mapping(words, ngrams={"<a>": [1.0]})
    for min_n, max_n in ((3, 2), (0, 0), (1, 256)):
        with pytest.raises(ParameterError, match="n-grams of"):
            tg.WordVectors.from_mapping(words, ngrams={"<a>": [1.0, 2.0]}, min_n=min_n, max_n=max_n)
    assert tg.WordVectors.from_mapping(words, ngrams={}).can_vectorize("b") is False

"""Changed copies: every answer agrees with the words that are there."""

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError, UnknownWordError


@pytest.fixture
def vectors():
    counts = {"a": 3, "b": 2, "c": 1}
    return tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 2], "c": [1, 1]}, counts=counts)


def test_added_words_are_found_and_old_ones_replaced(vectors, tmp_path):
    vectors.most_similar("a")
    more = vectors.with_words({"new": [2, 0.1], "b": [3, 0]}, counts={"new": 7})
    assert more.words == ["a", "b", "c", "new"]
    assert more.counts.tolist() == [3, 2, 1, 7]
    assert [word for word, _ in more.most_similar("a")] == ["b", "new", "c"]
    assert more.similarity("b", "a") == 1.0
    assert more.most_similar_batch(["a"], n=3)[0] == more.most_similar("a")
    more.save(tmp_path / "v")
    loaded = tg.WordVectors.load(tmp_path / "v")
    assert loaded == more
    assert loaded.most_similar("a") == more.most_similar("a")
    assert loaded.settings["edits"] == ["with_words: 2"]
    # The old object is as it was.
    assert vectors["b"].tolist() == [0, 2]
    assert "new" not in vectors
    assert vectors.with_words({}).words == vectors.words
    with pytest.raises(ParameterError, match="must hold 2 numbers"):
        vectors.with_words({"x": [1, 2, 3]})
    with pytest.raises(ParameterError, match="`counts` must only name words of `vectors`, got 'a'"):
        vectors.with_words({"x": [1, 2]}, counts={"a": 1})


def test_dropped_and_selected(vectors):
    assert vectors.drop("a").words == ["b", "c"]
    fewer = vectors.drop(["a", "c", "a"])
    assert (fewer.words, fewer.counts.tolist(), fewer.most_similar("b")) == (["b"], [2], [])
    assert vectors.drop(vectors.words).words == []
    chosen = vectors.select(["c", "a", "c"])
    assert (chosen.words, chosen.counts.tolist()) == (["c", "a"], [1, 3])
    assert chosen.matrix.tolist() == [[1, 1], [1, 0]]
    for change in (vectors.drop, vectors.select):
        with pytest.raises(UnknownWordError):
            change(["zebra"])
    with pytest.raises(ParameterError, match="a list of words"):
        vectors.select("abc")


def test_renamed(vectors):
    swapped = vectors.rename({"a": "b", "b": "a"})
    assert swapped.words == ["b", "a", "c"]
    assert swapped["b"].tolist() == [1, 0]
    with pytest.raises(ParameterError, match="leave words distinct, got 'c' twice"):
        vectors.rename({"a": "c"})
    with pytest.raises(UnknownWordError):
        vectors.rename({"zebra": "horse"})


def test_edits_add_up(vectors):
    assert vectors.drop("a").rename({"b": "x"}).settings["edits"] == ["drop: 2 words left", "rename: 1"]
    assert np.array_equal(vectors.rename({"a": "x"}).matrix, vectors.matrix)


def test_words_added_to_a_model_with_ngrams(tmp_path):
    ngrams = {"<wh": [1, 0], "her": [0, 2]}
    model = tg.WordVectors.from_mapping({"where": [1, 2], "here": [0, 1]}, ngrams=ngrams)
    model.most_similar("whether")
    more = model.with_words({"new": [1, 0.1], "whether": [-1, 0]})
    assert [word for word, _ in more.most_similar("where", n=3)] == ["here", "new", "whether"]
    # The word has a vector of its own now; other words are put together as before.
    assert more["whether"].tolist() == [-1, 0]
    assert more["another"].tolist() == model["another"].tolist() == [0, 2]
    more.save(tmp_path / "v")
    assert tg.WordVectors.load(tmp_path / "v") == more

"""Parts that other libraries do: the approximate index, the word mover's distance."""

import sys

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError


@pytest.fixture(scope="module")
def cloud():
    points = np.random.default_rng(1).normal(size=(2000, 16))
    points[5] = 0
    return tg.WordVectors.from_mapping({f"w{row}": point for row, point in enumerate(points)})


def test_what_is_missing_is_named(cloud, monkeypatch):
    for module in ("usearch.index", "ot"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install 'textgrain\[index\]'"):
        tg.VectorIndex(cloud)
    with pytest.raises(ImportError, match=r"pip install 'textgrain\[transport\]'"):
        cloud.word_movers_distance(["w1"], ["w2"])


def test_an_index_finds_nearly_all(cloud, tmp_path):
    pytest.importorskip("usearch")
    index = tg.VectorIndex(cloud, effort_asking=200)
    assert len(index) == 1999
    assert index.recall(sample=200) > 0.9
    exact = dict(cloud.most_similar("w3", n=50))
    found = index.most_similar("w3")
    assert len(found) == 10
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert all(exact[word] == pytest.approx(score) for word, score in found if word in exact)
    assert index.most_similar(cloud["w3"], n=1)[0][0] == "w3"
    assert index.most_similar("w3", n=0) == []
    index.save(tmp_path / "index")
    loaded = tg.VectorIndex.load(tmp_path / "index", cloud)
    assert loaded.most_similar("w3") == found
    with pytest.raises(FormatError, match="does not belong to these"):
        tg.VectorIndex.load(tmp_path / "index", cloud.drop("w1"))
    names = cloud.words
    swapped = cloud.rename({names[0]: names[1], names[1]: names[0]})
    assert len(tg.VectorIndex.load(tmp_path / "index", swapped)) == 1999
    moved = cloud.with_words({names[0]: cloud[names[1]]})
    with pytest.raises(FormatError, match="the index holds other vectors than these"):
        tg.VectorIndex.load(tmp_path / "index", moved)
    hasty, patient = (tg.VectorIndex.load(tmp_path / "index", cloud, effort_asking=n) for n in (1, 400))
    assert hasty.recall(sample=200) < patient.recall(sample=200)
    with pytest.raises(ParameterError, match="`effort_asking` must be at least 1"):
        tg.VectorIndex.load(tmp_path / "index", cloud, effort_asking=0)
    (tmp_path / "broken").write_bytes(b"no index")
    with pytest.raises(FormatError, match="is not an index"):
        tg.VectorIndex.load(tmp_path / "broken", cloud)
    with pytest.raises(ParameterError, match="`connectivity` must be at least 1"):
        tg.VectorIndex(cloud, connectivity=0)


def test_documents_by_the_way_of_their_words():
    pytest.importorskip("ot")
    vectors = tg.WordVectors.from_mapping({"a": [0, 0], "b": [3, 4], "c": [0, 1]})
    assert vectors.word_movers_distance(["a", "a"], ["a"]) == 0
    assert vectors.word_movers_distance(["a"], ["b"]) == pytest.approx(5)
    # Half of each document stays where it is.
    assert vectors.word_movers_distance(["a", "b"], ["b", "c", "zebra"]) == pytest.approx(0.5)
    assert np.isnan(vectors.word_movers_distance(["zebra"], ["a"]))
    with pytest.raises(ParameterError, match="`second` must be a list of words"):
        vectors.word_movers_distance(["a"], "b")


@pytest.mark.peer
def test_the_distance_of_documents_is_that_of_gensim(cloud):
    pytest.importorskip("ot")
    models = pytest.importorskip("gensim.models")
    theirs = models.KeyedVectors(cloud.vector_size)
    theirs.add_vectors(cloud.words, cloud.matrix)
    random = np.random.default_rng(2)
    for _ in range(20):
        first, second = ([f"w{row}" for row in random.integers(0, 40, size)] for size in (30, 50))
        expected = theirs.wmdistance(first, second, norm=False)
        assert cloud.word_movers_distance(first, second) == pytest.approx(expected, abs=1e-12)

"""An approximate index of word vectors, from a shell."""

import sys

import numpy as np
import pytest

import textgrain as tg


@pytest.fixture
def cloud(tmp_path):
    path = tmp_path / "cloud.safetensors"
    points = np.random.default_rng(1).normal(size=(500, 8))
    tg.WordVectors.from_mapping({f"w{row}": point for row, point in enumerate(points)}).save(path)
    return path


def test_an_index_is_made_and_asked(textgrain, cloud, tmp_path):
    pytest.importorskip("usearch")
    path = tmp_path / "cloud.index"
    result = textgrain("index", cloud, "-o", path, "--neighbors", 5, "--sample", 100, "--json").json
    assert (result["output"], result["words"], result["neighbors"]) == (str(path), 500, 5)
    assert result["bytes"] == path.stat().st_size
    vectors = tg.WordVectors.load(cloud)
    assert result["recall"] == tg.VectorIndex(vectors).recall(n=5, sample=100) > 0.95
    said = textgrain("index", cloud, "-o", path).err
    assert "500 words in" in said
    assert "% of the 10 nearest words; written to" in said
    asked = ("similar", cloud, "w3", "w4", "--index", path, "-n", 3, "--effort", 400)
    expected = {word: [list(near) for near in vectors.most_similar(word, n=3)] for word in ("w3", "w4")}
    found = textgrain(*asked, "--json").json
    assert found.keys() == expected.keys()
    for word, neighbors in expected.items():
        assert [near for near, _ in found[word]] == [near for near, _ in neighbors]
        assert [score for _, score in found[word]] == pytest.approx([score for _, score in neighbors])
    assert textgrain(*asked).out.splitlines()[0].split() == ["w3", "cosine"]
    assert "only be used with --index" in textgrain("similar", cloud, "w3", "--effort", 400).err
    for other in (("--sum",), ("--among", "w5"), ("--metric", "dot"), ("--closer-than", "w5")):
        assert f"not with {other[0]}" in textgrain(*asked, *other).err
    assert (
        "`connectivity` must be at least 1" in textgrain("index", cloud, "-o", path, "--connectivity", 0).err
    )


def test_an_index_of_other_vectors_is_refused(textgrain, cloud, tmp_path):
    pytest.importorskip("usearch")
    path, other = tmp_path / "cloud.index", tmp_path / "other.safetensors"
    assert textgrain("index", cloud, "-o", path, "-q").status == 0
    tg.WordVectors.load(cloud).drop("w0").save(other)
    result = textgrain("similar", other, "w3", "--index", path)
    assert result.status == 1
    assert "does not belong to these 499" in result.err


def test_what_is_missing_is_named(textgrain, cloud, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    assert "pip install 'textgrain[index]'" in textgrain("index", cloud, "-o", tmp_path / "i").err

"""Vectors for other tools, and with fewer bits."""

import copy
import json
import pickle

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError


@pytest.fixture
def vectors():
    counts = {"low": 7, "my name": 2}
    return tg.WordVectors.from_mapping(
        {"low": [0.5, 1], "my name": [0.1, -2], "line\nbreak": [3e-8, 1e20]}, counts=counts
    )


def test_a_numpy_matrix_and_its_words(vectors, tmp_path):
    for name in ("a", "b.npy", "c.d"):
        matrix, words = tg.export_numpy(vectors, tmp_path / name)
        assert np.array_equal(np.load(matrix), vectors.matrix)
        assert json.loads(words.read_text(encoding="utf-8")) == vectors.words
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{kind}" for name in ("a", "b", "c.d") for kind in ("npy", "json")
    }
    with pytest.raises(FileNotFoundError):
        tg.export_numpy(vectors, tmp_path / "no" / "a")


def test_the_tables_of_the_projector(vectors, tmp_path):
    with pytest.raises(ParameterError, match=r"'line\\nbreak'"):
        tg.export_projector(vectors, tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    rows, words = tg.export_projector(vectors, tmp_path / "a", spaces=" ")
    assert words.read_text(encoding="utf-8") == "word\tcount\nlow\t7\nmy name\t2\nline break\t0\n"
    numbers = [[np.float32(n) for n in line.split("\t")] for line in rows.read_text("utf-8").splitlines()]
    assert np.array_equal(np.array(numbers), vectors.matrix)
    bare = tg.WordVectors.from_mapping({"a": [1], "b": [2]})
    rows, words = tg.export_projector(bare, tmp_path / "b", n=1)
    assert (words.read_text("utf-8"), rows.read_text("utf-8")) == ("a\n", "1.0\n")


def test_a_parquet_table_with_neighbors(hospital_vectors, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tg.export_parquet(hospital_vectors, tmp_path / "a.parquet", neighbors=5)
    table = parquet.read_table(path).to_pydict()
    assert table["word"] == hospital_vectors.words
    assert table["count"] == hospital_vectors.counts.tolist()
    assert np.array_equal(np.array(table["vector"], dtype=np.float32), hospital_vectors.matrix)
    expected = hospital_vectors.most_similar("doctor", n=5)
    found = table["neighbors"][hospital_vectors.words.index("doctor")]
    assert [hospital_vectors.words[row] for row in found["ids"]] == [word for word, _ in expected]
    assert found["distances"] == pytest.approx([1 - score for _, score in expected], abs=1e-6)
    places = hospital_vectors.project(hospital_vectors.words).coordinates
    assert table["x"] == pytest.approx(places[:, 0].tolist(), abs=1e-5)
    few = parquet.read_table(tg.export_parquet(hospital_vectors, tmp_path / "b", n=3)).to_pydict()
    assert max(max(near["ids"]) for near in few["neighbors"]) <= 2


def test_a_missing_library_is_named(vectors, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'textgrain\[parquet\]'"):
        tg.export_parquet(vectors, tmp_path / "a")


def test_the_matrix_of_a_tokenizer(vectors):
    tokenizer = tg.WordLevel(special_tokens=["<pad>"]).train(["low lower low"])
    ids = {token: number for number, token in enumerate(tokenizer.vocabulary)}
    table = tg.token_matrix(vectors, tokenizer, missing="zero")
    assert table.matrix.shape == (tokenizer.vocab_size, 2)
    assert table.matrix[ids["low"]].tolist() == [0.5, 1]
    assert table.matrix[ids["<pad>"]].tolist() == [0, 0]
    assert table.known.sum() == 1
    assert table.coverage == 1 / tokenizer.vocab_size
    assert "1 of " in str(table)
    mean = tg.token_matrix(vectors, tokenizer, missing="mean").matrix
    assert mean[ids["<pad>"]].tolist() == [0.5, 1]
    first, again = (tg.token_matrix(vectors, tokenizer, seed=3).matrix for _ in range(2))
    assert np.array_equal(first, again)
    with pytest.raises(ParameterError, match="`missing` must be"):
        tg.token_matrix(vectors, tokenizer, missing="random")


@pytest.fixture(scope="module")
def cloud():
    random = np.random.default_rng(6)
    centers = random.normal(size=(40, 32))
    points = centers[random.integers(0, 40, 1500)] + 0.5 * random.normal(size=(1500, 32))
    return tg.WordVectors.from_mapping({f"w{row}": point for row, point in enumerate(points)})


@pytest.mark.parametrize(
    ("storage", "ratio", "recall"), [("float16", 2.0, 0.99), ("int8", 3.5, 0.95), ("product", 3.5, 0.5)]
)
def test_fewer_bits_and_what_they_cost(cloud, tmp_path, storage, ratio, recall):
    small = cloud.quantize(storage, sample=300)
    assert small.report.ratio >= ratio
    assert small.report.recall > recall
    assert small.report.mean_cosine > 0.9
    assert json.loads(json.dumps(small.report.as_dict()))["storage"] == storage
    small.save(tmp_path / "small")
    loaded = tg.WordVectors.load(tmp_path / "small")
    assert loaded == small.vectors
    assert loaded.settings["stored"] == storage
    assert loaded.words == cloud.words
    assert loaded.most_similar("w1") == small.vectors.most_similar("w1")
    full = tmp_path / "full"
    cloud.save(full)
    assert (tmp_path / "small").stat().st_size < full.stat().st_size / 1.5
    again = cloud.quantize(storage, sample=300)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "small").read_bytes()


@pytest.mark.parametrize("storage", ["float16", "int8", "product"])
def test_answers_are_those_of_the_floats_that_the_bits_stand_for(cloud, tmp_path, storage):
    cloud.quantize(storage, sample=10).save(tmp_path / "small")
    small = tg.WordVectors.load(tmp_path / "small")
    assert (small.storage, cloud.storage) == (storage, "float32")
    words = small.words
    floats = tg.WordVectors.from_mapping(dict(zip(words, small.lookup(words), strict=True)))
    for metric in ("cosine", "euclidean", "dot"):
        assert small.most_similar("w7", metric=metric) == floats.most_similar("w7", metric=metric)
        found = small.most_similar_batch(words[:50], metric=metric, restrict=200)
        assert (
            found.rows.tolist()
            == floats.most_similar_batch(words[:50], metric=metric, restrict=200).rows.tolist()
        )
    assert small.most_similar(["w1", "w2"], ["w3"], method="3cosmul") == floats.most_similar(
        ["w1", "w2"], ["w3"], method="3cosmul"
    )
    assert small.odd_one_out(["w1", "w2", "w9"]) == floats.odd_one_out(["w1", "w2", "w9"])
    assert small.rank("w1", "w2") == floats.rank("w1", "w2")
    pairs = [(f"w{row}", f"w{row * 2}", row) for row in range(1, 40)]
    assert small.evaluate(pairs).spearman == floats.evaluate(pairs).spearman
    questions = [("w1", "w2", "w3", "w4"), ("w9", "w8", "w7", "w6")]
    assert small.evaluate(questions).wrong == floats.evaluate(questions).wrong
    assert np.array_equal(small.matrix, floats.matrix)
    assert not small["w1"].flags.writeable
    # What is changed is floats again, and says so.
    assert small.drop("w0").storage == "float32"
    assert "stored" not in small.drop("w0").settings
    # A file of few bits that is written again is the same, and so is one of a copy.
    copies = pickle.loads(pickle.dumps(small)), copy.copy(small), copy.deepcopy(small)
    for twin in (small, *copies):
        twin.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "small").read_bytes()
        assert twin.storage == storage
        assert twin.most_similar("w7") == small.most_similar("w7")
    assert len(pickle.dumps(small)) < (tmp_path / "small").stat().st_size + 200


@pytest.mark.parametrize("storage", ["float16", "int8", "product"])
def test_vectors_of_ngrams_are_stored_with_fewer_bits_too(tmp_path, storage):
    trainer = tg.FastText(
        vector_size=24, epochs=2, min_count=2, buckets=5000, subsample=0, shrink_window=False
    )
    vectors = trainer.train(tg.sample_corpus(), threads=1)
    small = vectors.quantize(storage, parts=12 if storage == "product" else None, sample=200)
    report = small.report
    assert report.bytes_before == vectors.matrix.nbytes + vectors.subwords.matrix.nbytes
    assert report.ratio > 1.8
    assert report.ngram_recall > 0.5
    assert "from n-grams alone" in str(report)
    small.save(tmp_path / "small")
    vectors.save(tmp_path / "full")
    assert (tmp_path / "small").stat().st_size < (tmp_path / "full").stat().st_size / 1.6
    loaded = tg.WordVectors.load(tmp_path / "small")
    exact, rough = vectors["unheardofword"], loaded["unheardofword"]
    assert vectors.similarity(exact, rough) > 0.8
    assert np.array_equal(rough, small.vectors["unheardofword"])
    parts = [part for _, part in loaded.subwords.parts("unheardofword") if part is not None]
    assert np.allclose(np.sum(parts, axis=0), rough, atol=1e-5)
    assert loaded == small.vectors
    assert len(loaded.subwords) == len(vectors.subwords)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "small").read_bytes()
    loaded.save(tmp_path / "model.bin", format="fasttext")
    assert np.allclose(tg.WordVectors.load(tmp_path / "model.bin")["unheardofword"], rough, atol=1e-5)


def test_more_bytes_lose_less(cloud):
    reports = [cloud.quantize("product", parts=parts, sample=200).report for parts in (4, 16, 32)]
    assert reports[0].recall < reports[1].recall < reports[2].recall
    assert reports[0].bytes_after < reports[2].bytes_after
    # Parts that do not divide the size.
    assert cloud.quantize("product", parts=5, sample=10).vectors.matrix.shape == cloud.matrix.shape
    assert cloud.quantize("product", parts=31, sample=10).vectors.matrix.shape == cloud.matrix.shape


def test_what_numpy_makes_of_them(cloud):
    half = cloud.quantize("float16").vectors.matrix
    assert np.array_equal(half, cloud.matrix.astype(np.float16).astype(np.float32))
    whole = cloud.quantize("int8").vectors.matrix
    steps = np.abs(cloud.matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(whole - cloud.matrix) <= 0.501 * steps).all()


def test_limits_of_fewer_bits(tmp_path):
    tiny = tg.WordVectors.from_mapping({"zero": [0, 0, 0], "a": [1, 2, 3], "b": [-1, 0, 1e-7]})
    for storage in ("float16", "int8", "product"):
        vectors = tiny.quantize(storage).vectors
        assert vectors["zero"].tolist() == [0, 0, 0]
        assert vectors.most_similar("a") != []
    with pytest.raises(ParameterError, match='`storage` must be "float16", "int8" or "product"'):
        tiny.quantize("int4")
    with pytest.raises(ParameterError, match="beyond 65,504, got 1e"):
        tg.WordVectors.from_mapping({"a": [1e20]}).quantize("float16")
    with pytest.raises(ParameterError, match="`parts` must be from 1 to 3"):
        tiny.quantize("product", parts=4)
    with pytest.raises(ParameterError, match='`parts` must only be given with "product"'):
        tiny.quantize("int8", parts=3)
    for setting in ("neighbors", "sample"):
        with pytest.raises(ParameterError, match=f"`{setting}` must be at least 1"):
            tiny.quantize(**{setting: 0})
    with pytest.raises(ParameterError, match="at least one word"):
        tiny.drop(tiny.words).quantize()
    path = tmp_path / "a"
    tiny.quantize("int8").save(path)
    content = path.read_bytes()
    path.write_bytes(content[:-3])
    with pytest.raises(FormatError):
        tg.WordVectors.load(path)

"""Word vectors: lookup, comparison, search, copies and files."""

from __future__ import annotations

import copy
import itertools
import json
import math
import pickle

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError, UnknownWordError


@pytest.fixture
def three():
    return tg.WordVectors.from_mapping({"doctor": [0.8, 0.6], "physician": [0.7, 0.5], "car": [0.2, 0.9]})


def test_known_distances_and_cosines(three):
    tripled = 3 * three["physician"]
    assert round(three.distance("doctor", "physician"), 3) == 0.141
    assert round(three.distance("doctor", "car"), 3) == 0.671
    assert round(three.distance("doctor", tripled), 3) == 1.581
    assert round(three.similarity("doctor", "physician"), 3) == 1.0
    assert round(three.similarity("doctor", "car"), 3) == 0.759
    assert round(three.similarity("doctor", tripled), 3) == 1.0


def test_lookup(three):
    assert len(three) == 3
    assert "car" in three
    assert "bus" not in three
    assert 3 not in three
    assert list(three) == three.words == ["doctor", "physician", "car"]
    assert three["car"].tolist() == pytest.approx([0.2, 0.9])
    assert repr(three) == "<WordVectors: 3 words, 2 numbers each>"


def test_the_matrix_is_a_read_only_view_that_outlives_its_owner(hospital_vectors):
    first, second = hospital_vectors.matrix, hospital_vectors.matrix
    assert first.__array_interface__["data"] == second.__array_interface__["data"]
    assert first.dtype == np.float32
    assert first.shape == (66, 16)
    for array in (first, hospital_vectors["doctor"], hospital_vectors.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    row = tg.WordVectors.from_mapping({"a": [1, 2], "b": [3, 4]})["b"]
    assert row.tolist() == [3, 4]


def test_unknown_words_are_key_errors_that_help(hospital_vectors):
    with pytest.raises(UnknownWordError, match=r"'doctr' has no vector: .*Spelled alike: 'doctor'") as caught:
        hospital_vectors["doctr"]
    assert isinstance(caught.value, KeyError)
    with pytest.raises(UnknownWordError, match="'Doctor' has no vector, but 'doctor' has one"):
        hospital_vectors.most_similar("Doctor")
    with pytest.raises(UnknownWordError, match="'xyzzy'"):
        hospital_vectors.similarity("xyzzy", "doctor")
    with pytest.raises(UnknownWordError):
        hospital_vectors[""]


def test_most_similar_is_what_numpy_finds(hospital_vectors):
    matrix = hospital_vectors.matrix.astype(np.float64)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    words = hospital_vectors.words
    for word in ("doctor", "the", "march"):
        scores = unit @ unit[words.index(word)]
        order = [row for row in np.argsort(-scores, kind="stable") if words[row] != word]
        found = hospital_vectors.most_similar(word, n=65)
        assert [name for name, _ in found] == [words[row] for row in order]
        assert [score for _, score in found] == pytest.approx(scores[order], abs=1e-6)


def test_queries_of_several_words_and_vectors(hospital_vectors):
    unit = {w: hospital_vectors[w] / np.linalg.norm(hospital_vectors[w]) for w in ("doctor", "car", "may")}
    query = unit["doctor"] + unit["car"] - unit["may"]
    found = hospital_vectors.most_similar(["doctor", "car"], ["may"], n=5)
    by_vector = [name for name, _ in hospital_vectors.most_similar(query, n=8)]
    assert [name for name, _ in found] == [name for name in by_vector if name not in unit][:5]
    assert found == hospital_vectors.most_similar(positive=["doctor", "car"], negative="may", n=5)
    assert hospital_vectors.analogy("may", "car", "doctor", n=5) == found
    assert {name for name, _ in hospital_vectors.analogy("may", "car", "doctor")}.isdisjoint(unit)
    assert hospital_vectors.most_similar(unit["car"].tolist(), n=1)[0][0] == "car"
    assert len(hospital_vectors.most_similar("car", n=10_000)) == 65


def test_limits_of_queries(hospital_vectors):
    assert hospital_vectors.most_similar("car", n=0) == []
    for empty in ([], ()):
        with pytest.raises(ParameterError, match="`positive` must hold at least one"):
            hospital_vectors.most_similar(empty)
    with pytest.raises(ParameterError, match="`n` must be at least 0, got -1"):
        hospital_vectors.most_similar("car", n=-1)
    with pytest.raises(ParameterError, match="a vector must hold 16 numbers"):
        hospital_vectors.most_similar(np.ones(5))
    with pytest.raises(ParameterError, match="must hold finite numbers"):
        hospital_vectors.most_similar(np.full(16, math.nan))


def test_zero_vectors_have_a_cosine_of_zero():
    vectors = tg.WordVectors.from_mapping({"zero": [0, 0], "a": [1, 0], "b": [2, 0]})
    assert vectors.similarity("zero", "a") == 0.0
    assert vectors.similarity("zero", "zero") == 0.0
    assert vectors.most_similar("zero") == [("a", 0.0), ("b", 0.0)]
    assert vectors.most_similar("a") == [("b", 1.0), ("zero", 0.0)]
    # A word minus itself leaves nothing to search for.
    assert vectors.most_similar("a", "a", n=1) == [("zero", 0.0)]


def test_ties_come_in_row_order_for_any_number_of_threads():
    vectors = tg.WordVectors.from_mapping({f"w{row}": [1.0, row % 2] for row in range(100)})
    expected = [f"w{row}" for row in range(1, 100, 2)][:20]
    for threads in (1, 2, 7):
        found = vectors.most_similar(np.array([1.0, 1.0]), n=20, threads=threads)
        assert [word for word, _ in found] == expected


def test_extreme_numbers_stay_in_range():
    vectors = tg.WordVectors.from_mapping({"huge": [1e30, 1e30], "tiny": [1e-30, 1e-30], "a": [1, 1]})
    for word in ("huge", "tiny"):
        assert -1.0 <= vectors.similarity(word, "a") <= 1.0


def test_any_text_is_a_word_and_repeats_are_refused(tmp_path):
    names = ["a", "", " ", "a b", "nul\0byte", "line\nbreak", "é", "e\u0301", "\U0001f600", "'\"\\"]
    vectors = tg.WordVectors.from_mapping({name: [row, 1] for row, name in enumerate(names)})
    vectors.save(tmp_path / "v.safetensors")
    loaded = tg.WordVectors.load(tmp_path / "v.safetensors")
    assert loaded.words == names
    assert all(loaded[name][0] == row for row, name in enumerate(names))
    from textgrain import _native

    with pytest.raises(ParameterError, match='must not repeat a word, got "a" twice'):
        _native.WordVectors.from_parts(["a", "a"], np.ones((2, 2), np.float32), [1, 1], "{}", [])


def test_vectors_of_different_lengths_are_refused():
    with pytest.raises(ParameterError, match="lists of one length"):
        tg.WordVectors.from_mapping({"a": [1, 2], "b": [1]})
    with pytest.raises(ParameterError, match="at least one word"):
        tg.WordVectors.from_mapping({})


def test_a_file_keeps_everything(hospital_vectors, tmp_path):
    path = tmp_path / "notes.safetensors"
    hospital_vectors.save(path)
    loaded = tg.WordVectors.load(path)
    assert loaded == hospital_vectors
    assert loaded.history == hospital_vectors.history
    assert loaded.settings == hospital_vectors.settings
    assert loaded.most_similar("doctor") == hospital_vectors.most_similar("doctor")
    with pytest.raises(ValueError, match="read-only"):
        loaded.matrix[0, 0] = 1
    again = tmp_path / "again.safetensors"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()
    # Saving over the file that is mapped leaves the loaded vectors as they were.
    loaded.save(path)
    assert loaded == hospital_vectors


def test_counts_beyond_32_bits(tmp_path):
    counts = {"the": 3_000_000_000, "of": 2**63}
    vectors = tg.WordVectors.from_mapping({"the": [1], "of": [2]}, counts=counts)
    vectors.save(tmp_path / "v")
    assert tg.WordVectors.load(tmp_path / "v").counts.tolist() == [3_000_000_000, 2**63]


def test_copies_and_pickles_are_equal(hospital_vectors, tmp_path):
    hospital_vectors.save(tmp_path / "v")
    loaded = tg.WordVectors.load(tmp_path / "v")
    for original in (hospital_vectors, loaded):
        for twin in (copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
            assert twin == original
            assert twin.history == original.history
            assert twin.settings == original.settings
    assert hospital_vectors != "something else"


def test_other_libraries_read_the_file(hospital_vectors, tmp_path):
    safetensors = pytest.importorskip("safetensors")
    numpy_part = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "v.safetensors"
    hospital_vectors.save(path)
    tensors = numpy_part.load_file(path)
    assert np.array_equal(tensors["vectors"], hospital_vectors.matrix)
    assert np.array_equal(tensors["counts"], hospital_vectors.counts)
    offsets, text = tensors["word_offsets"], tensors["words"].tobytes()
    words = [text[a:b].decode() for a, b in itertools.pairwise(offsets)]
    assert words == hospital_vectors.words
    with safetensors.safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert metadata["textgrain.vectors"] == "1"
    assert json.loads(metadata["history"]) == hospital_vectors.history
    assert json.loads(metadata["settings"])["trainer"] == "word2vec"


def test_rows_in_the_file_start_on_a_cache_line(hospital_vectors, tmp_path):
    hospital_vectors.save(tmp_path / "v")
    data = (tmp_path / "v").read_bytes()
    assert (8 + int.from_bytes(data[:8], "little")) % 64 == 0


def test_files_that_cannot_be_opened_or_written(hospital_vectors, tmp_path):
    with pytest.raises(FileNotFoundError):
        tg.WordVectors.load(tmp_path / "none.safetensors")
    with pytest.raises(IsADirectoryError):
        tg.WordVectors.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="the directory does not exist"):
        hospital_vectors.save(tmp_path / "no" / "v.safetensors")
    with pytest.raises(OSError, match="directory"):
        hospital_vectors.save(tmp_path)
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(FormatError):
        tg.WordVectors.load(tmp_path / "empty")

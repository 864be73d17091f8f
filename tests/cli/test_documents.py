"""Documents by the vectors of their words, from a shell."""

import gzip
import io
import json
import pickle
import sys
import tempfile

import numpy as np
import pytest

import textgrain as tg

NOTES = ["The cat", "tax, tax and the tax", "a dog", "", "the emu"]


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.safetensors"
    vectors = {"the": [4, 1, 0], "cat": [1, 3, 0], "dog": [1, 2.5, 0.2], "tax": [1, 0, 3]}
    counts = {"the": 900, "cat": 50, "dog": 40, "tax": 10}
    tg.WordVectors.from_mapping(vectors, counts=counts).save(path)
    return path


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("\n".join(NOTES) + "\n", encoding="utf-8")
    return path


def test_vectors_in_a_file(textgrain, words, notes, tmp_path):
    output = tmp_path / "notes.npy"
    result = textgrain("document-vectors", words, notes, "--lowercase", "-o", output, "--json")
    assert result.json == {
        "output": str(output),
        "documents": 5,
        "vector_size": 3,
        "words": 11,
        "known_words": pytest.approx(8 / 11),
        "without_vector": 1,
        "weighting": "mean",
        "removed": 0,
    }
    assert "5 documents, 3 numbers each; 72.7 % of their words have a vector" in result.err
    documents = [tg.cut_words(note, lowercase=True) for note in NOTES]
    expected = tg.WordVectors.load(words).document_vectors(documents)
    assert np.load(output).tolist() == expected.matrix.tolist()
    assert np.load(output).dtype == np.float32


def test_vectors_as_lines(textgrain, words, notes):
    printed = textgrain("document-vectors", words, notes, "--lowercase").out.splitlines()
    assert printed[0] == "2.5 2.0 0.0"
    assert printed[3:] == ["0.0 0.0 0.0", "4.0 1.0 0.0"]
    lines = textgrain("document-vectors", words, notes, "--lowercase", "--json").out.splitlines()
    assert json.loads(lines[0]) == [2.5, 2, 0]
    assert "note:" not in textgrain("document-vectors", words, notes).err
    notes.write_text("THE CAT THE dog", encoding="utf-8")
    few = textgrain("document-vectors", words, notes)
    assert "note: only 25.0 % of the words have a vector" in few.err


def test_the_nearest_documents(textgrain, words, notes):
    queries = ("--query", "CAT", "--query", "dog tax")
    command = ("document-vectors", words, notes, "--lowercase", *queries, "-n", 2)
    first, second = textgrain(*command, "--json").json["queries"]
    assert first["query"] == "CAT"
    assert [(near["row"], near["text"]) for near in first["documents"]] == [(2, "a dog"), (0, "The cat")]
    vectors = tg.WordVectors.load(words)
    assert first["documents"][0]["cosine"] == pytest.approx(vectors.similarity("cat", "dog"))
    assert [near["row"] for near in second["documents"]] == [1, 2]
    printed = textgrain(*command).out.splitlines()
    assert printed[0] == "CAT"
    assert printed[2].split(maxsplit=2) == ["2", f"{vectors.similarity('cat', 'dog'):.3f}", "a dog"]
    failed = textgrain("document-vectors", words, notes, "--query", "zebra")
    assert failed.status == 1
    assert "`--query` must hold a word that has a vector, got 'zebra'" in failed.err


def test_the_same_side_for_later_documents(textgrain, words, notes, tmp_path):
    output, side = tmp_path / "notes.npy", tmp_path / "side.npy"
    sif = ("--weighting", "sif", "--lowercase", "--smoothing", 0.01, "-o", output)
    result = textgrain("document-vectors", words, notes, *sif, "--save-components", side, "--json").json
    assert (result["weighting"], result["removed"]) == ("sif", 1)
    before = np.load(output)
    assert np.load(side).shape == (1, 3)
    notes.write_text(NOTES[1], encoding="utf-8")
    assert textgrain("document-vectors", words, notes, *sif, "--components", side).status == 0
    assert np.load(output)[0] == pytest.approx(before[1], abs=1e-6)
    again = ("document-vectors", words, notes, *sif, "--components", side)
    for content in (b"\x93NUMPY nothing", b"", pickle.dumps([1, 2]), words.read_bytes()):
        side.write_bytes(content)
        assert "side.npy: not a matrix in NumPy's format: it" in textgrain(*again).err
    np.save(side, np.array(["a", "b", "c"]))
    assert "it holds <U1 in place of numbers" in textgrain(*again).err
    np.save(side, np.ones(2))
    assert "`components` must have 3 numbers each, got 2" in textgrain(*again).err


def test_other_sources_and_cuts(textgrain, words, tmp_path):
    rows = tmp_path / "notes.jsonl"
    rows.write_text('{"body": "the cat"}\n{"body": "dog"}\n', encoding="utf-8")
    lines = textgrain("document-vectors", words, rows, "--field", "body").out.splitlines()
    assert lines == ["2.5 2.0 0.0", "1.0 2.5 0.2"]
    phrases = tmp_path / "phrases.json"
    tg.Phrases(min_count=1, threshold=0).train(["the cat"]).save(phrases)
    lines = textgrain("document-vectors", words, rows, "--field", "body", "--phrases", phrases).out
    assert lines.splitlines() == ["0.0 0.0 0.0", "1.0 2.5 0.2"]
    missing = textgrain("document-vectors", words, rows, "-o", tmp_path / "nowhere" / "notes.npy")
    assert missing.status == 1
    assert "nowhere" in missing.err


def test_how_far_two_texts_are_apart(textgrain, words, tmp_path):
    pytest.importorskip("ot")
    vectors = tg.WordVectors.load(words)
    verb = ("word-movers-distance", words)
    result = textgrain(*verb, "The cat!", "the dog, the emu", "--lowercase", "--json")
    assert result.json == {
        "distance": pytest.approx(vectors.word_movers_distance(["the", "cat"], ["the", "dog", "the"])),
        "first": {"words": 2, "known": 2},
        "second": {"words": 4, "known": 3},
    }
    plain = textgrain(*verb, "cat", "dog")
    assert float(plain.out) == pytest.approx(vectors.distance("cat", "dog"))
    assert "1 of 1 and 1 of 1 words have a vector" in plain.err
    (tmp_path / "a.txt").write_text("cat\ncat", encoding="utf-8")
    (tmp_path / "b.txt").write_text("dog", encoding="utf-8")
    from_files = textgrain(*verb, tmp_path / "a.txt", tmp_path / "b.txt", "--files")
    assert from_files.out == plain.out
    assert (
        "the second text must hold a word that has a vector, got 'emu'" in textgrain(*verb, "cat", "emu").err
    )
    (tmp_path / "a.txt").write_bytes(b"cat \xff")
    broken = textgrain(*verb, tmp_path / "a.txt", tmp_path / "b.txt", "--files")
    assert "a.txt: not valid UTF-8 at byte 4" in broken.err


def test_how_far_many_texts_are_apart(textgrain, words, tmp_path):
    pytest.importorskip("ot")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("\ufeffthe cat\tcat the\r\n\r\ncat\tdog\r\nemu\tcat\r\n", encoding="utf-8")
    verb = ("word-movers-distance", words, "--pairs", pairs)
    assert textgrain(*verb, "--json").json == [0, pytest.approx(0.538516), None]
    printed = textgrain(*verb)
    assert printed.out.splitlines()[::2] == ["0.0", "nan"]
    assert "1 of 3 pairs have no distance" in printed.err
    pairs.write_text("a\tb\nonly one\n", encoding="utf-8")
    assert (
        "pairs.tsv, line 2: expected two texts with a tab between them, got 1 field" in textgrain(*verb).err
    )
    pairs.write_bytes(b"a\tb\n\xff\n")
    assert "pairs.tsv, line 2: not valid UTF-8 (found byte 0xFF)" in textgrain(*verb).err
    for given in (("one",), ("one", "two", "three"), ("one", "two", "--pairs", pairs), ()):
        assert "`texts` must be two texts" in textgrain("word-movers-distance", words, *given).err


def test_a_library_that_is_missing_is_named(textgrain, words, monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    result = textgrain("word-movers-distance", words, "cat", "dog")
    assert result.status == 1
    assert result.err == (
        "textgrain: this distance needs POT, which is not installed: pip install 'textgrain[transport]'\n"
    )


def piped(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_standard_input(textgrain, words, notes, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    command = ("document-vectors", words, "--query", "dog", "--json", "-n", 1)
    expected = textgrain(*command, notes).json
    for content in (notes.read_bytes(), gzip.compress(notes.read_bytes())):
        piped(monkeypatch, content)
        assert textgrain(*command, "-").json == expected
    piped(monkeypatch, b'{"body": "the cat"}\n{"body": 3}\n')
    failed = textgrain("document-vectors", words, "-", "--field", "body")
    assert "standard-input, line 2" in failed.err
    piped(monkeypatch, b"the low\xff tower\n" * 3)
    table = tmp_path / "counts"
    assert textgrain("count", "-", "-o", table, "--split", "whitespace", "--json").json["total"] == 9
    assert not list(tmp_path.glob("textgrain-*"))


def test_words_on_standard_input(textgrain, words, monkeypatch):
    piped(monkeypatch, b"cat\ndog\n")
    assert textgrain("word-vectors", words, "--words-from", "-").out == "cat 1.0 3.0 0.0\ndog 1.0 2.5 0.2\n"
    piped(monkeypatch, b"cat\nemu\n")
    assert "-, line 2: the word 'emu'" in textgrain("word-vectors", words, "--words-from", "-").err

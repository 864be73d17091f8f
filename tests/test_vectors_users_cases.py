"""What users of other programs for word vectors reported, with the value that must come out here.

Each test names the case by what was fed in; what other programs make of it stands in the comment.
"""

import contextlib
import gzip
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import (
    FormatError,
    InvalidTextWarning,
    ParameterError,
    SkippedRowsWarning,
    UnknownWordError,
)

OTHER_FORMATS = ["word2vec-text", "word2vec-binary", "glove-text", "fasttext"]


@pytest.fixture
def load(tmp_path):
    """Load a file of some content, under a name that says nothing."""

    def load(content, **settings):
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tg.WordVectors.load(path, **settings)

    return load


@pytest.fixture(scope="module")
def subwords():
    trainer = tg.FastText(
        vector_size=8, epochs=1, min_count=1, buckets=1000, subsample=0, shrink_window=False
    )
    return trainer.train([" ".join(f"w{row}" for row in range(200))] * 2, threads=1)


@pytest.mark.parametrize("format", OTHER_FORMATS)
@pytest.mark.parametrize("word", ["my name", "he\nllo", "\nllo", "tab\tbed"])
def test_a_word_with_white_space(format, word, tmp_path):
    """Elsewhere it is written and cannot be read back, or loses its line break."""
    vectors = tg.WordVectors.from_mapping({"hello": [1, 2], word: [3, 4], "z": [5, 6]})
    path = tmp_path / "vectors"
    with pytest.raises(ParameterError, match="cannot hold a word that is empty or has white space: "):
        vectors.save(path, format=format)
    assert not path.exists()
    vectors.save(path, format=format, spaces="_")
    assert tg.WordVectors.load(path).words == ["hello", "".join("_" if c.isspace() else c for c in word), "z"]
    vectors.save(path)
    assert tg.WordVectors.load(path).words == vectors.words


def test_spaces_and_repeated_words_in_published_files(load):
    """As in the largest file of GloVe: elsewhere ``could not convert string to float: '.'``."""
    content = "the 0.5 1\n. . . 0.25 2\nat name@domain.com 3 4\nthe 9 9\n"
    with pytest.warns(SkippedRowsWarning, match='1 row repeats a word .* the first is "the"'):
        vectors = load(content)
    assert vectors.words == ["the", ". . .", "at name@domain.com"]
    assert vectors["the"].tolist() == [0.5, 1]
    assert vectors[". . ."].tolist() == [0.25, 2]


@pytest.mark.parametrize(
    "content",
    [
        "a 1 2\nb 3 4\n",
        "2 2\na 1 2\nb 3 4\n",
        "2 2\r\na 1 2\r\nb 3 4\r\n",
        "\ufeff2 2\na 1 2\nb 3 4\n",
        "\ufeffa 1 2\nb 3 4\n",
        "2 2 \na 1 2 \nb 3 4 \n",
        "2 2\na 1 2\nb 3 4",
    ],
    ids=["no header", "header", "CRLF", "BOM", "BOM, no header", "blanks at the end", "no last line end"],
)
def test_ways_to_write_a_file(load, content):
    """Elsewhere ``int("the")`` without a header, and a first word that begins with U+FEFF."""
    vectors = load(content)
    assert (vectors.words, vectors.matrix.tolist()) == (["a", "b"], [[1, 2], [3, 4]])


@pytest.mark.parametrize("word", ["a\0b", "a\u0085b", "a\u00a0b", "\u2028", "\u3000x"])
def test_unusual_characters_belong_to_words(load, word):
    vectors = load(f"2 2\n{word} 1 2\nc 3 4\n")
    assert vectors.words == [word, "c"]


@pytest.mark.parametrize(
    ("content", "line", "reason", "kept"),
    [
        ("3 2\na 1 2\nb 3 4\n", 1, "the header says 3 rows, the file has 2", ["a", "b"]),
        ("1 2\na 1 2\nb 3 4\n", 1, "the header says 1 rows, the file has 2", ["a"]),
        ("3 2\na 1 2\nb 3\nc 5 6\n", 3, "2 numbers", ["a", "c"]),
    ],
    ids=["rows missing", "rows too many", "a number missing"],
)
def test_counts_that_are_wrong(load, content, line, reason, kept):
    """Elsewhere the second row of two is dropped without a word where the header says one."""
    with pytest.raises(FormatError, match=reason) as caught:
        load(content)
    assert caught.value.line == line
    with pytest.warns(SkippedRowsWarning):
        assert load(content, lenient=True).words[: len(kept)] == kept


@pytest.mark.parametrize(
    "content",
    ["2000000000 2000000000\na 1\n", "-1 2\n", "", "<!DOCTYPE html>\n<html><body>404</body></html>\n"],
    ids=["absurd header", "negative header", "empty", "a page of the web"],
)
def test_what_is_no_file_of_vectors(load, content):
    """Elsewhere memory for 16 exabytes is asked for."""
    with pytest.raises(FormatError):
        load(content)


def test_words_that_are_not_utf8(load):
    """Elsewhere UnicodeDecodeError, or no word of what was lost."""
    with pytest.warns(InvalidTextWarning, match="1 word had bytes that are not UTF-8"):
        vectors = load(b"2 2\na\xff 1 2\nb 3 4\n")
    assert vectors.words == ["a\ufffd", "b"]


def test_a_binary_file_whose_end_is_missing(load):
    rows = [b"low " + struct.pack("<2f", 1, 2) + b"\n", b"lower " + struct.pack("<2f", 3, 4) + b"\n"]
    whole = b"2 2\n" + b"".join(rows)
    assert load(whole).matrix.tolist() == [[1, 2], [3, 4]]
    for length in range(len(whole) - 12, len(whole) - 1):
        with pytest.raises(FormatError):
            load(whole[:length])
        with pytest.warns(SkippedRowsWarning):
            assert load(whole[:length], lenient=True).words == ["low"]


def test_a_model_of_fasttext_whose_end_is_missing(subwords, tmp_path):
    """Elsewhere it loads, and vectors are zero."""
    path = tmp_path / "model.bin"
    subwords.save(path, format="fasttext")
    content = path.read_bytes()
    assert len(content) > 3000
    for length in (3000, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(FormatError) as caught:
            tg.WordVectors.load(path)
        assert caught.value.path == path
        assert any(digit in caught.value.reason for digit in "123456789")


def test_the_name_of_a_file_says_nothing(tmp_path):
    """Elsewhere text that is called .bin gives an error about magic numbers, and .gz none at all."""
    vectors = tg.WordVectors.from_mapping({"a": [1, 2], "b": [3, 4]})
    vectors.save(tmp_path / "text.bin", format="word2vec-text")
    vectors.save(tmp_path / "binary.txt", format="word2vec-binary")
    (tmp_path / "packed.vec").write_bytes(gzip.compress((tmp_path / "text.bin").read_bytes()))
    for name in ("text.bin", "binary.txt", "packed.vec"):
        assert tg.WordVectors.load(tmp_path / name).words == ["a", "b"]


def test_one_file_keeps_what_unseen_words_need(subwords, tmp_path):
    """Elsewhere only the text was kept, and there is no way back to the n-grams."""
    subwords.save(tmp_path / "a.safetensors")
    loaded = tg.WordVectors.load(tmp_path / "a.safetensors")
    assert loaded["w1w2"].tolist() == subwords["w1w2"].tolist()
    assert loaded.counts.tolist() == subwords.counts.tolist()


def test_in_means_in_the_vocabulary(subwords):
    """Elsewhere every word is in a model with n-grams, and then there is a KeyError."""
    assert "w1" in subwords
    assert "w1w2" not in subwords
    assert subwords.can_vectorize("w1w2")
    plain = tg.WordVectors.from_mapping({"w1": [1]})
    assert not plain.can_vectorize("w1w2")


def test_words_without_a_vector_as_the_caller_wants(subwords):
    """Elsewhere KeyError only."""
    plain = tg.WordVectors.from_mapping({"a": [1, 2]})
    with pytest.raises(UnknownWordError, match="'b' has no vector"):
        plain["b"]
    assert plain.lookup(["a", "b"], oov="zero").tolist() == [[1, 2], [0, 0]]
    assert plain.lookup(["a", "b"], oov="skip").tolist() == [[1, 2]]
    with pytest.raises(UnknownWordError):
        plain.lookup(["a", "b"], oov="error")
    with pytest.raises(UnknownWordError):
        subwords.vector("w1w2", oov="error")
    assert subwords.lookup(["w1w2"], oov="subword").any()


def test_words_too_short_for_an_ngram():
    """Elsewhere zeros, a KeyError or "not a number", by which call is used."""
    vectors = tg.WordVectors.from_mapping({"cat": [2, 1]}, ngrams={"<cats>": [1, 1]})
    for word in ("", "a"):
        assert not vectors.can_vectorize(word)
        with pytest.raises(UnknownWordError):
            vectors[word]
        assert vectors.vector(word, oov=["subword", "zero"]).tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["plain", "ngrams"])
def test_a_word_is_added_and_asked_about(kind, subwords, tmp_path):
    """Elsewhere ``operands could not be broadcast together``."""
    base = tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 1], "c": [1, 2]})
    vectors, word = (base, "a") if kind == "plain" else (subwords, "w1")
    before = vectors.most_similar(word)
    more = vectors.with_words({"new": vectors[word] * 2})
    for changed in (more, reloaded(more, tmp_path)):
        name, score = changed.most_similar(word, n=1)[0]
        assert (name, score) == ("new", pytest.approx(1))
        assert changed.most_similar("new", n=1)[0][0] == word
        assert changed._native.norms[-1] == pytest.approx(2 * np.linalg.norm(vectors[word]))
        assert changed.most_similar(word, n=len(before) + 1)[1:] == before
    assert "new" not in vectors
    if kind == "ngrams":
        assert more["w1w2"].tolist() == vectors["w1w2"].tolist()


def reloaded(vectors, folder):
    vectors.save(folder / "again.safetensors")
    return tg.WordVectors.load(folder / "again.safetensors")


@pytest.mark.parametrize("storage", ["float16", "int8", "product"])
def test_fewer_bits_say_what_they_cost(subwords, storage):
    """Elsewhere only classifiers can be made smaller, and nobody says that neighbors became nonsense."""
    small = subwords.quantize(storage)
    assert small.report.ratio > 1.3
    assert 0 <= small.report.recall <= 1
    assert 0 <= small.report.ngram_recall <= 1
    assert small.vectors["w1w2"].shape == (8,)


def test_similar_words_among_given_ones():
    """Elsewhere only among the most frequent."""
    vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [1, 0.1], "c": [1, 1], "d": [0, 1]})
    assert [word for word, _ in vectors.most_similar("a", restrict=["d", "c"])] == ["c", "d"]


def test_upper_and_lower_case_in_analogies():
    """Elsewhere ``ı`` and ``i``, ``ß`` and ``ss`` become one word in upper case, and one is lost."""
    angles = {"ılık": 0, "ilik": 80, "straße": 160, "strasse": 240}
    vectors = tg.WordVectors.from_mapping(
        {word: [np.cos(np.radians(angle)), np.sin(np.radians(angle))] for word, angle in angles.items()}
    )
    questions = [
        ("ılık", "ilik", "straße", "strasse"),
        ("ILIK", "ılık", "STRASSE", "straße"),
        ("x", "y", "z", "w"),
    ]
    result = vectors.evaluate(questions, kind="analogy")
    # ILIK folds to ilik, STRASSE to strasse: never to the other word.
    assert (result.used, result.total) == (2, 3)
    assert result.correct == 2
    assert result.unknown == ["x", "y", "z", "w"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_large_model_stays_in_its_file(tmp_path):
    """Elsewhere the memory of a model is that of its file, or three times as much."""
    rows, size = 20_000, 300
    numbers = np.random.default_rng(1).standard_normal((rows, size), dtype=np.float32)
    path = tmp_path / "large.safetensors"
    words = [f"w{row}" for row in range(rows)]
    tg.WordVectors.from_mapping(dict(zip(words, numbers, strict=True))).save(path)

    def owned():
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))

    before = owned()
    vectors = tg.WordVectors.load(path)
    assert vectors.most_similar("w1", n=1)
    assert owned() - before < numbers.nbytes / 4
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    assert vectors["w2"].tolist() == numbers[2].tolist()

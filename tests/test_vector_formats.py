"""Other programs' vector files: read whatever their name, written, damaged, converted."""

from __future__ import annotations

import gzip
import json
import random
import struct
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import FormatError, InvalidTextWarning, ParameterError, SkippedRowsWarning

FORMATS = ["safetensors", "word2vec-text", "word2vec-binary", "glove-text"]
FOREIGN = FORMATS[1:]


@pytest.fixture
def read(tmp_path):
    """Load a file of this content and return its words with their vectors."""

    def load(content, **options):
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return as_dict(tg.WordVectors.load(path, **options))

    return load


def as_dict(vectors):
    return dict(zip(vectors.words, vectors.matrix.tolist(), strict=True))


def binary(header, *rows, end=b"\n"):
    body = b"".join(word + b" " + struct.pack(f"<{len(row)}f", *row) + end for word, row in rows)
    return header + b"\n" + body


def sample(rows=50, size=7, seed=1):
    generator = np.random.default_rng(seed)
    words = [f"wörd{row}" for row in range(rows)]
    return tg.WordVectors.from_mapping(dict(zip(words, generator.normal(size=(rows, size)), strict=True)))


# ---- Round trips --------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("format", FOREIGN)
def test_written_and_read_again(tmp_path, format, compression):
    vectors = sample()
    path = tmp_path / f"any.name{compression}"
    vectors.save(path, format=format)
    magic = {"": None, ".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}[compression]
    assert magic is None or path.read_bytes().startswith(magic)
    loaded = tg.WordVectors.load(path)
    assert loaded == vectors
    assert loaded.settings == {"read_from": format}
    assert loaded.counts.tolist() == [0] * len(vectors)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_files_of_many_blocks(tmp_path, threads):
    vectors = sample(rows=3_000, size=150)
    path = tmp_path / "large.vec"
    vectors.save(path, format="word2vec-text")
    assert path.stat().st_size > 3 << 20
    assert tg.WordVectors.load(path, threads=threads) == vectors
    lines = path.read_bytes().split(b"\n")
    lines[2_500] = b"short 1 2"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(FormatError, match=r'line 2501: .* 150 numbers, here 2 follow "short"'):
        tg.WordVectors.load(path, threads=threads)


def test_own_files_may_be_compressed(tmp_path):
    vectors = sample()
    path = tmp_path / "own"
    vectors.save(path)
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert tg.WordVectors.load(packed) == vectors
    packed.write_bytes(gzip.compress(path.read_bytes()[:-3]))
    with pytest.raises(FormatError):
        tg.WordVectors.load(packed)
    with pytest.raises(ParameterError, match=r"must not end in \.gz"):
        vectors.save(tmp_path / "own.gz")


@pytest.mark.parametrize("format", FOREIGN)
@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True),
    bits=st.lists(st.integers(0, 2**32 - 1), min_size=18, max_size=18),
    size=st.integers(1, 3),
)
def test_any_word_and_any_number(tmp_path_factory, format, words, bits, size):
    words = [word for word in words if not set(word) & set(" \t\n\r\v\f\ufeff")]
    numbers = np.array(bits, dtype=np.uint32).view(np.float32)
    numbers[~np.isfinite(numbers)] = 0.5
    table = numbers[: len(words) * size].reshape(len(words), size)
    if not words:
        return
    vectors = tg.WordVectors.from_mapping(dict(zip(words, table, strict=True)))
    path = tmp_path_factory.mktemp("any") / "file"
    vectors.save(path, format=format)
    loaded = tg.WordVectors.load(path)
    assert loaded.words == vectors.words
    assert loaded.matrix.tobytes() == vectors.matrix.tobytes()


@pytest.mark.parametrize("format", FOREIGN)
def test_no_words(tmp_path, format):
    path = tmp_path / "none"
    none = tg.WordVectors(tg._native.WordVectors.from_parts([], np.zeros((0, 3), np.float32), [], "{}", []))
    none.save(path, format=format)
    if format == "glove-text":
        with pytest.raises(FormatError, match="the file is empty"):
            tg.WordVectors.load(path)
    else:
        assert (len(tg.WordVectors.load(path)), tg.WordVectors.load(path).vector_size) == (0, 3)


# ---- Words that a format cannot hold ------------------------------------------------------------------


@pytest.mark.parametrize("format", FOREIGN)
@pytest.mark.parametrize("word", ["my name", "he\nllo", "\nllo", "tab\there", "end ", ""])
def test_words_with_white_space_are_refused_or_replaced(tmp_path, format, word):
    vectors = tg.WordVectors.from_mapping({"hello": [1.0], word: [2.0], "z": [3.0]})
    path = tmp_path / "file"
    with pytest.raises(ParameterError, match="cannot hold a word") as caught:
        vectors.save(path, format=format)
    assert json.dumps(word) in str(caught.value)
    assert not path.exists()
    if word:
        vectors.save(path, format=format, spaces="_")
        replaced = "".join("_" if character in " \t\n" else character for character in word)
        assert as_dict(tg.WordVectors.load(path)) == {"hello": [1.0], replaced: [2.0], "z": [3.0]}


def test_replacing_must_keep_words_apart(tmp_path):
    path = tmp_path / "file"
    for words in (["a b", "a_b"], ["a b", "a\tb"]):
        vectors = tg.WordVectors.from_mapping({word: [1.0] for word in words})
        with pytest.raises(ParameterError, match=r"would become \"a_b\""):
            vectors.save(path, format="glove-text", spaces="_")
    for spaces in ("", " ", "a b"):
        with pytest.raises(ParameterError, match="text without white space"):
            vectors.save(path, format="glove-text", spaces=spaces)
    with pytest.raises(ParameterError, match='one of "safetensors", "word2vec-text"'):
        vectors.save(path, format="word2vec")


# ---- What is found in the wild --------------------------------------------------------------------------

TWO = {"a": [1.0, 2.0], "b": [3.0, 4.0]}


@pytest.mark.parametrize(
    "content",
    [
        "2 2\na 1 2\nb 3 4\n",
        "2 2\na 1 2\nb 3 4",
        "a 1 2\nb 3 4\n",
        "2 2\r\na 1 2\r\nb 3 4\r\n",
        "a 1 2\r\nb 3 4\r\n",
        "\ufeff2 2\na 1 2\nb 3 4\n",
        "\ufeffa 1 2\nb 3 4\n",
        "2 2 \na 1 2 \nb 3 4  \n\n",
        "a 1 2 \nb 3 4 \n",
        "2\t2\na\t1\t2\nb\t3\t4\n",
        "2 2\na  1   2\nb 3 \t 4\n",
        "2 2\na +1.0e0 20e-1\nb 3.000 4.\n",
        binary(b"2 2", (b"a", [1, 2]), (b"b", [3, 4])),
        binary(b"2 2", (b"a", [1, 2]), (b"b", [3, 4]), end=b""),
        binary(b"2 2\r", (b"a", [1, 2]), (b"b", [3, 4])),
    ],
)
def test_ways_of_writing_the_same(read, content):
    assert read(content) == TWO
    assert read(gzip.compress(content if isinstance(content, bytes) else content.encode())) == TWO


def test_words_of_all_kinds(read):
    assert read("3 2\nhello 1 2\nmy name 3 4\nz 5 6\n") == {
        "hello": [1.0, 2.0],
        "my name": [3.0, 4.0],
        "z": [5.0, 6.0],
    }
    assert list(read("my name 1 2\nz 3 4\n")) == ["my name", "z"]
    assert list(read("12 1 2\n3 4 5 6\n. . . 7 8\n")) == ["12", "3 4", ". . ."]
    odd = ["nul\0inside", "next\u0085line", "no\u00a0break", "line\u2028end", "form\ffeed"]
    for header in ("5 2\n", ""):
        assert list(read(header + "".join(f"{word} 1 2\n" for word in odd))) == odd
    content = binary(b"5 2", *((word.encode(), [1, 2]) for word in odd))
    assert list(read(content)) == odd


def test_words_that_are_not_utf8_are_replaced_and_counted(read):
    for content in (
        b"2 2\na\xff 1 2\nb 3 4\n",
        b"a\xff 1 2\nb 3 4\n",
        binary(b"2 2", (b"a\xff", [1, 2]), (b"b", [3, 4])),
    ):
        with pytest.warns(InvalidTextWarning, match='1 word had bytes that are not UTF-8.*"a\ufffd"'):
            assert read(content) == {"a\ufffd": [1.0, 2.0], "b": [3.0, 4.0]}


def test_the_first_of_repeated_words_is_kept_and_reported(read):
    for content in (
        "4 2\na 1 2\nb 3 4\na 5 6\na 7 8\n",
        "a 1 2\nb 3 4\na 5 6\na 7 8\n",
        binary(b"4 2", (b"a", [1, 2]), (b"b", [3, 4]), (b"a", [5, 6]), (b"a", [7, 8])),
    ):
        with pytest.warns(SkippedRowsWarning, match='2 rows repeat a word.*were left out; the first is "a"'):
            assert read(content) == TWO


def test_a_header_of_glove_does_not_count_its_last_row(read):
    assert list(read("2 2\na 1 2\nb 3 4\n<unk> 5 6\n")) == ["a", "b", "<unk>"]
    assert list(read("3 2\na 1 2\nb 3 4\n<unk> 5 6\n")) == ["a", "b", "<unk>"]


# ---- Damage ------------------------------------------------------------------------------------------------

DAMAGED = [
    ("3 2\na 1 2\nb 3 4\n", 1, "the header says 3 rows, the file has 2", TWO),
    ("1 2\na 1 2\nb 3 4\n", 1, "the header says 1 rows, the file has 2", TWO),
    ("0 2\na 1 2\nb 3 4\n", 1, "the header says 0 rows, the file has 2", TWO),
    ("3 2\na 1 2\nx 9\nb 3 4\n", 3, 'here 1 follow "x"', TWO),
    ("3 2\nx 9\na 1 2\nb 3 4\n", 2, 'here 1 follow "x"', TWO),
    ("a 1 2\nx 9\nb 3 4\n", 2, 'here 1 follow "x"', TWO),
    ("a 1 2\nx 9 y\nb 3 4\n", 2, 'here 0 follow "x 9 y"', TWO),
    ("3 2\na 1 2\n5 6\nb 3 4\n", 3, "the word is missing", TWO),
    ("3 2\na 1 2\nhe\nllo 5 6\nb 3 4\n", 3, 'here 0 follow "he"', {"a": [1, 2], "llo": [5, 6], "b": [3, 4]}),
    ("3 2\na 1 2\nx 1,5 2,5\nb 3 4\n", 3, 'here 0 follow "x 1,5 2,5"', TWO),
]


@pytest.mark.parametrize(("content", "line", "reason", "good"), DAMAGED)
def test_damaged_text(read, content, line, reason, good):
    with pytest.raises(FormatError) as caught:
        read(content)
    assert caught.value.line == line
    assert reason in caught.value.reason
    with pytest.warns(SkippedRowsWarning, match="what is damaged was left out: line"):
        assert read(content, lenient=True) == good


def test_damaged_binary(read):
    whole = binary(b"2 2", (b"a", [1, 2]), (b"b", [3, 4]))
    first_row = len(binary(b"2 2", (b"a", [1, 2])))
    for length in range(first_row, len(whole) - 1):
        with pytest.raises(
            FormatError, match="2 rows of 2 numbers, the file ends or is damaged in row 2"
        ) as caught:
            read(whole[:length])
        assert caught.value.offset == first_row - 1
        with pytest.warns(SkippedRowsWarning):
            assert read(whole[:length], lenient=True) == {"a": [1.0, 2.0]}
    more = b"1" + whole[1:]
    with pytest.raises(FormatError, match="says 1 rows, but more follows"):
        read(more)
    with pytest.warns(SkippedRowsWarning, match="more follows"):
        assert read(more, lenient=True) == {"a": [1.0, 2.0]}


def test_lenient_reports_the_first_faults_and_the_number_of_the_rest(read):
    content = "a 1 2\n" + "b 3 4\n" * 1 + "".join(f"x{row} 9\n" for row in range(9)) + "c 5 6\n" * 1
    content = "a 1 2\n" * 1 + "".join(f"k{row} 1 2\n" for row in range(20)) + content[6:]
    with pytest.warns(SkippedRowsWarning, match=r'line 23: .*"x0".*line 27: .*"x4"; and 4 more'):
        assert len(read(content, lenient=True)) == 23


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (b"2000000000 2000000000\na 1 2\n", "says 2000000000 rows of 2000000000 numbers, but only 6 bytes"),
        (b"-1 2\na 1 2\n", "-1 rows of 2 numbers, which cannot be"),
        (b"2 0\na\nb\n", "2 rows of 0 numbers, which cannot be"),
        (b"99999999999999999999 2\na 1 2\n", "at most"),
        (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "a web page, not vectors"),
        (b"\n  <HTML>\n<p>1 2 3</p>", "a web page, not vectors"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n", "a pointer of Git LFS"),
        (b"just some text\nof a few\nlines\n", "not a file of vectors"),
        (b"the 12345\nof 6789\n", "not a file of vectors"),
        (b"word,0.1,0.2\nother,0.3,0.4\n", "not a file of vectors"),
        (bytes(100), "not a file of vectors"),
        (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", "cut off or damaged: the settings"),
        (b"FiFu\x00\x00\x00\x00", "cut off or damaged: the number of chunks"),
        (b"\x80\x04\x95\x00", "a Python pickle"),
        (b"PK\x03\x04", "a zip archive"),
        (b"BZh91AY", "compressed with bzip2"),
        (gzip.compress(b"a 1 2\nb 3 4\n" * 1000, mtime=0)[:-9], "damaged or cut off"),
    ],
)
def test_files_that_hold_no_vectors(read, content, reason):
    for lenient in (False, True):
        with pytest.raises(FormatError) as caught:
            read(content, lenient=lenient)
        assert reason in str(caught.value)


def test_random_damage_never_does_worse_than_an_error(tmp_path):
    generator = random.Random(3)
    path = tmp_path / "noise"
    for format in FOREIGN:
        sample(rows=6, size=3).save(path, format=format)
        data = path.read_bytes()
        for _ in range(400):
            changed = bytearray(data[: generator.randint(0, len(data))] if generator.random() < 0.3 else data)
            for _ in range(generator.randint(1, 5)):
                if changed:
                    changed[generator.randrange(len(changed))] = generator.choice(b"\0\n 0-9.eE\xff\xfe:a")
            path.write_bytes(changed)
            for lenient in (False, True):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        loaded = tg.WordVectors.load(path, lenient=lenient)
                    except FormatError:
                        continue
                assert loaded.matrix.shape == (len(loaded.words), loaded.vector_size)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError):
        tg.WordVectors.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        tg.WordVectors.load(tmp_path)
    with pytest.raises(OSError, match="not a regular file"):
        tg.WordVectors.load("/dev/null")


def test_progress_and_stopping(tmp_path):
    path = tmp_path / "large.vec"
    sample(rows=20_000, size=100).save(path, format="word2vec-text")
    seen = []
    tg.WordVectors.load(path, progress=lambda *report: seen.append(report), threads=1)
    assert seen
    assert {report[0] for report in seen} == {"reading vectors"}

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tg.WordVectors.load(path, progress=stop, threads=1)
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        tg.WordVectors.load(path).save(out, format="word2vec-text", progress=stop)
    assert not out.exists()


# ---- The owners of the formats -----------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.parametrize("name", ["w2v_c.txt", "w2v_c.bin", "glove.txt"])
def test_golden_answers_of_gensim(shared_data, name):
    path = shared_data / "data/golden/keyedvectors_gensim_4.4.0.json.gz"
    expected = json.loads(gzip.decompress(path.read_bytes()))[name]
    found = next((shared_data / "data/vectors").glob(f"*/{name}*"))
    vectors = tg.WordVectors.load(found)
    assert list(vectors.matrix.shape) == expected["shape"]
    assert vectors.words[: len(expected["first_words"])] == expected["first_words"]
    assert vectors["the"].tolist() == np.float32(expected["vec_the"]).tolist()

    def agree(answer, wanted):
        assert [word for word, _ in answer] == [word for word, _ in wanted]
        assert [score for _, score in answer] == pytest.approx([score for _, score in wanted], abs=2e-6)

    agree(vectors.most_similar("king", n=len(expected["nn_king"])), expected["nn_king"])
    if name == "glove.txt":
        assert vectors.words[-len(expected["last_words"]) :] == expected["last_words"]
        return
    wanted = expected["analogy_man_king_woman"]
    agree(vectors.analogy("man", "king", "woman", n=len(wanted)), wanted)
    assert vectors.similarity("king", "queen") == pytest.approx(expected["sim_king_queen"], abs=2e-6)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "shape", "format"),
    [
        ("glove/glove.txt.gz", (2423, 32), "glove-text"),
        ("glove/glove_header.txt.gz", (2423, 32), "word2vec-text"),
        ("fasttext/ft_sg_ns.vec.gz", (2423, 16), "word2vec-text"),
        ("floret/floret.vec.gz", None, "word2vec-text"),
        ("finalfusion/similarity.txt", (41, 100), "word2vec-text"),
        ("finalfusion/similarity.nodims", (41, 100), "glove-text"),
        ("finalfusion/similarity.bin", (41, 100), "word2vec-binary"),
        ("finalfusion/analogy.bin", (43, 100), "word2vec-binary"),
    ],
)
def test_files_that_their_owners_wrote(shared_data, name, shape, format):
    path = shared_data / "data/vectors" / name
    vectors = tg.WordVectors.load(path)
    assert vectors.settings == {"read_from": format}
    if format == "word2vec-binary":
        return
    content = path.read_bytes()
    text = gzip.decompress(content) if name.endswith(".gz") else content
    lines = text.decode().removesuffix("\n").split("\n")[format == "word2vec-text" :]
    expected = [line.rstrip(" ").split(" ") for line in lines]
    assert vectors.words == [fields[0] for fields in expected]
    assert vectors.matrix.tolist() == np.array([fields[1:] for fields in expected], np.float32).tolist()
    assert shape is None or vectors.matrix.shape == shape


@pytest.mark.shared
def test_files_with_words_that_are_not_utf8(shared_data):
    folder = shared_data / "data/vectors/finalfusion"
    for name in ("utf8-incomplete.dims", "utf8-incomplete.txt", "utf8-incomplete.bin"):
        with pytest.warns(InvalidTextWarning, match="1 word"):
            vectors = tg.WordVectors.load(folder / name)
        assert vectors.words[0::2] == ["meren", "rivieren"]
        assert vectors.words[1].startswith("zee")
        assert vectors.matrix.shape == (3, 3)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("finalfusion/quantized_storage.bin", "not a file of vectors"),
        ("glove/glove.bin.gz", "not a file of vectors"),
        ("glove/glove.vocab", "not a file of vectors"),
        ("word2vec/w2v_c.vocab", "not a file of vectors"),
    ],
)
def test_files_that_are_not_read(shared_data, name, reason):
    with pytest.raises(FormatError, match=reason):
        tg.WordVectors.load(shared_data / "data/vectors" / name)


@pytest.mark.peer
# That library does not close a file that it reads without a header.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("format", FOREIGN)
@pytest.mark.parametrize("compression", ["", ".gz"])
def test_gensim_reads_what_is_written(tmp_path, format, compression):
    models = pytest.importorskip("gensim.models")
    vectors = sample(rows=300, size=20)
    path = tmp_path / f"file{compression}"
    vectors.save(path, format=format)
    theirs = models.KeyedVectors.load_word2vec_format(
        str(path), binary=format == "word2vec-binary", no_header=format == "glove-text"
    )
    assert theirs.index_to_key == vectors.words
    assert np.array_equal(theirs.vectors, vectors.matrix)


@pytest.mark.peer
@pytest.mark.parametrize("is_binary", [True, False])
@pytest.mark.parametrize("header", [True, False])
def test_what_gensim_writes_is_read(tmp_path, is_binary, header):
    models = pytest.importorskip("gensim.models")
    if is_binary and not header:
        pytest.skip("binary files have a header")
    vectors = sample(rows=300, size=20)
    theirs = models.KeyedVectors(20)
    theirs.add_vectors(vectors.words, vectors.matrix)
    path = tmp_path / "file"
    theirs.save_word2vec_format(str(path), binary=is_binary, write_header=header)
    loaded = tg.WordVectors.load(path)
    assert sorted(loaded.words) == sorted(vectors.words)
    for word in vectors.words:
        assert np.array_equal(loaded[word], vectors[word])


def test_the_text_is_what_the_scripts_of_glove_read(tmp_path):
    # As `eval/python/evaluate.py` there does: lines without the white space at their end, cut at each space.
    vectors = sample(rows=300, size=20)
    vectors.save(tmp_path / "vectors.txt", format="glove-text")
    read = {}
    with (tmp_path / "vectors.txt").open(encoding="utf-8") as file:
        for line in file:
            word, *numbers = line.rstrip().split(" ")
            read[word] = [float(number) for number in numbers]
    assert list(read) == vectors.words
    assert np.array_equal(np.array(list(read.values()), dtype=np.float32), vectors.matrix)

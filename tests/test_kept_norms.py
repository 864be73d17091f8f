"""What a file keeps for the first query: the length of each vector, and a sketch of the matrix."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import textgrain as tg
from textgrain import _native
from textgrain.exceptions import FormatError, ParameterError

GOLDEN = Path(__file__).parent / "golden" / "vectors"
STORED = ["plain", "float16", "int8", "product"]


@pytest.fixture(scope="module")
def many():
    numbers = np.random.default_rng(5).standard_normal((300, 12)).astype(np.float32)
    numbers[7] = 0
    numbers[8] *= np.float32(1e-20)
    return tg.WordVectors.from_mapping({f"w{row}": vector for row, vector in enumerate(numbers)})


def tensors(path):
    """The tensors of a file as arrays, by name."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    types = {"F32": "<f4", "I32": "<i4", "I8": "i1", "U64": "<u8", "U8": "u1", "F16": "<f2"}
    return {
        name: np.frombuffer(data[8 + length :][slice(*entry["data_offsets"])], types[entry["dtype"]])
        for name, entry in header.items()
        if name != "__metadata__"
    }


@pytest.mark.parametrize("stored", STORED)
def test_files_of_earlier_versions_open_and_are_measured(stored, tmp_path):
    old = GOLDEN / f"{stored}.safetensors"
    assert "norms" not in tensors(old)
    vectors = tg.WordVectors.load(old)
    again = tmp_path / "again.safetensors"
    vectors.save(again)
    assert tensors(again)["norms"].tobytes() == vectors._native.norms.tobytes()
    reopened = tg.WordVectors.load(again)
    assert reopened == vectors
    assert reopened._native.norms.tobytes() == vectors._native.norms.tobytes()
    assert reopened.storage == ("float32" if stored == "plain" else stored)
    assert np.array_equal(reopened["newish"], vectors["newish"])
    for word in vectors.words:
        assert reopened.most_similar(word) == vectors.most_similar(word)


@pytest.mark.parametrize("storage", [None, "float16", "int8", "product"])
def test_kept_norms_are_those_of_the_numbers(many, storage, tmp_path):
    vectors = many if storage is None else many.quantize(storage).vectors
    path = tmp_path / "kept.safetensors"
    vectors.save(path)
    kept = tensors(path)["norms"]
    exact = np.linalg.norm(vectors.matrix.astype(np.float64), axis=1)
    assert kept == pytest.approx(exact, rel=1e-6, abs=1e-12)
    loaded = tg.WordVectors.load(path)
    floats = tg.WordVectors.from_mapping(dict(zip(loaded.words, loaded.matrix, strict=True)))
    assert kept.tobytes() == loaded._native.norms.tobytes() == floats._native.norms.tobytes()


def test_changed_copies_of_loaded_vectors_agree_with_those_made_anew(many, tmp_path):
    path = tmp_path / "kept.safetensors"
    many.save(path, sketch=True)
    loaded = tg.WordVectors.load(path)
    new = {"w3": np.arange(12), "more": np.ones(12)}
    for change in (
        lambda vectors: vectors.with_words(new),
        lambda vectors: vectors.drop(["w0", "w200"]),
        lambda vectors: vectors.select([f"w{row}" for row in range(100, 0, -1)]),
        lambda vectors: vectors.rename({"w1": "one"}),
    ):
        changed, expected = change(loaded), change(many)
        assert changed == expected
        assert changed._native.norms.tobytes() == expected._native.norms.tobytes()
        fresh = tg.WordVectors.from_mapping(dict(zip(changed.words, changed.matrix, strict=True)))
        for word in changed.words[::9]:
            for metric in ("cosine", "dot", "euclidean"):
                assert changed.most_similar(word, metric=metric) == fresh.most_similar(word, metric=metric)


def test_lengths_that_no_float_can_hold_are_not_kept(tmp_path):
    path = tmp_path / "large.safetensors"
    large = tg.WordVectors.from_mapping({"large": [3e38, 3e38], "small": [1, 2]})
    large.save(path)
    assert "norms" not in tensors(path)
    assert tg.WordVectors.load(path).most_similar("small") == large.most_similar("small")


def rewritten(path, name, change):
    """Give the file other numbers and checksums that fit them, as a faulty program might."""
    import xxhash

    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header, body = json.loads(data[8 : 8 + length]), bytearray(data[8 + length :])
    start, end = header[name]["data_offsets"]
    body[start:end] = change(bytes(body[start:end]))
    blocks = b"".join(
        struct.pack("<Q", xxhash.xxh3_64_intdigest(body[at : at + (1 << 18)]))
        for at in range(0, len(body), 1 << 18)
    )
    header["__metadata__"]["checksum"] = f"xxh3-256k:{xxhash.xxh3_64_hexdigest(blocks)}"
    header["__metadata__"]["header_checksum"] = "xxh3:" + 16 * "0"
    text = json.dumps(header, separators=(",", ":")).encode()
    start = struct.pack("<Q", len(text)) + text
    digits = xxhash.xxh3_64_hexdigest(start).encode()
    path.write_bytes(start.replace(16 * b"0", digits, 1) + body)


@pytest.mark.parametrize(
    ("tensor", "place", "number", "match"),
    [
        ("norms", 3, float("nan"), r"row 3 of tensor \"norms\" must be a length, it is NaN"),
        ("norms", 299, float("inf"), r"row 299 of tensor \"norms\" must be a length, it is inf"),
        ("norms", 0, -1.0, r"row 0 of tensor \"norms\" must be a length, it is -1"),
        ("sketch_scales", 5, float("inf"), "row 5 of the sketch has numbers that no row can have"),
        ("sketch_rests", 6, -0.5, "row 6 of the sketch has numbers that no row can have"),
        ("sketch_rests", 6, float("nan"), "row 6 of the sketch has numbers that no row can have"),
    ],
)
def test_numbers_that_cannot_be_are_refused(many, tensor, place, number, match, tmp_path):
    pytest.importorskip("xxhash")
    path = tmp_path / "lying.safetensors"
    many.save(path, sketch=True)
    rewritten(path, tensor, lambda data: data)
    assert tg.WordVectors.load(path) == many
    new = struct.pack("<f", number)
    rewritten(path, tensor, lambda data: data[: 4 * place] + new + data[4 * place + 4 :])
    with pytest.raises(FormatError, match=match):
        tg.WordVectors.load(path)


def test_a_sketch_changes_no_answer(many, tmp_path):
    with_sketch, plain = tmp_path / "sketch.safetensors", tmp_path / "plain.safetensors"
    many.save(with_sketch, sketch=True)
    many.save(plain)
    assert tensors(with_sketch)["sketch"].size == 300 * 32
    sketched = tg.WordVectors.load(with_sketch)
    assert sketched == many
    for metric in ("cosine", "dot", "euclidean"):
        batches = [vectors.most_similar_batch(many.words, metric=metric) for vectors in (sketched, many)]
        assert np.array_equal(batches[0].rows, batches[1].rows)
        assert np.array_equal(batches[0].scores, batches[1].scores)
        for word in many.words[:20]:
            assert sketched.most_similar(word, metric=metric) == many.most_similar(word, metric=metric)
    # It is written where it is asked for, and only there.
    sketched.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == plain.read_bytes()


def test_a_sketch_is_only_for_floats_in_the_own_format(many, tmp_path):
    path = tmp_path / "not written"
    for format in ("word2vec-text", "word2vec-binary", "glove-text", "fasttext"):
        with pytest.raises(ParameterError, match=f'`sketch` must only .* got it with "{format}"'):
            many.save(path, format=format, sketch=True)
    for storage in ("float16", "int8", "product"):
        with pytest.raises(ParameterError, match=f'`sketch` must only .* got it with "{storage}"'):
            many.quantize(storage).vectors.save(path, sketch=True)
    assert not path.exists()


def test_other_files_of_tensors_from_earlier_versions_open(tmp_path):
    """They had a checksum of all bytes at once; now it is one of blocks, which all processors can take."""
    counts = tg.PieceCounts.load(GOLDEN / "counts.safetensors")
    assert (counts.most_common(), counts.documents) == ([("low", 2), ("lower", 1)], 1)
    numbers, settings = _native.load_table(str(GOLDEN / "table.safetensors"))
    assert (numbers.tolist(), settings) == ([[0, 1, 2], [3, 4, 5]], '{"a": 1}')
    counts.save(tmp_path / "counts")
    _native.save_table(str(tmp_path / "table"), numbers, settings)
    for name in ("counts", "table"):
        content = (tmp_path / name).read_bytes()
        assert b'"checksum":"xxh3-256k:' in content
        assert b'"checksum":"xxh3:' in (GOLDEN / f"{name}.safetensors").read_bytes()
        (tmp_path / name).write_bytes(content[:-1] + b"?")
    with pytest.raises(FormatError, match="damaged"):
        tg.PieceCounts.load(tmp_path / "counts")
    with pytest.raises(FormatError, match="damaged"):
        _native.load_table(str(tmp_path / "table"))


@pytest.mark.parametrize("storage", [None, "float16", "int8", "product"])
def test_opening_without_a_check_gives_the_same_vectors(many, storage, tmp_path):
    vectors = many if storage is None else many.quantize(storage).vectors
    path = tmp_path / "a.safetensors"
    vectors.save(path)
    quick = tg.WordVectors.load(path, verify=False)
    assert quick == vectors
    assert quick._native.norms.tobytes() == vectors._native.norms.tobytes()
    assert quick.most_similar("w3") == vectors.most_similar("w3")


def test_only_numbers_are_taken_on_trust(many, tmp_path):
    """Damage to the matrix is noticed by the check alone; what the rest rests on is looked at in any case."""
    path = tmp_path / "a.safetensors"
    many.save(path)
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])

    def damaged(name, place=0):
        at = 8 + length + header[name]["data_offsets"][0] + place
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :])

    damaged("vectors")
    with pytest.raises(FormatError, match="checksum"):
        tg.WordVectors.load(path)
    assert tg.WordVectors.load(path, verify=False)["w5"].tolist() == many["w5"].tolist()
    damaged("word_offsets", 8)
    with pytest.raises(FormatError):
        tg.WordVectors.load(path, verify=False)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError):
        tg.WordVectors.load(path, verify=False)


def test_files_without_lengths_are_measured_without_a_check_too():
    old = GOLDEN / "plain.safetensors"
    assert tg.WordVectors.load(old, verify=False) == tg.WordVectors.load(old)

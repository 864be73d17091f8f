"""Damaged, foreign and lying vector files: each is an error that names file, place and reason."""

from __future__ import annotations

import contextlib
import json
import random
import struct

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import FormatError


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.safetensors"
    tg.WordVectors.from_mapping({"a": [1, 2], "bé": [3, 4], "c d": [5, 6]}).save(path)
    return path


def parts(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def write(path, header, body):
    text = json.dumps(header).encode() if isinstance(header, dict) else header
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def refused(path, match):
    with pytest.raises(FormatError, match=match) as caught:
        tg.WordVectors.load(path)
    assert caught.value.path == path
    assert caught.value.reason
    assert caught.value.offset is not None
    assert str(path) in str(caught.value)


def test_every_truncation(good, tmp_path):
    data = good.read_bytes()
    path = tmp_path / "short"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(FormatError):
            tg.WordVectors.load(path)


def test_every_changed_byte_of_the_data(good, tmp_path):
    data = good.read_bytes()
    start = 8 + struct.unpack_from("<Q", data)[0]
    path = tmp_path / "changed"
    for place in range(start, len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        refused(path, "damaged: the checksum is")


def test_random_damage_never_does_worse_than_an_error(good, tmp_path):
    data = good.read_bytes()
    generator = random.Random(0)
    path = tmp_path / "noise"
    for _ in range(3000):
        changed = bytearray(data)
        for _ in range(generator.randint(1, 6)):
            changed[generator.randrange(len(changed))] = generator.randrange(256)
        path.write_bytes(changed)
        with contextlib.suppress(FormatError, KeyError):
            tg.WordVectors.load(path).most_similar("a")


def test_foreign_files(tmp_path):
    path = tmp_path / "foreign"
    for content in (b"", b"PK\x03\x04", b"3 2\na 1 2\n", b"\x93NUMPY\x01\x00v\x00", b"{}" * 100, bytes(64)):
        path.write_bytes(content)
        with pytest.raises(FormatError):
            tg.WordVectors.load(path)
    other = {"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    refused(write(path, other, bytes(4)), "a safetensors file without word vectors")


def test_headers_that_promise_too_much(good, tmp_path):
    header, body = parts(good)
    path = tmp_path / "lying"
    for length in (2**64 - 1, 2**40, 10**8 + 1):
        path.write_bytes(struct.pack("<Q", length) + b"{}")
        refused(path, "not a safetensors file|cut off")
    for name, key, value, match in [
        ("vectors", "shape", [3, 2**62], "cannot have"),
        ("vectors", "shape", [2**63, 2**63], "cannot have"),
        ("vectors", "shape", [6], "must have 2 dimensions"),
        ("vectors", "shape", [-3, 2], "a list of whole numbers"),
        ("vectors", "shape", [2, 3], "must have 2 numbers"),
        ("vectors", "dtype", "F64", "must hold F32, it holds F64"),
        ("vectors", "data_offsets", [0, 2**63], "cut off or damaged"),
        ("vectors", "data_offsets", [24, 0], "cut off or damaged"),
        ("counts", "data_offsets", [37, 61], "not at 36"),
        ("norms", "shape", [4], "cannot have"),
        ("norms", "dtype", "U8", "must hold F32, it holds U8"),
        ("counts", "dtype", "I64", "must hold U64"),
        ("words", "shape", ["many"], "a list of whole numbers"),
    ]:
        lying = json.loads(json.dumps(header))
        lying[name][key] = value
        refused(write(path, lying, body), match)
    for name in ("vectors", "counts", "word_offsets", "words"):
        lacking = json.loads(json.dumps(header))
        del lacking[name]
        refused(write(path, lacking, body), "data|tensor")


def test_metadata_that_cannot_be(good, tmp_path):
    header, body = parts(good)
    path = tmp_path / "metadata"
    for key, value, match in [
        ("textgrain.vectors", "999", "Install a newer textgrain"),
        ("textgrain.vectors", None, "without word vectors"),
        ("checksum", None, "no checksum"),
        ("checksum", "xxh3:0", "damaged"),
        ("checksum", "xxh3-256k:0", "damaged"),
        ("settings", "{", "settings are not valid JSON"),
        ("settings", "[]", "settings are not a JSON object"),
        ("history", '["much"]', "history is not a list of numbers"),
    ]:
        changed = json.loads(json.dumps(header))
        if value is None:
            del changed["__metadata__"][key]
        else:
            changed["__metadata__"][key] = value
        refused(write(path, changed, body), match)
    for header_text in (b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000):
        refused(write(path, header_text, body), "not valid JSON|not a JSON object")


@pytest.mark.parametrize("by_blocks", [True, False])
def test_words_that_cannot_be(good, tmp_path, by_blocks):
    header, body = parts(good)
    start = header["word_offsets"]["data_offsets"][0]
    text = header["words"]["data_offsets"][0]
    path = tmp_path / "words"

    def changed(change):
        data = bytearray(body)
        change(data)
        stamped = json.loads(json.dumps(header))
        # With the right checksum, of all bytes or of blocks, so that the words themselves are looked at.
        xxhash = pytest.importorskip("xxhash")
        whole = xxhash.xxh3_64_hexdigest(bytes(data))
        # A file of one block; numbers of xxhash are written with their largest byte first.
        blocks = xxhash.xxh3_64_hexdigest(bytes.fromhex(whole)[::-1])
        stamped["__metadata__"]["checksum"] = f"xxh3-256k:{blocks}" if by_blocks else f"xxh3:{whole}"
        return write(path, stamped, bytes(data))

    def offset(row, value):
        return lambda data: struct.pack_into("<Q", data, start + 8 * row, value)

    refused(changed(offset(1, 3)), "impossible offsets")
    refused(changed(offset(1, 5)), "impossible offsets")
    refused(changed(offset(1, 2**63)), "impossible offsets")
    refused(changed(offset(3, 5)), "do not run from 0 to the end")
    refused(changed(offset(0, 1)), "do not run from 0 to the end")
    refused(changed(lambda data: data.__setitem__(text, 0xFF)), "not valid UTF-8")


def test_tables(tmp_path):
    path = tmp_path / "table"
    tg.EmbeddingTable(rows=3, width=2).save(path)
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(FormatError):
            tg.EmbeddingTable.load(path)
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(FormatError, match="damaged"):
        tg.EmbeddingTable.load(path)
    tg.WordVectors.from_mapping({"a": np.ones(2)}).save(path)
    with pytest.raises(FormatError, match="without a table"):
        tg.EmbeddingTable.load(path)

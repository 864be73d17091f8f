"""Tokenizer files that are not what they should be."""

import json
import re

import pytest

import textgrain as tg
from textgrain.exceptions import FormatError

TRAINER = tg.BPE(merges=6, split="words", symbols="characters", special_tokens=["<s>"])


@pytest.fixture
def document(tmp_path):
    TRAINER.train(["low lower lowest"]).save(tmp_path / "tokenizer.json")
    return json.loads((tmp_path / "tokenizer.json").read_text())


def load(tmp_path, content):
    path = tmp_path / "changed.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return tg.Tokenizer.load(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"{", "cut off"),
        (b"[" * 100_000, "not a tokenizer.json"),
        (b"\xff\xfe{}", "not a tokenizer.json"),
        (b"[]", "not a tokenizer.json"),
        (b"null", "not a tokenizer.json"),
        (b'{"a": {}}', "it has no model"),
        (b'{"model": 3}', "it has no model"),
        (b'{"model": {"type": "BPE"}}', 'model lacks "vocab"'),
        (b'{"model": {"type": "BPE", "textgrain": 3}}', "model.textgrain is damaged"),
        (b'{"model": {"type": "BPE", "textgrain": {"format": -1}}}', "model.textgrain is damaged"),
    ],
)
def test_what_is_no_tokenizer(tmp_path, content, reason):
    with pytest.raises(FormatError, match=re.escape(reason)) as raised:
        load(tmp_path, content)
    assert raised.value.path == tmp_path / "changed.json"


def test_syntax_errors_name_the_line(tmp_path):
    with pytest.raises(FormatError) as raised:
        load(tmp_path, b'{\n"version": "1.0",\n"model" {}}')
    assert raised.value.line == 3


def test_an_edited_file(tmp_path, document):
    document["model"]["vocab"]["low"] = 0
    with pytest.raises(FormatError, match="checksum does not match"):
        load(tmp_path, document)


def test_layout_does_not_matter(tmp_path, document):
    tokenizer = load(tmp_path, json.dumps(document, indent=3).encode())
    assert tokenizer.encode("lowest").tokens == TRAINER.train(["low lower lowest"]).encode("lowest").tokens


def test_every_truncation(tmp_path, document):
    whole = json.dumps(document).encode()
    for length in range(0, len(whole), 7):
        with pytest.raises(FormatError):
            load(tmp_path, whole[:length])


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError):
        tg.Tokenizer.load(tmp_path / "none.json")
    with pytest.raises(OSError, match="irectory"):
        tg.Tokenizer.load(tmp_path)


def test_output_that_cannot_be_written(tmp_path):
    tokenizer = TRAINER.train(["low"])
    with pytest.raises(FileNotFoundError, match="does not exist"):
        tokenizer.save(tmp_path / "missing" / "tokenizer.json")
    with pytest.raises(OSError, match="irectory"):
        tokenizer.save(tmp_path)

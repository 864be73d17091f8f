"""`textgrain encode --output` and what `inspect` says of the file."""

import io
import sys

import pytest

import textgrain as tg


def test_a_corpus_becomes_a_file_of_ids(textgrain, tokenizer, corpus, tmp_path):
    path = tmp_path / "out.ids"
    result = textgrain("encode", tokenizer, corpus, "--output", path, "--quiet", "--json")
    assert result.status == 0, result.err
    ids, loaded = tg.IdFile(path), tg.Tokenizer.load(tokenizer)
    assert result.json == {
        "file": str(path),
        "ids": len(ids),
        "documents": 120,
        "text_bytes": corpus.stat().st_size,
        "type": "uint16",
    }
    assert loaded.decode(ids.documents[1]) == "the newest widest flower"
    said = textgrain("encode", tokenizer, corpus, "-o", path, "--documents", "files", "--no-resume")
    assert f"{path}: " in said.err
    assert "of 1 documents" in said.err
    assert said.out == ""


def test_tokens_around_documents(textgrain, corpus, tmp_path):
    tg.BPE(merges=3, special_tokens=["<a>", "<b>"]).train(["low lower"]).save(tmp_path / "tokenizer.json")
    command = ("encode", tmp_path / "tokenizer.json", corpus, "-o", tmp_path / "out.ids", "--quiet")
    assert textgrain(*command, "--start-token", "<a>", "--end-token", "<b>").status == 0
    ids = tg.IdFile(tmp_path / "out.ids")
    assert (ids.documents[0][0], ids.documents[0][-1]) == (259, 260)
    assert "'<c>' is not one token" in textgrain(*command, "--end-token", "<c>").err


def test_standard_input(textgrain, tokenizer, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"low\nnew\n")))
    assert textgrain("encode", tokenizer, "-o", tmp_path / "out.ids", "--quiet").status == 0
    assert len(tg.IdFile(tmp_path / "out.ids").documents) == 2


def test_inspect(textgrain, tokenizer, corpus, tmp_path):
    textgrain("encode", tokenizer, corpus, "-o", tmp_path / "out.ids", "--quiet")
    facts = textgrain("inspect", tmp_path / "out.ids", "--json").json
    ids = tg.IdFile(tmp_path / "out.ids")
    assert (facts["kind"], facts["ids"], facts["documents"]) == ("ids", len(ids), 120)
    assert facts["first ids"] == ids[:10].tolist()
    assert "uint16" in textgrain("inspect", tmp_path / "out.ids").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--end-token", "x"], "`end_token` can only be used with --output"),
        (["--output", "x.ids", "--tokens"], "`tokens` cannot be used with --output"),
        (["-", "--output", "x.ids"], "standard input can only be encoded alone"),
    ],
)
def test_mistakes(textgrain, tokenizer, corpus, options, message):
    result = textgrain("encode", tokenizer, corpus, *options)
    assert result.status == 1
    assert message in result.err

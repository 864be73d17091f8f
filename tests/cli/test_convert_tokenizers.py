"""Conversion of tokenizers on the command line."""

import textgrain as tg


def test_the_name_tells_the_format(textgrain, tokenizer, tmp_path):
    for name, target in [("vocab.json", "gpt2"), ("a.tiktoken", "tiktoken"), ("b.json", "json")]:
        result = textgrain("convert", tokenizer, tmp_path / name, "--json")
        assert result.json == {
            "output": str(tmp_path / name),
            "format": target,
            "tokens": len(tg.Tokenizer.load(tokenizer)),
            "read": "json",
        }
    assert "tokens written to" in textgrain("convert", tokenizer, tmp_path / "b.json").err
    result = textgrain("convert", tmp_path / "vocab.json", tmp_path / "c.json", "--special-token", "the")
    assert result.status == 0
    assert tg.Tokenizer.load(tmp_path / "c.json").special_tokens.keys() == {"the"}
    assert textgrain("convert", tmp_path / "a.tiktoken", tmp_path / "d.json", "--split", "gpt2").status == 0
    text = "the lowest tower"
    expected = tg.Tokenizer.load(tokenizer).encode_ids(text).tolist()
    for name in ("merges.txt", "b.json", "d.json"):
        assert tg.Tokenizer.load(tmp_path / name).encode_ids(text).tolist() == expected


def test_what_cannot_be_done_is_said(textgrain, tokenizer, vectors, tmp_path):
    result = textgrain("convert", tokenizer, tmp_path / "file")
    assert result.status == 1
    assert "`--to` must be set for" in result.err
    result = textgrain("convert", tokenizer, tmp_path / "vocab.txt")
    assert result.status == 1
    assert "must be one that vocab.txt can say, got one of type BPE" in result.err
    result = textgrain("convert", vectors, tmp_path / "a.tiktoken")
    assert result.status == 1
    assert "not a tokenizer.json" in result.err
    assert not (tmp_path / "vocab.txt").exists()

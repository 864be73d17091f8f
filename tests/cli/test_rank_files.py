"""Rank files on the command line."""

import gzip

import pytest

import textgrain as tg
from textgrain._tiktoken import KNOWN


@pytest.fixture
def rank_file(tmp_path):
    path = tmp_path / "trained"
    tg.BPE(merges=9, split="gpt4").train(["low lower lowest"]).save_tiktoken(path)
    return path


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("slow  lowest<|endoftext|>", encoding="utf-8")
    return path


def test_a_file_with_a_named_split_rule(textgrain, rank_file, text, tmp_path):
    facts = textgrain("inspect", rank_file, "--split", "gpt4", "--json").json
    assert (facts["vocab_size"], facts["split"], facts["special_tokens"]) == (263, "gpt4", [])
    ids = textgrain("encode", rank_file, text, "--split", "gpt4")
    (tmp_path / "ids").write_text(ids.out, encoding="utf-8")
    decoded = textgrain("decode", rank_file, tmp_path / "ids")
    assert decoded.out == "slow  lowest<|endoftext|>\n"
    assert "lowest" in textgrain("explain", rank_file, "lowest", "--split", "gpt4").out


def test_a_split_rule_that_is_missing_or_does_not_belong(textgrain, rank_file, tokenizer, text):
    result = textgrain("encode", rank_file, text)
    assert result.status == 1
    assert "`split` must be set" in result.err
    result = textgrain("inspect", tokenizer, "--split", "gpt4")
    assert result.status == 1
    assert "`split` can only be used with a .tiktoken file" in result.err


@pytest.mark.shared
@pytest.mark.parametrize("name", KNOWN)
def test_published_files_are_known_by_content(textgrain, shared_data, name, text, tmp_path):
    packed = shared_data / "data" / "tokenizers" / f"{name}.tiktoken.gz"
    path = tmp_path / "ranks"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    facts = textgrain("inspect", path, "--json").json
    assert facts["split"] == KNOWN[name].split
    assert facts["special_tokens"] == list(KNOWN[name].special_tokens)
    ids = textgrain("encode", path, text, "--special", "allow", "--json").json
    assert ids[-1] == KNOWN[name].special_tokens["<|endoftext|>"]

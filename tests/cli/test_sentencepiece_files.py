"""SentencePiece models on the command line."""

import pytest


@pytest.mark.shared
def test_a_model_is_known_by_content(textgrain, shared_data, tmp_path):
    path = tmp_path / "anything"
    path.write_bytes((shared_data / "data" / "tokenizers" / "spm_test.model").read_bytes())
    (tmp_path / "text").write_text("Hello world", encoding="utf-8")
    facts = textgrain("inspect", path, "--json").json
    assert (facts["vocab_size"], facts["method"]) == (1000, "sentencepiece")
    ids = textgrain("encode", path, tmp_path / "text")
    (tmp_path / "ids").write_text(ids.out, encoding="utf-8")
    assert textgrain("decode", path, tmp_path / "ids").out == "Hello world\n"

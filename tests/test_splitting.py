"""Rules by which users cut and change text."""

import json

import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError

TEXTS = ["The 3rd DAY: don't stop!", "low lower\n  12345 \u2581x ", "ÉTÉ 中文 2024"] * 3
RULES = {
    "llama3": "llama3",
    "qwen2": "qwen2",
    "deepseek": "deepseek",
    "digits": "digits",
    "punctuation": "punctuation",
    "metaspace": "metaspace",
    "expression": tg.Regex(r"\w+|\s"),
    "several": ["gpt2", "digits", tg.Regex("[a-c]")],
    "stage": {"type": "Split", "pattern": {"String": "o"}, "behavior": "MergedWithNext", "invert": False},
}


@pytest.fixture(scope="module", params=RULES)
def tokenizer(request):
    return tg.BPE(merges=40, split=RULES[request.param], special_tokens=["<end>"]).train(TEXTS)


def test_no_token_reaches_across_pieces(tokenizer):
    for text in TEXTS:
        pieces = tg.split_pieces(text, tokenizer.settings["split"])
        assert "".join(pieces) == text
        ids = [number for piece in pieces for number in tokenizer.encode_ids(piece).tolist()]
        assert tokenizer.encode_ids(text).tolist() == ids
        assert tokenizer.decode(ids) == text


def test_a_file_keeps_the_rule(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded == tokenizer
    assert loaded.settings == tokenizer.settings


@pytest.mark.peer
def test_the_owner_of_the_format_cuts_alike(tokenizer, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in TEXTS:
        assert theirs.encode(text).ids == tokenizer.encode_ids(text).tolist()


@pytest.mark.parametrize("normalizer", ["nfkc", "lowercase", "bert", ["nfd", "strip_accents", "lowercase"]])
@pytest.mark.parametrize("trainer", [tg.BPE(merges=30), tg.BPE(merges=9, split="words"), tg.WordLevel()])
def test_normalizers(trainer, normalizer, tmp_path):
    import dataclasses

    trainer = dataclasses.replace(trainer, normalizer=normalizer)
    tokenizer = trainer.train(TEXTS)
    assert not tokenizer.lossless
    text = "Été DAY ﬁ 3rd"
    encoding = tokenizer.encode(text)
    assert all(0 <= start <= end <= len(text) for start, end in encoding.offsets)
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded == tokenizer
    assert loaded.encode_ids(text).tolist() == encoding.ids.tolist()
    assert loaded.settings["normalizer"]["type"] in {"NFKC", "Lowercase", "BertNormalizer", "Sequence"}
    if tokenizer.hugging_face_reason is None:
        tokenizers = pytest.importorskip("tokenizers")
        theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        assert theirs.encode(text).ids == encoding.ids.tolist()


def test_case_is_one_where_it_is_lowered():
    tokenizer = tg.WordLevel(normalizer="lowercase").train(["Day day DAY"])
    assert tokenizer.encode("dAy").tokens == ["day"]
    assert tokenizer.vocab_size == 2


@pytest.mark.parametrize(
    ("split", "normalizer", "reason"),
    [
        ("gpt5", None, "must be one of"),
        (tg.Regex("("), None, "unclosed group"),
        (tg.Regex("a", behavior="odd"), None, "MergedWithNext"),
        ({"type": "Metaspace", "replacement": "_"}, None, "changes the text"),
        ("gpt2", "odd", "no known normalizer"),
        (["gpt2", "odd"], None, "must be one of"),
    ],
)
def test_what_cannot_be_used(split, normalizer, reason):
    with pytest.raises(ParameterError, match=reason):
        tg.BPE(merges=1, split=split, normalizer=normalizer).train(["a"])


def test_a_literal_marker_survives():
    """Spaces are kept as they are, so a visible stand-in for them in a text is only itself."""
    text = "  the  cat\n\tsat  abc\u2581d d"
    for trainer in (
        tg.BPE(merges=20, split="metaspace"),
        tg.BPE(merges=20, split="whitespace", space_prefix=True),
        tg.BPE(merges=20, split="words", space_prefix=True),
    ):
        tokenizer = trainer.train([text] * 3)
        assert tokenizer.decode(tokenizer.encode_ids(text)) == text


def test_a_special_token_spelled_like_another_token_in_the_file(tmp_path):
    """`Ġx` is how files write the token for a space and an x."""
    tokenizer = tg.BPE(merges=1, special_tokens=["\u0120x"]).train([" x x x"])
    assert tokenizer.vocab_size == 258
    tokenizer.save(tmp_path / "tokenizer.json")
    assert "written" in tokenizer.hugging_face_reason
    loaded = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded == tokenizer
    assert loaded.encode_ids(" x\u0120x", special="allow").tolist() == [256, 257]


@pytest.mark.parametrize(
    "split", ["gpt2", "gpt4", tg.Regex(r"\w+|\W|\s+(?!\S)|\s+"), tg.Regex(r"(?<!\^)\^+|\s+")]
)
@pytest.mark.parametrize("text", [" " * 200_000, " " * 200_000 + "x", " \n" * 100_000, "^" * 200_000])
def test_long_runs(split, text):
    tokenizer = tg.BPE(merges=0, split=split).train(["a"])
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text


def test_a_normalizer_that_prepends_does_not_hide_special_tokens(tmp_path):
    vocab = {token: number for number, token in enumerate(["<unk>", "<|b|>", "_", "h", "_h"])}
    model = {"type": "BPE", "vocab": vocab, "merges": ["_ h"], "unk_token": "<unk>"}
    added = {"id": 1, "content": "<|b|>", "normalized": False, "special": True}
    content = {"model": model, "normalizer": {"type": "Prepend", "prepend": "_"}, "added_tokens": [added]}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    tokenizer = tg.Tokenizer.load(tmp_path / "tokenizer.json")
    assert tokenizer.encode_ids("<|b|>h<|b|>", special="allow").tolist() == [1, 4, 1]
    # Unless the caller allows it, a special token that a user typed is text.
    assert 1 not in tokenizer.encode_ids("<|b|>h<|b|>").tolist()

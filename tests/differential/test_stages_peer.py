"""Each stage of a tokenizer.json does what Hugging Face tokenizers does: ids, offsets, decoded text."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

tokenizers = pytest.importorskip("tokenizers")
pytestmark = pytest.mark.peer

BERT = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
NORMALIZERS = {
    "nothing": None,
    "NFC": {"type": "NFC"},
    "NFD": {"type": "NFD"},
    "NFKC": {"type": "NFKC"},
    "NFKD": {"type": "NFKD"},
    "lowercase": {"type": "Lowercase"},
    "NFD and strip accents": {
        "type": "Sequence",
        "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}],
    },
    "bert": {"type": "BertNormalizer", **BERT},
    "bert, cased": {"type": "BertNormalizer", **BERT, "lowercase": False, "clean_text": False},
    "replace": {"type": "Replace", "pattern": {"String": "  "}, "content": "_é"},
    "replace by expression": {"type": "Replace", "pattern": {"Regex": "[0-9]+|\\s{2,}"}, "content": "#"},
    "prepend": {"type": "Prepend", "prepend": "\u2581"},
    "strip": {"type": "Strip", "strip_left": True, "strip_right": True},
    "strip right": {"type": "Strip", "strip_left": False, "strip_right": True},
    "nmt": {"type": "Nmt"},
}


def split(pattern, behavior="Isolated", invert=False):
    kind = "Regex" if len(pattern) > 1 else "String"
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def byte_level(**flags):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True} | flags


QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PRE_TOKENIZERS = {
    "nothing": None,
    "whitespace": {"type": "Whitespace"},
    "white space": {"type": "WhitespaceSplit"},
    "bert": {"type": "BertPreTokenizer"},
    "delimiter": {"type": "CharDelimiterSplit", "delimiter": "-"},
    "punctuation": {"type": "Punctuation"},
    "punctuation, contiguous": {"type": "Punctuation", "behavior": "Contiguous"},
    "digits": {"type": "Digits", "individual_digits": True},
    "digits together": {"type": "Digits", "individual_digits": False},
    "fixed length": {"type": "FixedLength", "length": 3},
    "metaspace": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
    "metaspace, old": {"type": "Metaspace", "replacement": "_", "str_rep": "_", "add_prefix_space": True},
    "metaspace, first": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first"},
    "metaspace, whole": {
        "type": "Metaspace",
        "replacement": "\u2581",
        "prepend_scheme": "never",
        "split": False,
    },
    "removed": split("[0-9]+", "Removed"),
    "with previous": split("-", "MergedWithPrevious"),
    "with next": split(r"[a-z]\b", "MergedWithNext"),
    "contiguous": split(r"\W", "Contiguous"),
    "inverted": split(r"\w+|!", "Removed", invert=True),
    "lines": split("^.+$"),
    "looking around": split("(?<=[a-z])(?=[A-Z0-9])|(?<!a)b+"),
    "spaces": split(r"\p{L}+|[^\s\p{L}]{1,2}|\s+(?!\S)|\s+"),
    "sequence": {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Digits", "individual_digits": True},
            {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"},
        ],
    },
}
BYTE_LEVEL = {
    "gpt2": byte_level(),
    "prefix": byte_level(add_prefix_space=True),
    "no expression": byte_level(use_regex=False),
    "llama3": {
        "type": "Sequence",
        "pretokenizers": [split(QWEN2.replace(r"\p{N}|", r"\p{N}{1,3}|")), byte_level(use_regex=False)],
    },
    "qwen2": {"type": "Sequence", "pretokenizers": [split(QWEN2), byte_level(use_regex=False)]},
    "digits": {
        "type": "Sequence",
        "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level(add_prefix_space=True)],
    },
}
PARTS = [
    *"aAbBé \t\n\r-_.,!'1²٣中ß\u2581\u0301\u00a0ǅſİ\x00\x7f\u200d\u1100\u1161ﬁ＃",
    "  ",
    "don't",
    "low",
    "lower",
    "<s>",
    "<s> ",
    " <m>",
    "Day",
    "day",
    "1234",
    "e\u0301",
    "\U0001f600",
]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=14).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"], max_codepoint=0x2FFFF), max_size=12
)
ADDED = [
    {"content": "<unk>", "special": True},
    {"content": "<s>", "special": True},
    {"content": "<m>", "lstrip": True, "rstrip": True, "special": True},
    {"content": "day", "single_word": True},
    {"content": "LOW", "normalized": True},
]


def document(model, normalizer, pre_tokenizer, decoder=None, post_processor=None):
    size = len(model["vocab"])
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    added, next_id = [], size
    for token in ADDED:
        known = model["vocab"].get(token["content"])
        added.append(flags | token | {"id": next_id if known is None else known})
        next_id += known is None
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": sorted(added, key=lambda token: token["id"]),
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": post_processor,
        "decoder": decoder,
        "model": model,
    }


def both(content, tmp_path_factory):
    path = tmp_path_factory.mktemp("stage") / "tokenizer.json"
    path.write_text(json.dumps(content))
    return tg.Tokenizer.load(path), tokenizers.Tokenizer.from_file(str(path))


def check(ours, theirs, text):
    expected = theirs.encode(text, add_special_tokens=False)
    encoding = ours.encode(text, special="allow")
    assert encoding.ids.tolist() == expected.ids
    assert list(encoding.offsets) == expected.offsets


def characters_model():
    """Single characters and some of their pairs, with an unknown token."""
    letters = "abcdelowrinst_ \u2581-.'1é#\u0301"
    words = ["lo", "low", "we", "er", "\u2581low", "_low", " low", "on", "'t"]
    merges = [["l", "o"], ["lo", "w"], ["e", "r"], ["w", "e"], ["o", "n"], ["\u2581", "low"], [" ", "low"]]
    vocab = {token: number for number, token in enumerate(["<unk>", *letters, *words])}
    return {"type": "BPE", "unk_token": "<unk>", "vocab": vocab, "merges": merges, "dropout": None}


@pytest.fixture(
    scope="module",
    params=[(name, "nothing") for name in NORMALIZERS]
    + [("nothing", name) for name in PRE_TOKENIZERS]
    + [("bert", "bert"), ("replace", "metaspace, first"), ("prepend", "spaces"), ("NFD", "sequence")],
    ids=" + ".join,
)
def stages(request, tmp_path_factory):
    normalizer, pre_tokenizer = request.param
    model = characters_model()
    return both(document(model, NORMALIZERS[normalizer], PRE_TOKENIZERS[pre_tokenizer]), tmp_path_factory)


@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
def test_characters(stages, text):
    check(*stages, text)


@pytest.fixture(scope="module", params=BYTE_LEVEL)
def byte_stages(request, tmp_path_factory):
    trained = tg.BPE(merges=60, split="gpt4").train(["low lower lowest don't day 12 1234"] * 3)
    path = tmp_path_factory.mktemp("bytes") / "tokenizer.json"
    trained.save(path)
    model = json.loads(path.read_text())["model"]
    del model["textgrain"]
    post_processor = byte_level(add_prefix_space=request.param == "prefix")
    rule = BYTE_LEVEL[request.param]
    content = document(model, None, rule, byte_level(), post_processor)
    return both(content, tmp_path_factory)


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_bytes(byte_stages, text):
    ours, theirs = byte_stages
    check(ours, theirs, text)
    ids = theirs.encode(text).ids
    assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


MODELS = {
    "suffix": {
        "type": "BPE",
        "unk_token": "<unk>",
        "end_of_word_suffix": "</w>",
        "fuse_unk": True,
        "vocab": ["<unk>", "l", "o", "w", "e", "r</w>", "w</w>", "o</w>", "lo", "low", "low</w>", "er</w>"],
        "merges": ["l o", "lo w", "lo w</w>", "e r</w>"],
    },
    "prefix": {
        "type": "BPE",
        "unk_token": "<unk>",
        "continuing_subword_prefix": "##",
        "fuse_unk": False,
        "vocab": ["<unk>", "l", "##l", "##o", "##w", "##e", "lo", "low", "##we", "1", "##1"],
        "merges": [["l", "##o"], ["lo", "##w"], ["##w", "##e"]],
    },
    "byte fallback": {
        "type": "BPE",
        "unk_token": "<unk>",
        "byte_fallback": True,
        "fuse_unk": True,
        "vocab": ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "l", "o", "lo", "a", "d"],
        "merges": ["l o"],
    },
    "whole": {
        "vocab": ["<unk>", *"low er", "lo", "lower", "day"],
        "merges": ["l o"],
        "unk_token": "<unk>",
        "ignore_merges": True,
    },
    "word piece": {
        "type": "WordPiece",
        "unk_token": "<unk>",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 8,
        "vocab": ["<unk>", "low", "##er", "l", "##o", "##w", "é", "##1", "1"],
    },
    "word level": {
        "type": "WordLevel",
        "unk_token": "<unk>",
        "vocab": ["<unk>", "low", "day", "1", "don", "-"],
    },
}
DECODERS = {
    "nothing": None,
    "bytes": {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
    "word piece": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "suffix": {"type": "BPEDecoder", "suffix": "</w>"},
    "metaspace": {"type": "Metaspace", "replacement": "o", "prepend_scheme": "always"},
    "ctc": {"type": "CTC", "pad_token": "l", "word_delimiter_token": "w", "cleanup": True},
    "expression": {"type": "Replace", "pattern": {"Regex": "[lo]+"}, "content": "é"},
}


@pytest.fixture(
    scope="module", params=[(model, name) for model in MODELS for name in DECODERS], ids=" + ".join
)
def models(request, tmp_path_factory):
    name, decoder = request.param
    model = dict(MODELS[name])
    model["vocab"] = {token: number for number, token in enumerate(dict.fromkeys(model["vocab"]))}
    rule = PRE_TOKENIZERS["whitespace"]
    return both(document(model, None, rule, DECODERS[decoder]), tmp_path_factory)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_models_and_decoders(models, text):
    ours, theirs = models
    check(ours, theirs, text)
    ids = theirs.encode(text).ids
    # Half a character is no text for anyone, but only that library makes one U+FFFD of each of its bytes.
    if ids and "\ufffd" not in theirs.decode(ids, skip_special_tokens=False):
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)

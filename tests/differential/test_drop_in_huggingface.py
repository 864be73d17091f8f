"""The stand-in for `tokenizers.Tokenizer` against that library, call by call."""

import gzip
import json
import pickle
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

tokenizers = pytest.importorskip("tokenizers")
pytestmark = pytest.mark.peer

FILES = [
    "gpt2.tokenizer.json.gz",
    "qwen3.tokenizer.json.zst",
    "gptoss.tokenizer.json.zst",
    "deepseek_v3.tokenizer.json.gz",
    "claude.tokenizer.json.gz",
    "mistral_v1.tokenizer.json.gz",
    "minilm_l6.tokenizer.json.gz",
    "trained/hf_bytebpe8k.tokenizer.json.gz",
    "trained/hf_bpe8k_whitespace.tokenizer.json.gz",
    "trained/hf_bpe6k_eow.tokenizer.json.gz",
    "trained/hf_wordpiece8k.tokenizer.json.gz",
    "trained/hf_unigram8k.tokenizer.json.gz",
    "trained/hf_wordlevel8k.tokenizer.json.gz",
]
ATTRIBUTES = [
    "ids",
    "type_ids",
    "tokens",
    "offsets",
    "attention_mask",
    "special_tokens_mask",
    "word_ids",
]


def read(path):
    content = path.read_bytes()
    if path.suffix == ".zst":
        if shutil.which("zstd") is None:
            pytest.skip("needs the program zstd")
        return subprocess.run(["zstd", "-dc"], input=content, capture_output=True, check=True).stdout
    return gzip.decompress(content)


@pytest.fixture(scope="module", params=FILES)
def both(request, shared_data, tmp_path_factory):
    path = tmp_path_factory.mktemp("peer") / "tokenizer.json"
    path.write_bytes(read(shared_data / "data/tokenizers" / request.param))
    ours = tg.Tokenizer.load(path).as_huggingface()
    return ours, tokenizers.Tokenizer.from_file(str(path))


@pytest.fixture(scope="module")
def texts(shared_data):
    listed = json.loads(read(shared_data / "data/golden/texts.json.gz"))
    return [text for text in listed if len(text) < 2000][:120]


def check(got, want, context, names=(*ATTRIBUTES, "sequence_ids")):
    assert len(got.overflowing) == len(want.overflowing)
    # What was cut off of a pair has some of the other parts once more there.
    for one, other in zip([got, *got.overflowing], [want, *want.overflowing], strict=True):
        for name in names:
            assert getattr(one, name) == getattr(other, name), (name, context)
        assert len(one) == len(other)


@pytest.mark.shared
def test_one_text_or_a_pair(both, texts):
    ours, theirs = both
    assert (ours.padding, ours.truncation) == (theirs.padding, theirs.truncation)
    for text in texts:
        check(ours.encode(text), theirs.encode(text), text)
    for text, pair in zip(texts[:40], texts[40:80], strict=True):
        check(ours.encode(text, pair), theirs.encode(text, pair), (text, pair))
        check(
            ours.encode(text, pair, add_special_tokens=False),
            theirs.encode(text, pair, add_special_tokens=False),
            (text, pair),
        )
    check(
        ours.encode(["low", "lower", "é"], is_pretokenized=True),
        theirs.encode(["low", "lower", "é"], is_pretokenized=True),
        "words",
    )


@pytest.mark.shared
def test_batches_with_padding_and_truncation(both, texts):
    ours, theirs = both
    kept = ours.padding, ours.truncation
    try:
        for padding, truncation in [
            ({}, {"max_length": 9}),
            ({"direction": "left", "pad_id": 1, "pad_token": "x"}, {"max_length": 12, "stride": 3}),
            ({"length": 16, "pad_type_id": 2}, {"max_length": 12, "direction": "left", "stride": 2}),
            ({"pad_to_multiple_of": 8}, {"max_length": 40, "strategy": "only_first"}),
        ]:
            for tokenizer in (ours, theirs):
                tokenizer.enable_padding(**padding)
                tokenizer.enable_truncation(**truncation)
            assert (ours.padding, ours.truncation) == (theirs.padding, theirs.truncation)
            pairs = [(text, "low lower") for text in texts[:20]]
            for batch in (texts[:30], pairs):
                got, want = ours.encode_batch(batch), theirs.encode_batch(batch)
                for one, other in zip(got, want, strict=True):
                    # Without a template that library forgets whose tokens were cut or filled up.
                    check(one, other, (padding, truncation, batch), ATTRIBUTES)
    finally:
        for tokenizer in (ours, theirs):
            tokenizer.no_padding()
            tokenizer.no_truncation()
            if kept[0]:
                tokenizer.enable_padding(**kept[0])
            if kept[1]:
                tokenizer.enable_truncation(**kept[1])


@pytest.mark.shared
def test_vocabulary_and_decoding(both, texts):
    ours, theirs = both
    for with_added in (True, False):
        assert ours.get_vocab_size(with_added) == theirs.get_vocab_size(with_added)
        assert ours.get_vocab(with_added) == theirs.get_vocab(with_added)
    for number in (0, 1, 500, 10**7):
        assert ours.id_to_token(number) == theirs.id_to_token(number)
    for token in ("low", "\u0120the", "##s", "no token"):
        assert ours.token_to_id(token) == theirs.token_to_id(token)
    for is_pair in (False, True):
        assert ours.num_special_tokens_to_add(is_pair) == theirs.num_special_tokens_to_add(is_pair)
    for text in texts[:40]:
        ids = theirs.encode(text).ids
        for skip in (True, False):
            assert ours.decode(ids, skip) == theirs.decode(ids, skip)
    batch = [theirs.encode(text).ids for text in texts[:5]]
    assert ours.decode_batch(batch) == theirs.decode_batch(batch)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    trained = tg.BPE(vocab_size=290, special_tokens=["<pad>", "<end>"]).train(["low lower lowest " * 3])
    path = tmp_path_factory.mktemp("own") / "tokenizer.json"
    trained.save(path)
    return trained, str(path)


def test_from_tokens_to_texts_and_back(trained):
    ours, theirs = trained[0].as_huggingface(), tokenizers.Tokenizer.from_file(trained[1])
    text, pair = "low lowest<end> é low", "lower"
    got, want = ours.encode(text, pair), theirs.encode(text, pair)
    check(got, want, text)
    for number in range(len(want) + 1):
        assert got.token_to_sequence(number) == want.token_to_sequence(number)
        for method in ("token_to_word", "token_to_chars"):
            wanted = getattr(want, method)(number)
            assert getattr(got, method)(number) == (wanted[1] if isinstance(wanted, list) else wanted)
    for place in range(len(text)):
        assert got.char_to_token(place) == want.char_to_token(place)
        assert got.char_to_word(place) == want.char_to_word(place)
    for word in range(4):
        assert got.word_to_tokens(word) == want.word_to_tokens(word)
        assert got.word_to_chars(word) == want.word_to_chars(word)
    assert got.n_sequences == want.n_sequences
    assert repr(got) == repr(want)


def test_added_tokens_and_copies(trained, tmp_path):
    ours, theirs = trained[0].as_huggingface(), tokenizers.Tokenizer.from_file(trained[1])
    for tokenizer in (ours, theirs):
        tokenizer.enable_padding(length=12)
        assert tokenizer.add_special_tokens(["<sep>"]) == 1
        assert tokenizer.add_tokens(["ECG", "lowest<", "ECG"]) == 2
    text = "low ECG<sep>lowest<end>"
    check(ours.encode(text), theirs.encode(text), "added", ATTRIBUTES)
    twin = pickle.loads(pickle.dumps(ours))
    check(twin.encode("low ECG"), theirs.encode("low ECG"), "pickled", ATTRIBUTES)
    ours.save(tmp_path / "again.json")
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "again.json"))
    assert again.encode("low ECG<sep>").ids == theirs.encode("low ECG<sep>").ids[:4]


@settings(max_examples=200, deadline=None)
@given(
    text=st.text(st.one_of(st.sampled_from("low ECG<mask>.\n"), st.characters(exclude_categories=["Cs"]))),
    flags=st.fixed_dictionaries(
        {name: st.booleans() for name in ("single_word", "lstrip", "rstrip", "normalized")}
    ),
    normalizer=st.sampled_from([None, "lowercase"]),
)
def test_tokens_that_were_added_here(text, flags, normalizer, tmp_path_factory):
    trainer = tg.BPE(merges=5, normalizer=normalizer, special_tokens=["<end>"])
    ours = trainer.train(["low lower lowest"]).add_tokens(["ECG", "low<", "<mask>"], **flags)
    path = tmp_path_factory.mktemp("added") / "tokenizer.json"
    ours.save(path)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    want = theirs.encode(text)
    assert ours.encode_ids(text, special="allow").tolist() == want.ids
    assert ours.as_huggingface().encode(text).tokens == want.tokens

"""Hugging Face tokenizers loads the files that we say it loads, and gives equal ids."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

tokenizers = pytest.importorskip("tokenizers")
pytestmark = pytest.mark.peer

DOCUMENTS = [
    "The patient had a fever, and the fever went down.",
    "J’aime les grands modèles; aaaa aaa 12345 don't WE'LL",
    "हिन्दी 中文 \U0001f600\u200d\U0001f680 \t\r\n  <end>",
] * 9
TRAINERS = {
    "gpt2": tg.BPE(merges=80),
    "gpt4": tg.BPE(merges=80, split="gpt4", special_tokens=["<end>", "<pad>"]),
    "lowest ids": tg.BPE(merges=80, tie_break="lowest-ids", special_tokens=["<end>"]),
    "words": tg.BPE(merges=80, split="words"),
    "whitespace": tg.BPE(merges=80, split="whitespace", unknown_token="<unk>", symbols="characters"),
    "none": tg.BPE(merges=80, split="none"),
    "space prefix": tg.BPE(merges=80, split="words", space_prefix=True),
    "marker": tg.BPE(merges=80, split="whitespace", end_of_word="</w>"),
    "word level": tg.WordLevel(),
    "word level, whitespace": tg.WordLevel(split="whitespace", special_tokens=["<stop>"]),
    "char level": tg.CharLevel(),
    "unigram": tg.Unigram(vocab_size=350, special_tokens=["<end>"]),
    "unigram, rare characters unknown": tg.Unigram(
        vocab_size=300, character_coverage=0.9, byte_fallback=False, unknown_token="<unk>", split="words"
    ),
    "unigram, rare characters as bytes": tg.Unigram(vocab_size=330, character_coverage=0.8, split="gpt4"),
}
CHARACTERS = st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aehst  \n\r\t'’1_-<>中0x8"))
TEXTS = st.text(CHARACTERS, max_size=60)


@pytest.fixture(scope="module", params=TRAINERS)
def pair(request, tmp_path_factory):
    tokenizer = TRAINERS[request.param].train(DOCUMENTS)
    path = tmp_path_factory.mktemp("file") / "tokenizer.json"
    tokenizer.save(path)
    if tokenizer.hugging_face_reason is not None:
        with pytest.raises(Exception, match=r".+"):
            tokenizers.Tokenizer.from_file(str(path))
        pytest.skip(tokenizer.hugging_face_reason)
    return tokenizer, tokenizers.Tokenizer.from_file(str(path))


@settings(max_examples=400, deadline=None)
@given(text=st.one_of(TEXTS, st.sampled_from(DOCUMENTS)))
def test_equal_ids(pair, text):
    """That library always takes the name of a special token for the token, so we allow it too."""
    ours, theirs = pair
    assert ours.encode_ids(text, special="allow").tolist() == theirs.encode(text).ids


def test_equal_vocabulary(pair):
    ours, theirs = pair
    assert theirs.get_vocab_size() == ours.vocab_size
    for name, id_ in ours.special_tokens.items():
        assert theirs.token_to_id(name) == id_


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_equal_text_back(pair, text):
    ours, theirs = pair
    if ours.lossless:
        assert theirs.decode(theirs.encode(text).ids, skip_special_tokens=False) == text

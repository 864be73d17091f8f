"""The stand-in for tiktoken against tiktoken itself, call by call."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

SPECIAL = {"<|endoftext|>": 300, "<|fim|>": 301, "<|x|>": 302}
# The pattern of the published file cl100k_base.
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
PARTS = st.sampled_from(["l", "o", "w", "er", " ", "\n", "é", "⭢", "1", *SPECIAL])
TEXTS = st.lists(PARTS, max_size=15).map("".join)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranks") / "a.tiktoken"
    tg.BPE(vocab_size=300, split="gpt4").train(["low lower lowest newer é ⭢ " * 3]).save_tiktoken(path)
    return tg.Tokenizer.from_tiktoken(path, split="gpt4", special_tokens=SPECIAL).as_tiktoken("trained")


@pytest.fixture(scope="module")
def theirs(ours):
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {token: ours.encode_single_token(token) for token in ours.token_byte_values()}
    return tiktoken.Encoding("trained", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=SPECIAL)


def outcome(call, *arguments, **settings):
    """What a call returns, or the built-in class of what it raises."""
    try:
        return call(*arguments, **settings)
    except Exception as error:
        return next(kind for kind in (ValueError, KeyError) if isinstance(error, kind))


def test_examples(ours):
    assert ours.encode_ordinary("low<|endoftext|>") != [*ours.encode_ordinary("low"), 300]
    assert ours.encode("low<|endoftext|>", allowed_special="all")[-1] == 300
    with pytest.raises(ValueError, match=r"the special token '<\|endoftext\|>', which is not allowed"):
        ours.encode("low<|endoftext|>")
    text = "<|fim|><|x|>"
    assert ours.encode(text, allowed_special={"<|fim|>"}, disallowed_special=()) == [
        301,
        *ours.encode_ordinary("<|x|>"),
    ]
    assert ours.encode_batch(["a", ""], num_threads=2) == [[97], []]
    assert ours.encode_to_numpy("a").dtype == "uint32"
    assert ours.decode([0xC3]) == "\ufffd"
    with pytest.raises(UnicodeDecodeError):
        ours.decode([0xC3], errors="strict")
    assert ours.decode([97, 300]) == "a<|endoftext|>"
    for wrong in (9999, -1):
        with pytest.raises(KeyError):
            ours.decode_single_token_bytes(wrong)
    with pytest.raises(KeyError):
        ours.encode_single_token("no token")
    assert (ours.eot_token, ours.n_vocab, ours.max_token_value) == (300, 303, 302)
    assert ours.special_tokens_set == set(SPECIAL)
    assert repr(ours) == "<Encoding 'trained'>"
    twin = pickle.loads(pickle.dumps(ours))
    assert (twin.name, twin.encode("low")) == (ours.name, ours.encode("low"))


@pytest.mark.peer
@settings(max_examples=150, deadline=None)
@given(
    text=TEXTS,
    allowed=st.sets(st.sampled_from(list(SPECIAL))),
    refused=st.sets(st.sampled_from(list(SPECIAL))),
)
def test_encoding(ours, theirs, text, allowed, refused):
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
    for settings_ in (
        {},
        {"allowed_special": "all"},
        {"disallowed_special": ()},
        {"allowed_special": allowed},
        {"allowed_special": allowed, "disallowed_special": refused},
    ):
        assert outcome(ours.encode, text, **settings_) == outcome(theirs.encode, text, **settings_)
        both = [text, "low"]
        assert outcome(ours.encode_batch, both, **settings_) == outcome(
            theirs.encode_batch, both, **settings_
        )
    assert ours.encode_ordinary_batch([text, ""]) == theirs.encode_ordinary_batch([text, ""])
    assert outcome(ours.encode_single_token, text) == outcome(theirs.encode_single_token, text)


@pytest.mark.peer
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_decoding(ours, theirs, data):
    known = [*range(256), *SPECIAL.values()]
    tokens = data.draw(st.lists(st.sampled_from(known), max_size=8))
    for errors in ("replace", "ignore", "strict"):
        assert outcome(ours.decode, tokens, errors) == outcome(theirs.decode, tokens, errors)
    assert ours.decode_bytes(tokens) == theirs.decode_bytes(tokens)
    assert ours.decode_tokens_bytes(tokens) == theirs.decode_tokens_bytes(tokens)
    assert ours.decode_batch([tokens, []]) == theirs.decode_batch([tokens, []])
    assert ours.decode_bytes_batch([tokens]) == theirs.decode_bytes_batch([tokens])
    text = ours.encode(data.draw(TEXTS), allowed_special="all")
    assert ours.decode_with_offsets(text) == theirs.decode_with_offsets(text)


@pytest.mark.peer
def test_facts(ours, theirs):
    for name in ("n_vocab", "max_token_value", "eot_token", "special_tokens_set", "name"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.token_byte_values() == theirs.token_byte_values()
    for number in (0, 299, 300, 303):
        assert ours.is_special_token(number) == theirs.is_special_token(number)

"""The calls that reach the engine without Python in between."""

import doctest

import numpy as np
import pytest

import textgrain as tg
from textgrain import _native
from textgrain.exceptions import ParameterError, TextgrainError, UnknownIdError, UnknownTokenError

TEXTS = [
    "",
    "a",
    "the lowest of the slow",
    "naïve 中文字 \U0001f600\u0301 don't 12345\n\n  x",
    "low \ud800 lower",
    "a piece of more than fifteen bytes: " + "lowest" * 5,
    "the lowest of the slow\n" * 1000,
    "x" * 10_000,
]


@pytest.fixture(scope="module", params=["gpt2", "gpt4", "o200k", "none"])
def tokenizer(request):
    trainer = tg.BPE(vocab_size=300, split=request.param, special_tokens=["<end>"])
    return trainer.train(["the lowest of the slow, lower lower", "中文字中文字"])


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_all_calls_give_the_same_ids(tokenizer, text):
    expected = tokenizer.encode(text).ids.tolist()
    for _ in range(2):
        ids = tokenizer.encode_ids(text)
        assert ids.dtype == np.uint32
        assert ids.flags.writeable
        assert ids.tolist() == expected
        assert tokenizer.encode_list(text) == expected
        assert tokenizer.count(text) == len(expected)
    decoded = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert tokenizer.decode(expected) == tokenizer.decode(ids) == decoded
    assert tokenizer.decode_bytes(expected) == tokenizer.decode_bytes(tuple(expected)) == decoded.encode()


def test_a_list_holds_the_same_numbers_each_time(tokenizer):
    first, second = (tokenizer.encode_list("the lowest") for _ in range(2))
    assert first is not second
    assert all(one is other for one, other in zip(first, second, strict=True))


def test_special_tokens_follow_the_policy(tokenizer):
    end = tokenizer.special_tokens["<end>"]
    for text in ["low<end>", "low " * 3000 + "<end>"]:
        assert tokenizer.encode_list(text, special="allow")[-1] == end
        assert tokenizer.count(text, "allow") == len(tokenizer.encode_ids(text, "allow"))
        for call in (tokenizer.encode_ids, tokenizer.encode_list, tokenizer.count):
            with pytest.raises(ParameterError, match="name of a special token"):
                call(text, special="error")
            with pytest.raises(ParameterError, match='"text", "allow" or "error"'):
                call(text, special="never")
            with pytest.raises(TypeError):
                call(b"low")


def test_decode_takes_every_kind_of_whole_numbers(tokenizer):
    ids = tokenizer.encode_ids("the lowest of the slow")
    text = tokenizer.decode(ids)
    read_only = ids.copy()
    read_only.flags.writeable = False
    forms = [ids.tolist(), tuple(ids.tolist()), list(ids), ids.astype(np.int16), read_only]
    forms += [np.repeat(ids, 2)[::2], np.asfortranarray(ids), range(97, 97)]
    for form in forms[:-1]:
        assert tokenizer.decode(form) == text
    assert tokenizer.decode(forms[-1]) == tokenizer.decode(()) == ""
    assert tokenizer.decode_batch(forms[:-1]) == [text] * len(forms[:-1])


@pytest.mark.parametrize("wrong", [-1, 301, 2**31, 2**32, 2**70, -(2**70)])
def test_decode_names_an_id_that_is_not_there(tokenizer, wrong):
    for ids in ([wrong], [97] * 9000 + [wrong], (wrong,)):
        with pytest.raises(UnknownIdError, match=str(wrong)):
            tokenizer.decode(ids)
        with pytest.raises(UnknownIdError):
            tokenizer.decode_bytes(ids)


@pytest.mark.parametrize("wrong", [True, 1.0, "a", None])
def test_decode_refuses_what_is_no_whole_number(tokenizer, wrong):
    for ids in ([97, wrong], [wrong]):
        with pytest.raises((TypeError, TextgrainError)):
            tokenizer.decode(ids)


def test_half_a_character_is_replaced_or_refused(tokenizer):
    half = tokenizer.encode_list("é")[:1]
    assert tokenizer.decode(half) == "\ufffd"
    assert tokenizer.decode_bytes(half) == b"\xc3"
    with pytest.raises(ParameterError, match="valid UTF-8"):
        tokenizer.decode(half, errors="strict")
    with pytest.raises(ParameterError, match="errors"):
        tokenizer.decode(half, errors="ignore")


def test_what_the_alphabet_lacks_is_named_in_each_call():
    tokenizer = tg.BPE(merges=1, symbols="characters").train(["aab"])
    for call in (tokenizer.encode_ids, tokenizer.encode_list, tokenizer.count):
        for text in ("abx", "ab" * 5000 + "x"):
            with pytest.raises(UnknownTokenError, match=f"'x'.*at character {len(text) - 1}"):
                call(text)


def test_a_long_text_is_cut_for_threads_without_a_change(tokenizer):
    text = "the lowest of the slow; don't\n中文字，12345  " * 30_000
    expected = tokenizer.encode_ids(text)
    for threads in (1, 2, 5):
        ids, offsets = tokenizer.encode_ids_batch(["low", text, "", text], threads=threads)
        assert offsets.tolist()[-1] == len(ids)
        assert offsets[2] == offsets[3]
        assert np.array_equal(ids[offsets[1] : offsets[2]], expected)
        assert np.array_equal(ids[offsets[3] :], expected)


def test_the_examples_of_native_calls_run():
    runner = doctest.DocTestRunner()
    for name in ("encode_ids", "encode_list", "count", "decode", "decode_bytes"):
        documented = getattr(_native.TokenizerCalls, name)
        assert getattr(tg.Tokenizer, name) is documented
        examples = doctest.DocTestParser().get_doctest(documented.__doc__, {}, name, None, None)
        assert examples.examples, name
        runner.run(examples)
    assert runner.summarize(verbose=False).failed == 0

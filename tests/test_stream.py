"""Text that is decoded as its ids come."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import UnknownIdError


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_joined_parts_are_the_whole_text(each_tokenizer, data):
    """For ids of texts as well as for any ids, which may stand for halves of characters in any order."""
    of_a_text = st.text(alphabet="abl ow\n\té⭢\U0001f600\u3000'", max_size=20).map(
        lambda text: each_tokenizer.encode_ids(text).tolist()
    )
    any_ids = st.lists(st.integers(0, each_tokenizer.vocab_size - 1), max_size=20)
    ids = data.draw(of_a_text | any_ids)
    skip = data.draw(st.booleans())
    whole = each_tokenizer.decode(ids, skip_special_tokens=skip)
    stream = each_tokenizer.stream(skip_special_tokens=skip)
    assert "".join([stream.push(id_) for id_ in ids]) + stream.finish() == whole
    # The same stream again, in parts of several ids.
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=3)))
    parts = [ids[start:end] for start, end in zip([0, *cuts], [*cuts, len(ids)], strict=True)]
    assert "".join([stream.push(part) for part in parts]) + stream.finish() == whole


def test_characters_come_whole():
    tokenizer = tg.BPE(merges=0).train(["a"])
    stream = tokenizer.stream()
    assert [stream.push(id_) for id_ in tokenizer.encode_ids("a🤗b")] == ["a", "", "", "", "🤗", "b"]
    assert stream.finish() == ""
    # A tail that is no character is given up as soon as that is sure.
    assert [stream.push(byte) for byte in b"\xf0\x9fok\xff"] == ["", "", "\ufffdo", "k", "\ufffd"]
    assert stream.push(b"\xe2\xad"[0]) == ""
    assert stream.finish() == "\ufffd"
    assert stream.finish() == ""


def test_spaces_between_words_come_with_the_next_word():
    tokenizer = tg.WordLevel().train(["I am here"])
    stream = tokenizer.stream()
    assert [stream.push(id_) for id_ in tokenizer.encode_ids("I am here")] == ["I", " am", " here"]
    assert stream.finish() == ""
    assert stream.push(tokenizer.token_to_id("am")) == "am"


def test_special_tokens_can_be_left_out():
    tokenizer = tg.BPE(merges=0, special_tokens=["<end>"]).train(["a"])
    ids = [97, 256, 98]
    assert tokenizer.decode(ids) == "a<end>b"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "ab"
    assert tokenizer.decode_batch([ids, []], skip_special_tokens=True) == ["ab", ""]
    stream = tokenizer.stream(skip_special_tokens=True)
    assert [stream.push(id_) for id_ in ids] == ["a", "", "b"]


@pytest.mark.parametrize("ids", [-1, 300, 2**40, [97, 300], np.array([97, 300])])
def test_an_unknown_id_changes_nothing(ids):
    stream = tg.BPE(merges=0).train(["a"]).stream()
    assert stream.push(0xC3) == ""
    with pytest.raises(UnknownIdError, match="not in the vocabulary"):
        stream.push(ids)
    assert stream.push(np.uint32(0xA9)) == "é"


def test_ids_are_whole_numbers():
    stream = tg.BPE(merges=0).train(["a"]).stream()
    for wrong in (1.5, "a", None, [1.5], True):
        with pytest.raises(TypeError):
            stream.push(wrong)


def test_threads_may_share_a_stream():
    stream = tg.BPE(merges=0).train(["a"]).stream()
    parts = []

    def push():
        parts.extend([stream.push(97) for _ in range(2000)])

    threads = [threading.Thread(target=push) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "".join(parts) + stream.finish() == "a" * 8000


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_spans_of_decoded_text(each_tokenizer, data):
    ids = data.draw(st.lists(st.integers(0, each_tokenizer.vocab_size - 1), max_size=20))
    text, spans = each_tokenizer.decode_with_offsets(ids)
    assert text == each_tokenizer.decode(ids)
    assert len(spans) == len(ids)
    assert spans == sorted(spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert not "".join(text[place] for place in set(range(len(text))) - covered).strip()


def test_spans_of_a_text_are_those_of_its_encoding():
    tokenizer = tg.BPE(merges=3).train(["low lower lowest"])
    encoding = tokenizer.encode("low ⭢ slower 🤗")
    assert tokenizer.decode_with_offsets(encoding.ids) == (encoding.text, encoding.offsets)

"""What an encoding tells of its tokens, the start of a text, and matrices of many texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import ParameterError, UnknownTokenError

TEXTS = st.text(alphabet=st.sampled_from("abl ow\n\téß⭢\U0001f600\u0301\u3000'1<end>"), max_size=40)


@settings(max_examples=40, deadline=None)
@given(text=TEXTS)
def test_spans_are_those_of_the_tokens(each_tokenizer, text):
    encoding = each_tokenizer.encode(text)
    in_bytes = text.encode()
    assert len(encoding.offsets) == len(encoding.byte_offsets) == len(encoding.piece_numbers) == len(encoding)
    for number, (start, end) in enumerate(encoding.byte_offsets):
        first, last = encoding.offsets[number]
        covered = text[first:last].encode()
        assert in_bytes[start:end] in covered, "the characters hold the bytes"
        assert len(text[first:last]) <= 1 or len(covered) - (end - start) < 4 + 4
        assert len(text[:first].encode()) <= start
        assert len(text[:last].encode()) >= end
    assert encoding.byte_offsets == sorted(encoding.byte_offsets)
    assert encoding.piece_numbers == sorted(encoding.piece_numbers)


@settings(max_examples=40, deadline=None)
@given(text=TEXTS, limit=st.integers(min_value=0, max_value=12), special=st.sampled_from(["text", "allow"]))
def test_the_start_of_a_text_is_the_start_of_its_encoding(each_tokenizer, text, limit, special):
    whole = each_tokenizer.encode(text, special)
    start = each_tokenizer.encode(text, special, max_tokens=limit)
    assert start.ids.tolist() == whole.ids[:limit].tolist()
    assert start.tokens == whole.tokens[:limit]
    assert start.offsets == whole.offsets[:limit]
    assert start.byte_offsets == whole.byte_offsets[:limit]
    assert start.piece_numbers == whole.piece_numbers[:limit]
    assert start.truncated == (len(whole) > limit)
    assert not whole.truncated


def test_only_the_start_is_encoded():
    tokenizer = tg.BPE(merges=0, symbols="characters").train(["abc "])
    # The end of this text has no token, which goes unnoticed because it is not looked at.
    assert tokenizer.encode("abc " * 1000 + "ü", max_tokens=5).tokens == ["a", "b", "c", " ", "a"]


def test_white_space_at_the_limit_is_cut_as_in_the_whole_text():
    tokenizer = tg.BPE(merges=0, split="gpt2").train(["a"])
    text = "a \tb"
    pieces = tokenizer.encode(text).piece_numbers
    assert [tokenizer.encode(text, max_tokens=limit).piece_numbers for limit in range(5)] == [
        pieces[:limit] for limit in range(5)
    ]


@pytest.mark.parametrize("value", [-1, 1.5, "3", True])
def test_a_limit_is_a_whole_number(value):
    tokenizer = tg.BPE(merges=0).train(["a"])
    with pytest.raises(ParameterError, match="`max_tokens` must be a whole number of at least 0"):
        tokenizer.encode("abc", max_tokens=value)


def test_special_tokens_are_marked():
    tokenizer = tg.BPE(merges=0, special_tokens=["<end>"]).train(["x"])
    encoding = tokenizer.encode("é<end>é", special="allow")
    assert encoding.special_tokens_mask.tolist() == [False, False, True, False, False]
    assert encoding.offsets == [(0, 1), (0, 1), (1, 6), (6, 7), (6, 7)]
    assert encoding.byte_offsets == [(0, 1), (1, 2), (2, 7), (7, 8), (8, 9)]
    assert encoding.piece_numbers == [0, 0, 1, 2, 2]
    assert not tokenizer.encode("<end>").special_tokens_mask.any()
    with pytest.raises(ValueError, match="read-only"):
        encoding.special_tokens_mask[0] = True


def test_token_at_a_character(each_tokenizer, tokenizer_texts):
    for text in tokenizer_texts:
        encoding = each_tokenizer.encode(text)
        for character in range(len(text)):
            holders = [
                number for number, (start, end) in enumerate(encoding.offsets) if start <= character < end
            ]
            assert encoding.token_at(character) == (holders[0] if holders else None)
        with pytest.raises(IndexError, match=f"has no character {len(text)}"):
            encoding.token_at(len(text))


def test_views():
    tokenizer = tg.BPE(merges=2, special_tokens=["<end>"]).train(["low lower lowest"])
    encoding = tokenizer.encode("low\n<b>\xe9<end>", special="allow")
    assert str(encoding) == "low│⏎│<│b│>│\\xc3│\\xa9│<end>"
    page = encoding._repr_html_()
    assert "&lt;b" not in page
    assert ">&lt;</span>" in page
    assert "id 258, characters 8 to 13, special" in page
    assert "8 tokens, 13 characters" in page
    assert "⏎\n</span>" in page
    long = tokenizer.encode("a" * 3000)._repr_html_()
    assert long.count("<span") == 2000
    assert "the first 2,000 tokens are shown" in long


# ---- Matrices ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def letters():
    """Each letter is a token; its id is its code."""
    return tg.BPE(merges=0, special_tokens=["<pad>", "<other>"]).train(["x"])


def test_rows_are_filled_up(letters):
    batch = letters.encode_padded(["abc", "", "d"])
    assert batch.ids.tolist() == [[97, 98, 99], [256, 256, 256], [100, 256, 256]]
    assert batch.attention_mask.tolist() == [[1, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert batch.lengths.tolist() == [3, 0, 1]
    assert batch.ids.dtype == batch.attention_mask.dtype == np.int64
    left = letters.encode_padded(["abc", "d"], padding_side="left", pad_token="<other>", pad_to_multiple_of=4)
    assert left.ids.tolist() == [[257, 97, 98, 99], [257, 257, 257, 100]]
    assert letters.encode_padded(["a"], padding="max_length", max_length=3).ids.tolist() == [[97, 256, 256]]
    assert letters.encode_padded([]).ids.shape == (0, 0)
    assert tg.BPE(merges=0).train(["x"]).encode_padded(["ab", "a"]).ids.tolist() == [[97, 98], [97, 0]]


def test_what_is_cut_is_counted(letters):
    right = letters.encode_padded(["abcde", "ab"], max_length=3)
    assert right.ids.tolist() == [[97, 98, 99], [97, 98, 256]]
    assert right.dropped.tolist() == [2, 0]
    assert repr(right) == "<PaddedBatch of 2 rows and 3 columns, 2 ids dropped>"
    left = letters.encode_padded(["abcde"], max_length=3, truncation_side="left")
    assert left.ids.tolist() == [[99, 100, 101]]
    assert left.starts.tolist() == [2]


def test_long_texts_go_on_in_further_rows(letters):
    batch = letters.encode_padded(["abcde", "", "fghi"], max_length=3, stride=1)
    rows = [bytes(row[:length]) for row, length in zip(batch.ids.tolist(), batch.lengths, strict=True)]
    assert rows == [b"abc", b"cde", b"", b"fgh", b"hi"]
    assert batch.texts.tolist() == [0, 0, 1, 2, 2]
    assert batch.starts.tolist() == [0, 2, 0, 0, 2]
    assert batch.dropped.tolist() == [0, 0, 0]
    encoding = letters.encode("fghi")
    assert encoding.offsets[batch.starts[4] :][: batch.lengths[4]] == [(2, 3), (3, 4)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"padding": "all"}, '`padding` must be "longest" or "max_length", got \'all\''),
        ({"padding": "max_length"}, "`max_length` must be set with padding"),
        ({"max_length": 0}, "`max_length` must be a whole number of at least 1, got 0"),
        ({"stride": 1}, "`stride` can only be used with max_length"),
        (
            {"stride": 3, "max_length": 3},
            r"`stride` must be less than the ids of a text in a row \(3\), got 3",
        ),
        ({"pad_to_multiple_of": 1.5}, "`pad_to_multiple_of` must be a whole number"),
        ({"padding_side": "top"}, '`padding_side` must be "left" or "right"'),
        ({"special": "maybe"}, "`special` must be"),
    ],
)
def test_settings_of_rows_are_checked(letters, settings, message):
    with pytest.raises(ParameterError, match=message):
        letters.encode_padded(["a"], **settings)
    with pytest.raises(UnknownTokenError, match="is not one token"):
        letters.encode_padded(["a"], pad_token="<none>")
    with pytest.raises(TypeError, match="got one str"):
        letters.encode_padded("abc")

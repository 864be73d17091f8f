"""Lists, numbers and strings that cross the border to the core, in all forms that Python has of them."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import UnknownIdError

BYTES = tg.BPE(merges=0).train(["abc"])
WIDTHS = {
    "ASCII": "a plain line\n",
    "Latin-1": "déjà vu ÿ",
    "two bytes": "naïve 中文 “quoted”",
    "four bytes": "a \U0001f600 é 中 \U0010ffff",
}


@pytest.mark.parametrize("text", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("times", [1, 3, 400, 4000])
def test_a_decoded_string_is_what_python_would_make_of_it(text: str, times: int) -> None:
    text *= times
    ids = BYTES.encode_ids(text)
    decoded = BYTES.decode(ids)
    assert decoded == text
    assert sys.getsizeof(decoded) == sys.getsizeof(text.encode().decode())
    assert hash(decoded) == hash(text)
    assert BYTES.decode(ids.tolist()) == text
    assert BYTES.decode(ids, errors="strict") == text
    assert BYTES.decode_bytes(ids) == text.encode()


@given(st.text())
def test_every_text_comes_back_from_arrays_and_lists(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert BYTES.decode(BYTES.encode_list(text)) == text
    assert BYTES.decode(BYTES.encode_ids(text)) == text


@given(st.binary())
def test_bytes_that_are_no_text_are_replaced_as_python_does_it(data: bytes) -> None:
    assert BYTES.decode(list(data)) == data.decode("utf-8", "replace")
    assert BYTES.decode_bytes(list(data)) == data


def test_nothing_is_the_empty_string() -> None:
    assert BYTES.decode([]) == BYTES.decode(np.zeros(0, np.uint32)) == ""
    assert BYTES.decode_bytes([]) == b""
    assert BYTES.encode_list("") == []


class List(list[int]):
    """A list with its own ideas of what it holds."""

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter([98])


class Number(int):
    """A number that is no plain one."""


@pytest.mark.parametrize(
    "ids",
    [
        (97, 98),
        range(97, 99),
        [np.int64(97), np.uint8(98)],
        [Number(97), 98],
        np.array([97, 0, 98, 0], np.uint32)[::2],
        np.array([97, 98], np.int64),
        np.array([97, 98], ">u4"),
    ],
)
def test_ids_may_come_in_many_forms(ids: object) -> None:
    assert BYTES.decode(ids) == "ab"  # type: ignore[arg-type]


def test_a_class_of_its_own_is_asked_for_its_items() -> None:
    assert BYTES.decode(List([97])) == "b"


@pytest.mark.parametrize("wrong", [256, 2**29, 2**30, 2**31, 2**32, 2**40, 2**70, -1, -(2**40)])
def test_a_number_that_is_no_id_is_named(wrong: int) -> None:
    for ids in ([wrong], [97, wrong, 98], [97] * 10_000 + [wrong]):
        with pytest.raises(UnknownIdError, match=str(wrong)):
            BYTES.decode(ids)


@pytest.mark.parametrize("wrong", [1.5, "a", None, [97]])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        BYTES.decode([97, wrong])  # type: ignore[list-item]


def test_the_numbers_of_lists_are_counted_right() -> None:
    tokenizer = tg.BPE(vocab_size=400).train(["some words, and some more words"])
    number = tokenizer.encode_list("some words")[0]
    before = sys.getrefcount(number)
    lists = [tokenizer.encode_list("some words") for _ in range(100)]
    held = sys.getrefcount(number) - before
    assert held in (0, 100 * lists[0].count(number))  # Some versions do not count for small numbers.
    assert all(gc.is_tracked(ids) for ids in lists)
    del lists
    assert sys.getrefcount(number) == before


def test_a_list_is_the_callers_own() -> None:
    first, second = BYTES.encode_list("aab"), BYTES.encode_list("aab")
    first.append(7)
    first[0] = -1
    first.sort()
    assert second == [97, 97, 98]

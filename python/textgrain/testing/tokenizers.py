"""Checks that hold for every tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textgrain.exceptions import ParameterError, UnknownIdError
from textgrain.testing.artifacts import check_copies, check_immutable, expect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textgrain.tokenizer import Tokenizer

__all__ = ["check_tokenizer"]


def check_tokenizer(tokenizer: Tokenizer, texts: Sequence[str]) -> None:
    """Check that a tokenizer keeps the contract on these texts.

    Parameters
    ----------
    tokenizer : Tokenizer
        Any.
    texts : sequence of str
        Texts that it can encode, odd ones included; empty texts are added.
    """
    texts = ["", *texts, ""]
    _check_vocabulary(tokenizer)
    _check_ways_to_encode(tokenizer, texts)
    _check_decoding(tokenizer, texts)
    _check_offsets(tokenizer, texts)
    _check_parts_of_encodings(tokenizer, texts)
    _check_special_tokens(tokenizer)
    _check_bad_arguments(tokenizer)
    check_immutable(tokenizer)
    for twin in check_copies(tokenizer):
        for text in texts:
            assert twin.encode(text).tokens == tokenizer.encode(text).tokens, (
                f"a copy encodes {text!r} otherwise"
            )


def _check_vocabulary(tokenizer: Tokenizer) -> None:
    vocabulary = tokenizer.vocabulary
    assert len(vocabulary) == tokenizer.vocab_size == len(tokenizer), "vocab_size counts the tokens"
    for id_, token in enumerate(vocabulary):
        if not token:
            expect(UnknownIdError, lambda id_=id_: tokenizer.id_to_token(id_))
            expect(UnknownIdError, lambda id_=id_: tokenizer.decode([id_]))
            continue
        assert tokenizer.id_to_token(id_) == token, f"id {id_} is {token!r} in the vocabulary"
        assert token in tokenizer, f"{token!r} has an id but is said not to be in the tokenizer"
        # Two tokens may look the same, such as a marker and its spelling.
        found = tokenizer.token_to_id(token)
        assert vocabulary[found] == token, f"{token!r} was looked up as id {found}"


def _check_ways_to_encode(tokenizer: Tokenizer, texts: Sequence[str]) -> None:
    encodings = [tokenizer.encode(text) for text in texts]
    for text, encoding in zip(texts, encodings, strict=True):
        ids = tokenizer.encode_ids(text)
        assert ids.dtype == np.uint32, f"ids must be uint32, got {ids.dtype}"
        np.testing.assert_array_equal(encoding.ids, ids)
        assert tokenizer.count(text) == len(ids) == len(encoding.tokens), f"count of {text!r}"
        assert [tokenizer.id_to_token(id_) for id_ in ids] == encoding.tokens, f"tokens of {text!r}"
    for threads in (1, 3, None):
        for single, together in zip(encodings, tokenizer.encode_batch(texts, threads=threads), strict=True):
            np.testing.assert_array_equal(single.ids, together.ids)
        flat, ends = tokenizer.encode_ids_batch(texts, threads=threads)
        assert len(ends) == len(texts) + 1, "a batch has one more boundary than texts"
        for number, single in enumerate(encodings):
            np.testing.assert_array_equal(flat[int(ends[number]) : int(ends[number + 1])], single.ids)
        assert ends[-1] == len(flat), "the last boundary is the end"


def _check_decoding(tokenizer: Tokenizer, texts: Sequence[str]) -> None:
    assert tokenizer.decode([]) == "", "no ids are the empty text"
    all_ids = [tokenizer.encode_ids(text) for text in texts]
    assert tokenizer.decode_batch(all_ids) == [tokenizer.decode(ids) for ids in all_ids], (
        "a batch decodes otherwise"
    )
    for text, ids in zip(texts, all_ids, strict=True):
        assert tokenizer.decode(ids.tolist()) == tokenizer.decode(ids.astype(np.int64)), "any integer type"
        if tokenizer.lossless:
            assert tokenizer.decode(ids) == text, f"{text!r} came back as {tokenizer.decode(ids)!r}"
            assert tokenizer.decode_bytes(ids) == text.encode(), f"{text!r} came back as other bytes"


def _check_offsets(tokenizer: Tokenizer, texts: Sequence[str]) -> None:
    for text in texts:
        offsets = tokenizer.encode(text).offsets
        assert len(offsets) == tokenizer.count(text), f"{text!r}: one span a token"
        for start, end in offsets:
            assert 0 <= start <= end <= len(text), f"{text!r}: the span {start} to {end} is not in the text"
        assert offsets == sorted(offsets), f"{text!r}: spans must not go back, got {offsets}"
        covered = {place for start, end in offsets for place in range(start, end)}
        dropped = "".join(character for place, character in enumerate(text) if place not in covered)
        assert not dropped.strip(), f"{text!r}: the characters {dropped!r} are in no span"
        assert not (tokenizer.lossless and dropped), f"{text!r}: lossless, but spaces are in no span"


def _check_parts_of_encodings(tokenizer: Tokenizer, texts: Sequence[str]) -> None:
    for text in texts:
        encoding, in_bytes = tokenizer.encode(text), text.encode()
        count = len(encoding)
        assert len(encoding.byte_offsets) == len(encoding.piece_numbers) == count, f"{text!r}: one a token"
        for (first, last), (start, end) in zip(encoding.offsets, encoding.byte_offsets, strict=True):
            outside = len(text[:first].encode()) > start or end > len(text[:last].encode())
            assert not outside, f"{text!r}: bytes {start} to {end} are not in characters {first} to {last}"
            assert 0 <= start <= end <= len(in_bytes), f"{text!r}: the bytes {start} to {end}"
        numbers = encoding.piece_numbers
        assert numbers == sorted(numbers), f"{text!r}: pieces must not go back, got {numbers}"
        assert encoding.special_tokens_mask.tolist() == [False] * count, f"{text!r} is ordinary text"
        for limit in {0, 1, count // 2, count, count + 1}:
            start_of = tokenizer.encode(text, max_tokens=limit)
            np.testing.assert_array_equal(start_of.ids, encoding.ids[:limit])
            assert start_of.offsets == encoding.offsets[:limit], f"{text!r}: the first {limit} spans"
            assert start_of.truncated == (limit < count), f"{text!r}: truncated at {limit} of {count}"


def _check_special_tokens(tokenizer: Tokenizer) -> None:
    for name, id_ in tokenizer.special_tokens.items():
        assert tokenizer.id_to_token(id_) == name, f"special token {name!r} has id {id_}"
        assert tokenizer.encode_ids(name, special="allow").tolist() == [id_], f"{name!r} was allowed"
        error = expect(ParameterError, tokenizer.encode, name, special="error")
        assert name in str(error), f"the error must name {name!r}, got: {error}"
        if tokenizer.lossless:
            plain = tokenizer.encode_ids(f"a {name} b")
            assert id_ not in plain, f"{name!r} in ordinary text is ordinary text"


def _check_bad_arguments(tokenizer: Tokenizer) -> None:
    for id_ in (tokenizer.vocab_size, 2**32 - 1, 2**32, 2**63, 2**64, -1):
        expect((UnknownIdError, OverflowError), tokenizer.decode, [id_])
        expect((UnknownIdError, OverflowError), tokenizer.id_to_token, id_)
    for no_text in (3, None, b"bytes", ["list"]):
        expect(TypeError, tokenizer.encode, no_text)
    for no_ids in ([0.5], ["a"], "a", np.array([0.0])):
        expect((TypeError, ValueError), tokenizer.decode, no_ids)
    expect((TypeError, ValueError), tokenizer.encode_batch, "a bare string")
    expect(ParameterError, tokenizer.encode, "a", special="maybe")
    expect(ParameterError, tokenizer.decode, [], errors="maybe")

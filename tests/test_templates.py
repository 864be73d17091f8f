"""Texts and pairs in the template of a tokenizer's file."""

import json

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError


@pytest.fixture(scope="module")
def plain():
    """Each letter is a token; its id is its code."""
    return tg.BPE(merges=0, special_tokens=["<pad>", "‹", "›"]).train(["x"])


@pytest.fixture(scope="module")
def letters(plain, tmp_path_factory):
    """The same with a template: ``‹a›`` for one text, ``‹a›b›`` for two."""
    path = tmp_path_factory.mktemp("template") / "tokenizer.json"
    plain.save(path)
    document = json.loads(path.read_text())
    document["post_processor"] = {"type": "BertProcessing", "cls": ["‹", 257], "sep": ["›", 258]}
    del document["model"]["textgrain"]
    path.write_text(json.dumps(document))
    return tg.Tokenizer.load(path)


def shown(tokenizer, batch):
    rows = zip(batch.ids, batch.attention_mask.astype(bool), strict=True)
    return [tokenizer.decode(row[used]) for row, used in rows]


def test_one_text_and_a_pair(letters):
    one = letters.encode_template("ab")
    assert (one.tokens, one.type_ids.tolist()) == (["‹", "a", "b", "›"], [0, 0, 0, 0])
    assert one.special_tokens_mask.tolist() == [True, False, False, True]
    assert repr(one) == "<TemplateEncoding of a text, 4 ids>"
    pair = letters.encode_template("ab", "c")
    assert str(pair) == "‹│a│b│›│c│›"
    assert pair.ids.tolist() == [257, 97, 98, 258, 99, 258]
    assert pair.type_ids.tolist() == [0, 0, 0, 0, 1, 1]
    assert pair.sequence_ids.tolist() == [-1, 0, 0, -1, 1, -1]
    assert pair.offsets == [(0, 0), (0, 1), (1, 2), (0, 0), (0, 1), (0, 0)]
    assert repr(pair) == "<TemplateEncoding of a pair of texts, 6 ids>"
    assert not pair.ids.flags.writeable
    bare = letters.encode_template("ab", "c", add_special_tokens=False)
    assert (bare.tokens, len(bare)) == (["a", "b", "c"], 3)
    assert letters.encode_template("").tokens == ["‹", "›"]
    assert letters.encode_template("‹", special="allow").encodings[0].ids.tolist() == [257]


def test_nothing_is_put_around_texts_without_a_template(plain):
    assert plain.encode_template("ab").tokens == ["a", "b"]
    assert plain.encode_template("").ids.shape == (0,)
    batch = plain.encode_padded(["ab", ""], ["c", ""])
    assert batch.type_ids.tolist() == [[0, 0, 1], [0, 0, 0]]
    assert batch.sequence_ids.tolist() == [[0, 0, 1], [-1, -1, -1]]


def test_rows_of_a_template(letters):
    batch = letters.encode_padded(["abc", "a"], max_length=4)
    assert shown(letters, batch) == ["‹ab›", "‹a›"]
    assert batch.dropped.tolist() == [1, 0]
    assert batch.pair_starts is None
    windows = letters.encode_padded(["abcde"], max_length=5, stride=1, padding_side="left")
    assert shown(letters, windows) == ["‹abc›", "‹cde›"]
    assert letters.encode_padded(["abc"], add_special_tokens=False).ids.tolist() == [[97, 98, 99]]


def test_the_longer_text_of_a_pair_is_cut(letters):
    batch = letters.encode_padded(["abcdef", "a", "abcd"], ["xy", "vwxyz", "wxyz"], max_length=8)
    assert shown(letters, batch) == ["‹abc›xy›", "‹a›vwxy›", "‹ab›wxy›"]
    assert batch.dropped.tolist() == [3, 1, 3]
    assert batch.pair_lengths.tolist() == [2, 4, 3]
    first = letters.encode_padded(["abcdef"], ["xyz"], max_length=8, truncation="only_first")
    assert shown(letters, first) == ["‹ab›xyz›"]


def test_each_part_meets_each_part(letters):
    batch = letters.encode_padded(["abcd"], ["wxyz"], max_length=7, stride=0)
    assert shown(letters, batch) == ["‹ab›wx›", "‹cd›wx›", "‹cd›yz›", "‹ab›yz›"]
    assert batch.starts.tolist() == [0, 2, 2, 0]
    assert batch.pair_starts.tolist() == [0, 0, 2, 2]
    assert batch.dropped.tolist() == [0]
    passage = letters.encode_padded(["ab"], ["vwxyz"], max_length=8, stride=1, truncation="only_second")
    assert shown(letters, passage) == ["‹ab›vwx›", "‹ab›xyz›"]


def test_many_texts_at_once_and_one_by_one(letters):
    random = np.random.default_rng(2)
    texts, pairs = (["a" * count for count in random.integers(0, 12, 50)] for _ in range(2))
    settings = {"max_length": 9, "stride": 1, "padding": "max_length"}
    whole = letters.encode_padded(texts, pairs, **settings)
    rows = [
        letters.encode_padded([text], [pair], **settings).ids for text, pair in zip(texts, pairs, strict=True)
    ]
    assert np.array_equal(whole.ids, np.concatenate(rows))
    assert letters.encode_padded([], []).ids.shape == (0, 0)


@pytest.mark.parametrize(
    ("pairs", "settings", "message"),
    [
        (["x", "y"], {}, "`pairs` must hold a text for each of the 1 texts, got 2"),
        (["x"], {"max_length": 3}, "`max_length` must be more than the 3 ids that the template adds, got 3"),
        (None, {"truncation": "only_second"}, '`truncation` can only be "only_second" with pairs'),
        (None, {"truncation": "first"}, '`truncation` must be "longest_first" or "only_first"'),
        (["x"], {"max_length": 8, "stride": 5}, r"ids of a text in a row \(5, 8 without the template\)"),
        (["xyzxyz"], {"max_length": 8, "stride": 3}, "number of ids that a part of a text has, 2, got 3"),
        (["xyzxyz"], {"max_length": 8, "truncation": "only_first"}, "the other text alone has 6"),
    ],
)
def test_what_cannot_be_done_is_said(letters, pairs, settings, message):
    with pytest.raises(ParameterError, match=message):
        letters.encode_padded(["abcd"], pairs, **settings)

"""The WordPiece trainer and encoder do what their readable twin does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import ParameterError
from textgrain.reference import word_piece

WORDS = st.dictionaries(st.text("abcé#", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(
    words=WORDS, extra=st.integers(0, 12), min_frequency=st.integers(0, 4), text=st.text("abcéx", max_size=9)
)
def test_equal_tokens(words, extra, min_frequency, text):
    alphabet = len(word_piece.train(words, 0))
    expected = word_piece.train(words, alphabet + extra, min_frequency)
    trainer = tg.WordPiece(vocab_size=alphabet + extra + 1, min_frequency=min_frequency, split="whitespace")
    tokenizer = trainer.train(words)
    assert tokenizer.vocabulary == [*expected, "[UNK]"]
    for word in [*words, text]:
        assert tokenizer.encode(word).tokens == word_piece.encode(word, expected)


@settings(max_examples=50, deadline=None)
@given(words=WORDS)
def test_hugging_face_encodes_alike(words, tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tg.WordPiece(vocab_size=40, split="whitespace").train(words)
    path = tmp_path_factory.mktemp("word_piece") / "tokenizer.json"
    tokenizer.save(path)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    text = " ".join([*words, "x", "a" * 101])
    ids = tokenizer.encode_ids(text).tolist()
    assert theirs.encode(text).ids == ids
    assert theirs.decode(ids) == tokenizer.decode(ids)


def test_neighbors_that_belong_together_win_over_frequent_ones():
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    tokenizer = tg.WordPiece(vocab_size=9).train(counts)
    assert tokenizer.vocabulary[7] == "##gs"
    with pytest.raises(ParameterError, match="must be at least 8 to hold the alphabet of 7 symbols"):
        tg.WordPiece(vocab_size=7).train(counts)


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_the_same_bytes_each_time(threads, tmp_path):
    """The text of a report in which each run gave another vocabulary elsewhere."""
    text = ["Wel come to the Tok en izers libr ary."] * 3
    files = set()
    for run in range(5):
        tokenizer = tg.WordPiece(vocab_size=60).train(text, threads=threads)
        tokenizer.save(tmp_path / f"{run}.json")
        files.add((tmp_path / f"{run}.json").read_bytes())
    assert len(files) == 1


def test_spaces_come_back_where_pieces_hold_them():
    text = "a low  lower\n\nlowest"
    tokenizer = tg.WordPiece(vocab_size=60, split="gpt2").train([text] * 3)
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text
    words = tg.WordPiece(vocab_size=40).train([text] * 3)
    assert words.decode(words.encode_ids("lower low")) == "lower low"

"""Ties to the largest text give the merges that subword-nmt learns.

That program joins the marker to the last character of a word before it counts; here seed merges do so.
"""

import gzip
import io
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

learn_bpe = pytest.importorskip("subword_nmt.learn_bpe").learn_bpe

pytestmark = pytest.mark.peer


def theirs(text, merges, min_frequency=2):
    codes = io.StringIO()
    learn_bpe(io.StringIO(text), codes, merges, min_frequency=min_frequency)
    header, *lines = codes.getvalue().splitlines()
    assert header == "#version: 0.2"
    return [tuple(line.split(" ")) for line in lines]


def ours(text, merges, min_frequency=2):
    counts = Counter(word for line in text.split("\n") for word in line.strip("\r ").split(" ") if word)
    seeds = [(character, "</w>") for character in sorted(set("".join(counts)))]
    trainer = tg.BPE(
        merges=merges + len(seeds),
        split="none",
        symbols="characters",
        end_of_word="</w>",
        tie_break="largest-text",
        min_frequency=min_frequency,
        seed_merges=seeds,
    )
    history = list(trainer.train(counts).history)
    assert [record.pair for record in history[: len(seeds)]] == seeds
    return [record.pair for record in history[len(seeds) :]]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(alphabet="abcé中", min_size=1, max_size=6), min_size=1, max_size=30), st.integers(1, 3)
)
def test_random_words(words, min_frequency):
    # It fails where there is no pair at all.
    text = " ".join([*words, "ab"])
    assert ours(text, 60, min_frequency) == theirs(text, 60, min_frequency)


@pytest.mark.shared
@pytest.mark.parametrize("size", [30_000, 300_000])
def test_english(shared_data, size):
    text = gzip.decompress((shared_data / "data/corpora/en_1m.txt.gz").read_bytes()).decode()[:size]
    assert ours(text, 2000) == theirs(text, 2000)


def test_words_that_hold_the_marker_are_no_trouble():
    """There the text of a token is all that is known of it; here the marker is no text."""
    text = "</w> a</w> a a</w> </w>"
    counts = Counter(text.split(" "))
    tokenizer = tg.BPE(
        merges=30, split="none", symbols="characters", end_of_word="</w>", tie_break="largest-text"
    ).train(counts)
    for word in counts:
        assert tokenizer.decode(tokenizer.encode_ids(word)) == word

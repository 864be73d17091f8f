"""The twin's tie rule "lowest-ids" against the library that it is named after."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgrain.reference.bpe import train
from textgrain.reference.bpe_by_rank import encode_by_rank
from textgrain.reference.bpe_model import visible_first

tokenizers = pytest.importorskip("tokenizers")

pytestmark = pytest.mark.peer


def corpora(alphabet):
    words = st.text(alphabet=alphabet, min_size=1, max_size=9)
    return st.dictionaries(words, st.integers(min_value=1, max_value=5), min_size=1, max_size=8)


def peer(counts, min_frequency, symbols="characters"):
    """Train the peer on words that are separated by spaces, and read its file."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    settings = {}
    if symbols == "bytes":
        byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        parts = [tokenizer.pre_tokenizer, byte_level]
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(parts)
        settings["initial_alphabet"] = byte_level.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=10_000, min_frequency=min_frequency, show_progress=False, **settings
    )
    documents = (" ".join([word] * count) for word, count in counts.items())
    tokenizer.train_from_iterator(documents, trainer)
    return tokenizer, json.loads(tokenizer.to_str())["model"]


@pytest.mark.parametrize("alphabet", ["a", "ab", "abc", "aéǅ中"])
def test_merges_and_ids(alphabet):
    @settings(max_examples=400, deadline=None)
    @given(corpora(alphabet), st.integers(min_value=1, max_value=3))
    def check(counts, min_frequency):
        tokenizer, expected = peer(counts, min_frequency)
        model = train(counts, tie_break="lowest-ids", min_frequency=min_frequency)
        assert [[step.left, step.right] for step in model.merges] == expected["merges"]
        assert {token: place for place, token in enumerate(model.vocabulary)} == expected["vocab"]
        for word in counts:
            assert encode_by_rank(word, model) == tokenizer.encode(word).tokens

    check()


@settings(max_examples=300, deadline=None)
@given(corpora("aé中\x00"))
def test_merges_from_bytes(counts):
    _, expected = peer(counts, 1, "bytes")
    model = train(counts, symbols="bytes", tie_break="lowest-ids")
    stand_ins = dict(
        zip(visible_first(model.alphabet), sorted(expected["vocab"], key=expected["vocab"].get), strict=False)
    )
    spelled = [["".join(stand_ins[byte] for byte in side) for side in step[:2]] for step in model.merges]
    assert spelled == expected["merges"]

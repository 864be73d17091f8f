"""The default tie rule gives the tokens of tiktoken's teaching trainer, in order."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

educational = pytest.importorskip("tiktoken._educational")

pytestmark = pytest.mark.peer

GPT4 = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"
    r"\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


def check(text, vocab_size):
    expected = educational.bpe_train(data=text, vocab_size=vocab_size, pat_str=GPT4, visualise=None)
    tokenizer = tg.BPE(vocab_size=vocab_size, split="gpt4").train([text])
    assert {tokenizer.id_to_bytes(id_): id_ for id_ in range(len(tokenizer))} == expected


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="abé中 ", min_size=20, max_size=200))
def test_random_texts(text):
    most = len(tg.BPE(merges=10_000, split="gpt4").train([text]))
    # It does not end by itself where no pair is left.
    check(text, min(most, 280))


@pytest.mark.shared
def test_english(shared_data):
    text = gzip.decompress((shared_data / "data/corpora/en_1m.txt.gz").read_bytes()).decode()
    check(text[:30_000], 400)

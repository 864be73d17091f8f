"""Encoding, decoding, offsets, special tokens and files."""

import base64
import copy
import gzip
import itertools
import json
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import (
    ParameterError,
    UnknownIdError,
    UnknownTokenError,
)

TEXTS = [
    "low lower  lowest\n\n newest",
    "J’aime les grands modèles ⭢ \U0001f600!",
    "",
    "  ",
    "a\u0301 'S don't 12345 \u2581 \u3000x",
    "aaaa" * 50,
]

TRAINERS = {
    "bytes gpt2": tg.BPE(vocab_size=300),
    "bytes gpt4": tg.BPE(vocab_size=300, split="gpt4", special_tokens=["<a>", "<b>"]),
    "bytes none": tg.BPE(vocab_size=300, split="none"),
    "bytes words prefix": tg.BPE(vocab_size=300, split="words", space_prefix=True),
    "bytes whitespace prefix": tg.BPE(vocab_size=300, split="whitespace", space_prefix=True),
    "bytes words": tg.BPE(vocab_size=300, split="words"),
    "characters words": tg.BPE(merges=30, split="words", symbols="characters", unknown_token="<unk>"),
    "characters gpt2": tg.BPE(merges=30, symbols="characters", unknown_token="<unk>"),
    "lowest": tg.BPE(vocab_size=300, tie_break="lowest-ids"),
    "marker": tg.BPE(
        merges=40, split="whitespace", symbols="characters", end_of_word="</w>", unknown_token="?"
    ),
    "word level": tg.WordLevel(special_tokens=["<s>"]),
    "char level": tg.CharLevel(),
}


@pytest.fixture(params=TRAINERS, scope="module")
def tokenizer(request):
    return TRAINERS[request.param].train(TEXTS)


def test_lossless_means_lossless(tokenizer):
    for text in TEXTS:
        if tokenizer.lossless:
            assert tokenizer.decode(tokenizer.encode_ids(text)) == text


def test_offsets_cover_all_but_dropped_spaces(tokenizer):
    for text in TEXTS:
        encoding = tokenizer.encode(text)
        covered = {place for start, end in encoding.offsets for place in range(start, end)}
        left = [text[place] for place in range(len(text)) if place not in covered]
        assert not "".join(left).strip()
        if tokenizer.lossless:
            assert not left


def test_hugging_face_gives_equal_ids(tokenizer, tmp_path):
    peer = pytest.importorskip("tokenizers")
    tokenizer.save(tmp_path / "tokenizer.json")
    if tokenizer.hugging_face_reason is not None:
        with pytest.raises(Exception, match=r"TextgrainBPE|variant|did not match"):
            peer.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        return
    other = peer.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in TEXTS:
        assert other.encode(text).ids == tokenizer.encode_ids(text).tolist()
        if tokenizer.lossless:
            assert other.decode(tokenizer.encode_ids(text), skip_special_tokens=False) == text


def test_files_and_copies(tokenizer, tmp_path):
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    loaded = tg.Tokenizer.load(path)
    for other in (loaded, pickle.loads(pickle.dumps(tokenizer)), copy.deepcopy(tokenizer)):
        assert other == tokenizer
        assert other.vocabulary == tokenizer.vocabulary
        assert other.settings == tokenizer.settings
        assert (other.history is None) == (tokenizer.history is None)
        if other.history is not None:
            assert list(other.history) == list(tokenizer.history)
        for text in TEXTS:
            assert other.encode(text) == tokenizer.encode(text)


def test_tokens_inside_a_character_cover_it():
    tokenizer = tg.BPE(merges=0).train(["a"])
    encoding = tokenizer.encode("i ⭢ j")
    assert encoding.offsets == [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]
    assert encoding.tokens[2] == "\\xe2"
    assert tokenizer.token_to_id("\\xe2") == tokenizer.token_to_id(b"\xe2") == 0xE2


def test_offsets_of_markers():
    trainer = tg.BPE(merges=0, split="whitespace", symbols="characters", end_of_word="</w>")
    encoding = trainer.train(["ab"]).encode(" ab  b")
    assert encoding.tokens == ["a", "b", "</w>", "b", "</w>"]
    assert encoding.offsets == [(1, 2), (2, 3), (3, 3), (5, 6), (6, 6)]


def test_special_tokens_are_text_unless_allowed():
    tokenizer = tg.BPE(merges=0, special_tokens=["<a>", "<a><b>"]).train(["x"])
    assert tokenizer.special_tokens == {"<a>": 256, "<a><b>": 257}
    assert len(tokenizer.encode_ids("x<a>")) == 4
    allowed = tokenizer.encode("x<a><b>y<a>", special="allow")
    assert allowed.ids.tolist() == [120, 257, 121, 256]
    assert allowed.offsets == [(0, 1), (1, 7), (7, 8), (8, 11)]
    assert tokenizer.decode(allowed.ids) == "x<a><b>y<a>"
    with pytest.raises(ParameterError, match=r'"<a>" at character 1. Use special="allow"'):
        tokenizer.encode("x<a>", special="error")
    with pytest.raises(ParameterError, match="`special` must be"):
        tokenizer.encode("x", special="maybe")


def test_unseen_characters_and_words():
    tokenizer = tg.BPE(merges=0, symbols="characters").train(["abc "])
    with pytest.raises(UnknownTokenError, match=r"'ü' \(U\+00FC\) at character 4.*unknown_token"):
        tokenizer.encode("a bcü")
    with pytest.raises(UnknownTokenError, match='the word "dog" at character 2'):
        tg.WordLevel(unknown_token=None).train(["a cat"]).encode("a dog")


def test_decoding_halves_of_characters():
    tokenizer = tg.BPE(merges=0).train(["a"])
    assert tokenizer.decode([0xC3]) == "\ufffd"
    assert tokenizer.decode_bytes([0xC3]) == b"\xc3"
    with pytest.raises(ParameterError, match="byte 0xC3 at byte 1"):
        tokenizer.decode([97, 0xC3], errors="strict")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_ids_of_any_integer_type(dtype):
    tokenizer = tg.BPE(merges=0).train(["a"])
    assert tokenizer.decode(np.array([97, 98], dtype=dtype)) == "ab"
    assert tokenizer.decode(np.array([97, 0, 98, 0], dtype=dtype)[::2]) == "ab"


@pytest.mark.parametrize("number", [-1, 256, 2**31, 2**32 + 97, 2**63, 2**64, -(2**70)])
def test_ids_that_do_not_exist(number):
    tokenizer = tg.BPE(merges=0).train(["a"])
    for call in (lambda: tokenizer.decode([97, number]), lambda: tokenizer.id_to_token(number)):
        with pytest.raises(UnknownIdError, match=f"id {number} is not .* from 0 to 255"):
            call()


def test_ids_that_are_no_numbers():
    tokenizer = tg.BPE(merges=0).train(["a"])
    for ids in ([1.5], ["a"], [[1]], [True]):
        with pytest.raises(TypeError, match="ids must be"):
            tokenizer.decode(ids)


def test_decoding_puts_spaces_between_words():
    marker = tg.BPE(merges=9, split="whitespace", symbols="characters", end_of_word="_").train(["low lower"])
    assert marker.decode(marker.encode_ids(" low  lower ")) == "low lower"
    words = tg.WordLevel().train(["low lower"])
    assert words.decode(words.encode_ids("low low what")) == "low low <unk>"
    kept = tg.BPE(merges=9, symbols="characters", end_of_word="_").train(["low lower"])
    assert kept.decode(kept.encode_ids("low  lower ")) == "low  lower "


def test_batches_equal_single_texts():
    tokenizer = TRAINERS["bytes gpt2"].train(TEXTS)
    many = TEXTS * 3000
    expected = [tokenizer.encode_ids(text).tolist() for text in TEXTS]
    for threads in (1, 2, 5):
        ids, ends = tokenizer.encode_ids_batch(many, threads=threads)
        assert len(ends) == len(many) + 1
        for index in (0, 1, 5, 17_999):
            assert ids[int(ends[index]) : int(ends[index + 1])].tolist() == expected[index % 6]
        assert len(ids) == 3000 * sum(map(len, expected))
    with pytest.raises(TypeError, match="got int for text 1"):
        tokenizer.encode_batch(["a", 3])
    with pytest.raises(TypeError, match="one str"):
        tokenizer.encode_batch("abc")
    assert tokenizer.encode_batch([]) == []


def test_lone_surrogates_become_replacement_characters():
    tokenizer = tg.BPE(merges=0).train(["a"])
    assert tokenizer.decode(tokenizer.encode_ids("a\ud800b")) == "a\ufffdb"


def test_words_by_frequency():
    tokenizer = tg.WordLevel(vocab_size=4, special_tokens=["<s>"]).train(["b a a c c d"])
    assert tokenizer.vocabulary == ["a", "c", "<unk>", "<s>"]
    with pytest.raises(ParameterError, match="must be at most 2, the count of the most frequent word"):
        tg.WordLevel(min_frequency=3).train(["a a b"])
    with pytest.raises(ParameterError, match="must be at least 2"):
        tg.WordLevel(vocab_size=1).train(["a"])


def test_a_long_piece_takes_about_linear_time():
    tokenizer = tg.BPE(vocab_size=280, split="none").train(["a" * 4096])
    start = time.perf_counter()
    assert len(tokenizer.encode_ids("a" * 1_000_000)) < 1000
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("call", ["encode", "train"])
def test_control_c(call):
    tokenizer = tg.BPE(vocab_size=280, split="none").train(["a" * 4096])
    text = "a" * 60_000_000
    work = {
        "encode": lambda: tokenizer.encode_ids(text),
        "train": lambda: tg.BPE(merges=10_000_000).train(str(number) for number in range(3_000_000)),
    }[call]
    threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        work()


def test_shown_text():
    tokenizer = tg.BPE(merges=4, split="whitespace").train(["low lower"])
    encoding = tokenizer.encode("low <b>")
    assert "&lt;" in encoding._repr_html_()
    assert "Encoding(['low', '<'" in repr(encoding)
    assert "&lt;b&gt;" in tokenizer.explain("<b>")._repr_html_()
    history = tg.BPE(merges=30).train(tg.sample_corpus()).history
    shown = history._repr_html_()
    assert "<th style='text-align:left'>why</th>" in shown
    assert "and 10 more" in shown
    assert "<i>" not in tg.BPE(merges=2).train(["<i> <i>"]).history._repr_html_()
    assert "l + o" in str(tokenizer.explain("low"))
    assert not encoding.ids.flags.writeable


@pytest.mark.peer
def test_merges_of_hugging_face():
    peer = pytest.importorskip("tokenizers")
    lines = [f"{text} {number}" for number in range(300) for text in TEXTS]
    assert_equal_merges(peer, lines, 700)


@pytest.mark.peer
@pytest.mark.shared
@pytest.mark.parametrize("name", ["en_1m.txt.gz", "multi_sample.tsv.gz"])
def test_merges_of_hugging_face_on_real_text(shared_data, name):
    peer = pytest.importorskip("tokenizers")
    with gzip.open(shared_data / "data" / "corpora" / name, "rt", encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    tokenizer = assert_equal_merges(peer, lines, 8000)
    assert tokenizer.hugging_face_reason is None


def assert_equal_merges(peer, lines, size):
    other = peer.Tokenizer(peer.models.BPE())
    other.pre_tokenizer = peer.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = peer.pre_tokenizers.ByteLevel.alphabet()
    trainer = peer.trainers.BpeTrainer(vocab_size=size, show_progress=False, initial_alphabet=alphabet)
    other.train_from_iterator(lines, trainer)
    tokenizer = tg.BPE(vocab_size=size, tie_break="lowest-ids").train(lines)
    saved = json.loads(tokenizer.__reduce__()[1][0])
    assert saved["model"]["merges"] == json.loads(other.to_str())["model"]["merges"]
    return tokenizer


@pytest.mark.shared
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
def test_pieces_of_tiktoken(shared_data, name):
    """No token reaches across pieces: each piece ends where a token of tiktoken ends."""
    with gzip.open(shared_data / "data" / "golden" / f"tiktoken_{name}.json.gz", "rt") as file:
        golden = json.load(file)
    with gzip.open(shared_data / "data" / "golden" / "texts.json.gz", "rt", encoding="utf-8") as file:
        texts = json.load(file)
    ranks = "r50k_base" if name == "gpt2" else name
    with gzip.open(shared_data / "data" / "tokenizers" / f"{ranks}.tiktoken.gz", "rb") as file:
        entries = [line.split() for line in file.read().splitlines()]
    tokens = {int(rank): base64.b64decode(token) for token, rank in entries}
    splits = tg.BPE(merges=0, split="gpt2" if name == "gpt2" else "gpt4").train(["a"])
    compared = 0
    for text, ids in zip(texts, golden["ordinary"], strict=True):
        if b"".join(tokens[number] for number in ids) != text.encode("utf-8", "replace"):
            continue
        ends = set(itertools.accumulate(len(tokens[number]) for number in ids))
        pieces = [piece.text for piece in splits.explain(text).pieces]
        assert set(itertools.accumulate(len(piece.encode()) for piece in pieces)) <= ends
        known = set(tokens.values())
        whole = [piece for piece in pieces if piece.encode() in known]
        assert {piece.encode() for piece in whole} <= {tokens[number] for number in ids}
        compared += 1
    assert compared > len(texts) * 0.9

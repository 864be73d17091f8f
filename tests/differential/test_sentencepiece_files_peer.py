"""`.model` files that we write, read by SentencePiece."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import ParameterError

sentencepiece = pytest.importorskip("sentencepiece")
pytestmark = pytest.mark.peer
TEXTS = ["low lower lowest  newest", "the low tower\nis lower", "é中 x", "a,b 12"] * 4
TRAINERS = {
    "bytes": tg.Unigram(vocab_size=300, split="metaspace", special_tokens=["<s>", "</s>"]),
    "unknown": tg.Unigram(vocab_size=60, split="metaspace", byte_fallback=False, unknown_token="<unk>"),
    "whole": tg.Unigram(vocab_size=300, split="none"),
    "words": tg.Unigram(vocab_size=285, split="whitespace", space_prefix=True),
}


def program(tokenizer, folder):
    tokenizer.save(folder / "a.model", format="sentencepiece")
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / "a.model"))


@pytest.fixture(scope="module", params=TRAINERS)
def both(request, tmp_path_factory):
    texts = [text.replace("  ", " ") for text in TEXTS] if request.param == "words" else TEXTS
    trained = TRAINERS[request.param].train(texts)
    folder = tmp_path_factory.mktemp("model")
    return trained, program(trained, folder), tg.Tokenizer.load(folder / "a.model")


@settings(max_examples=300, deadline=None)
@given(
    text=st.text(
        st.one_of(st.sampled_from("lowernst \n\u2581é中,"), st.characters(exclude_categories=["Cs"]))
    )
)
def test_equal_ids(both, text):
    trained, theirs, loaded = both
    ids = trained.encode_ids(text).tolist()
    assert theirs.encode(text) == ids
    assert loaded.encode_ids(text).tolist() == ids


MERGES = {
    "spaces": tg.BPE(vocab_size=80, symbols="characters", split="metaspace", special_tokens=["<s>"]),
    "whole": tg.BPE(vocab_size=120, symbols="characters", split="none"),
    "words": tg.BPE(vocab_size=60, symbols="characters", split="whitespace", space_prefix=True),
    "ties": tg.BPE(
        vocab_size=70, symbols="characters", split="metaspace", tie_break="lowest-ids", min_frequency=1
    ),
    "characters": tg.CharLevel(unknown_token=None, special_tokens=["<s>"]),
}
ALPHABET = "lower\nnst \u2581é中,aab"


@pytest.fixture(scope="module", params=MERGES)
def merges(request, tmp_path_factory):
    texts = ["low lower lowest newest", "the low tower\nis lower", "aaab aab ab,b12 x\u2581é中"] * 3
    trained = MERGES[request.param].train([*texts, ALPHABET])
    folder = tmp_path_factory.mktemp("model")
    return trained, program(trained, folder), tg.Tokenizer.load(folder / "a.model")


@settings(max_examples=400, deadline=None)
@given(text=st.text(st.sampled_from(ALPHABET), max_size=60))
def test_equal_ids_of_merges(merges, text):
    trained, theirs, loaded = merges
    ids = trained.encode_list(text)
    assert theirs.encode(text) == ids
    assert loaded.encode_list(text) == ids
    assert theirs.decode(ids) == text.replace("\u2581", " ")  # As it decodes all texts.


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(st.text(st.sampled_from("aab bc"), min_size=1), min_size=3),
    text=st.text(st.sampled_from("abc "), max_size=40),
    split=st.sampled_from(["metaspace", "none"]),
)
def test_equal_ids_of_any_merges(tmp_path_factory, texts, text, split):
    trainer = tg.BPE(merges=40, symbols="characters", split=split, min_frequency=1)
    trained = trainer.train([*texts, "abc "])
    theirs = program(trained, tmp_path_factory.mktemp("model"))
    assert theirs.encode(text) == trained.encode_list(text)


def test_special_tokens_keep_their_ids(both):
    trained, theirs, loaded = both
    for name, number in trained.special_tokens.items():
        assert theirs.piece_to_id(name) == number
        assert theirs.is_control(number)
    assert loaded.special_tokens == trained.special_tokens
    assert theirs.decode(theirs.encode("low  lower")) == "low  lower"


@pytest.mark.shared
def test_merges_of_real_text(shared_data, tmp_path):
    lines = gzip.decompress((shared_data / "data/corpora/multi_sample.tsv.gz").read_bytes()).decode()
    lines = [line.split("\t", 1)[1] for line in lines.split("\n") if line][::4]
    trained = tg.BPE(vocab_size=8000, symbols="characters", split="metaspace").train(lines)
    theirs = program(trained, tmp_path)
    assert [theirs.encode(line) for line in lines] == [trained.encode_list(line) for line in lines]


@pytest.mark.shared
def test_real_text(shared_data, tmp_path):
    lines = gzip.decompress((shared_data / "data/corpora/multi_sample.tsv.gz").read_bytes()).decode()
    lines = [line.split("\t", 1)[1] for line in lines.split("\n") if line][::4]
    trained = tg.Unigram(vocab_size=4000, split="metaspace").train(lines)
    theirs = program(trained, tmp_path)
    different = sum(theirs.encode(line) != trained.encode_list(line) for line in lines)
    # Sums of 32 bits may prefer the other of two ways that are nearly equally probable.
    assert different <= len(lines) // 1000


@pytest.mark.parametrize(
    ("trainer", "reason"),
    [
        (tg.BPE(merges=3), "other symbols than characters"),
        (tg.WordLevel(), "of kind word_level"),
        (tg.CharLevel(), "an unknown token"),
        (tg.BPE(merges=3, symbols="characters", unknown_token="?", split="metaspace"), "an unknown token"),
        (tg.BPE(merges=3, symbols="characters", end_of_word="</w>", split="whitespace"), "words end"),
        (tg.BPE(merges=3, symbols="characters", split="gpt2"), "splits text where SentencePiece does not"),
        (tg.Unigram(vocab_size=300), "splits text where SentencePiece does not"),
        (tg.Unigram(vocab_size=300, split="whitespace"), "splits text where SentencePiece does not"),
        (tg.Unigram(vocab_size=320, split="whitespace", space_prefix=True), "would reach across pieces"),
    ],
)
def test_what_a_model_cannot_say_is_refused(trainer, reason, tmp_path):
    with pytest.raises(ParameterError, match=reason):
        trainer.train(["low    lower    low    "] * 50).save(tmp_path / "a.model", format="sentencepiece")
    assert not (tmp_path / "a.model").exists()


def test_added_tokens_are_refused(tmp_path):
    tokenizer = TRAINERS["bytes"].train(TEXTS).add_tokens(["ECG"])
    with pytest.raises(ParameterError, match='with the added token "ECG"'):
        tokenizer.save(tmp_path / "a.model", format="sentencepiece")

"""`vocab.txt` of BERT and codes of subword-nmt: reading, writing, and what they cannot say."""

import gzip
import json
from itertools import groupby
from pathlib import Path

import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError

GOLDEN = Path(__file__).parent / "golden" / "subword_nmt"
TEXTS = ["low lower lowest", "J'aime low", "", "  newest  é"]
BERT = {"normalizer": "bert", "split": {"type": "BertPreTokenizer"}}


def as_printed(tokenizer, text):
    """Tokens as subword-nmt prints them, unknown characters as they are."""
    encoding = tokenizer.encode(text)
    parts = zip(encoding.piece_numbers, encoding.offsets, strict=True)
    printed = []
    for _, word in groupby(parts, key=lambda part: part[0]):
        spans = [text[start:end] for _, (start, end) in word if start < end]
        printed += [f"{span}@@" for span in spans[:-1]] + spans[-1:]
    return printed


@pytest.fixture(scope="module")
def golden():
    return json.loads((GOLDEN / "tokens.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["codes", "old-codes"])
def test_tokens_are_those_of_subword_nmt(golden, name, tmp_path):
    tokenizer = tg.Tokenizer.from_subword_nmt(GOLDEN / name, unknown_token="<unk>", special_tokens=["<s>"])
    for text, tokens in zip(golden["texts"], golden[name], strict=True):
        assert as_printed(tokenizer, text) == tokens
    tokenizer.save_subword_nmt(tmp_path / "again")
    written = (tmp_path / "again").read_text(encoding="utf-8")
    header = "" if name == "codes" else "#version: 0.1\n"
    assert written == header + (GOLDEN / name).read_text(encoding="utf-8")
    tokenizer.save(tmp_path / "tokenizer.json")
    assert tg.Tokenizer.load(tmp_path / "tokenizer.json") == tokenizer
    assert tokenizer.special_tokens == {"<s>": len(tokenizer) - 1}


def test_a_vocabulary_gives_the_ids(tmp_path):
    vocabulary = GOLDEN / "vocabulary"
    tokenizer = tg.Tokenizer.from_subword_nmt(GOLDEN / "codes", vocabulary, special_tokens=["<s>"])
    listed = [line.split(" ")[0] for line in vocabulary.read_text(encoding="utf-8").splitlines()]
    shown = [
        token.removesuffix("</w>") if token.endswith("</w>") else f"{token}@@"
        for token in tokenizer.vocabulary[: len(listed)]
    ]
    assert shown == listed
    paths = tmp_path / "codes", tmp_path / "vocabulary"
    tokenizer.save_subword_nmt(*paths)
    assert tg.Tokenizer.from_subword_nmt(*paths, special_tokens=["<s>"]) == tokenizer
    assert tokenizer.decode(tokenizer.encode_ids("the price of  economics")) == "the price of economics"


def test_a_tokenizer_with_a_marker_comes_back(tmp_path):
    trainer = tg.BPE(merges=30, symbols="characters", split="whitespace", end_of_word="</w>")
    trained = trainer.train(TEXTS)
    trained.save_subword_nmt(tmp_path / "codes")
    loaded = tg.Tokenizer.load(tmp_path / "codes")
    assert loaded.merges == trained.merges
    for text in TEXTS:
        assert as_printed(loaded, text) == as_printed(trained, text)


@pytest.mark.parametrize(
    ("trainer", "reason"),
    [
        (tg.BPE(merges=3), "made of bytes"),
        (tg.WordLevel(), "of kind word_level"),
        (tg.BPE(merges=3, symbols="characters", split="whitespace"), "do not end a word with"),
        (
            tg.BPE(merges=3, symbols="characters", split="whitespace", end_of_word="_"),
            "do not end a word with",
        ),
        (
            tg.BPE(merges=3, symbols="characters", split="words", end_of_word="</w>"),
            "split text at white space",
        ),
        (
            tg.BPE(
                merges=3,
                symbols="characters",
                split="whitespace",
                end_of_word="</w>",
                normalizer="lowercase",
            ),
            "changes texts",
        ),
    ],
)
def test_what_codes_cannot_say_is_refused(trainer, reason, tmp_path):
    with pytest.raises(ParameterError, match=reason):
        trainer.train(TEXTS).save_subword_nmt(tmp_path / "codes")
    assert not (tmp_path / "codes").exists()


def test_names_must_not_be_tokens_of_the_codes():
    with pytest.raises(ParameterError, match="must not name a token that the codes make"):
        tg.Tokenizer.from_subword_nmt(GOLDEN / "codes", special_tokens=["th"])
    with pytest.raises(TypeError, match="sequence of names"):
        tg.Tokenizer.from_subword_nmt(GOLDEN / "codes", special_tokens="<s>")


def test_a_trained_word_piece_becomes_a_vocabulary(tmp_path):
    trained = tg.WordPiece(vocab_size=60, special_tokens=["[CLS]", "[SEP]"], **BERT).train(TEXTS * 3)
    trained.save_bert(tmp_path / "vocab.txt")
    loaded = tg.Tokenizer.from_bert(tmp_path / "vocab.txt")
    assert loaded.vocabulary == trained.vocabulary
    for text in TEXTS:
        assert loaded.encode_ids(text).tolist() == trained.encode_ids(text).tolist()
    assert loaded.special_tokens.keys() == {"[CLS]", "[SEP]"}
    loaded.save_bert(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == (tmp_path / "vocab.txt").read_bytes()


@pytest.mark.parametrize(
    ("trainer", "reason"),
    [
        (tg.WordPiece(vocab_size=60), "changes texts in another way than BERT"),
        (tg.WordPiece(vocab_size=60, normalizer="bert"), "splits text in another way than BERT"),
        (tg.WordPiece(vocab_size=60, unknown_token="<unk>", **BERT), "whose unk_token is"),
        (tg.WordLevel(), "of type WordLevel"),
    ],
)
def test_what_a_vocabulary_cannot_say_is_refused(trainer, reason, tmp_path):
    with pytest.raises(ParameterError, match=reason):
        trainer.train(TEXTS * 3).save_bert(tmp_path / "vocab.txt")
    assert not (tmp_path / "vocab.txt").exists()


@pytest.mark.parametrize("lowercase", [None, True, False])
def test_case_is_found_or_told(lowercase, tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\nhug\n##s\n", encoding="utf-8")
    tokenizer = tg.Tokenizer.from_bert(tmp_path / "vocab.txt", lowercase=lowercase)
    tokens = ["[UNK]"] if lowercase is False else ["hug", "##s"]
    assert tokenizer.encode("HUGS").tokens == tokens


def test_a_damaged_vocabulary_names_the_line(tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\nhug\nhug\n", encoding="utf-8")
    with pytest.raises(FormatError, match="is on line 2 already") as raised:
        tg.Tokenizer.from_bert(tmp_path / "vocab.txt")
    assert raised.value.line == 3


@pytest.mark.shared
def test_the_vocabulary_of_bert(shared_data, tmp_path):
    data = shared_data / "data"
    path = tmp_path / "vocab.txt"
    path.write_bytes(gzip.decompress((data / "tokenizers/bert_uncased.vocab.txt.gz").read_bytes()))
    tokenizer = tg.Tokenizer.load(path)
    # A model with this vocabulary, whose tokenizer.json Hugging Face tokenizers was asked for.
    golden = json.loads(gzip.decompress((data / "golden/hf_minilm_l6.json.gz").read_bytes()))
    texts = json.loads(gzip.decompress((data / "golden/texts.json.gz").read_bytes()))
    for text, ids, decoded in zip(texts, golden["ids"], golden["decoded"], strict=True):
        assert tokenizer.encode_ids(text, special="allow").tolist() == ids
        assert tokenizer.decode(ids) == (text if decoded is None else decoded)
    tokenizer.save_bert(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == path.read_bytes()

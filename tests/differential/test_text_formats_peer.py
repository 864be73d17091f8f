"""Codes and vocabularies that we write, read by their owners, and the other way round."""

import gzip
import io
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg

pytestmark = pytest.mark.peer
TEXTS = ["low lower lowest newest widest", "the low tower is lower than the newest", "é中 a b c"] * 3
WORDS = st.text(st.sampled_from("lowernst éa中x\u00a0\t"), max_size=30)


def as_printed(tokenizer, text):
    encoding = tokenizer.encode(text)
    parts = zip(encoding.piece_numbers, encoding.offsets, strict=True)
    printed = []
    for _, word in groupby(parts, key=lambda part: part[0]):
        spans = [text[start:end] for _, (start, end) in word if start < end]
        printed += [f"{span}@@" for span in spans[:-1]] + spans[-1:]
    return printed


def program(path):
    module = pytest.importorskip("subword_nmt.apply_bpe")
    return module.BPE(io.StringIO(path.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Codes that subword-nmt learned."""
    module = pytest.importorskip("subword_nmt.learn_bpe")
    path, codes = tmp_path_factory.mktemp("codes") / "codes", io.StringIO()
    module.learn_bpe(io.StringIO("\n".join(TEXTS) + "\n"), codes, 40)
    path.write_text(codes.getvalue(), encoding="utf-8")
    return tg.Tokenizer.from_subword_nmt(path, unknown_token="<unk>"), program(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Codes that we wrote, of both versions."""
    folder = tmp_path_factory.mktemp("written")
    marked = tg.BPE(
        merges=40, symbols="characters", split="whitespace", end_of_word="</w>", unknown_token="<unk>"
    ).train(TEXTS)
    marked.save_subword_nmt(folder / "codes")
    return tg.Tokenizer.from_subword_nmt(folder / "codes", unknown_token="<unk>"), program(folder / "codes")


@settings(max_examples=200, deadline=None)
@given(text=WORDS)
def test_tokens_of_codes_that_subword_nmt_learned(learned, text):
    ours, theirs = learned
    assert as_printed(ours, text) == [token for token in theirs.segment(text).split(" ") if token]


@settings(max_examples=200, deadline=None)
@given(text=WORDS)
def test_tokens_of_codes_that_we_wrote(written, text):
    ours, theirs = written
    assert as_printed(ours, text) == [token for token in theirs.segment(text).split(" ") if token]


@pytest.mark.shared
def test_real_text(shared_data, tmp_path):
    module = pytest.importorskip("subword_nmt.learn_bpe")
    lines = gzip.decompress((shared_data / "data/corpora/multi_sample.tsv.gz").read_bytes()).decode()
    lines = [line.split("\t", 1)[1] for line in lines.split("\n") if line][::60]
    codes = io.StringIO()
    module.learn_bpe(io.StringIO("\n".join(lines) + "\n"), codes, 500)
    (tmp_path / "codes").write_text(codes.getvalue(), encoding="utf-8")
    ours = tg.Tokenizer.from_subword_nmt(tmp_path / "codes", unknown_token="<unk>")
    theirs = program(tmp_path / "codes")
    for line in lines:
        assert as_printed(ours, line) == [token for token in theirs.segment(line).split(" ") if token]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path_factory.mktemp("bert") / "vocab.txt"
    trained = tg.WordPiece(
        vocab_size=80,
        normalizer="bert",
        split={"type": "BertPreTokenizer"},
        special_tokens=["[PAD]", "[CLS]", "[SEP]", "[MASK]"],
    ).train(TEXTS)
    trained.save_bert(path)
    return trained, tg.Tokenizer.from_bert(path), tokenizers.BertWordPieceTokenizer(str(path))


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.one_of(st.sampled_from("lowernst ÉÀ中,.!"), st.characters(exclude_categories=["Cs"]))))
def test_ids_of_a_vocabulary_that_we_wrote(bert, text):
    trained, loaded, theirs = bert
    ids = theirs.encode(text, add_special_tokens=False).ids
    assert trained.encode_ids(text).tolist() == loaded.encode_ids(text).tolist() == ids

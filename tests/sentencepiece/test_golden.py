"""Published and trained models give what SentencePiece gives: ids, normalized and decoded texts."""

import gzip
import hashlib
import json

import numpy as np
import pytest

import textgrain as tg
from textgrain.testing import check_tokenizer

MODELS = {
    "spm_unigram8k": "trained/spm_unigram8k.model",
    "spm_bpe8k_bytefb": "trained/spm_bpe8k_bytefb.model",
    "spm_char": "trained/spm_char.model",
    "spm_word": "trained/spm_word.model",
    "spm_test_model": "spm_test.model",
    "spm_test_ja_model": "spm_test_ja.model",
}
# Among them are texts with a space that is written, not typed, and runs that two ways of cutting share.
LONG = ["a b  c " * 3000, "0" * 5000, "ab▁c \u3000\n" * 1000, "中文 " * 2000, "________ ------- " * 500]

pytestmark = pytest.mark.shared


def unpacked(path):
    return json.loads(gzip.decompress(path.read_bytes()))


@pytest.fixture(params=MODELS)
def model(request, shared_data):
    data = shared_data / "data"
    path = data / "tokenizers" / MODELS[request.param]
    golden = unpacked(data / "golden" / f"{request.param}.json.gz")
    return request.param, path, tg.Tokenizer.from_sentencepiece(path), golden


def test_texts(model, shared_data):
    _, _, tokenizer, golden = model
    texts = unpacked(shared_data / "data" / "golden" / "texts.json.gz")
    for number, text in enumerate(texts):
        ids = golden["ids"][number]
        assert tokenizer.encode_ids(text).tolist() == ids, f"text {number}: {text!r}"
        for key, found in [("decoded", tokenizer.decode(ids)), ("normalized", tokenizer.normalize(text))]:
            expected = golden[key][number]
            assert found == (text if expected is None else expected), f"text {number}, {key}: {text!r}"


def test_bulk(model, shared_data):
    name, _, tokenizer, _ = model
    data = shared_data / "data"
    sums = json.loads((data / "golden" / "bulk.json").read_text())[name]
    lines = {
        "en_first_1MB": ("en_1m.txt.gz", lambda line: line),
        "multi_every_40th_line": ("multi_sample.tsv.gz", lambda line: line.split("\t", 1)[1]),
    }
    for part, (file, text) in lines.items():
        content = gzip.decompress((data / "corpora" / file).read_bytes()).decode().removesuffix("\n")
        ids, _ = tokenizer.encode_ids_batch([text(line) for line in content.split("\n")])
        assert len(ids) == sums[part]["tokens"]
        assert hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest() == sums[part]["sha256"]


def test_what_is_written_is_what_was_read(model, tmp_path):
    name, path, tokenizer, _ = model
    tokenizer.save_sentencepiece(tmp_path / "a.model")
    if name.startswith("spm_test"):
        # Written by an early version, which said of each piece that it is of the usual kind.
        assert tg.Tokenizer.from_sentencepiece(tmp_path / "a.model") == tokenizer
    else:
        assert (tmp_path / "a.model").read_bytes() == path.read_bytes()
    tokenizer.save(tmp_path / "a.json")
    assert tg.Tokenizer.load(tmp_path / "a.json") == tokenizer


def test_the_contract(model):
    check_tokenizer(model[2], ["Hello  world,\tagain", "x\u2581y 中é 12", "a" * 100, "ａｂ"])


@pytest.mark.peer
def test_long_texts_and_other_corpora(model, shared_data):
    """Sums in 32 bits lose more the longer a text is; ids must stay equal all the same."""
    sentencepiece = pytest.importorskip("sentencepiece")
    _, path, tokenizer, _ = model
    peer = sentencepiece.SentencePieceProcessor(model_file=str(path))
    corpora = shared_data / "data" / "corpora"
    english = gzip.decompress((corpora / "en_1m.txt.gz").read_bytes()).decode()
    multi = gzip.decompress((corpora / "multi_sample.tsv.gz").read_bytes()).decode()
    for text in [*LONG, english, multi]:
        np.testing.assert_array_equal(tokenizer.encode_ids(text), peer.encode(text))
    ids = peer.encode(multi)
    assert tokenizer.decode(ids) == peer.decode(ids)

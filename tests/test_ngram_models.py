"""Models of fastText, floret and finalfusion: the owner's numbers, damage, and files that owners read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError

MODELS = Path(__file__).parent / "golden" / "ngram_models"
EXPECTED = json.loads((MODELS / "vectors.json").read_text(encoding="utf-8"))


def read_golden(shared_data, name):
    content = (shared_data / f"data/golden/{name}.json.gz").read_bytes()
    return json.loads(gzip.decompress(content))


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("compressed", [False, True])
def test_vectors_are_those_of_the_owner(name, compressed, tmp_path):
    path = MODELS / name
    if compressed:
        path = tmp_path / "any name"
        path.write_bytes(gzip.compress((MODELS / name).read_bytes()))
    vectors = tg.WordVectors.load(path, threads=2)
    # The table is written in five digits, and holds no words.
    tolerance = {"floret.floret": 1e-4, "pruned.ftz": 1e-6, "quantised.ftz": 1e-6}.get(name, 0)
    tolerance = 1e-6 if name.endswith(".fifu") else tolerance
    for word, expected in EXPECTED[name].items():
        if name == "floret.floret" and word == "the":
            continue  # floret itself adds a row to its first word, which is not in the table
        found = vectors.vector(word, oov=("subword", "zero"))
        wanted = np.zeros(4) if expected is None else np.array(expected, dtype=np.float32)
        assert np.abs(found - wanted).max() <= tolerance, word


def test_what_a_model_says_of_itself():
    vectors = tg.WordVectors.load(MODELS / "cbow_hs.bin")
    assert vectors.settings["read_from"] == "fasttext"
    assert vectors.settings["architecture"] == "cbow"
    assert vectors.settings["loss"] == "hierarchical-softmax"
    assert vectors.counts[:2].tolist() == [400, 319]
    subwords = vectors.subwords
    assert (subwords.min_n, subwords.max_n, subwords.buckets, subwords.naming) == (3, 6, 40, "fasttext")
    assert repr(subwords) == "<Subwords: 40 rows for fasttext n-grams of 3 to 6 characters>"
    assert tg.WordVectors.load(MODELS / "softmax_words.bin").subwords is None
    assert tg.WordVectors.load(MODELS / "pruned.ftz").subwords.dropped
    table = tg.WordVectors.load(MODELS / "floret.floret")
    assert len(table) == 0
    assert "low" not in table
    assert table.can_vectorize("low")


@pytest.mark.parametrize("name", ["skipgram.bin", "pruned.ftz", "floret.bin"])
def test_explanations_add_up(name):
    vectors = tg.WordVectors.load(MODELS / name)
    for word in ("the", "low", "banana", "unseen"):
        parts = vectors.explain(word, n=1).parts
        assert sum(part.weight for part in parts if part.known) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_model_keeps_its_answers_in_our_own_file(name, tmp_path):
    vectors = tg.WordVectors.load(MODELS / name)
    path = tmp_path / "model.safetensors"
    vectors.save(path)
    again = tg.WordVectors.load(path)
    assert again == vectors
    for word in EXPECTED[name]:
        wanted = vectors.vector(word, oov=("subword", "zero"))
        assert again.vector(word, oov=("subword", "zero")).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", EXPECTED)
def test_every_truncation_is_an_error(name, tmp_path):
    content = (MODELS / name).read_bytes()
    path = tmp_path / "model"
    # Text that is cut off in its first line or in its last number is text of another kind.
    kept = (28, len(content) - 16) if name == "floret.floret" else (0, len(content))
    for length in range(*kept, 7):
        path.write_bytes(content[:length])
        with pytest.raises(FormatError):
            tg.WordVectors.load(path)
    if name != "floret.floret":
        path.write_bytes(content + b"\0")
        with pytest.raises(FormatError, match="follow the end"):
            tg.WordVectors.load(path)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.filterwarnings("ignore::textgrain.exceptions.InvalidTextWarning")
@pytest.mark.filterwarnings("ignore::textgrain.exceptions.SkippedRowsWarning")
def test_damage_is_an_error_or_other_numbers_but_nothing_worse(name, tmp_path):
    content = (MODELS / name).read_bytes()
    path = tmp_path / "model"
    random = np.random.default_rng(1)
    for _ in range(150):
        damaged = bytearray(content)
        for place in random.integers(0, min(len(damaged), 400), 2):
            damaged[place] = random.integers(256)
        path.write_bytes(damaged)
        try:
            vectors = tg.WordVectors.load(path)
        except FormatError:
            continue
        assert vectors.matrix.shape == (len(vectors), vectors.vector_size)
        vectors.vector("banana", oov=("subword", "zero"))


def test_lengths_that_lie_are_refused_before_memory_is_asked_for(tmp_path):
    content = bytearray((MODELS / "skipgram.bin").read_bytes())
    path = tmp_path / "model"
    for place, name in ((8, "dim"), (40, "bucket"), (64, "size"), (68, "words")):
        damaged = content.copy()
        damaged[place : place + 4] = (2**31 - 1).to_bytes(4, "little")
        path.write_bytes(damaged)
        with pytest.raises(FormatError) as caught:
            tg.WordVectors.load(path)
        assert caught.value.offset is not None, name
    damaged = content.copy()
    damaged[4] = 13
    path.write_bytes(damaged)
    with pytest.raises(FormatError, match="a model of layout 13; 11 and 12 are read"):
        tg.WordVectors.load(path)


# ---- Written for fastText -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["skipgram.bin", "cbow_hs.bin", "softmax_words.bin", "supervised.bin"])
def test_a_model_survives_writing(name, tmp_path):
    vectors = tg.WordVectors.load(MODELS / name)
    path = tmp_path / "model.bin"
    vectors.save(path, format="fasttext")
    again = tg.WordVectors.load(path)
    assert again.words == vectors.words
    assert again.counts.tolist() == vectors.counts.tolist()
    np.testing.assert_allclose(again.matrix, vectors.matrix, atol=1e-6)
    for word in EXPECTED[name]:
        policy = ("subword", "zero")
        np.testing.assert_allclose(
            again.vector(word, oov=policy), vectors.vector(word, oov=policy), atol=1e-6
        )


def test_models_that_fasttext_could_not_hold_are_refused(tmp_path):
    path = tmp_path / "model.bin"
    for name, reason in {
        "pruned.ftz": "a pruned model",
        "floret.bin": "not hashed and averaged as fastText",
        "explicit.fifu": "not hashed and averaged as fastText",
        "floret.floret": "without words",
    }.items():
        with pytest.raises(ParameterError, match=reason):
            tg.WordVectors.load(MODELS / name).save(path, format="fasttext")
    with pytest.raises(ParameterError, match="NUL"):
        tg.WordVectors.from_mapping({"a\0b": [1.0]}).save(path, format="fasttext")
    with pytest.raises(ParameterError, match="white space"):
        tg.WordVectors.from_mapping({"a b": [1.0]}).save(path, format="fasttext")
    assert not path.exists()


@pytest.mark.peer
@pytest.mark.parametrize("name", ["skipgram.bin", "softmax_words.bin", "supervised.bin"])
def test_fasttext_reads_what_is_written(name, tmp_path):
    fasttext = pytest.importorskip("fasttext")
    vectors = tg.WordVectors.load(MODELS / name)
    path = tmp_path / "model.bin"
    vectors.save(path, format="fasttext")
    theirs = fasttext.load_model(str(path))
    assert theirs.words == vectors.words
    for word in EXPECTED[name]:
        wanted = vectors.vector(word, oov=("subword", "zero"))
        np.testing.assert_allclose(theirs.get_word_vector(word), wanted, atol=1e-6)


@pytest.mark.peer
@pytest.mark.parametrize("name", ["skipgram.bin", "cbow_hs.bin"])
def test_gensim_reads_what_is_written(name, tmp_path):
    models = pytest.importorskip("gensim.models.fasttext")
    vectors = tg.WordVectors.load(MODELS / name)
    path = tmp_path / "model.bin"
    vectors.save(path, format="fasttext")
    theirs = models.load_facebook_vectors(str(path))
    assert theirs.index_to_key == vectors.words
    for word in EXPECTED[name]:
        if word not in ("</s>", ""):
            np.testing.assert_allclose(theirs[word], vectors[word], atol=1e-6)


@pytest.mark.shared
def test_large_models_of_fasttext(shared_data):
    golden = read_golden(shared_data, "fasttext_0.9.2")
    for name, model in golden.items():
        vectors = tg.WordVectors.load(shared_data / f"data/vectors/fasttext/{name}.gz")
        for word, expected in model["vectors"].items():
            found = vectors.vector(word, oov=("subword", "zero"))
            assert found.tobytes() == np.array(expected, np.float32).tobytes(), (name, word)
        for word in ("king", "government"):
            if f"nn_{word}" in model and word in vectors:
                assert [near for near, _ in vectors.most_similar(word)] == [
                    near for _, near in model[f"nn_{word}"]
                ]
        for word, (ngrams, ids) in model.get("subwords", {}).items():
            skipped = int(word in vectors)
            found = vectors.subwords.rows(word) if vectors.subwords else []
            assert [ngram for ngram, _ in found] == ngrams[skipped:]
            assert [len(vectors) + row for _, rows in found for row in rows] == ids[skipped:]


@pytest.mark.shared
def test_large_models_of_floret_and_finalfusion(shared_data):
    folder = shared_data / "data/vectors"
    golden = read_golden(shared_data, "floret_0.10.5")
    vectors = tg.WordVectors.load(folder / "floret/floret.bin.gz")
    table = tg.WordVectors.load(folder / "floret/floret.floret.gz")
    for word, expected in golden["vectors"].items():
        found = vectors.vector(word, oov=("subword", "zero"))
        assert found.tobytes() == np.array(expected, np.float32).tobytes(), word
        found = table.vector(word, oov=("subword", "zero"))
        if word != "the":
            np.testing.assert_allclose(found, expected, atol=1e-3)
    written = tg.WordVectors.load(folder / "floret/floret.vec.gz")
    np.testing.assert_allclose(vectors.matrix, written.matrix, atol=1e-3)
    plain = tg.WordVectors.load(folder / "finalfusion/similarity.fifu")
    assert plain == tg.WordVectors.load(folder / "finalfusion/similarity.bin")
    assert tg.WordVectors.load(folder / "finalfusion/quantized.fifu").words == plain.words

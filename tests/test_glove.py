"""GloVe: what is learned, what is promised, what is refused."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, DivergenceError, ParameterError


@pytest.fixture(scope="module")
def many_words():
    """Documents of 6,000 words, a few of them frequent, so that there are many groups of rows."""
    generator = np.random.default_rng(5)
    ranks = (6000 * generator.random((1500, 100)) ** 3).astype(int)
    return [" ".join(f"w{rank}" for rank in document) for document in ranks]


def test_any_number_of_threads_gives_the_same_bytes(many_words, tmp_path):
    trainer = tg.GloVe(vector_size=30, epochs=3, min_count=2, seed=5)
    files = []
    for threads in (1, 2, 3, 7):
        path = tmp_path / str(threads)
        trainer.train(many_words, threads=threads).save(path)
        files.append(path.read_bytes())
    assert len(set(files)) == 1
    other = dataclasses.replace(trainer, seed=6).train(many_words)
    assert not np.array_equal(other.matrix, trainer.train(many_words).matrix)


def test_files_lists_and_generators_give_the_same_vectors(hospital_sentences, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("\n".join(hospital_sentences), encoding="utf-8")
    trainer = tg.GloVe(vector_size=8, epochs=2)
    sources = [hospital_sentences, (text for text in hospital_sentences), tg.Corpus.from_files(path)]
    trained = [trainer.train(source) for source in sources]
    assert trained[0] == trained[1] == trained[2]


def test_the_loss_falls_and_is_kept(hospital_sentences):
    vectors = tg.GloVe().train(hospital_sentences)
    assert len(vectors.history) == 25
    assert vectors.history[-1] < vectors.history[0] / 10


def test_the_loss_is_the_mean_weighted_squared_error_of_all_cells(hospital_sentences):
    """With a step of next to nothing all vectors stay near zero, and the loss follows from the cells."""
    trainer = tg.GloVe(vector_size=200, window=3, epochs=1, learning_rate=1e-9, optimizer="sgd", x_max=50)
    weight = trainer.cooccurrence(hospital_sentences).weight
    expected = np.mean(np.minimum(1, (weight / 50) ** 0.75) * np.log(weight) ** 2)
    # Products of random vectors are not quite zero.
    assert trainer.train(hospital_sentences).history[0] == pytest.approx(expected, rel=0.01)


def test_rows_limits_and_settings():
    text = ["b a a c c d e a"] * 2
    trainer = tg.GloVe(vector_size=4, min_count=2, max_vocab=3, seed=7)
    vectors = trainer.train(text)
    assert vectors.words == ["a", "c", "b"]
    assert vectors.counts.tolist() == [6, 4, 2]
    assert vectors.settings["trainer"] == "glove"
    assert vectors.settings["optimizer"] == "adagrad"
    assert vectors.settings["seed"] == 7


def test_words_without_a_vector_do_not_stand_between_others():
    counted = tg.GloVe(window=1, min_count=2).cooccurrence(["a rare b", "b a"])
    assert counted.words == ["a", "b"]
    assert counted.weight.tolist() == [2.0, 2.0]


def test_context_ends_with_the_document():
    counted = tg.GloVe(min_count=1).cooccurrence(["a b", "c d"])
    names = {counted.words[i] + counted.words[j] for i, j in zip(counted.focus, counted.context, strict=True)}
    assert names == {"ab", "ba", "cd", "dc"}


def test_a_long_document_is_not_cut():
    words = [f"w{place % 500}" for place in range(200_000)]
    counted = tg.GloVe(window=1, min_count=1).cooccurrence([" ".join(words)], threads=2)
    assert counted.weight.sum() == 2 * 199_999


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vector_size", 0),
        ("window", 0),
        ("window", 2**21),
        ("min_count", 0),
        ("max_vocab", 1),
        ("x_max", 0.0),
        ("x_max", math.nan),
        ("alpha", -1.0),
        ("alpha", math.inf),
        ("epochs", 0),
        ("learning_rate", 0.0),
        ("learning_rate", math.nan),
        ("learning_rate", math.inf),
        ("optimizer", "adam"),
        ("seed", -1),
        ("split", "letters"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(name, value):
    trainer = dataclasses.replace(tg.GloVe(), **{name: value})
    with pytest.raises(ParameterError, match=rf"^`{name}` must be") as caught:
        trainer.train(["a b"] * 10)
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([], "holds no words"),
        (["?!", "..."], "holds no words"),
        (["a a a a a a"], 'one distinct word, "a" \\(6 times\\)'),
        (["a b a b a"], "none of 2 .*the largest useful min_count is 2"),
        (["a", "b"] * 10, "no word has another word beside it"),
        ({"a": 10, "b": 10}, "word counts, which have no order"),
    ],
)
def test_a_corpus_without_anything_to_learn_says_why(corpus, message):
    with pytest.raises(CorpusError, match=message):
        tg.GloVe().train(corpus)


@pytest.mark.parametrize("optimizer", ["adagrad", "sgd"])
@pytest.mark.parametrize("rate", [2.0, 50.0, 1e20, 1e38])
def test_divergence_names_the_rate(hospital_sentences, rate, optimizer):
    trainer = tg.GloVe(vector_size=8, learning_rate=rate, optimizer=optimizer)
    with pytest.raises(DivergenceError, match="Lower learning_rate"):
        trainer.train(hospital_sentences)


def test_tokens_of_a_tokenizer_are_learned_as_words_are(hospital_sentences):
    settings = {"vector_size": 6, "window": 3, "epochs": 2}
    by_word = tg.GloVe(split="whitespace", **settings).train(hospital_sentences)
    tokenizer = tg.WordLevel(split="whitespace").train(hospital_sentences)
    by_token = tg.GloVe(split=tokenizer, **settings).train(hospital_sentences)
    assert by_token.words == by_word.words
    assert (by_token.matrix == by_word.matrix).all()
    subwords = tg.BPE(merges=60).train(hospital_sentences)
    trainer = tg.GloVe(split=subwords, min_count=1, **settings)
    ids = {token for sentence in hospital_sentences for token in subwords.encode(sentence).ids}
    assert set(trainer.train(hospital_sentences).words) == {subwords.id_to_token(id) for id in ids}
    table = trainer.cooccurrence(hospital_sentences[:1])
    assert set(table.words) == {subwords.id_to_token(id) for id in subwords.encode(hospital_sentences[0]).ids}
    assert pickle.loads(pickle.dumps(trainer)) == trainer


@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_of_ids_is_counted_as_its_text_is(many_words, threads, tmp_path):
    tokenizer = tg.BPE(merges=300, split="words").train(many_words)
    ids = tokenizer.encode_files(many_words, tmp_path / "words.ids")
    trainer = tg.GloVe(vector_size=12, window=4, epochs=2, split=tokenizer)
    found, expected = (trainer.cooccurrence(corpus, threads=threads) for corpus in (ids, many_words))
    assert found.words == expected.words
    for a, b in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(a, b)
    assert trainer.train(ids, threads=threads) == trainer.train(many_words)
    with pytest.raises(ParameterError, match="`split` must be the tokenizer that made the file of ids"):
        tg.GloVe().cooccurrence(ids)


def test_a_run_that_diverges_hands_out_the_last_good_epoch(hospital_sentences):
    for rate in np.arange(0.44, 0.8, 0.01):
        trainer = tg.GloVe(vector_size=8, learning_rate=float(rate), epochs=60)
        try:
            trainer.train(hospital_sentences)
        except DivergenceError as error:
            kept, message = error.vectors, str(error)
            if kept is not None:
                break
    else:
        pytest.fail("no rate lets a later epoch diverge")
    epochs = len(kept.history)
    assert f"The vectors after epoch {epochs} are kept with this error" in message
    shorter = dataclasses.replace(trainer, epochs=epochs).train(hospital_sentences)
    assert kept.words == shorter.words
    assert (kept.matrix == shorter.matrix).all()
    assert kept.history == shorter.history


def test_a_first_epoch_that_diverges_leaves_nothing(hospital_sentences):
    with pytest.raises(DivergenceError) as caught:
        tg.GloVe(vector_size=8, learning_rate=1e20).train(hospital_sentences)
    assert caught.value.vectors is None


def test_progress_tells_stages_pairs_and_loss(hospital_sentences):
    calls = []
    vectors = tg.GloVe(window=5, min_count=1).train(
        hospital_sentences, threads=2, progress=lambda *call: calls.append(call)
    )
    stages = {"counting words", "numbering words", "preparing", "counting pairs", "sorting pairs", "training"}
    assert "training" in {call[0] for call in calls} <= stages
    stage, done, total, unit, figures = calls[-1]
    assert (stage, done, total, unit) == ("training", 25 * 1821, 25 * 1821, "pairs")
    assert dict(figures) == {"epoch": 25, "loss": vectors.history[-1], "learning rate": 0.05}


def test_settings_are_frozen_and_travel(hospital_sentences):
    trainer = tg.GloVe(vector_size=4, epochs=1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        trainer.vector_size = 5
    before = dataclasses.asdict(trainer)
    trainer.train(hospital_sentences[:100])
    assert dataclasses.asdict(trainer) == before
    assert pickle.loads(pickle.dumps(trainer)) == trainer
    json.dumps(before)


def test_vectors_are_saved_with_how_they_were_made(hospital_sentences, tmp_path):
    vectors = tg.GloVe(vector_size=6, epochs=2).train(hospital_sentences)
    vectors.save(tmp_path / "v.safetensors")
    loaded = tg.WordVectors.load(tmp_path / "v.safetensors")
    assert loaded == vectors
    assert loaded.settings == vectors.settings
    assert loaded.history == vectors.history

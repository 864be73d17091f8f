"""Training of word vectors: what is learned, what is promised, what is refused."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import time
import warnings

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, DivergenceError, ParameterError, SmallCorpusNotice

# The recipe under which a final mean loss of 1.709 is known for the hospital corpus.
RECIPE = tg.Word2Vec(
    vector_size=16,
    window=2,
    negative=5,
    learning_rate=0.01,
    min_learning_rate=0.01,
    epochs=8,
    min_count=1,
    subsample=0,
    shrink_window=False,
    negative_may_equal_target=True,
)
WHOLE = {"subsample": 0, "shrink_window": False}


def wrong_neighbors(vectors, groups) -> list[tuple[str, str]]:
    """Pairs of a word and one of its 4 nearest that is not of its group; 128 are looked at."""
    return [
        (word, neighbor)
        for group in groups.values()
        for word in group
        for neighbor, _ in vectors.most_similar(word, n=4)
        if neighbor not in group
    ]


def test_the_corpus_is_the_known_one(hospital_sentences):
    words = " ".join(hospital_sentences).split()
    assert hospital_sentences[0] == "the doctor prescribed antibiotics for the fever"
    assert (len(words), len(set(words))) == (31614, 66)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_groups_and_loss_of_the_known_recipe(hospital_sentences, hospital_groups, seed, threads):
    trainer = dataclasses.replace(RECIPE, seed=seed)
    vectors = trainer.train(hospital_sentences, threads=threads)
    assert len(vectors) == 66
    assert len(vectors.history) == 8
    assert abs(vectors.history[-1] - 1.709) < 0.05
    assert vectors.history == sorted(vectors.history, reverse=True) or vectors.history[-1] < 1.8
    assert wrong_neighbors(vectors, hospital_groups) == []


@pytest.mark.parametrize("seed", range(3))
def test_default_settings_learn_a_small_corpus_and_say_what_they_did(
    hospital_sentences, hospital_groups, seed
):
    with pytest.warns(SmallCorpusNotice, match=r"31,614 words: .*subsample=0 and shrink_window=False"):
        vectors = tg.Word2Vec(seed=seed).train(hospital_sentences, threads=1)
    assert wrong_neighbors(vectors, hospital_groups) == []
    assert vectors.settings["subsample"] == 0
    assert vectors.settings["shrink_window"] is False
    assert vectors.settings["seed"] == seed


def test_a_choice_of_ones_own_is_not_commented(hospital_sentences):
    trainer = tg.Word2Vec(vector_size=4, epochs=1, subsample=1e-3, shrink_window=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors = trainer.train(hospital_sentences, threads=1)
    assert vectors.settings["subsample"] == 1e-3


def test_drawing_anew_a_negative_that_equals_the_target_lowers_the_loss(hospital_sentences, hospital_groups):
    may = RECIPE.train(hospital_sentences, threads=1)
    may_not = dataclasses.replace(RECIPE, negative_may_equal_target=False).train(
        hospital_sentences, threads=1
    )
    assert 0.05 < may.history[-1] - may_not.history[-1] < 0.15
    assert wrong_neighbors(may_not, hospital_groups) == []


def test_the_first_loss_is_that_of_a_coin(hospital_sentences):
    trainer = dataclasses.replace(RECIPE, learning_rate=1e-12, min_learning_rate=None, epochs=1)
    vectors = trainer.train(hospital_sentences, threads=1)
    # All output rows are zero: each of six comparisons costs ln 2.
    assert vectors.history[0] == pytest.approx(6 * math.log(2), abs=1e-5)


def test_one_thread_and_one_seed_give_the_same_bytes(hospital_sentences, tmp_path):
    trainer = tg.Word2Vec(vector_size=20, epochs=2, seed=5, **WHOLE)
    files = []
    for name in ("first", "second"):
        trainer.train(hospital_sentences, threads=1).save(tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    other = dataclasses.replace(trainer, seed=6).train(hospital_sentences, threads=1)
    assert not np.array_equal(other.matrix, trainer.train(hospital_sentences, threads=1).matrix)


def test_files_lists_and_generators_give_the_same_vectors(hospital_sentences, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("\n".join(hospital_sentences), encoding="utf-8")
    trainer = tg.Word2Vec(vector_size=8, epochs=1, **WHOLE)
    sources = [hospital_sentences, (text for text in hospital_sentences), tg.Corpus.from_files(path)]
    trained = [trainer.train(source, threads=1) for source in sources]
    assert trained[0] == trained[1] == trained[2]


def test_rows_follow_counts_then_first_appearance_and_obey_limits():
    text = ["b a a c c d e a"] * 2
    vectors = tg.Word2Vec(vector_size=4, min_count=2, **WHOLE).train(text, threads=1)
    assert vectors.words == ["a", "c", "b", "d", "e"]
    assert vectors.counts.tolist() == [6, 4, 2, 2, 2]
    fewer = tg.Word2Vec(vector_size=4, min_count=2, max_vocab=3, **WHOLE).train(text, threads=1)
    assert fewer.words == ["a", "c", "b"]
    none_rare = tg.Word2Vec(vector_size=4, min_count=4, **WHOLE).train(text, threads=1)
    assert none_rare.words == ["a", "c"]


def test_lowercase_and_split_rules():
    text = ["Äpfel, äpfel! under_score İ don't"] * 3
    words = tg.Word2Vec(vector_size=4, min_count=1, lowercase=True, **WHOLE).train(text, threads=1).words
    assert words[0] == "äpfel"
    assert "i̇" in words
    assert "under_score" in words
    kept = tg.Word2Vec(vector_size=4, min_count=1, split="whitespace", **WHOLE).train(text, threads=1).words
    assert "Äpfel," in kept
    assert "don't" in kept


def test_context_ends_with_the_document():
    """Two words that never share a document never meet, however near they stand in the file."""
    text = ["a b"] * 500 + ["c d"] * 500
    mixed = [line for pair in zip(text[:500], text[500:], strict=True) for line in pair]
    vectors = tg.Word2Vec(vector_size=8, epochs=30, **WHOLE).train(mixed, threads=1)
    assert vectors.most_similar("a", n=1)[0][0] == "b" or vectors.similarity("a", "c") < 0.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vector_size", 0),
        ("window", 0),
        ("window", -1),
        ("min_count", 0),
        ("max_vocab", 1),
        ("negative", 0),
        ("epochs", 0),
        ("seed", -1),
        ("ns_exponent", math.nan),
        ("subsample", math.nan),
        ("subsample", -1.0),
        ("subsample", "often"),
        ("shrink_window", 1),
        ("learning_rate", 0.0),
        ("learning_rate", math.nan),
        ("learning_rate", math.inf),
        ("min_learning_rate", 0.5),
        ("split", "letters"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(name, value):
    trainer = dataclasses.replace(tg.Word2Vec(), **{name: value})
    with pytest.raises(ParameterError, match=rf"^`{name}` must be") as caught:
        trainer.train(["a b"] * 10)
    assert caught.value.name == name
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([], "holds no words"),
        (["", "  ", "\n"], "holds no words"),
        (["?!", "..."], "holds no words"),
        (["a a a a a a"], 'one distinct word, "a" \\(6 times\\)'),
        (["a b a b a"], "none of 2 .*the largest useful min_count is 2"),
        (["a a a a a a b b"], "only one of 2 .*the largest useful min_count is 2"),
        (["a", "b"] * 10, "no word has another word beside it"),
        ({"a": 10, "b": 10}, "word counts, which have no order"),
    ],
)
def test_a_corpus_without_anything_to_learn_says_why(corpus, message):
    with pytest.raises(CorpusError, match=message):
        tg.Word2Vec(**WHOLE).train(corpus)


@pytest.mark.parametrize("rate", [1e20, 1e38])
def test_divergence_names_the_rate(hospital_sentences, rate):
    trainer = tg.Word2Vec(vector_size=8, learning_rate=rate, **WHOLE)
    with pytest.raises(DivergenceError, match="Lower learning_rate"):
        trainer.train(hospital_sentences)


def test_progress_tells_stages_words_and_loss(hospital_sentences):
    calls = []
    trainer = tg.Word2Vec(vector_size=100, epochs=40, **WHOLE)
    vectors = trainer.train(hospital_sentences, threads=2, progress=lambda *call: calls.append(call))
    assert "training" in {call[0] for call in calls} <= {"counting words", "training"}
    stage, done, total, unit, figures = calls[-1]
    assert (stage, done, total, unit) == ("training", 40 * 31614, 40 * 31614, "words")
    assert dict(figures)["epoch"] == 40
    assert dict(figures)["loss"] == pytest.approx(vectors.history[-1])
    assert dict(figures)["learning rate"] == pytest.approx(0.025 / 10_000)


def test_an_exception_of_progress_stops_the_run(hospital_sentences):
    class StopError(Exception):
        pass

    def progress(stage, done, total, unit, figures):
        raise StopError

    trainer = tg.Word2Vec(epochs=100_000, **WHOLE)
    started = time.perf_counter()
    with pytest.raises(StopError):
        trainer.train(hospital_sentences, progress=progress)
    assert time.perf_counter() - started < 2


def test_settings_are_frozen_and_travel(hospital_sentences):
    trainer = tg.Word2Vec(vector_size=4, **WHOLE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        trainer.vector_size = 5
    before = dataclasses.asdict(trainer)
    trainer.train(hospital_sentences[:100], threads=1)
    assert dataclasses.asdict(trainer) == before
    assert pickle.loads(pickle.dumps(trainer)) == trainer
    json.dumps(before)


def test_a_long_document_is_not_cut():
    """One document longer than a part of work: contexts reach across the seams between parts."""
    words = [f"w{place % 500}" for place in range(200_000)]
    trainer = tg.Word2Vec(vector_size=8, window=1, epochs=1, **WHOLE)
    whole = trainer.train([" ".join(words)], threads=1)
    assert int(whole.counts.sum()) == 200_000
    # With a window of 1 the mean over all pairs of a cycle of words is the same for any seam.
    assert np.isfinite(whole.matrix).all()


def test_more_than_the_memory_budget_gives_the_same_kind_of_result(tmp_path):
    """Ids beyond 64 MiB go to a temporary file; results do not tell."""
    line = " ".join(f"w{place}" for place in range(200)) + "\n"
    path = tmp_path / "large.txt"
    path.write_text(line * 85_000)
    trainer = tg.Word2Vec(vector_size=1, window=1, negative=1, epochs=1, subsample=1e-7)
    vectors = trainer.train(tg.Corpus.from_files(path), threads=2)
    assert int(vectors.counts.sum()) == 17_000_000
    assert len(vectors) == 200

"""Long runs: watched, stopped, written down, gone on with."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import DivergenceError, FormatError, ParameterError

WHOLE = {"subsample": 0, "shrink_window": False}
SMALL = tg.Word2Vec(vector_size=12, epochs=6, window=2, **WHOLE)
WITH_NGRAMS = tg.FastText(vector_size=12, epochs=2, window=2, **WHOLE)
READS_IDS = pytest.mark.parametrize(
    "small",
    [
        SMALL,
        WITH_NGRAMS,
        dataclasses.replace(WITH_NGRAMS, ngrams="explicit"),
        tg.GloVe(vector_size=12, epochs=2, window=2),
    ],
    ids=["word2vec", "hashed", "explicit", "glove"],
)


def wrong_neighbors(vectors, groups):
    return [
        (word, neighbor)
        for group in groups.values()
        for word in group
        for neighbor, _ in vectors.most_similar(word, n=4)
        if neighbor not in group
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"architecture": "cbow"},
        {"loss": "hierarchical-softmax"},
        {"architecture": "cbow", "loss": "hierarchical-softmax"},
        {"shared_negatives": False},
        {"deterministic": True},
        {"architecture": "cbow", "deterministic": True},
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_every_method_finds_the_groups(hospital_sentences, hospital_groups, changes, threads):
    trainer = tg.Word2Vec(epochs=10, **WHOLE, **changes)
    vectors = trainer.train(hospital_sentences, threads=threads)
    assert wrong_neighbors(vectors, hospital_groups) == []
    assert vectors.history[-1] < vectors.history[0]


def test_tokens_get_vectors(hospital_sentences, hospital_groups):
    tokenizer = tg.WordLevel(split="whitespace").train(hospital_sentences)
    by_token = dataclasses.replace(SMALL, split=tokenizer).train(hospital_sentences, threads=1)
    by_word = dataclasses.replace(SMALL, split="whitespace").train(hospital_sentences, threads=1)
    assert set(by_token.words) == set(by_word.words)
    np.testing.assert_array_equal(by_token["doctor"], by_word["doctor"])
    subwords = tg.BPE(merges=100).train(hospital_sentences)
    trainer = dataclasses.replace(SMALL, split=subwords)
    vectors = trainer.train(hospital_sentences, threads=2)
    ids = {int(id) for sentence in hospital_sentences for id in subwords.encode(sentence).ids}
    counted = {subwords.id_to_token(id) for id in ids}
    assert set(vectors.words) <= counted
    assert pickle.loads(pickle.dumps(trainer)) == trainer


@READS_IDS
@pytest.mark.parametrize("changes", [{}, {"min_count": 1}, {"max_vocab": 40}])
def test_a_file_of_ids_gives_what_its_text_gives(hospital_sentences, small, changes, tmp_path):
    tokenizer = tg.BPE(merges=60).train(hospital_sentences)
    texts = ["", *hospital_sentences[:200], "", "Ω", *hospital_sentences[200:], ""]
    ids = tokenizer.encode_files(texts, tmp_path / "notes.ids")
    trainer = dataclasses.replace(small, split=tokenizer, **changes)
    by_text = trainer.train(texts, threads=1)
    assert trainer.train(ids, threads=1) == by_text
    assert trainer.train(tg.IdFile(ids.path), threads=1, init_from=by_text) == trainer.train(
        texts, threads=1, init_from=by_text
    )


@READS_IDS
def test_a_file_of_ids_needs_the_tokenizer_that_made_it(hospital_sentences, small, tmp_path):
    tokenizer = tg.BPE(merges=60).train(hospital_sentences)
    other = tg.BPE(merges=50).train(hospital_sentences)
    ids = tokenizer.encode_files(hospital_sentences, tmp_path / "notes.ids")
    with pytest.raises(ParameterError, match="`split` must be the tokenizer that made the file of ids"):
        small.train(ids)
    with pytest.raises(
        ParameterError, match="`split` must be the tokenizer that made the file of ids, whose"
    ):
        dataclasses.replace(small, split=other).train(ids)
    with pytest.raises(ParameterError, match="`lowercase` must be False with a file of ids"):
        dataclasses.replace(small, split=tokenizer, lowercase=True).train(ids)
    with pytest.raises(tg.exceptions.CorpusError, match="a file of ids, which holds no text"):
        tg.BPE(vocab_size=300).train(ids)


@READS_IDS
def test_a_damaged_file_of_ids_is_an_error(hospital_sentences, small, tmp_path):
    tokenizer = tg.BPE(merges=60).train(hospital_sentences)
    ids = tokenizer.encode_files(hospital_sentences, tmp_path / "notes.ids")
    data = bytearray((tmp_path / "notes.ids").read_bytes())
    _, start, _ = ids._native.layout
    data[start + 6 : start + 8] = (60_000).to_bytes(2, "little")
    (tmp_path / "damaged.ids").write_bytes(data)
    with pytest.raises(FormatError, match=r"damaged\.ids.*id 60000 at place 3, but its tokenizer has only"):
        dataclasses.replace(small, split=tokenizer).train(tg.IdFile(tmp_path / "damaged.ids"))


@READS_IDS
def test_text_that_a_tokenizer_cannot_encode_is_an_error(hospital_sentences, small):
    tokenizer = tg.BPE(merges=10, symbols="characters").train(hospital_sentences)
    with pytest.raises(tg.exceptions.UnknownTokenError):
        dataclasses.replace(small, split=tokenizer).train([*hospital_sentences, "ξένος"])


def test_the_rate_follows_the_architecture(hospital_sentences):
    rates = {
        architecture: tg.Word2Vec(architecture=architecture, vector_size=4, epochs=1, **WHOLE)
        .train(hospital_sentences, threads=1)
        .settings["learning_rate"]
        for architecture in ("skipgram", "cbow")
    }
    assert rates == {"skipgram": 0.025, "cbow": 0.05}


@pytest.mark.parametrize(
    "changes", [{}, {"architecture": "cbow"}, {"loss": "hierarchical-softmax"}, {"shared_negatives": False}]
)
def test_deterministic_runs_do_not_depend_on_threads(hospital_sentences, changes, tmp_path):
    trainer = dataclasses.replace(SMALL, deterministic=True, **changes)
    files = set()
    for threads in (1, 2, 3, 5, None):
        trainer.train(hospital_sentences, threads=threads).save(tmp_path / "vectors")
        files.add((tmp_path / "vectors").read_bytes())
    assert len(files) == 1


def test_epochs_are_told_of_and_may_end_the_run(hospital_sentences):
    epochs = []

    def on_epoch(epoch):
        epochs.append(epoch)
        return epoch.number < 3

    vectors = SMALL.train(hospital_sentences, threads=1, on_epoch=on_epoch)
    assert [epoch.number for epoch in epochs] == [1, 2, 3]
    assert [epoch.loss for epoch in epochs] == vectors.history
    assert [epoch.held_out_loss for epoch in epochs] == [None] * 3
    assert epochs[0].learning_rate == pytest.approx(0.025 * 5 / 6)
    assert epochs[-1].vectors == vectors
    assert epochs[0].vectors != vectors


def test_what_is_held_out_is_not_learned_from_and_ends_the_run_in_time(hospital_sentences):
    trainer = dataclasses.replace(SMALL, epochs=200, held_out=0.1, patience=2)
    vectors = trainer.train(hospital_sentences, threads=1)
    losses = vectors.settings["held_out_loss_per_epoch"]
    assert len(losses) == len(vectors.history) < 200
    lowest = losses.index(min(losses))
    assert len(losses) - 1 - lowest == 2
    assert losses[lowest] == pytest.approx(vectors.history[lowest], rel=0.05)
    # The loss of the held-out part is looked at without learning from it.
    same = trainer.train(hospital_sentences, threads=1)
    assert same == vectors


def test_vectors_are_gone_on_with(hospital_sentences, hospital_groups, tmp_path):
    first = SMALL.train(hospital_sentences[:2000], threads=1)
    old = tg.WordVectors.from_mapping({"unheard": np.ones(12), "doctor": first["doctor"]})
    old.save(tmp_path / "old.txt", format="word2vec-text")
    trainer = dataclasses.replace(SMALL, learning_rate=1e-9)
    vectors = trainer.train(hospital_sentences, threads=1, init_from=tmp_path / "old.txt")
    assert vectors.settings["init_from"] == {"matched": 1, "new": 65, "kept": 1}
    np.testing.assert_allclose(vectors["doctor"], first["doctor"], atol=1e-5)
    np.testing.assert_array_equal(vectors["unheard"], np.ones(12))
    assert len(vectors) == 67
    on = SMALL.train(hospital_sentences, threads=1, init_from=first)
    assert (
        dict(zip(on.words, on.counts.tolist(), strict=True))["doctor"]
        == 1.5 * first.counts[first.words.index("doctor")]
        or on.counts.sum() == first.counts.sum() + 31614
    )
    with pytest.raises(ParameterError, match="must be that of init_from"):
        tg.Word2Vec(vector_size=3, **WHOLE).train(hospital_sentences, init_from=first)


@pytest.mark.parametrize(
    "changes", [{}, {"deterministic": True}, {"architecture": "cbow"}, {"held_out": 0.2}]
)
def test_a_stopped_run_ends_with_the_same_bytes(hospital_sentences, changes, tmp_path):
    trainer = dataclasses.replace(SMALL, **changes)
    whole = trainer.train(hospital_sentences, threads=1)
    calls = 0

    def stop(stage, *_):
        nonlocal calls
        calls += stage == "training"
        if calls > stops:
            raise TimeoutError

    for stops in range(20):
        calls = 0
        try:
            vectors = trainer.train(
                hospital_sentences,
                threads=1,
                checkpoint=tmp_path / "run",
                checkpoint_minutes=0 if stops % 2 else 5,
                progress=stop,
            )
            break
        except TimeoutError:
            assert (tmp_path / "run").exists()
    assert stops > 0
    np.testing.assert_array_equal(vectors.matrix, whole.matrix)
    assert vectors == whole
    again = trainer.train(hospital_sentences, threads=1, checkpoint=tmp_path / "run")
    assert again == whole


def test_a_checkpoint_of_another_run_is_refused(hospital_sentences, tmp_path):
    SMALL.train(hospital_sentences, threads=1, checkpoint=tmp_path / "run")
    other = dataclasses.replace(SMALL, window=3)
    with pytest.raises(ParameterError, match=r"of the same run, but window was 2 and is now 3.*Remove"):
        other.train(hospital_sentences, threads=1, checkpoint=tmp_path / "run")
    with pytest.raises(ParameterError, match="the corpus is another"):
        SMALL.train(hospital_sentences[::-1], threads=1, checkpoint=tmp_path / "run")
    content = bytearray((tmp_path / "run").read_bytes())
    content[-1] ^= 1
    (tmp_path / "run").write_bytes(content)
    with pytest.raises(FormatError, match="damaged"):
        SMALL.train(hospital_sentences, threads=1, checkpoint=tmp_path / "run")
    (tmp_path / "run").write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError):
        SMALL.train(hospital_sentences, threads=1, checkpoint=tmp_path / "run")
    with pytest.raises(OSError, match="does not exist"):
        SMALL.train(hospital_sentences, checkpoint=tmp_path / "missing" / "run")


@pytest.mark.parametrize(
    "make",
    [
        lambda **steep: tg.Word2Vec(vector_size=8, min_count=1, seed=3, **WHOLE, **steep),
        lambda **steep: tg.FastText(vector_size=8, min_count=1, seed=3, buckets=500, **WHOLE, **steep),
    ],
    ids=["word2vec", "fasttext"],
)
@pytest.mark.parametrize("deterministic", [False, True])
def test_a_run_that_diverges_hands_out_the_last_good_epoch(hospital_sentences, make, deterministic):
    """A rate that never falls and is so high that a few short epochs end in numbers that are not finite."""
    seen = []
    steep = make(learning_rate=0.35, min_learning_rate=0.35, epochs=500, deterministic=deterministic)
    with pytest.raises(DivergenceError, match="Lower learning_rate") as caught:
        steep.train(hospital_sentences[:60], threads=1, on_epoch=lambda epoch: seen.append(epoch.vectors))
    kept = caught.value.vectors
    assert seen, "the first epoch diverged: the rate of this test is too high"
    assert kept == seen[-1]
    assert len(kept.history) == len(seen)
    assert f"The vectors after epoch {len(seen)} are kept with this error" in str(caught.value)
    assert np.isfinite(kept.matrix).all()
    copied = pickle.loads(pickle.dumps(caught.value))
    assert copied.vectors == kept
    assert str(copied) == str(caught.value)


def test_a_first_epoch_that_diverges_leaves_nothing(hospital_sentences):
    with pytest.raises(DivergenceError) as caught:
        dataclasses.replace(SMALL, learning_rate=1e38).train(hospital_sentences, threads=1)
    assert caught.value.vectors is None
    assert "kept" not in str(caught.value)


def test_what_is_held_out_must_have_a_loss():
    notes = ["fever and cough"] * 50 + ["fever"] * 20
    trainer = tg.Word2Vec(vector_size=4, held_out=0.1, **WHOLE)
    with pytest.raises(tg.exceptions.CorpusError, match="no word has another beside it in what is held out"):
        trainer.train(notes, threads=1)


@pytest.mark.parametrize("small", [SMALL, WITH_NGRAMS], ids=["word2vec", "fasttext"])
def test_no_noise_words_are_needed_where_none_are_drawn(hospital_sentences, small):
    tree = dataclasses.replace(small, loss="hierarchical-softmax")
    without = dataclasses.replace(tree, negative=0).train(hospital_sentences, threads=1)
    assert (without.matrix == tree.train(hospital_sentences, threads=1).matrix).all()
    with pytest.raises(ParameterError, match=r"`negative` must be at least 1, got 0\..*softmax.* needs none"):
        dataclasses.replace(small, negative=0).train(hospital_sentences)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("architecture", "glove"),
        ("loss", "softmax"),
        ("held_out", 0.9),
        ("patience", 0),
        ("learning_rate", "fast"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(name, value):
    trainer = dataclasses.replace(tg.Word2Vec(), **{name: value})
    with pytest.raises(ParameterError, match=rf"^`{name}` must be") as caught:
        trainer.train(["a b"] * 10)
    assert caught.value.name == name

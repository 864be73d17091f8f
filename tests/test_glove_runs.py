"""Long runs of GloVe: watched, stopped, written down, gone on with."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import FormatError, ParameterError

SMALL = tg.GloVe(vector_size=21, window=3, epochs=6)


@pytest.fixture(scope="module")
def many_words():
    """Documents of 3,000 words, a few of them frequent, so that there are many groups of rows."""
    generator = np.random.default_rng(5)
    ranks = (3000 * generator.random((1500, 80)) ** 3).astype(int)
    return [" ".join(f"w{rank}" for rank in document) for document in ranks]


def test_epochs_are_told_of_and_may_end_the_run(hospital_sentences):
    epochs = []

    def on_epoch(epoch):
        epochs.append(epoch)
        return epoch.number < 3

    vectors = SMALL.train(hospital_sentences, on_epoch=on_epoch)
    assert [epoch.number for epoch in epochs] == [1, 2, 3]
    assert [epoch.loss for epoch in epochs] == vectors.history
    assert [epoch.held_out_loss for epoch in epochs] == [None] * 3
    assert [epoch.learning_rate for epoch in epochs] == [0.05] * 3
    assert epochs[-1].vectors == vectors
    assert epochs[0].vectors != vectors
    shorter = dataclasses.replace(SMALL, epochs=3).train(hospital_sentences)
    assert (shorter.matrix == vectors.matrix).all()
    assert shorter.history == vectors.history


def test_watching_changes_nothing(hospital_sentences):
    assert SMALL.train(hospital_sentences, on_epoch=lambda _: None) == SMALL.train(hospital_sentences)


def test_what_is_held_out_is_not_learned_from_and_ends_the_run_in_time(hospital_sentences):
    trainer = dataclasses.replace(SMALL, epochs=200, held_out=0.2, patience=2)
    epochs = []
    vectors = trainer.train(hospital_sentences, on_epoch=epochs.append)
    losses = vectors.settings["held_out_loss_per_epoch"]
    assert [epoch.held_out_loss for epoch in epochs] == losses
    assert len(losses) == len(vectors.history) < 200
    lowest = losses.index(min(losses))
    assert len(losses) - 1 - lowest == 2
    assert losses[lowest] < losses[0]
    # The loss of what is held out is looked at without learning from it.
    same = trainer.train(hospital_sentences, threads=3)
    assert same == vectors
    patient = dataclasses.replace(trainer, patience=200, epochs=len(losses))
    assert (patient.train(hospital_sentences).matrix == vectors.matrix).all()
    assert "held_out_loss_per_epoch" not in SMALL.train(hospital_sentences).settings


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_table_does_not_depend_on_what_is_held_out(hospital_sentences, symmetric):
    trainer = dataclasses.replace(SMALL, symmetric=symmetric)
    apart = dataclasses.replace(trainer, held_out=0.3)
    whole, same = trainer.cooccurrence(hospital_sentences), apart.cooccurrence(hospital_sentences)
    np.testing.assert_array_equal(whole.weight, same.weight)
    assert trainer.train(hospital_sentences) != apart.train(hospital_sentences)


def test_too_few_cells_to_hold_any_out():
    notes = ["fever cough"] * 20
    message = r"^`held_out` must part the 2 cells of the corpus in two, but all are in one, got 0\.1\. Learn"
    with pytest.raises(ParameterError, match=message) as caught:
        tg.GloVe(vector_size=2, held_out=0.1).train(notes)
    assert caught.value.name == "held_out"


def test_a_run_is_stopped_and_gone_on_with_while_what_is_held_out_is_looked_at(many_words, tmp_path):
    trainer = dataclasses.replace(SMALL, epochs=2, held_out=0.3, patience=9)
    run = {"checkpoint": tmp_path / "run", "checkpoint_minutes": 60}

    def stop(stage, *_):
        if stage == "loss of what is held out":
            raise TimeoutError

    with pytest.raises(TimeoutError):
        trainer.train(many_words, progress=stop, **run)
    first = []
    vectors = trainer.train(many_words, progress=lambda stage, *call: first.append((stage, call)), **run)
    training = [call for stage, call in first if stage == "training"]
    # The first epoch is not learned from again.
    assert training[0][0] >= training[0][1] // 2
    assert vectors == trainer.train(many_words)


@pytest.mark.parametrize("optimizer", ["adagrad", "sgd"])
def test_vectors_are_gone_on_with(hospital_sentences, optimizer, tmp_path):
    trainer = dataclasses.replace(SMALL, optimizer=optimizer)
    first = trainer.train(hospital_sentences[:2000])
    old = tg.WordVectors.from_mapping({"unheard": np.ones(21), "doctor": first["doctor"]})
    old.save(tmp_path / "old.txt", format="word2vec-text")
    still = dataclasses.replace(trainer, learning_rate=1e-9)
    vectors = still.train(hospital_sentences, init_from=tmp_path / "old.txt")
    assert vectors.settings["init_from"] == {"matched": 1, "new": 65, "kept": 1}
    np.testing.assert_allclose(vectors["doctor"], first["doctor"], atol=1e-5)
    np.testing.assert_array_equal(vectors["unheard"], np.ones(21))
    assert len(vectors) == 67
    # A word that is new starts as it would without the others.
    assert 0 < np.abs(vectors["nurse"]).max() < 1
    with pytest.raises(ParameterError, match="must be that of init_from"):
        tg.GloVe(vector_size=3).train(hospital_sentences, init_from=first)


def test_going_on_learns_from_where_it_was(hospital_sentences):
    trainer = tg.GloVe(vector_size=20, window=5, epochs=10)
    first = trainer.train(hospital_sentences)
    more = trainer.train(hospital_sentences, init_from=first)
    # Most of the first epoch's loss is that of the biases, which are found anew.
    assert more.history[0] < first.history[0]
    assert more.history[-1] < first.history[-1]
    assert more.settings["init_from"] == {"matched": 66, "new": 0, "kept": 0}
    assert more.counts.sum() == 2 * first.counts.sum()
    assert trainer.train(hospital_sentences, threads=2, init_from=first) == more


@pytest.mark.parametrize(
    "changes",
    [{}, {"optimizer": "sgd", "learning_rate": 0.02}, {"symmetric": False}, {"held_out": 0.2, "patience": 9}],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_stopped_run_ends_with_the_same_bytes(many_words, changes, threads, tmp_path):
    trainer = dataclasses.replace(SMALL, **changes)
    whole = trainer.train(many_words, threads=2)
    calls, resting = 0, []

    def stop(stage, done, *_):
        nonlocal calls
        calls += stage == "training"
        if calls > stops:
            resting.append(done)
            raise TimeoutError

    for stops in range(20):
        calls = 0
        try:
            vectors = trainer.train(
                many_words,
                threads=threads,
                checkpoint=tmp_path / "run",
                checkpoint_minutes=0 if stops % 2 else 5,
                progress=stop,
            )
            break
        except TimeoutError:
            assert (tmp_path / "run").exists()
    assert stops > 0
    assert resting == sorted(resting)
    np.testing.assert_array_equal(vectors.matrix, whole.matrix)
    assert vectors == whole
    again = trainer.train(many_words, checkpoint=tmp_path / "run")
    assert again == whole


def test_a_stopped_run_that_started_from_vectors_ends_with_the_same_bytes(hospital_sentences, tmp_path):
    first = SMALL.train(hospital_sentences[:100])
    whole = SMALL.train(hospital_sentences, init_from=first)
    run = {"init_from": first, "checkpoint": tmp_path / "run"}

    def fail(epoch):
        raise TimeoutError

    with pytest.raises(TimeoutError):
        SMALL.train(hospital_sentences, **run, checkpoint_minutes=0, on_epoch=fail)
    assert SMALL.train(hospital_sentences, **run) == whole


def test_a_checkpoint_of_another_run_is_refused(hospital_sentences, tmp_path):
    run = {"checkpoint": tmp_path / "run"}
    vectors = SMALL.train(hospital_sentences, **run)
    other = dataclasses.replace(SMALL, window=4)
    with pytest.raises(ParameterError, match=r"of the same run, but window was 3 and is now 4.*Remove"):
        other.train(hospital_sentences, **run)
    with pytest.raises(ParameterError, match="the corpus is another"):
        SMALL.train(hospital_sentences[::-1], **run)
    with pytest.raises(ParameterError, match="of the same run, but init_from was null"):
        SMALL.train(hospital_sentences, init_from=vectors, **run)
    skip_gram = tg.Word2Vec(vector_size=21, subsample=0, shrink_window=False)
    with pytest.raises(
        ParameterError, match='of the same run, but trainer was "glove" and is now "word2vec"'
    ):
        skip_gram.train(hospital_sentences, **run)
    content = bytearray((tmp_path / "run").read_bytes())
    content[-1] ^= 1
    (tmp_path / "run").write_bytes(content)
    with pytest.raises(FormatError, match="damaged"):
        SMALL.train(hospital_sentences, **run)
    (tmp_path / "run").write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError):
        SMALL.train(hospital_sentences, **run)
    with pytest.raises(OSError, match="does not exist"):
        SMALL.train(hospital_sentences, checkpoint=tmp_path / "missing" / "run")
    with pytest.raises(ParameterError, match="`checkpoint_minutes` must be at least 0"):
        SMALL.train(hospital_sentences, checkpoint_minutes=-1, **run)


def test_progress_goes_on_from_where_the_run_stood(hospital_sentences, tmp_path):
    def on_epoch(epoch):
        if epoch.number == 4:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        SMALL.train(hospital_sentences, checkpoint=tmp_path / "run", checkpoint_minutes=0, on_epoch=on_epoch)
    calls = []
    vectors = SMALL.train(
        hospital_sentences,
        checkpoint=tmp_path / "run",
        progress=lambda stage, *call: calls.append(call) if stage == "training" else None,
    )
    done, total, unit, figures = calls[-1]
    assert (done, unit) == (total, "pairs")
    assert dict(figures) == {"epoch": 6, "loss": vectors.history[-1], "learning rate": 0.05}
    assert calls[0][0] >= total / 2
    assert dict(calls[0][3])["epoch"] >= 4

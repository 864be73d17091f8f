"""Runs of all trainers of vectors that a callback, Ctrl-C, divergence or the end of the process ends."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import DivergenceError

WHOLE = {"subsample": 0, "shrink_window": False}
TRAINERS = [
    tg.Word2Vec(vector_size=12, epochs=6, window=2, **WHOLE),
    tg.FastText(vector_size=12, epochs=6, window=2, buckets=500, **WHOLE),
    tg.GloVe(vector_size=21, window=3, epochs=6),
]


@pytest.fixture(params=TRAINERS, ids=lambda trainer: type(trainer).__name__)
def trainer(request):
    return request.param


def test_an_exception_of_on_epoch_ends_the_run(hospital_sentences, trainer):
    def on_epoch(epoch):
        raise LookupError(epoch.number)

    with pytest.raises(LookupError, match="1"):
        trainer.train(hospital_sentences, on_epoch=on_epoch)


def test_control_c_keeps_what_was_learned(hospital_sentences, trainer, tmp_path):
    trainer = dataclasses.replace(trainer, epochs=1_000_000)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        trainer.train(hospital_sentences, threads=2, checkpoint=tmp_path / "run")
    seen = []

    def on_epoch(epoch):
        seen.append(epoch.number)
        return False

    vectors = trainer.train(hospital_sentences, checkpoint=tmp_path / "run", on_epoch=on_epoch)
    assert seen[0] == len(vectors.history) > 1
    # What was ended so is over: the same call returns it.
    assert trainer.train(hospital_sentences, checkpoint=tmp_path / "run") == vectors


def test_a_killed_process_is_gone_on_with(hospital_sentences, trainer, tmp_path):
    """A process killed outright leaves its last checkpoint, and another ends as if it had never been."""
    trainer = dataclasses.replace(trainer, epochs=40)
    corpus = tmp_path / "notes.txt"
    corpus.write_text("\n".join(hospital_sentences), encoding="utf-8")
    code = (
        "import sys, os, signal, textgrain as tg\n"
        f"trainer = tg.{trainer!r}\n"
        "def kill(epoch):\n"
        "    if epoch.number == 25: os.kill(os.getpid(), signal.SIGKILL)\n"
        "trainer.train(tg.Corpus.from_files(sys.argv[1]), threads=1, checkpoint=sys.argv[2],\n"
        "              checkpoint_minutes=0, on_epoch=kill)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, corpus, tmp_path / "run"], check=False)
    assert killed.returncode == -signal.SIGKILL
    numbers = []
    vectors = trainer.train(
        tg.Corpus.from_files(corpus),
        threads=1,
        checkpoint=tmp_path / "run",
        on_epoch=lambda epoch: numbers.append(epoch.number),
    )
    assert numbers[0] > 1
    assert vectors == trainer.train(tg.Corpus.from_files(corpus), threads=1)


def test_divergence_leaves_the_last_good_state(hospital_sentences, trainer, tmp_path):
    def stop(stage, *_):
        if stage == "training":
            raise TimeoutError

    long = dataclasses.replace(trainer, epochs=100_000)
    run = {"threads": 1, "checkpoint": tmp_path / "run"}
    with pytest.raises(TimeoutError):
        long.train(hospital_sentences, progress=stop, **run)
    state = (tmp_path / "run").read_bytes()
    too_high = dataclasses.replace(long, learning_rate=1e38)
    with pytest.raises(DivergenceError, match="Lower learning_rate") as caught:
        too_high.train(hospital_sentences, **run)
    assert f"{tmp_path / 'run'} holds the state before that" in str(caught.value)
    assert (tmp_path / "run").read_bytes() == state
    lower = dataclasses.replace(long, learning_rate=0.02)
    assert np.isfinite(lower.train(hospital_sentences, on_epoch=lambda _: False, **run).history).all()
    with pytest.raises(DivergenceError, match="Lower learning_rate") as caught:
        too_high.train(hospital_sentences, threads=1)
    assert "holds the state" not in str(caught.value)

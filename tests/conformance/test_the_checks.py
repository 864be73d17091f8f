"""The checks themselves find what they are made to find."""

import dataclasses

import pytest

import textgrain as tg
from textgrain.testing import check_interruption, check_tokenizer, check_trainer
from textgrain.testing.artifacts import expect

CORPUS = ["low lower lowest", "new newer newest"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Wrapped:
    """Trains as BPE does, apart from one fault."""

    inner: tg.BPE = dataclasses.field(default_factory=lambda: tg.BPE(merges=3))
    made: list = dataclasses.field(default_factory=list)
    fault: str = ""

    def train(self, corpus, *, threads=None, progress=None):
        if self.fault == "settings":
            self.made.append(1)
        if self.fault == "empty" and corpus == []:
            corpus = CORPUS
        if self.fault == "progress":
            progress = None
        merges = 3
        if self.fault == "threads" and threads == 3:
            merges = 2
        trainer = dataclasses.replace(self.inner, merges=merges)
        return trainer.train(corpus, threads=threads, progress=progress)


def test_a_good_trainer_passes():
    check_trainer(Wrapped(), CORPUS)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("settings", "training changed the settings"),
        ("empty", "expected CorpusError, got the result"),
        ("progress", "never called"),
        ("threads", "threads=3 gave another file"),
    ],
)
def test_a_fault_is_found(fault, message):
    with pytest.raises(AssertionError, match=message):
        check_trainer(Wrapped(fault=fault), CORPUS)


def test_a_run_that_cannot_be_interrupted_is_found():
    with pytest.raises(AssertionError, match="use a larger corpus"):
        check_interruption(tg.BPE(merges=1), CORPUS, after=5)


def test_a_tokenizer_that_forgets_is_found():
    class Forgetful:
        def __init__(self):
            self._tokenizer = tg.BPE(merges=3).train(CORPUS)

        def __getattr__(self, name):
            return getattr(self._tokenizer, name)

        def __len__(self):
            return len(self._tokenizer)

        def __contains__(self, token):
            return token in self._tokenizer

        def decode(self, ids, errors="replace"):
            return self._tokenizer.decode(ids, errors).rstrip("w")

        def decode_batch(self, batch):
            return [self.decode(ids) for ids in batch]

    with pytest.raises(AssertionError, match="came back as"):
        check_tokenizer(Forgetful(), ["low"])


def test_expect_tells_what_came_instead():
    assert isinstance(expect(KeyError, lambda: {}["a"]), KeyError)
    with pytest.raises(AssertionError, match="expected KeyError, got ZeroDivisionError"):
        expect(KeyError, lambda: 1 / 0)
    with pytest.raises(AssertionError, match="expected KeyError or ValueError, got the result 3"):
        expect((KeyError, ValueError), lambda: 3)

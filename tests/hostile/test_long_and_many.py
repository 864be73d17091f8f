"""Long texts take time in proportion to their length, and many threads may use one tokenizer."""

import threading
import time

import numpy as np
import pytest

import textgrain as tg

MEBIBYTE = 2**20


@pytest.fixture(scope="module", params=["none", "gpt2", "gpt4", "words", "whitespace"])
def tokenizer(request):
    documents = ["a" * 5000, "ab" * 3000, "the cat sat  on the mat\n" * 50]
    return tg.BPE(merges=200, split=request.param).train(documents)


UNITS = ["a", "ab", "abc", " ", "\n", "1", "'", " a", "\u3000", "中", "\U0001f600", "e\u0301"]


@pytest.mark.parametrize("unit", UNITS)
def test_one_pattern_repeated(tokenizer, unit):
    """A quadratic step would take minutes here."""
    text = unit * (MEBIBYTE // 4 // len(unit))
    started = time.monotonic()
    encoding = tokenizer.encode(text)
    assert len(encoding.offsets) == len(encoding.ids)
    if tokenizer.lossless:
        assert tokenizer.decode(encoding.ids) == text
    assert time.monotonic() - started < 20


def test_one_endless_word_to_train_on():
    started = time.monotonic()
    trained = tg.BPE(merges=300, split="none").train(["a" * MEBIBYTE, "abc" * (MEBIBYTE // 3)])
    assert trained.history[0].total > MEBIBYTE // 2
    assert time.monotonic() - started < 20


def test_many_threads_of_python():
    documents = [f"the cat {number} sat on the mat, don't you know" for number in range(300)]
    tokenizer = tg.BPE(merges=100).train(documents)
    expected = [tokenizer.encode_ids(document) for document in documents]
    wrong = []

    def work(start):
        for turn in range(3 * len(documents)):
            number = (start + turn) % len(documents)
            ids = tokenizer.encode_ids(documents[number])
            if not np.array_equal(ids, expected[number]) or tokenizer.decode(ids) != documents[number]:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(37 * start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_python_goes_on_while_the_engine_works():
    """The interpreter lock is free during long calls."""
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    tokenizer = tg.BPE(merges=50, split="none").train(["abab"])
    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    while time.monotonic() - started < 0.5:
        tokenizer.encode_ids("ab" * MEBIBYTE)
    ended.set()
    thread.join()
    assert max(np.diff(ticks)) < 0.2

"""What users of other programs that train vectors reported, with the value that must come out here.

Each test names the case by what was fed in; what other programs make of it stands in the comment.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, DivergenceError, ParameterError

WHOLE = {"subsample": 0, "shrink_window": False}
WORD2VEC = tg.Word2Vec(vector_size=8, min_count=1, epochs=2, **WHOLE)
FASTTEXT = tg.FastText(vector_size=8, min_count=1, epochs=2, **WHOLE)
GLOVE = tg.GloVe(vector_size=8, min_count=1, epochs=2)
TREE = {"loss": "hierarchical-softmax"}


def name_of(trainer):
    return type(trainer).__name__.lower()


EACH = pytest.mark.parametrize("trainer", [WORD2VEC, FASTTEXT, GLOVE], ids=name_of)
LOOPS = pytest.mark.parametrize("trainer", [WORD2VEC, FASTTEXT], ids=name_of)
BY_EPOCH = pytest.mark.parametrize(
    "trainer",
    [
        WORD2VEC,
        FASTTEXT,
        dataclasses.replace(WORD2VEC, architecture="cbow"),
        dataclasses.replace(FASTTEXT, ngrams="explicit"),
    ],
    ids=["word2vec", "fasttext", "cbow", "explicit"],
)


def run(program, folder, **environment):
    """Run a program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stderr == ""
    return done.stdout


def stages_of(trainer, corpus, threads):
    stages = {}
    trainer.train(
        corpus, threads=threads, progress=lambda stage, *rest: stages.setdefault(stage, []).append(rest)
    )
    return stages


@LOOPS
@pytest.mark.parametrize("threads", [1, 2, 4, 7])
def test_very_short_documents_on_many_threads(trainer, threads):
    """Elsewhere more workers are no faster, and the shortest sentences are the worst."""
    documents = ["fever cough", "cough fever", "alone", ""] * 2_000
    done, total, unit, _ = stages_of(trainer, documents, threads)["training"][-1]
    assert (done, total, unit) == (2 * 10_000, 2 * 10_000, "words")


@LOOPS
def test_other_threads_of_python_go_on(hospital_sentences, trainer):
    """Elsewhere workers wait for each other's turn to run Python."""
    ticks, ended = itertools.count(), threading.Event()

    def tick():
        while not ended.wait(0.001):
            next(ticks)

    other = threading.Thread(target=tick)
    other.start()
    before = next(ticks)
    dataclasses.replace(trainer, epochs=60).train(hospital_sentences, threads=1)
    during = next(ticks) - before
    ended.set()
    other.join()
    assert during > 5


@EACH
def test_every_stage_is_told_and_ends_at_its_end(hospital_sentences, trainer):
    """Elsewhere a step of hours says nothing, counts beyond its total, or stands at the last percent."""
    stages = stages_of(trainer, hospital_sentences, threads=2)
    assert list(stages)[-1] == "training"
    for calls in stages.values():
        done = [call[0] for call in calls]
        totals = {call[1] for call in calls} - {None}
        assert done == sorted(done)
        assert totals == {done[-1]}


@EACH
def test_no_files_are_left_or_named(hospital_sentences, trainer, tmp_path):
    """Elsewhere counting and shuffling write files as large as the corpus into the folder."""
    program = (
        "import os, sys, textgrain as tg\n"
        "def look(*_):\n"
        "    assert os.listdir() == ['notes.txt']\n"
        f"tg.{trainer!r}.train(tg.Corpus.from_files('notes.txt'), progress=look)\n"
        "look()\n"
    )
    (tmp_path / "notes.txt").write_text("\n".join(hospital_sentences), encoding="utf-8")
    assert run(program, tmp_path, TMPDIR=str(tmp_path)) == ""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc and limits the size of files")
def test_few_files_are_open_and_a_full_disk_is_an_error(tmp_path):
    """Elsewhere "too many open files", 28,745 of them, and a full disk with nothing said."""
    program = """if True:
        import os, resource, textgrain as tg
        line = " ".join(f"w{place}" for place in range(200))
        documents = [line] * 85_000  # 17 million words, more than are kept in memory
        trainer = tg.Word2Vec(vector_size=1, window=1, negative=1, epochs=1, subsample=1e-7)
        opened = lambda: len(os.listdir("/proc/self/fd"))
        before, seen = opened(), []
        trainer.train(documents, threads=2, progress=lambda *_: seen.append(opened()))
        print(max(seen) - before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # as if the disk were full
        try:
            trainer.train(documents, threads=2)
        except OSError as error:
            print(error.filename)
    """
    assert run(program, tmp_path, TMPDIR=str(tmp_path)).split() == ["1", str(tmp_path)]


def test_two_words_and_two_million_buckets(tmp_path):
    """Elsewhere 800 MB are taken for a corpus of two words."""
    vectors = tg.FastText(min_count=1, epochs=1, **WHOLE).train(["fever cough"] * 3)
    assert vectors.settings["buckets"] == 2_000_000
    ngrams = {ngram for word in vectors.words for ngram in vectors.subwords.ngrams(word)}
    assert len(vectors.subwords) == len(ngrams) == 28
    vectors.save(tmp_path / "small.safetensors")
    assert (tmp_path / "small.safetensors").stat().st_size < 20_000


@pytest.mark.parametrize(
    "trainer",
    [
        tg.FastText(architecture="cbow", learning_rate=50.0, **WHOLE),
        tg.Word2Vec(architecture="cbow", learning_rate=50.0, **WHOLE),
        tg.GloVe(learning_rate=50.0),
    ],
    ids=name_of,
)
def test_a_rate_of_fifty(trainer):
    """Elsewhere the process is aborted, or vectors of 10¹³ are written and all is well."""
    drawn = np.random.default_rng(0).integers(0, 200, (3_000, 12))
    documents = [" ".join(f"w{word}" for word in row) for row in drawn]
    with pytest.raises(DivergenceError, match=r"training diverged: .*Lower learning_rate, which is 50"):
        trainer.train(documents)


@EACH
@pytest.mark.parametrize("size", [1, 3, 300])
@pytest.mark.parametrize("words", ["a b", "a b c", "a a a b"])
def test_the_smallest_vocabularies(trainer, size, words):
    """Elsewhere a segmentation fault, or "not a number"."""
    vectors = dataclasses.replace(trainer, vector_size=size).train([words] * 2)
    assert vectors.matrix.shape == (len(set(words.split())), size)
    assert np.isfinite(vectors.matrix).all()
    assert np.isfinite(vectors.history).all()


@EACH
def test_more_numbers_than_a_machine_has(trainer):
    """Elsewhere a segmentation fault."""
    with pytest.raises(ParameterError, match="`vector_size` must be at most 1048576, got 1099511627776"):
        dataclasses.replace(trainer, vector_size=2**40).train(["a b"])


@EACH
def test_a_folder_that_is_missing_is_told_before_anything_is_read(trainer, tmp_path):
    """Elsewhere hours of training end with an abort because the file cannot be written."""

    class Documents:
        def __iter__(self):
            yield pytest.fail("the corpus was read")

    with pytest.raises(FileNotFoundError, match="the directory does not exist; create it first"):
        trainer.train(Documents(), checkpoint=tmp_path / "missing" / "run")


@BY_EPOCH
def test_text_is_added_time_and_again(trainer, tmp_path):
    """Elsewhere the second update of a vocabulary crashes, and a model in a file cannot be gone on with."""
    path = tmp_path / "vectors.safetensors"
    trainer.train(["fever and cough"] * 5).save(path)
    for time in range(4):
        new = [f"new{time}", f"newer{time}"]
        vectors = trainer.train([f"{new[0]} and {new[1]}"] * 5, init_from=path)
        assert vectors.settings["init_from"] == {"matched": 1, "new": 2, "kept": 2 + 2 * time}
        assert set(new) < set(vectors.words)
        assert np.isfinite(vectors.matrix).all()
        vectors.save(path)
    assert dict(zip(vectors.words, vectors.counts.tolist(), strict=True))["and"] == 25


@pytest.mark.parametrize("format", ["word2vec-text", "word2vec-binary", "glove-text", "fasttext"])
@LOOPS
def test_vectors_of_any_format_are_started_from(trainer, format, tmp_path):
    """Elsewhere not at all, or only those that the same program wrote."""
    trainer = dataclasses.replace(trainer, learning_rate=1e-9)
    if isinstance(trainer, tg.FastText):
        trainer = dataclasses.replace(trainer, buckets=1000)
    known = tg.FastText(vector_size=8, min_count=1, buckets=1000, **WHOLE).train(["fever and cough"] * 5)
    known.save(tmp_path / "known", format=format)
    vectors = trainer.train(["fever or chills"] * 5, init_from=tmp_path / "known")
    assert vectors.settings["init_from"] == {"matched": 1, "new": 2, "kept": 2}
    np.testing.assert_allclose(vectors.lookup(known.words), known.matrix, atol=1e-4)


@BY_EPOCH
def test_a_sentence_of_twenty_thousand_words(trainer):
    """Elsewhere what stands behind the first 10,000 words is dropped, and none of it learns."""
    head, tail = ([f"{name}{number}" for number in range(50)] for name in ("x", "tail"))
    document = " ".join(head * 200 + tail * 200)
    trainer = dataclasses.replace(trainer, epochs=1)
    learned = trainer.train([document], threads=1)
    still = dataclasses.replace(trainer, learning_rate=1e-30).train([document], threads=1)
    moved = [word for word in learned.words if (learned[word] != still[word]).any()]
    assert sorted(moved) == sorted(head + tail)
    assert set(learned.counts.tolist()) == {200}


@EACH
@pytest.mark.parametrize("short", [0, 3], ids=["long lines alone", "among short ones"])
def test_lines_of_eleven_kilobytes(trainer, short, tmp_path):
    """Elsewhere lines over 4,192 bytes are passed over: nothing is left, or what stands only in them."""
    lines = [" ".join(f"{name}{number}" for number in range(2100)) for name in "vwxyz"]
    assert min(map(len, lines)) > 11_000
    path = tmp_path / "long.txt"
    path.write_text("\n".join([*lines, *["short line"] * short]) + "\n", encoding="utf-8")
    trainer = dataclasses.replace(trainer, vector_size=2, epochs=1)
    vectors = trainer.train(tg.Corpus.from_files(path), threads=2)
    counts = dict(zip(vectors.words, vectors.counts.tolist(), strict=True))
    expected = dict.fromkeys((word for line in lines for word in line.split()), 1)
    assert counts == expected | (dict.fromkeys(["short", "line"], short) if short else {})


@BY_EPOCH
@pytest.mark.parametrize("threads", [1, 3])
def test_the_loss_is_a_mean_of_each_epoch(hospital_sentences, trainer, threads):
    """Elsewhere a sum that stands still at 134,217,728, loses what threads add, or is 0.0 for n-grams."""
    still = dataclasses.replace(trainer, learning_rate=1e-30, epochs=3)
    coins = 6 * math.log(2)  # a word and five noise words, each guessed
    assert still.train(hospital_sentences, threads=threads).history == pytest.approx([coins] * 3)
    losses = trainer.train(hospital_sentences, threads=threads).history
    assert coins > losses[0] > losses[1] > 0


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_line_of_a_file_is_read_once(hospital_sentences, threads, end, tmp_path):
    """Elsewhere threads that share a file train some lines twice and others never."""
    path = tmp_path / "notes.txt"
    path.write_bytes(end.join(hospital_sentences).encode())
    words = Counter(word for sentence in hospital_sentences for word in sentence.split())
    near = Counter(
        pair for sentence in map(str.split, hospital_sentences) for pair in itertools.pairwise(sentence)
    )
    for trainer in (WORD2VEC, FASTTEXT):
        vectors = trainer.train(tg.Corpus.from_files(path), threads=threads)
        assert dict(zip(vectors.words, vectors.counts.tolist(), strict=True)) == words
    counter = dataclasses.replace(GLOVE, window=1, symmetric=False)
    table = counter.cooccurrence(tg.Corpus.from_files(path), threads=threads)
    # The focus follows its context where only words on the left count.
    cells = zip(table.context.tolist(), table.focus.tolist(), table.weight.tolist(), strict=True)
    assert {(table.words[left], table.words[right]): weight for left, right, weight in cells} == near


def test_the_order_of_documents_does_not_make_vectors_useless(hospital_sentences, hospital_groups):
    """Elsewhere counts that were not shuffled give neighbors of any kind."""
    for documents in (hospital_sentences, sorted(hospital_sentences)):
        vectors = tg.GloVe().train(documents)
        wrong = [
            (word, neighbor)
            for group in hospital_groups.values()
            for word in group
            for neighbor, _ in vectors.most_similar(word, n=4)
            if neighbor not in group
        ]
        assert len(wrong) <= 6  # of 128


@LOOPS
@pytest.mark.parametrize("changes", [{}, TREE], ids=["noise", "tree"])
def test_settings_that_leave_nothing_to_learn_from(trainer, changes):
    """Elsewhere ``hs=0, negative=0`` trains nothing and says nothing, and ``window=0`` never returns."""
    names = ["window", "epochs", "vector_size"]
    # Turns in a tree need no noise.
    for name in names if changes == TREE else [*names, "negative"]:
        with pytest.raises(ParameterError, match=f"`{name}` must be at least 1, got 0"):
            dataclasses.replace(trainer, **changes, **{name: 0}).train(["a b"])


@pytest.mark.parametrize(
    "trainer",
    [*(dataclasses.replace(loop, deterministic=True) for loop in (WORD2VEC, FASTTEXT)), GLOVE],
    ids=name_of,
)
def test_one_seed_gives_the_same_bytes_whatever_the_threads(hospital_sentences, trainer, tmp_path):
    """Elsewhere a seed means nothing with threads, and not much without ``PYTHONHASHSEED``."""
    program = (
        "import sys, textgrain as tg\n"
        "trainer, corpus = tg.{trainer!r}, tg.Corpus.from_files('notes.txt')\n"
        "trainer.train(corpus, threads={threads}).save('{threads}.safetensors')\n"
    )
    (tmp_path / "notes.txt").write_text("\n".join(hospital_sentences[:1000]), encoding="utf-8")
    for threads in (1, 2, 3, 4):
        run(program.format(trainer=trainer, threads=threads), tmp_path, PYTHONHASHSEED=str(threads))
    assert len({path.read_bytes() for path in tmp_path.glob("*.safetensors")}) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@EACH
def test_training_in_a_process_that_was_forked(trainer, tmp_path):
    """Elsewhere the child waits for threads that only its parent has."""
    program = f"""if True:
        import os, warnings, textgrain as tg
        # Python itself warns of any fork beside threads from 3.12 on.
        warnings.simplefilter("ignore", DeprecationWarning)
        trainer, notes = tg.{trainer!r}, ["fever and cough", "cough and headache"] * 500
        trainer.train(notes, threads=4)
        child = os.fork()
        vectors = trainer.train(notes, threads=4)
        if child == 0:
            os._exit(len(vectors))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run(program, tmp_path).split() == ["4"]


@EACH
def test_an_error_in_the_corpus_ends_all_threads(trainer):
    """Elsewhere the main thread waits for a worker that is gone."""

    def documents():
        yield from ["fever and cough"] * 5_000
        raise ConnectionError

    with pytest.raises(ConnectionError):
        trainer.train(documents(), threads=4)
    with pytest.raises(TypeError, match="documents must be str, got NoneType for document 5000"):
        trainer.train(["fever and cough"] * 5_000 + [None], threads=4)


@EACH
def test_a_generator_is_read_once_and_gives_what_a_list_gives(hospital_sentences, trainer):
    """Elsewhere the vocabulary takes it all, and nothing is left to train on."""
    generator = (sentence for sentence in hospital_sentences)
    assert trainer.train(generator, threads=1) == trainer.train(hospital_sentences, threads=1)
    with pytest.raises(CorpusError, match="can be passed over only once, so this one was probably used up"):
        trainer.train(generator)
    with pytest.raises(CorpusError, match="Pass a list, or make the iterator anew"):
        trainer.train(tg.Corpus.from_iterable(generator))


@EACH
@pytest.mark.parametrize(
    ("corpus", "error", "message"),
    [
        ([], CorpusError, "the corpus holds no words"),
        (["", " \n"], CorpusError, "the corpus holds no words"),
        (["a b", "c d"], CorpusError, "the largest useful min_count is 1"),
        (["word"] * 200, CorpusError, "the corpus holds one distinct word"),
        ({"fever": 3, "cough": 4}, CorpusError, "no order, so no word has a context"),
        ("hello world", TypeError, "a single string is not a corpus"),
        ([["fever", "cough"]], TypeError, "documents must be str, got list"),
        (["fever", 1], TypeError, "documents must be str, got int for document 1"),
    ],
    ids=["empty", "blank", "rare", "one word", "counts", "a string", "lists", "numbers"],
)
def test_nothing_to_train_on(trainer, corpus, error, message):
    """Elsewhere an abort, a run without end for one word, or a vocabulary of h, e, l and o."""
    with pytest.raises(error, match=message):
        dataclasses.replace(trainer, min_count=5).train(corpus)


@LOOPS
def test_empty_documents_among_good_ones(trainer):
    notes = ["fever and cough", "cough and headache"] * 5
    mixed = [document for note in notes for document in ("", note, "  ")]
    assert trainer.train(mixed, threads=1) == trainer.train(notes, threads=1)


@LOOPS
def test_each_call_of_train_is_a_run_of_its_own(hospital_sentences, trainer):
    """Elsewhere ``train`` in a loop lets the learning rate jump up again, or fall below zero."""
    rates = []

    def keep(epoch):
        rates.append(epoch.learning_rate)

    runs = [trainer.train(hospital_sentences, threads=1, on_epoch=keep) for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]
    assert rates[:2] == rates[2:4] == rates[4:]
    assert rates[0] > rates[1] > 0

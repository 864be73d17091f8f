"""Odd settings are refused with a message, whatever they are; they never end the process or get stuck.

Each trainer and setting is tried in a process of its own, because a failed allocation cannot be caught.
"""

import subprocess
import sys

import pytest

PROGRAM = """
import dataclasses, math, sys, warnings
import textgrain as tg

warnings.simplefilter("ignore")
trainer, name = {trainer}, {name!r}
values = [
    -1, 0, 1, 2**31, 2**32, 2**40, 2**62, 2**63, 2**64, 2**70, -2**63, -2**70,
    0.0, -0.0, 0.5, 1.5, -1.5, 1e-320, 1e308, math.nan, math.inf, -math.inf,
    None, True, False, "", "nonsense", "1", b"bytes", "\\ud800", "\\0", "\\U0001f600" * 1000,
    [], [1], ["", ""], ["a", "a"], [None], {{}}, object(),
]
documents = ["the patient had a fever", "the nurse saw the patient at the ward"] * 30
allowed = (tg.exceptions.TextgrainError, TypeError, OverflowError, ValueError)
for value in values:
    try:
        changed = dataclasses.replace(trainer, **{{name: value}})
        artifact = changed.train(documents, threads=2)
    except allowed as error:
        message = str(error)
        assert not isinstance(error, tg.exceptions.InternalError), f"{{value!r}}: {{message}}"
        assert message, f"{{value!r}}: {{type(error).__name__}} without a message"
        if isinstance(error, tg.exceptions.ParameterError):
            assert error.name, f"{{value!r}}: the error does not name the setting: {{message}}"
            assert name in message or error.name in message, f"{{value!r}}: {{message}}"
    else:
        if isinstance(value, float) and not math.isfinite(value):
            raise SystemExit(f"{name}={{value!r}} was accepted")
        if isinstance(artifact, tg.WordVectors):
            import numpy
            assert numpy.isfinite(artifact.matrix).all(), f"{name}={{value!r}} diverged"
"""

BPE = "tg.BPE(merges=5, split='words', symbols='characters', unknown_token='<unk>')"
SIZED = "tg.BPE(vocab_size=300)"
WORD2VEC = "tg.Word2Vec(vector_size=5, epochs=1, min_count=1)"
SETTINGS = {
    BPE: ["merges", "split", "symbols", "end_of_word", "space_prefix", "tie_break"],
    SIZED: ["vocab_size", "min_frequency", "special_tokens", "unknown_token"],
    "tg.WordLevel()": ["vocab_size", "split", "min_frequency", "special_tokens", "unknown_token"],
    "tg.CharLevel()": ["vocab_size", "min_frequency", "special_tokens", "unknown_token"],
    WORD2VEC: [
        "vector_size",
        "window",
        "min_count",
        "max_vocab",
        "negative",
        "ns_exponent",
        "subsample",
        "shrink_window",
        "epochs",
        "learning_rate",
        "min_learning_rate",
        "held_out",
        "patience",
        "seed",
        "split",
        "lowercase",
    ],
    "tg.GloVe(vector_size=5, epochs=1, min_count=1)": [
        "vector_size",
        "window",
        "min_count",
        "max_vocab",
        "x_max",
        "alpha",
        "epochs",
        "learning_rate",
        "symmetric",
        "optimizer",
        "distance_weighting",
        "held_out",
        "patience",
        "seed",
        "split",
        "lowercase",
    ],
}
CASES = [
    pytest.param(trainer, name, id=f"{trainer[3:].partition('(')[0]}-{name}")
    for trainer, names in SETTINGS.items()
    for name in names
]
# A corpus of a few words can be read for an hour if one asks for it.
LONG = {"epochs"}


def run(program, folder):
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(("trainer", "name"), CASES)
def test_any_value_of_a_setting(trainer, name, tmp_path):
    program = PROGRAM.format(trainer=trainer, name=name)
    if name in LONG:
        program = program.replace("2**31, 2**32, 2**40, 2**62, 2**63,", "").replace("2**64, 2**70, ", "")
    run(program, tmp_path)


OTHER = {
    "threads": "tg.BPE(merges=1).train(['a b'], threads=value)",
    "encode_batch threads": "tg.BPE(merges=1).train(['a b']).encode_batch(['a'] * 9, threads=value)",
    "rows of a table": "tg.EmbeddingTable(value, 3)",
    "width of a table": "tg.EmbeddingTable(3, value)",
    "seed of a table": "tg.EmbeddingTable(3, 3, seed=value)",
    "parameter count": "tg.parameter_count(value, value)",
    "width of a comparison": "tg.BPE(merges=1).train(['a b']).compare_cuts('a', width=value)",
    "number of neighbors": "vectors.most_similar('the', n=value)",
    "dimensions": "vectors.project(['the', 'nurse', 'ward'], dimensions=value)",
    "a word": "vectors[value]",
    "a neighbor": "vectors.most_similar(value)",
    "an id": "tg.BPE(merges=1).train(['a b']).decode([value])",
    "a token": "tg.BPE(merges=1).train(['a b']).token_to_id(value)",
    "a corpus": "tg.BPE(merges=1).train(value)",
    "a path": "tg.Corpus.from_files(value)",
    "a place to write": "vectors.save(value)",
    "documents by number": "corpus.take([value])",
    "words of a text": "tg.cut_words(value)",
    "documents": "vectors.document_vectors(value)",
    "words of a document": "vectors.document_vectors([[value]])",
    "weights of words": "vectors.document_vectors(corpus, weighting='sif', smoothing=value)",
    "directions removed": "vectors.document_vectors(corpus, remove=value)",
    "directions": "vectors.document_vectors(corpus, components=value)",
    "a document": "vectors.document_vectors([['the'], ['nurse']]).most_similar(value)",
    "number of documents": "vectors.document_vectors([['the'], ['nurse']]).most_similar(0, n=value)",
}


@pytest.mark.parametrize("name", OTHER)
def test_any_value_of_an_argument(name, tmp_path):
    head, _, _ = PROGRAM.format(trainer=WORD2VEC, name="seed").partition("for value in values")
    program = f"""{head}
import numpy
vectors, corpus = trainer.train(documents), tg.Corpus.from_iterable(documents)
allowed = (*allowed, KeyError, OSError, MemoryError)
values.remove(1)  # the descriptor of standard output, where a path is asked for
for value in [value for value in values if not isinstance(value, bool)]:
    try:
        {OTHER[name]}
    except allowed as error:
        assert not isinstance(error, tg.exceptions.InternalError), f"{{value!r}}: {{error}}"
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=100, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-2000:]

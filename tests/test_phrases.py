"""Phrases: found, joined, kept, and learned from."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import CorpusError, FormatError, ParameterError
from textgrain.reference import phrases as reference

NOTES = ["blood pressure is high", "high blood pressure again", "no blood was seen", "new york times"] * 5


def as_dict(table):
    return {(phrase.first, phrase.second): phrase.score for phrase in table}


@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=12), min_size=1, max_size=8),
    st.sampled_from(["npmi", "pmi", "word2vec"]),
    st.integers(1, 3),
    st.floats(-1, 0.9),
)
@settings(max_examples=60, deadline=None)
def test_scores_and_cuts_are_those_of_the_twin(texts, scoring, min_count, threshold):
    documents = [" ".join(text) for text in texts]
    finder = tg.Phrases(min_count=min_count, scoring=scoring, threshold=threshold, split="whitespace")
    if not any(texts):
        with pytest.raises(CorpusError, match="no words"):
            finder.train(documents)
        return
    table = finder.train(documents, threads=2)
    scores = reference.scores(texts, scoring=scoring, min_count=min_count)
    # At the threshold itself rounding may decide.
    sure = {pair: score for pair, score in scores.items() if abs(score - threshold) > 1e-9}
    found = as_dict(table)
    assert {pair: found.get(pair) for pair in sure} == {
        pair: pytest.approx(score) if score > threshold else None for pair, score in sure.items()
    }
    assert [phrase.score for phrase in table] == sorted(found.values(), reverse=True)
    for text, document in zip(texts, documents, strict=True):
        assert table.cut(document) == reference.join(text, set(found))


@pytest.mark.peer
@pytest.mark.shared
def test_scores_are_those_of_gensim(shared_data):
    models = pytest.importorskip("gensim.models.phrases")
    import gzip

    with gzip.open(shared_data / "data/corpora/en_1m.txt.gz", "rt", encoding="utf-8") as file:
        texts = [line.lower().split() for line in file]
    words = {word for text in texts for word in text}
    documents = [" ".join(text) for text in texts]
    for scoring, name, threshold in [("npmi", "npmi", 0.4), ("word2vec", "default", 1e-6)]:
        theirs = models.Phrases(texts, min_count=5, threshold=threshold, scoring=name)
        ours = as_dict(
            tg.Phrases(min_count=5, threshold=threshold, scoring=scoring, split="whitespace").train(documents)
        )
        # The default of gensim multiplies by the number of distinct words and pairs, not of all words.
        unit = 1 if scoring == "npmi" else theirs.corpus_word_count / len(theirs.vocab)
        # It keeps words and pairs in one table, so that the word "a_b" counts as the pair of "a" and "b".
        scores = {pair: score for pair, score in theirs.export_phrases().items() if pair not in words}
        expected = {tuple(pair.split("_")): unit * score for pair, score in scores.items()}
        expected = {pair: score for pair, score in expected.items() if len(pair) == 2 and score > threshold}
        found = {pair: ours[pair] for pair in expected if pair in ours}
        assert len(found) == len(expected) > 100
        assert found == pytest.approx(expected, rel=1e-6)


def test_phrases_of_phrases():
    pairs = tg.Phrases(threshold=0.3).train(NOTES)
    assert ("new", "york") in as_dict(pairs)
    triples = tg.Phrases(threshold=0.3, split=pairs).train(NOTES)
    assert triples.cut("The new york times") == ["The", "new_york_times"]
    assert pairs.cut("The new york times")[1] in ("new_york", "new")


@pytest.mark.parametrize("trainer", [tg.Word2Vec, tg.FastText, tg.GloVe])
def test_vectors_of_phrases(trainer):
    table = tg.Phrases(threshold=0.3).train(NOTES)
    wanted = {word for note in NOTES for word in table.cut(note)}
    auto = {} if trainer is tg.GloVe else {"subsample": 0, "shrink_window": False}
    vectors = trainer(split=table, vector_size=4, epochs=1, **auto).train(NOTES, threads=1)
    assert set(vectors.words) == wanted
    assert any("_" in word for word in wanted)


def test_a_table_is_kept(tmp_path):
    pairs = tg.Phrases(threshold=0.3, lowercase=True, delimiter=" ").train(NOTES)
    table = tg.Phrases(threshold=0.3, split=pairs, lowercase=True, delimiter=" ").train(NOTES)
    table.save(tmp_path / "phrases.json")
    for other in (tg.PhraseTable.load(tmp_path / "phrases.json"), pickle.loads(pickle.dumps(table))):
        assert other == table
        assert hash(other) == hash(table)
        assert other.cut("The NEW York TIMES") == ["the", "new york times"]
    assert repr(pairs) == f"<PhraseTable of {len(pairs)} phrases>"
    assert pairs != table
    assert pairs.settings["threshold"] == 0.3
    assert next(iter(pairs)) == pairs[0]


@pytest.mark.parametrize("scoring", ["npmi", "pmi", "word2vec"])
def test_the_number_of_threads_changes_nothing(scoring):
    finder = tg.Phrases(min_count=1, scoring=scoring, threshold=0.1)
    notes = [f"{note} {place % 7}" for place, note in enumerate(NOTES * 50)]
    assert finder.train(notes, threads=1) == finder.train(notes, threads=3)


@pytest.mark.parametrize(
    ("name", "value"),
    [("min_count", 0), ("threshold", 1.0), ("threshold", "high"), ("scoring", "default"), ("split", "gpt4")],
)
def test_settings_out_of_range_are_refused_by_name(name, value):
    with pytest.raises(ParameterError, match=rf"^`{name}` must be") as caught:
        tg.Phrases(**{name: value}).train(NOTES)
    assert caught.value.name == name


def test_what_is_no_table_is_refused(tmp_path):
    path = tmp_path / "phrases.json"
    tg.Phrases(threshold=0.3).train(NOTES).save(path)
    good = json.loads(path.read_text())
    changes = [
        ({"format": "other"}, 'the key "format"'),
        ({"version": 9}, "Install a newer textgrain"),
        ({"split": 3}, "how words were cut"),
        ({"settings": {}}, '"delimiter" and "lowercase"'),
        ({"phrases": [["a", "b", -1, 0.5]]}, "phrase 0 is not two words"),
        ({"phrases": [["a", "b", True, 0.5]]}, "phrase 0 is not two words"),
        ({"phrases": "none"}, "phrase 0 is not two words"),
    ]
    for change, message in changes:
        path.write_text(json.dumps(good | change))
        with pytest.raises(FormatError, match=message):
            tg.PhraseTable.load(path)
    for text in ("", "[]", "[" * 100_000):
        path.write_text(text)
        with pytest.raises(FormatError):
            tg.PhraseTable.load(path)

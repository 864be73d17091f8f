"""The engine's skip-gram learns what the readable twin learns."""

import numpy as np
import pytest

import textgrain as tg
from textgrain.reference.similarity import cosine, euclidean, nearest


@pytest.fixture(scope="module")
def documents(hospital_corpus):
    return [" ".join(sentence) for sentence in hospital_corpus]


def trainer(seeds, **changes):
    settings = seeds["hospital_word2vec"]["settings"]
    names = ("vector_size", "window", "negative", "learning_rate", "epochs")
    chosen = {name: settings[name] for name in names} | {
        "min_learning_rate": settings["learning_rate"],
        "min_count": 1,
        "subsample": 0,
        "shrink_window": False,
        "split": "whitespace",
    }
    return tg.Word2Vec(**(chosen | changes))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_only_words_of_the_same_group_are_near(seeds, documents, hospital_groups, seed, threads):
    vectors = trainer(seeds, seed=seed).train(documents, threads=threads)
    for members in hospital_groups.values():
        for word in members:
            assert {neighbor for neighbor, _ in vectors.most_similar(word, n=4)} <= set(members)


@pytest.mark.parametrize("seed", range(4))
def test_the_default_settings_find_the_groups_too(documents, hospital_groups, seed):
    with pytest.warns(tg.exceptions.SmallCorpusNotice):
        vectors = tg.Word2Vec(seed=seed).train(documents, threads=1)
    for members in hospital_groups.values():
        for word in members:
            assert {neighbor for neighbor, _ in vectors.most_similar(word, n=4)} <= set(members)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_engine_and_the_twin_answer_alike(seeds, documents, threads):
    """Neighbors, similarities and distances of the artifact are those of plain NumPy on its matrix."""
    vectors = trainer(seeds, seed=3).train(documents, threads=threads)
    matrix = vectors.matrix.astype(np.float64)
    for row, word in enumerate(vectors.words):
        assert [neighbor for neighbor, _ in vectors.most_similar(word, n=6)] == nearest(
            matrix[row], vectors.words, matrix, 6, without=[word]
        )
        other = vectors.words[-1 - row]
        other_row = matrix[len(matrix) - 1 - row]
        assert vectors.similarity(word, other) == pytest.approx(cosine(matrix[row], other_row), abs=1e-5)
        assert vectors.distance(word, other) == pytest.approx(
            euclidean(matrix[row], other_row), rel=1e-5, abs=1e-6
        )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_that_of_the_lesson(seeds, documents, seed, threads):
    """Under its rules, and lower where a noise word may not be the very word that is to be predicted."""
    expected = seeds["hospital_word2vec"]["mean_loss_per_epoch"][-1]
    same_rules = trainer(seeds, seed=seed, negative_may_equal_target=True)
    assert losses(same_rules.train(documents, threads=threads))[-1] == pytest.approx(expected, abs=0.05)
    assert losses(trainer(seeds, seed=seed).train(documents, threads=threads))[-1] < expected - 0.05


def losses(vectors):
    return list(vectors.history)


def test_words_and_counts(seeds, documents, hospital_corpus):
    vectors = trainer(seeds).train(documents, threads=1)
    flat = [word for sentence in hospital_corpus for word in sentence]
    counts = {word: flat.count(word) for word in dict.fromkeys(flat)}
    ordered = sorted(counts, key=lambda word: -counts[word])
    assert vectors.words == ordered
    assert list(vectors.counts) == [counts[word] for word in ordered]

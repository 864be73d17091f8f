"""The skip-gram twin gives the printed digits of the lesson, and its derivatives are right."""

import numpy as np
import pytest

from textgrain.reference import word2vec
from textgrain.reference.gradient_check import numerical_gradient
from textgrain.reference.negative_sampling import gradients, noise
from textgrain.reference.similarity import cosine, nearest


@pytest.fixture(scope="module")
def trained(seeds, hospital_corpus):
    settings = seeds["hospital_word2vec"]["settings"]
    names = ("vector_size", "window", "negative", "learning_rate", "epochs", "batch", "seed")
    return word2vec.Word2Vec(**{name: settings[name] for name in names}).train(hospital_corpus)


def test_the_corpus(seeds, hospital_corpus):
    golden = seeds["hospital_corpus"]
    assert len(hospital_corpus) == golden["sentences"]
    assert " ".join(hospital_corpus[0]) == golden["first"]
    assert len({word for sentence in hospital_corpus for word in sentence}) == golden["words"]
    assert sum(map(len, hospital_corpus)) == golden["tokens"]
    assert (
        sum(len(word2vec.pairs_in_window(sentence, 2)) for sentence in hospital_corpus)
        == golden["pairs_window_2"]
    )


def test_losses_to_the_printed_digits(seeds, trained):
    assert [round(loss, 3) for loss in trained.losses] == seeds["hospital_word2vec"]["mean_loss_per_epoch"]


def test_neighbors(seeds, trained):
    words = list(trained.words)
    for word, neighbors in seeds["hospital_word2vec"]["neighbors"].items():
        row = trained.focus[trained.words[word]]
        assert nearest(row, words, trained.focus, 4, without=[word]) == neighbors


def test_cosines_to_the_printed_digits(seeds, trained):
    for left, right, expected in seeds["hospital_word2vec"]["cosines"]:
        rows = trained.focus[trained.words[left]], trained.focus[trained.words[right]]
        assert round(cosine(*rows), 3) == expected


def test_the_nearest_words_are_of_the_same_group(trained, hospital_groups):
    words = list(trained.words)
    for members in hospital_groups.values():
        for word in members:
            row = trained.focus[trained.words[word]]
            assert set(nearest(row, words, trained.focus, 4, without=[word])) <= set(members)


def test_the_first_loss_is_that_of_six_coins():
    trained = word2vec.Word2Vec(epochs=1, batch=1000, learning_rate=1e-9).train([["a", "b", "c"]] * 20)
    assert trained.losses[0] == pytest.approx(6 * np.log(2))


def test_the_same_seed_gives_the_same_rows():
    sentences = [["a", "b", "c", "d"]] * 10
    first, second = (word2vec.Word2Vec(epochs=2, seed=3).train(sentences) for _ in range(2))
    np.testing.assert_array_equal(first.focus, second.focus)
    np.testing.assert_array_equal(first.context, second.context)


@pytest.mark.parametrize("negatives", [0, 1, 5])
def test_derivatives_equal_numerical_differences(negatives):
    random = np.random.default_rng(negatives)
    focus = random.normal(0, 0.7, (3, 4))
    contexts = random.normal(0, 0.7, (3, 1 + negatives, 4))
    exact = gradients(focus, contexts)
    by_focus = numerical_gradient(lambda rows: gradients(rows, contexts).loss.sum(), focus)
    by_contexts = numerical_gradient(lambda rows: gradients(focus, rows).loss.sum(), contexts)
    np.testing.assert_allclose(exact.focus, by_focus, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(exact.contexts, by_contexts, rtol=1e-8, atol=1e-9)


def test_a_step_adds_up_rows_that_occur_twice():
    trainer = word2vec.Word2Vec(vector_size=3, learning_rate=0.1)
    random = np.random.default_rng(0)
    focus, context = random.normal(size=(4, 3)), random.normal(size=(4, 3))
    rows, columns = np.array([1, 1]), np.array([[0, 2, 2], [0, 3, 0]])

    def loss(flat):
        tables = flat.reshape(2, 4, 3)
        return float(gradients(tables[0][rows], tables[1][columns]).loss.sum())

    before = np.stack([focus, context]).ravel()
    expected = before - 0.1 * numerical_gradient(loss, before)
    assert trainer.step(focus, context, rows, columns) == pytest.approx(loss(before))
    np.testing.assert_allclose(np.stack([focus, context]).ravel(), expected, atol=1e-8)


def test_noise_is_a_distribution():
    likely = noise([1, 16, 81, 0])
    np.testing.assert_allclose(likely, np.array([1, 8, 27, 0]) / 36)

"""The engine counts and fits what the readable twin counts and fits."""

import random

import numpy as np
import pytest

import textgrain as tg
from textgrain.reference import glove


def table(counted):
    """Cells by words, of the engine."""
    words = counted.words
    cells = zip(counted.focus.tolist(), counted.context.tolist(), counted.weight.tolist(), strict=True)
    return {(words[focus], words[context]): weight for focus, context, weight in cells}


def table_of_twin(documents, window):
    words, cells = glove.cooccurrence(documents, window)
    names = list(words)
    return {(names[focus], names[context]): weight for (focus, context), weight in cells.items()}


@pytest.mark.parametrize("threads", [1, 2])
def test_counts_of_the_lesson(seeds, hospital_sentences, threads):
    golden = seeds["glove"]["on_hospital_corpus"]
    trainer = tg.GloVe(window=seeds["glove"]["settings"]["window"], min_count=1)
    counted = trainer.cooccurrence(hospital_sentences, threads=threads)
    assert len(counted.words) == golden["words"]
    assert len(counted.weight) == golden["nonzero_pairs"]
    assert round(counted.weight.sum(), 1) == golden["total_weight"]
    heaviest = counted.weight.argmax()
    left, right = counted.words[counted.focus[heaviest]], counted.words[counted.context[heaviest]]
    assert [left, right, round(counted.weight[heaviest], 3)] == golden["heaviest"]


@pytest.mark.parametrize("seed", range(12))
def test_counts_of_random_corpora(seed):
    generator = random.Random(seed)
    window = generator.choice([1, 2, 5, 15, 22, 23, 60])
    size = generator.choice([3, 40, 900])
    documents = [
        [f"w{int(size * generator.random() ** 3)}" for _ in range(generator.randrange(200))]
        for _ in range(60)
    ]
    expected = table_of_twin(documents, window)
    trainer = tg.GloVe(window=window, min_count=1, split="whitespace")
    for threads in (1, 2):
        found = table(trainer.cooccurrence([" ".join(words) for words in documents], threads=threads))
        assert found.keys() == expected.keys()
        cells = list(expected)
        np.testing.assert_allclose(
            [found[cell] for cell in cells], [expected[cell] for cell in cells], rtol=1e-8
        )


def test_left_only_is_one_of_both_sides(hospital_sentences):
    both = table(tg.GloVe().cooccurrence(hospital_sentences))
    left = table(tg.GloVe(symmetric=False).cooccurrence(hospital_sentences))
    for focus, context in both:
        sum_of_sides = left.get((focus, context), 0.0) + left.get((context, focus), 0.0)
        assert both[focus, context] == pytest.approx(sum_of_sides, rel=1e-12)


def test_each_cell_lists_its_context_on_the_left():
    counted = tg.GloVe(window=2, min_count=1, symmetric=False, distance_weighting=False).cooccurrence(
        ["a b c", "b c"]
    )
    assert table(counted) == {("b", "a"): 1.0, ("c", "a"): 1.0, ("c", "b"): 2.0}


@pytest.mark.parametrize("seed", range(3))
def test_the_losses_of_plain_steps_are_those_of_the_lesson(seeds, hospital_sentences, seed):
    """Another random start and another order than the twin's: alike, not equal."""
    settings = seeds["glove"]["settings"]
    golden = seeds["glove"]["on_hospital_corpus"]
    names = ("window", "x_max", "alpha", "learning_rate")
    trainer = tg.GloVe(
        vector_size=16, min_count=1, optimizer="sgd", seed=seed, **{name: settings[name] for name in names}
    )
    vectors = trainer.train(hospital_sentences)
    # The lesson states sums over all cells, `history` holds means.
    sums = [loss * golden["nonzero_pairs"] for loss in vectors.history]
    expected = golden["weighted_squared_loss"]
    assert sums[0] == pytest.approx(expected["1"], rel=0.1)
    assert sums[1] == pytest.approx(expected["2"], rel=0.15)
    assert sums[24] == pytest.approx(expected["25"], rel=0.3)


@pytest.mark.parametrize("seed", range(5))
def test_the_groups_come_out_together(hospital_sentences, hospital_groups, seed):
    """Of 128 neighbors at most 4 are of another group; with the twin and its settings it is about 18."""
    vectors = tg.GloVe(seed=seed).train(hospital_sentences)
    wrong = [
        (word, neighbor)
        for group in hospital_groups.values()
        for word in group
        for neighbor, _ in vectors.most_similar(word, n=4)
        if neighbor not in group
    ]
    assert len(wrong) <= 4, wrong

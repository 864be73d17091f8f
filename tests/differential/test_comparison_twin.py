"""Rotations, translation scores and association tests against their readable twins."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain import alignment
from textgrain.reference import comparison as twin

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, rows=st.integers(3, 30), size=st.integers(1, 8))
@settings(max_examples=30, deadline=None)
def test_rotations(seed, rows, size):
    random = np.random.default_rng(seed)
    source, target = random.normal(size=(2, rows, size))
    ours = alignment.procrustes(source, target)
    assert ours @ ours.T == pytest.approx(np.eye(size), abs=1e-8)
    fit = np.linalg.norm(source @ ours - target)
    assert fit == pytest.approx(np.linalg.norm(source @ twin.procrustes(source, target) - target))
    # No other rotation comes nearer.
    other = np.linalg.qr(random.normal(size=(size, size)))[0]
    assert fit <= np.linalg.norm(source @ other - target) + 1e-9


@given(seed=seeds, k=st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_translation_scores(seed, k):
    points = np.random.default_rng(seed).normal(size=(2, 15, 4))
    names = [f"w{row}" for row in range(15)]
    source, target = (tg.WordVectors.from_mapping(dict(zip(names, rows, strict=True))) for rows in points)
    found = tg.align(source, target, center=False)
    expected = twin.csls(found.apply(names), target.matrix.astype(float), k=min(k, 15))
    for row, answer in enumerate(found.translate_batch(names, n=15, neighbors=k)):
        scores = dict(answer)
        assert [scores[name] for name in names] == pytest.approx(expected[row], abs=1e-6)


@given(seed=seeds, sizes=st.tuples(*[st.integers(2, 4)] * 2, *[st.integers(1, 4)] * 2))
@settings(max_examples=30, deadline=None)
def test_associations(seed, sizes):
    total = sum(sizes)
    points = np.random.default_rng(seed).normal(size=(total, 5)).astype(np.float32)
    names = [f"w{row}" for row in range(total)]
    ends = list(itertools.accumulate(sizes, initial=0))
    sets = [names[start:end] for start, end in itertools.pairwise(ends)]
    vectors = tg.WordVectors.from_mapping(dict(zip(names, points, strict=True)))
    test = tg.association_test(vectors, *sets)
    rows = [[vectors[word].astype(float) for word in words] for words in sets]
    first, second = ([twin.association(word, rows[2], rows[3]) for word in rows[side]] for side in (0, 1))
    assert list(test.associations.values()) == pytest.approx([*first, *second], abs=1e-6)
    assert test.effect_size == pytest.approx(twin.effect_size(first, second), abs=1e-5)
    assert test.p_value == pytest.approx(twin.p_value(first, second), abs=1e-9)

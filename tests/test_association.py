"""Association tests and axes."""

import json

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError, UnknownWordError


@pytest.fixture
def vectors():
    return tg.WordVectors.from_mapping(
        {
            "rose": [1, 0.2], "lily": [1, 0.1], "tulip": [2, 0.7], "wasp": [0.1, 1], "gnat": [0.3, 1],
            "moth": [0.4, 0.9], "good": [1, 0], "fine": [3, 0.2], "bad": [0, 1], "foul": [0.1, 2],
        }
    )  # fmt: skip


FLOWERS, INSECTS = ["rose", "lily", "tulip"], ["wasp", "gnat", "moth"]


def test_flowers_are_pleasant(vectors):
    test = tg.association_test(vectors, FLOWERS, INSECTS, ["good", "fine"], ["bad", "foul"])
    assert (test.partitions, test.exact) == (20, True)
    assert test.p_value == 1 / 20
    assert 1.5 < test.effect_size < 2
    assert min(test.associations[word] for word in FLOWERS) > max(test.associations[word] for word in INSECTS)
    turned = tg.association_test(vectors, INSECTS, FLOWERS, ["good", "fine"], ["bad", "foul"])
    assert turned.effect_size == pytest.approx(-test.effect_size)
    assert turned.p_value == 1.0
    assert json.loads(json.dumps(test.as_dict()))["exact"]
    assert "p = 0.05 (20 all divisions)" in str(test)


def test_random_divisions_come_near_the_exact_figure(vectors, monkeypatch):
    from textgrain import association

    targets = (["rose", "moth", "tulip"], ["wasp", "lily", "gnat"])
    exact = tg.association_test(vectors, *targets, ["good"], ["bad"])
    monkeypatch.setattr(association, "_ALL_PARTITIONS", 1)
    drawn = tg.association_test(vectors, *targets, ["good"], ["bad"], permutations=4000, seed=3)
    assert (drawn.partitions, drawn.exact) == (4001, False)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.04)
    assert drawn == tg.association_test(vectors, *targets, ["good"], ["bad"], permutations=4000, seed=3)


def test_limits_of_association_tests(vectors):
    good, bad = ["good"], ["bad"]
    with pytest.raises(UnknownWordError, match="'bee'"):
        tg.association_test(vectors, FLOWERS, [*INSECTS, "bee"], good, bad)
    skipped = tg.association_test(vectors, FLOWERS, [*INSECTS, "bee"], good, bad, unknown="skip")
    assert skipped.unknown == ["bee"]
    assert "without a vector: bee" in str(skipped)
    with pytest.raises(ParameterError, match="`second_targets` must share no word"):
        tg.association_test(vectors, FLOWERS, ["rose", "wasp"], good, bad)
    with pytest.raises(ParameterError, match="`first_targets` must hold at least 2 words"):
        tg.association_test(vectors, ["rose"], INSECTS, good, bad)
    with pytest.raises(ParameterError, match="`first_attributes` must hold at least 1"):
        tg.association_test(vectors, FLOWERS, INSECTS, ["x"], bad, unknown="skip")
    with pytest.raises(ParameterError, match="a list of words"):
        tg.association_test(vectors, "rose", INSECTS, good, bad)
    for setting, value in [("unknown", "drop"), ("permutations", 0)]:
        with pytest.raises(ParameterError, match=f"`{setting}` must"):
            tg.association_test(vectors, FLOWERS, INSECTS, good, bad, **{setting: value})


def test_words_on_an_axis(vectors):
    axis = vectors.axis([("bad", "good"), ("foul", "fine")])
    assert axis.agreement > 0.99
    assert np.linalg.norm(axis.direction) == pytest.approx(1)
    places = axis.project([*INSECTS, *FLOWERS, "rose"])
    assert [place.word for place in places] == ["lily", "rose", "tulip", "moth", "gnat", "wasp"]
    assert all(place.low <= place.score <= place.high for place in places)
    unit = vectors["wasp"] / np.linalg.norm(vectors["wasp"])
    assert places[-1].score == pytest.approx(unit @ axis.direction)
    # One pair is always drawn again.
    [alone] = vectors.axis([("bad", "good")]).project(["rose"])
    assert alone.low == alone.score == alone.high
    assert axis.project([]) == []
    for wrong in ([], [("bad", "good"), ("good", "bad")]):
        with pytest.raises(ParameterError, match="`pairs` must"):
            vectors.axis(wrong)
    with pytest.raises(UnknownWordError):
        vectors.axis([("bad", "better")])
    with pytest.raises(ParameterError, match="a list of words"):
        axis.project("rose")

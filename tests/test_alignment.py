"""Two sets of vectors side by side: rotations, translation, change of meaning."""

import numpy as np
import pytest

import textgrain as tg
from textgrain.alignment import procrustes
from textgrain.exceptions import ParameterError, UnknownWordError


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(2).normal(size=(120, 12)).astype(np.float32)


@pytest.fixture(scope="module")
def rotation():
    return np.linalg.qr(np.random.default_rng(3).normal(size=(12, 12)))[0]


def named(points, prefix="w"):
    return tg.WordVectors.from_mapping({f"{prefix}{row}": point for row, point in enumerate(points)})


def test_a_rotation_is_found_again(points, rotation):
    assert procrustes(points, points @ rotation) == pytest.approx(rotation, abs=1e-6)
    alignment = tg.align(named(points), named(points @ rotation), center=False)
    assert alignment.rotation == pytest.approx(rotation, abs=1e-6)
    assert alignment.mean_cosine == pytest.approx(1.0, abs=1e-6)
    assert (len(alignment.pairs), alignment.skipped) == (120, 0)
    assert alignment.apply(["w5"])[0] @ (points[5] @ rotation) == pytest.approx(np.linalg.norm(points[5]))


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("method", ["csls", "cosine"])
def test_words_are_translated(points, rotation, center, method):
    noise = np.random.default_rng(4).normal(scale=0.05, size=points.shape)
    source, target = named(points, "s"), named((points + noise) @ rotation, "t")
    pairs = [(f"s{row}", f"t{row}") for row in range(120)]
    alignment = tg.align(source, target, [*pairs[:60], ("s1", "missing")], center=center)
    assert alignment.skipped == 1
    assert alignment.translate("s99", n=1, method=method)[0][0] == "t99"
    score = alignment.score([*pairs[60:], ("s1", "none")], method=method)
    assert (score.at_1, score.words, score.used, score.total) == (1.0, 60, 60, 61)
    assert score.interval == (1.0, 1.0)
    assert "100.0 % right (95 %: 100.0 to 100.0)" in str(score)
    assert "coverage 98.4 %: 60 of 61 pairs" in str(score)
    mixed = [(f"s{row}", f"t{row + row % 2}") for row in range(60, 118)]
    half = alignment.score(mixed, method=method)
    assert half.interval[0] < half.at_1 == 0.5 < half.interval[1]
    assert half == alignment.score(mixed, method=method)
    both = alignment.score({"s7": "t9"})
    assert both.at_1 == 0.0


def test_hubs_are_kept_from_being_every_answer():
    """One target is near to all sources, nearer than the right one; only the cosine falls for it."""
    random = np.random.default_rng(0)
    sources = np.eye(8)[:6] + 0.9 * np.eye(8)[7] + random.normal(scale=0.01, size=(6, 8))
    targets = np.vstack([np.eye(8)[:6], np.eye(8)[7] + 0.3 * np.eye(8)[:6].mean(axis=0)])
    names = [*"abcdef", "hub"]
    source = tg.WordVectors.from_mapping(dict(zip("abcdef", sources, strict=True)))
    target = tg.WordVectors.from_mapping(dict(zip(names, targets, strict=True)))
    stays = tg.Alignment(
        source=source, target=target, rotation=np.eye(8), pairs=[], skipped=0, mean_cosine=0.0, center=False,
        _means=(np.zeros(8), np.zeros(8)),
    )  # fmt: skip
    right = {word: word for word in "abcdef"}
    assert stays.score(right, method="csls").at_1 > stays.score(right, method="cosine").at_1 - 1e-9
    assert stays.translate("a", method="csls", neighbors=3)[0][0] == "a"


def test_limits_of_alignment(points):
    vectors = named(points)
    with pytest.raises(ParameterError, match="`target` must have 12 numbers"):
        tg.align(vectors, named(points[:, :5]))
    with pytest.raises(ParameterError, match="at least 3 pairs whose words both have vectors, got 1 of 2"):
        tg.align(vectors, vectors, {"w1": "w1", "x": "y"})
    with pytest.raises(ParameterError, match="at least 3 words that all vectors have"):
        tg.align(vectors, named(points, "other"))
    alignment = tg.align(vectors, vectors)
    with pytest.raises(UnknownWordError):
        alignment.translate("zebra")
    for wrong in ({"method": "nearest"}, {"n": -1}, {"restrict": 0}, {"neighbors": 0}):
        with pytest.raises(ParameterError):
            alignment.translate("w1", **wrong)
    assert alignment.translate("w1", n=0) == []
    with pytest.raises(ParameterError, match="at least one pair"):
        alignment.score([("x", "y")])


def test_the_word_that_moved_is_found(points, rotation):
    later = points.copy()
    later[33] = points[77] + 0.1
    change = tg.meaning_change(named(points), named(later @ rotation), rounds=20)
    assert change.words[0] == "w33"
    assert change.change[0] > 0.3 > change.high[1]
    assert (change.low <= change.change).all()
    assert (change.change <= change.high).all()
    assert change.noise is None
    assert change.neighbors[0] > 0.5 > change.neighbors[-1]
    assert next(iter(change.as_dict())) == "w33"
    assert str(change).splitlines()[1].startswith("w33")
    again = tg.meaning_change(named(points), named(later @ rotation), rounds=20)
    assert np.array_equal(again.low, change.low)


def test_several_models_tell_chance_from_change(points, rotation):
    random = np.random.default_rng(8)

    def models(base):
        return [named(base + random.normal(scale=0.1, size=base.shape)) for _ in range(3)]

    later = points.copy()
    later[33] = points[77]
    change = tg.meaning_change(models(points), models(later @ rotation), ["w33", "w1", "w2"], rounds=20)
    assert change.words[0] == "w33"
    assert change.change[0] > 5 * change.noise[0]
    assert change.change[1:] == pytest.approx(change.noise[1:], rel=0.5)
    assert "noise" in change.as_dict()["w33"]
    assert "noise" in str(change)


def test_limits_of_change(points):
    vectors = named(points)
    with pytest.raises(ParameterError, match=r"sizes \[5, 12\]"):
        tg.meaning_change(vectors, named(points[:, :5]))
    with pytest.raises(ParameterError, match="`rounds` must be at least 1"):
        tg.meaning_change(vectors, vectors, rounds=0)
    with pytest.raises(ParameterError, match="at least 3 words"):
        tg.meaning_change(vectors, vectors, anchors=["w1", "w2"])


def test_both_sets_as_they_are_compared():
    random = np.random.default_rng(3)
    points, turn = random.normal(size=(20, 5)), np.linalg.qr(random.normal(size=(5, 5)))[0]
    counts = {f"w{row}": 20 - row for row in range(20)}
    target = tg.WordVectors.from_mapping({f"w{row}": point for row, point in enumerate(points)})
    source = tg.WordVectors.from_mapping(
        {f"w{row}": point for row, point in enumerate(points @ turn)}, counts=counts, ngrams={"<w1": [1] * 5}
    )
    for center in (True, False):
        alignment = tg.align(source, target, center=center)
        left, right = alignment.aligned()
        assert left.matrix == pytest.approx(right.matrix, abs=1e-5)
        assert left.matrix == pytest.approx(alignment.apply(source.words), abs=1e-6)
        assert np.linalg.norm(right.matrix, axis=1) == pytest.approx(np.ones(20), abs=1e-5)
        assert (left.counts.tolist(), left.subwords) == (source.counts.tolist(), None)
        assert left.settings["edits"] == ["aligned"]

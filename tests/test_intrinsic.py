"""What vectors say of themselves."""

import json

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError


def named(points, **settings):
    return tg.WordVectors.from_mapping({f"w{row}": point for row, point in enumerate(points)}, **settings)


def test_an_even_cloud_and_a_narrow_cone():
    random = np.random.default_rng(0)
    even = named(random.normal(size=(2000, 10))).describe()
    cone = named(random.normal(size=(2000, 10)) + 5).describe()
    assert abs(even.mean_cosine) < 0.01
    assert cone.mean_cosine > 0.9
    assert even.effective_dimensions == pytest.approx(10, abs=0.2)
    assert even.isotropy > 0.8 > cone.isotropy
    assert sum(even.first_components) == pytest.approx(1)
    flat = np.zeros((500, 10))
    flat[:, :2] = random.normal(size=(500, 2))
    assert named(flat).describe().effective_dimensions == pytest.approx(2, abs=0.05)


def test_hubs_are_named():
    random = np.random.default_rng(1)
    points = random.normal(size=(300, 30)) + 1.0
    points[17] = points.mean(axis=0)
    report = named(points).describe(neighbors=5)
    assert report.hubs[0][0] == "w17"
    assert report.hubs[0][1] > 100
    assert report.hubness > 2
    assert 0 < report.orphans < 1
    assert "w17" in str(report)
    assert json.loads(json.dumps(report.as_dict()))["neighbors"] == 5


def test_length_and_frequency():
    random = np.random.default_rng(2)
    lengths = np.arange(1, 101)
    points = random.normal(size=(100, 8))
    points *= (lengths / np.linalg.norm(points, axis=1))[:, None]
    counts = {f"w{row}": int(1000 / length) for row, length in enumerate(lengths)}
    assert named(points, counts=counts).describe().norm_and_frequency < -0.9
    # Without counts the order of rows stands for them.
    assert named(points).describe().norm_and_frequency == pytest.approx(-1)
    assert named(points).describe().norms["median"] == pytest.approx(50.5)


def test_zero_vectors_and_limits():
    points = np.random.default_rng(3).normal(size=(50, 4))
    points[:5] = 0
    report = named(points).describe(sample=20, neighbors=100)
    assert (report.zero_vectors, report.sample, report.neighbors) == (5, 20, 19)
    with pytest.raises(ParameterError, match="at least 3 vectors that are not zero, got 2"):
        named([[1, 0], [0, 1], [0, 0]]).describe()
    for setting in ("sample", "neighbors"):
        with pytest.raises(ParameterError, match=f"`{setting}` must be at least 1"):
            named(points).describe(**{setting: 0})


def test_neighbors_in_common():
    random = np.random.default_rng(4)
    points = random.normal(size=(200, 10))
    turn = np.linalg.qr(random.normal(size=(10, 10)))[0]
    first = named(points)
    assert tg.neighbor_overlap(first, named(points @ turn)).mean == 1.0
    changed = points.copy()
    changed[50] = random.normal(size=10)
    overlap = tg.neighbor_overlap(first, named(changed), neighbors=5)
    assert overlap.least[0][0] == "w50"
    assert overlap.interval[0] <= overlap.mean <= overlap.interval[1]
    assert overlap.chance == pytest.approx(5 / 199)
    unrelated = tg.neighbor_overlap(first, named(random.normal(size=(200, 33))))
    assert unrelated.mean == pytest.approx(unrelated.chance, abs=0.03)
    assert tg.neighbor_overlap(first, first, words=["w1", "w2", "w3", "zebra"]).words == 3
    assert "in common" in str(overlap)
    assert "by_word" not in json.loads(json.dumps(overlap.as_dict()))


def test_stability_over_seeds(hospital_sentences):
    models = [
        tg.Word2Vec(vector_size=16, window=2, subsample=0, shrink_window=False, seed=seed).train(
            hospital_sentences, threads=1
        )
        for seed in (1, 2, 3)
    ]
    overlap = tg.stability(models, neighbors=5)
    assert 0.3 < overlap.mean < 1
    with pytest.raises(ParameterError, match="at least 2 sets"):
        tg.stability(models[:1])
    with pytest.raises(ParameterError, match="at least 3 words"):
        tg.stability(models, words=["doctor"])
    with pytest.raises(ParameterError, match="`neighbors` must be at least 1"):
        tg.stability(models, neighbors=0)

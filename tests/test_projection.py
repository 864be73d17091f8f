"""Principal components, and how distances concentrate."""

from __future__ import annotations

import math

import numpy as np
import pytest

import textgrain as tg
from textgrain import projection
from textgrain.exceptions import ParameterError, UnknownWordError
from textgrain.projection import principal_axes, principal_components


def test_components_spread_as_the_covariance_says():
    points = np.random.default_rng(0).normal(size=(50, 6)) * [5, 3, 1, 1, 1, 0.1]
    coordinates, explained = principal_components(points, 6)
    values = np.linalg.eigvalsh(np.cov(points.T))[::-1]
    assert explained == pytest.approx(values / values.sum())
    assert coordinates.var(axis=0, ddof=1) == pytest.approx(values)
    assert coordinates.mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-12)


def test_axes_of_points_in_blocks_are_those_of_all_points():
    points = np.random.default_rng(2).normal(size=(70, 6)) * [5, 3, 1, 1, 1, 0.1] + 2
    coordinates, explained = principal_components(points, 3)
    mean, axes, shares = principal_axes((points[start : start + 16] for start in range(0, 70, 16)), 3)
    assert shares == pytest.approx(explained)
    assert (points - mean) @ axes.T == pytest.approx(coordinates)
    _, axes, shares = principal_axes(iter([points[:2, :2]]), 3)
    assert (axes.shape, shares.shape) == ((3, 2), (3,))
    assert shares == pytest.approx([1, 0, 0])


def test_a_picture_does_not_depend_on_chance(hospital_vectors):
    first = hospital_vectors.project(["doctor", "nurse", "car", "bus"])
    second = hospital_vectors.project(["doctor", "nurse", "car", "bus", "doctor"])
    assert first.words == second.words
    assert np.array_equal(first.coordinates, second.coordinates)
    assert 0 < first.explained.sum() <= 1 + 1e-12


def test_degenerate_points():
    coordinates, explained = principal_components(np.ones((3, 4)), 2)
    assert not coordinates.any()
    assert explained.tolist() == [0, 0]
    coordinates, explained = principal_components([[0.0, 0, 0], [1, 1, 1]], 3)
    assert coordinates.shape == (2, 3)
    assert explained == pytest.approx([1, 0, 0])


def test_groups_lie_together(hospital_vectors, hospital_groups):
    words = [word for group in hospital_groups.values() for word in group]
    projection = hospital_vectors.project(words, dimensions=5)
    places = dict(zip(projection.words, projection.coordinates, strict=True))
    for group in hospital_groups.values():
        center = np.mean([places[word] for word in group], axis=0)
        inside = max(np.linalg.norm(places[word] - center) for word in group)
        outside = min(np.linalg.norm(places[word] - center) for word in words if word not in group)
        assert inside < outside


def test_limits(hospital_vectors):
    assert len(hospital_vectors.project().words) == 66
    with pytest.raises(ParameterError, match="at least 2 different words, got 1"):
        hospital_vectors.project(["car", "car"])
    for dimensions in (0, 17):
        with pytest.raises(ParameterError, match="from 1 to 16"):
            hospital_vectors.project(dimensions=dimensions)
    with pytest.raises(UnknownWordError):
        hospital_vectors.project(["car", "nothing"])


def test_known_concentration(hospital_vectors):
    found = hospital_vectors.distance_concentration()
    known = {2: 91.05, 10: 3.78, 100: 1.5, 1000: 1.15}
    assert {size: round(ratio, 2) for size, ratio in found.random.items()} == known
    assert found.own_dimensions == 16
    assert found.own > found.own_random > 1
    assert "91.05" in str(found)
    assert "these vectors" in str(found)


def test_concentration_limits(hospital_vectors):
    equal = tg.WordVectors.from_mapping({"a": [1, 1], "b": [1, 1], "c": [2, 2]})
    assert equal.distance_concentration(dimensions=[2]).own == math.inf
    with pytest.raises(ParameterError, match="at least 3"):
        hospital_vectors.distance_concentration(points=2)
    with pytest.raises(ParameterError, match="at least 1 each"):
        hospital_vectors.distance_concentration(dimensions=[0])


def test_large_inputs_have_the_axes_of_small_ones(monkeypatch):
    random = np.random.default_rng(0)
    points = random.normal(size=(400, 60)) * 5 * 0.85 ** np.arange(60)
    exact, shares = projection.principal_components(points, 3)
    for narrow in (2048, 1):
        monkeypatch.setattr(projection, "_SMALL", 1)
        monkeypatch.setattr(projection, "_NARROW", narrow)
        found, explained = projection.principal_components(points, 3)
        assert found == pytest.approx(exact, abs=0.05)
        assert explained == pytest.approx(shares, abs=1e-4)
        again, _ = projection.principal_components(points, 3)
        assert np.array_equal(found, again)

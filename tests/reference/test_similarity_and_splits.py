"""Distances, cuts and rows: the printed digits, against the readable twins."""

import sys
import unicodedata

import numpy as np
import pytest

from textgrain.reference import splits
from textgrain.reference.similarity import analogy, cosine, distance_concentration, euclidean, nearest


@pytest.fixture
def points(seeds):
    golden = seeds["distances"]
    named = {name: np.array(golden[name]) for name in ("doctor", "physician", "car")}
    return named | {"3x physician": 3 * named["physician"]}


@pytest.mark.parametrize("measure", [euclidean, cosine])
def test_distances_to_the_printed_digits(seeds, points, measure):
    for names, expected in seeds["distances"][measure.__name__].items():
        left, _, right = names.partition("-")
        assert round(measure(points[left], points[right]), 3) == expected


def test_distances_concentrate(seeds):
    golden = {
        int(dimension): ratio for dimension, ratio in seeds["distances"]["farthest_over_nearest"].items()
    }
    ratios = distance_concentration(list(golden))
    assert {dimension: round(ratio, 2) for dimension, ratio in ratios.items()} == golden


def test_nearest_keeps_the_order_of_equals_and_leaves_out():
    matrix = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [-1.0, 0.0]])
    words = ["a", "b", "zero", "far"]
    assert nearest(matrix[0], words, matrix, 9) == words
    assert nearest(matrix[0], words, matrix, 2, without=["a"]) == ["b", "zero"]
    assert nearest(matrix[0], words, matrix, 0) == []


def test_an_analogy_never_answers_with_the_question():
    matrix = np.eye(4)
    words = ["a", "b", "c", "d"]
    assert analogy("a", "b", "c", words, matrix, 9) == ["d"]


def test_three_cuts(seeds):
    golden = seeds["three_cuts"]
    pieces = splits.whitespace(golden["sentence"])
    assert len(pieces) == golden["words"]
    assert len(golden["sentence"]) == golden["characters"]
    lowercased = [piece.lower() for piece in pieces]
    numbers = {word: number for number, word in enumerate(sorted(set(lowercased)))}
    ids = [numbers[word] for word in lowercased]
    assert ids == golden["ids_of_lowercased_sorted_words"]
    rows = np.random.default_rng(0).normal(0, 0.5, (6, 7))[ids]
    np.testing.assert_array_equal(np.round(rows, 3), np.array(golden["rows"]))


class TestSplits:
    def test_empty_and_blank(self):
        for rule in (splits.whitespace, splits.words):
            assert rule("") == rule(" \t\r\n\u2028\u3000") == []

    def test_words(self):
        assert splits.words("don't stop_now 3.5%") == ["don", "'", "t", "stop_now", "3", ".", "5", "%"]
        assert splits.words("--") == ["-", "-"]

    def test_marks_belong_to_words(self):
        assert splits.words("हिन्दी e\u0301a") == ["हिन्दी", "e\u0301a"]

    def test_spaces_are_those_of_unicode(self):
        spaces = {
            character for character in map(chr, range(sys.maxunicode + 1)) if splits.is_space(character)
        }
        assert len(spaces) == 25
        assert spaces == set("\t\n\v\f\r\x85\u2028\u2029") | {
            character for character in map(chr, range(0x10000)) if unicodedata.category(character) == "Zs"
        }

    def test_nothing_but_spaces_is_dropped(self):
        text = "a\x1fb \u200b c\u0085d—e"
        for rule in (splits.whitespace, splits.words):
            assert "".join(rule(text)) == "".join(c for c in text if not splits.is_space(c))

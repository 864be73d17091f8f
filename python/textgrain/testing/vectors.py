"""Checks that hold for all word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textgrain.exceptions import UnknownWordError
from textgrain.testing.artifacts import check_copies, check_immutable, expect

if TYPE_CHECKING:
    from textgrain.vectors import WordVectors

__all__ = ["check_vectors"]


def check_vectors(vectors: WordVectors) -> None:
    """Check that word vectors keep the contract.

    Parameters
    ----------
    vectors : WordVectors
        Any with at least two words.
    """
    words, matrix = vectors.words, vectors.matrix
    assert len(vectors) == len(words) == len(matrix) == len(vectors.counts), "one row a word"
    assert matrix.dtype == np.float32, f"the matrix must be float32, got {matrix.dtype}"
    assert len(set(words)) == len(words), "each word must have one row"
    word = words[0]
    assert word in vectors, f"{word!r} has a row but is said not to be in the vectors"
    np.testing.assert_array_equal(vectors[word], matrix[0])
    neighbors = vectors.most_similar(word, n=len(words))
    assert [len(neighbors), len(vectors.most_similar(word, n=0))] == [len(words) - 1, 0], "n neighbors"
    scores = [score for _, score in neighbors]
    assert scores == sorted(scores, reverse=True), "neighbors come with the nearest first"
    assert word not in dict(neighbors), "a word must not be its own neighbor"
    for neighbor, score in neighbors[:3]:
        assert abs(vectors.similarity(word, neighbor) - score) < 1e-5, "scores are similarities"
    unknown = max(words, key=len) + " unknown"
    expect(UnknownWordError, lambda: vectors.vector(unknown, oov="error"))
    if vectors.can_vectorize(unknown):
        assert vectors[unknown].shape == matrix[0].shape, "n-grams give a vector like any other"
    else:
        expect(UnknownWordError, vectors.__getitem__, unknown)
        expect(UnknownWordError, vectors.most_similar, unknown)
        expect(UnknownWordError, vectors.distance, word, unknown)
    assert unknown not in vectors, "an unknown word must not be in the vectors"
    check_immutable(vectors)
    for twin in check_copies(vectors):
        assert twin.words == words, "a copy must have the same words"
        np.testing.assert_array_equal(twin.matrix, matrix)

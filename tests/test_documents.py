"""Vectors of documents."""

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError


@pytest.fixture
def vectors():
    words = {"the": [4, 1, 0], "cat": [1, 3, 0], "dog": [1, 2.5, 0.2], "tax": [1, 0, 3]}
    return tg.WordVectors.from_mapping(words, counts={"the": 900, "cat": 50, "dog": 40, "tax": 10})


def test_means_and_their_coverage(vectors):
    documents = [["the", "cat"], ["dog", "emu", "dog"], ["emu"], []]
    found = vectors.document_vectors(iter(documents))
    assert found.matrix.tolist() == pytest.approx(
        np.array([[2.5, 2, 0], [1, 2.5, 0.2], [0, 0, 0], [0, 0, 0]]), abs=1e-6
    )
    assert found.coverage == pytest.approx([1, 2 / 3, 0, 0])
    assert len(found) == 4
    assert found.similarities()[0, 2] == 0


def test_smooth_inverse_frequency_is_the_formula_of_the_paper(vectors):
    documents = [["the", "cat", "the"], ["the", "dog"], ["tax", "the", "tax"]]
    found = vectors.document_vectors(documents, weighting="sif", smoothing=0.01)
    share = dict(zip(vectors.words, vectors.counts / vectors.counts.sum(), strict=True))
    plain = np.array([
        np.mean([0.01 / (0.01 + share[word]) * vectors[word].astype(float) for word in document], axis=0)
        for document in documents
    ])  # fmt: skip
    first = np.linalg.svd(plain)[2][0]
    assert found.matrix == pytest.approx(plain - np.outer(plain @ first, first), abs=1e-6)
    # Documents that come later are seen from the same side.
    later = vectors.document_vectors(
        documents[:1], weighting="sif", smoothing=0.01, components=found.components
    )
    assert later.matrix[0] == pytest.approx(found.matrix[0], abs=1e-6)


def test_limits(vectors):
    with pytest.raises(ParameterError, match="got the text 'the cat' as number 0"):
        vectors.document_vectors(["the cat"])
    for setting, value in [("weighting", "tfidf"), ("smoothing", 0), ("remove", 4), ("components", [[1, 2]])]:
        with pytest.raises(ParameterError, match=f"`{setting}` must"):
            vectors.document_vectors([["the"]], **{setting: value})
    bare = tg.WordVectors.from_mapping({"a": [1, 2]})
    with pytest.raises(ParameterError, match="without counts"):
        bare.document_vectors([["a"]], weighting="sif")
    assert vectors.document_vectors([], weighting="sif").matrix.shape == (0, 3)

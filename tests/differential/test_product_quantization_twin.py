"""The engine learns and gives the books and codes of the readable twin, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import textgrain as tg
from textgrain.reference import product_quantization as twin


def quantized(vectors, parts, seed, threads):
    """The floats that the engine's codes stand for."""
    return vectors.quantize("product", parts=parts, seed=seed, threads=threads, sample=1).vectors


def check(matrix, parts, seed):
    vectors = tg.WordVectors.from_mapping({f"w{row}": vector for row, vector in enumerate(matrix)})
    norms = vectors._native.norms
    lengths = np.where(norms > 0, norms, 1)[:, None]
    directions = np.where(norms[:, None] > 0, vectors.matrix / lengths, 0).astype(np.float32)
    books = twin.learn(directions, parts, seed)
    codes = twin.encode(directions, books)
    chosen = np.concatenate([book[code] for book, code in zip(books, codes.T, strict=True)], axis=1)
    expected = chosen[:, : matrix.shape[1]] * norms[:, None]
    for threads in (1, 3):
        found = quantized(vectors, parts, seed, threads).matrix
        # Equal numbers; the sign of a zero depends on what the sum of a mean begins with.
        np.testing.assert_array_equal(found, expected.astype(np.float32))


@given(
    st.integers(1, 9).flatmap(
        lambda size: st.tuples(
            arrays(
                np.float32,
                st.tuples(st.integers(1, 40), st.just(size)),
                elements=st.floats(-100, 100, width=32, allow_subnormal=False),
            ),
            st.integers(1, size),
        )
    ),
    st.integers(0, 2**31),
)
@settings(max_examples=60, deadline=None)
def test_few_vectors_of_any_kind(case, seed):
    matrix, parts = case
    check(matrix, parts, seed)


@pytest.mark.parametrize(("parts", "seed"), [(1, 1), (3, 2), (4, 3), (10, 4)])
def test_more_vectors_than_a_book_holds(parts, seed):
    numbers = np.random.default_rng(seed).standard_normal((2000, 10))
    check((numbers * np.arange(1, 11)).astype(np.float32), parts, seed)


def test_more_vectors_than_are_learned_from():
    rows = twin.ENTRIES * twin.POINTS_FOR_EACH + 5000
    check(np.random.default_rng(1).standard_normal((rows, 2)).astype(np.float32), 2, 9)

"""The table of rows by id."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import ParameterError, UnknownIdError

IDS = [5, 4, 3, 0, 2, 1]
ROWS = [
    [0.178, -0.327, -0.065, 0.392, 0.747, -0.63, 0.757],
    [-0.229, 0.11, -0.505, -0.105, -0.08, 0.27, 0.107],
    [0.683, -0.333, 0.176, 0.452, 0.047, -0.372, -0.461],
    [0.063, -0.066, 0.32, 0.052, -0.268, 0.181, 0.652],
    [-0.623, -0.366, -0.272, -0.158, 0.206, 0.521, -0.064],
    [0.474, -0.352, -0.633, -0.312, 0.021, -1.163, -0.109],
]


def test_known_rows():
    table = tg.EmbeddingTable(rows=6, width=7, seed=0, scale=0.5)
    assert np.round(table.rows(IDS).astype(float), 3).tolist() == ROWS


def test_rows_have_the_shape_of_the_ids():
    table = tg.EmbeddingTable(rows=10, width=4, seed=3)
    assert table.rows(np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint32)).shape == (2, 3, 4)
    assert table.rows([]).shape == (0, 4)
    assert table.rows(7).shape == (4,)
    assert np.array_equal(table.rows([7, 7])[1], table.matrix[7])
    assert table.rows([1]).dtype == np.float32


def test_ids_without_a_row_are_refused():
    table = tg.EmbeddingTable(rows=10, width=4)
    for ids in ([10], [-1], [0, 10], [2**40]):
        with pytest.raises(UnknownIdError, match="run from 0 to 9"):
            table.rows(ids)
    with pytest.raises(TypeError, match="whole numbers"):
        table.rows([0.5])


def test_sizes():
    table = tg.EmbeddingTable(rows=6, width=7)
    assert (len(table), table.width, table.parameter_count) == (6, 7, 42)
    assert tg.parameter_count(6, 7) == 42
    assert tg.parameter_count(10**12, 10**12) == 10**24
    for rows, width in [(0, 1), (1, 0), (-1, 1), (True, 1), (1.5, 1)]:
        with pytest.raises(ParameterError):
            tg.EmbeddingTable(rows=rows, width=width)
        with pytest.raises(ParameterError):
            tg.parameter_count(rows, width)
    for scale in (math.nan, -1, math.inf):
        with pytest.raises(ParameterError, match="`scale`"):
            tg.EmbeddingTable(rows=1, width=1, scale=scale)


def test_one_seed_one_table_and_nothing_changes_it(tmp_path):
    table = tg.EmbeddingTable(rows=6, width=7, seed=2)
    assert table == tg.EmbeddingTable(rows=6, width=7, seed=2)
    assert table != tg.EmbeddingTable(rows=6, width=7, seed=3)
    with pytest.raises(ValueError, match="read-only"):
        table.matrix[0, 0] = 1
    assert pickle.loads(pickle.dumps(table)) == table
    table.save(tmp_path / "table.safetensors")
    assert tg.EmbeddingTable.load(tmp_path / "table.safetensors") == table


def test_given_numbers_are_copied():
    numbers = np.arange(6, dtype=np.float64).reshape(2, 3)
    table = tg.EmbeddingTable.from_matrix(numbers)
    numbers[0, 0] = 99
    assert table.matrix[0, 0] == 0
    with pytest.raises(ParameterError, match="`matrix` must have"):
        tg.EmbeddingTable.from_matrix([1, 2, 3])

"""The first layer of a language model: a table with one row of numbers for each id."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, final

import numpy as np

from textgrain import _native
from textgrain.exceptions import FormatError, ParameterError, UnknownIdError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["EmbeddingTable", "parameter_count"]


def parameter_count(vocab_size: int, width: int) -> int:
    """Return how many numbers a table of ``vocab_size`` rows of ``width`` numbers holds.

    Examples
    --------
    >>> import textgrain as tg
    >>> tg.parameter_count(50_257, 768)
    38597376
    """
    _check_whole("vocab_size", vocab_size)
    _check_whole("width", width)
    return vocab_size * width


@final
class EmbeddingTable:
    """A table of random numbers, one row for each id, as a model has before training; immutable.

    Parameters
    ----------
    rows : int
        Ids that have a row: the size of the vocabulary.
    width : int
        Numbers in a row.
    seed : int
        Starts the random numbers; one seed gives the same table each time.
    scale : float
        Standard deviation of the numbers. 0.02 is what GPT-2 starts with.

    Examples
    --------
    >>> import textgrain as tg
    >>> table = tg.EmbeddingTable(rows=6, width=7, seed=0)
    >>> table.rows([5, 4, 3]).shape
    (3, 7)
    """

    __slots__ = ("_matrix", "_scale", "_seed")

    def __init__(self, rows: int, width: int, *, seed: int = 0, scale: float = 0.02) -> None:
        _check_whole("rows", rows)
        _check_whole("width", width)
        if not 0 <= scale < float("inf"):
            raise ParameterError(f"`scale` must be a finite number of at least 0, got {scale}", "scale")
        _check_whole("seed", seed, smallest=0)
        self._set(np.random.default_rng(seed).normal(0, scale, (rows, width)), seed, scale)

    def _set(self, matrix: npt.ArrayLike, seed: int | None, scale: float | None) -> None:
        self._matrix = np.ascontiguousarray(matrix, dtype=np.float32)
        self._matrix.flags.writeable = False
        self._seed = seed
        self._scale = scale

    @classmethod
    def from_matrix(cls, matrix: npt.ArrayLike) -> EmbeddingTable:
        """Return a table of given numbers, of shape (rows, width); they are copied.

        Raises
        ------
        ParameterError
            The numbers do not form a table.
        """
        copied = np.array(matrix, dtype=np.float32)
        if copied.ndim != 2 or 0 in copied.shape:
            message = (
                f"`matrix` must have at least one row and one column, got an array of shape {copied.shape}"
            )
            raise ParameterError(message, "matrix")
        table = cls.__new__(cls)
        table._set(copied, None, None)
        return table

    @property
    def matrix(self) -> npt.NDArray[np.float32]:
        """All rows, of shape (rows, width), read-only."""
        return self._matrix

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(self._matrix.shape[1])

    @property
    def parameter_count(self) -> int:
        """Numbers in the whole table."""
        return int(self._matrix.size)

    def __len__(self) -> int:
        return int(self._matrix.shape[0])

    def rows(self, ids: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Return the rows of ids, in their order: the X that a model computes with.

        Parameters
        ----------
        ids : array of int
            Of any shape; a tokenizer's ``encode_ids`` gives one.

        Returns
        -------
        array of float32
            Of the shape of ``ids``, with one more dimension of ``width`` numbers.

        Raises
        ------
        UnknownIdError
            An id is negative or has no row.
        """
        wanted = np.asarray(ids)
        if wanted.size == 0:
            return np.empty((*wanted.shape, self.width), dtype=np.float32)
        if wanted.dtype.kind not in "iu":
            raise TypeError(f"ids must be whole numbers, got {wanted.dtype}")
        bad = (wanted < 0) | (wanted >= len(self))
        if bad.any():
            message = (
                f"id {wanted[bad].flat[0]} has no row: the ids of this table run from 0 to {len(self) - 1}"
            )
            raise UnknownIdError(message)
        found: npt.NDArray[np.float32] = self._matrix[wanted]
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to one safetensors file, whole or not at all."""
        settings = json.dumps({"seed": self._seed, "scale": self._scale})
        _native.save_table(os.fspath(path), self._matrix, settings)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> EmbeddingTable:
        """Read a file that :meth:`save` wrote.

        Raises
        ------
        FormatError
            The file is not one of these, or it is damaged or cut off.
        OSError
            The file cannot be opened.
        """
        matrix, text = _native.load_table(os.fspath(path))
        settings = json.loads(text)
        if not isinstance(settings, dict):
            raise FormatError(f"{os.fspath(path)}: the settings are not a JSON object", path=os.fspath(path))
        table = cls.__new__(cls)
        table._set(matrix, settings.get("seed"), settings.get("scale"))
        return table

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EmbeddingTable):
            return NotImplemented
        return np.array_equal(self._matrix, other._matrix)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _rebuild, (self._matrix, self._seed, self._scale)

    def __repr__(self) -> str:
        return f"<EmbeddingTable: {len(self):,} rows of {self.width:,} numbers>"


def _rebuild(matrix: npt.NDArray[np.float32], seed: int | None, scale: float | None) -> EmbeddingTable:
    table = EmbeddingTable.__new__(EmbeddingTable)
    table._set(matrix, seed, scale)
    return table


def _check_whole(name: str, value: object, *, smallest: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < smallest:
        raise ParameterError(f"`{name}` must be a whole number of at least {smallest}, got {value!r}", name)

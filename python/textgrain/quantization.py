"""Vectors in files that take less room, and what that costs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from textgrain import _native
from textgrain.exceptions import ParameterError
from textgrain.progress import resolve

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.progress import Progress
    from textgrain.vectors import WordVectors

    Numbers = npt.NDArray[np.float32]
    Storage: TypeAlias = Literal["float16", "int8", "product"]
    # Parts, seed, threads, and who is shown progress.
    _Learning: TypeAlias = tuple[int, int, int | None, Progress | None]

__all__ = ["QuantizationReport", "Quantized", "quantize"]


@dataclass(frozen=True, kw_only=True)
class QuantizationReport:
    """What less room costs.

    Attributes
    ----------
    storage : str
        How the numbers are stored.
    bytes_before, bytes_after : int
        What the numbers take as 32-bit floats, and as they are stored.
    recall : float
        The share of the nearest neighbors by cosine that are still among them, from 0 to 1.
    neighbors : int
        How many neighbors of each word were compared.
    sample : int
        How many words were asked about.
    mean_cosine : float
        The mean cosine of a vector and what is stored of it.
    ngram_recall : float or None
        As ``recall``, of words put together from their n-grams alone; ``None`` where there are none.
    """

    storage: str
    bytes_before: int
    bytes_after: int
    recall: float
    neighbors: int
    sample: int
    mean_cosine: float
    ngram_recall: float | None = None

    @property
    def ratio(self) -> float:
        """How many times smaller the numbers became."""
        return self.bytes_before / self.bytes_after

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "ratio": self.ratio}

    def __str__(self) -> str:
        return (
            f"{self.storage}: {self.bytes_before:,} bytes became {self.bytes_after:,}, "
            f"{self.ratio:.1f} times less; "
            f"{100 * self.recall:.1f} % of the {self.neighbors} nearest neighbors are kept "
            f"(of {self.sample:,} words), mean cosine {self.mean_cosine:.5f}"
            + ("" if self.ngram_recall is None else f"; {100 * self.ngram_recall:.1f} % from n-grams alone")
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Quantized:
    """Vectors with fewer bits.

    Attributes
    ----------
    report : QuantizationReport
        What that costs.
    vectors : WordVectors
        The vectors with the few bits, for everything that vectors can do; numbers become floats where they
        are needed, a vector at a time.
    """

    report: QuantizationReport
    vectors: WordVectors = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a safetensors file with the few bits, which ``WordVectors.load`` opens in place.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        self.vectors.save(path)


def quantize(
    vectors: WordVectors,
    storage: Storage = "int8",
    *,
    parts: int | None = None,
    neighbors: int = 10,
    sample: int = 1000,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> Quantized:
    """Store vectors with fewer bits, and say what that costs in neighbors.

    Parameters
    ----------
    vectors : WordVectors
        What is stored.
    storage : {"float16", "int8", "product"}
        Half floats: half the room, scarcely any loss. Bytes with a scale for each vector: a quarter, little
        loss. Product quantization (Jégou, Douze and Schmid 2011): each vector is cut into parts, and a part
        stored as the number of the nearest of 256 vectors learned for it by k-means, with the length kept
        apart; much less room, and a loss that the report tells. Vectors of n-grams, where there are any, are
        stored the same way.
    parts : int, optional
        For ``"product"`` only: bytes for each vector. A quarter of the vector size where none is given.
    neighbors, sample : int
        The report compares so many neighbors of so many words, spread evenly over the rows.
    seed : int
        Draws the vectors that the books of ``"product"`` are learned from (all, or 65,536 of them) and begin
        with. One seed gives the same bytes for any number of threads, on every processor.
    threads : int, optional
        All that the machine offers where none is given.
    progress : callable or bool, optional
        Shows progress on standard error if true.

    Raises
    ------
    ParameterError
        The storage is unknown, a number is outside its range, or the vectors are empty or too large for half
        floats.

    Examples
    --------
    >>> vectors = tg.Word2Vec(vector_size=20, epochs=1).train(tg.sample_corpus(), threads=1)
    >>> small = vectors.quantize("int8")
    >>> small.report.recall > 0.9, round(small.report.ratio, 1)
    (True, 3.3)
    >>> small.save("small.safetensors")
    >>> tg.WordVectors.load("small.safetensors") == small.vectors
    True
    """
    if not len(vectors):
        raise ParameterError("`vectors` must hold at least one word, got none", "vectors")
    for name, value in (("neighbors", neighbors), ("sample", sample)):
        if value < 1:
            raise ParameterError(f"`{name}` must be at least 1, got {value}", name)
    if storage not in ("float16", "int8", "product"):
        message = f'`storage` must be "float16", "int8" or "product", got {storage!r}'
        raise ParameterError(message, "storage")
    if parts is not None and storage != "product":
        raise ParameterError(f'`parts` must only be given with "product", got it with {storage!r}', "parts")
    subwords, shows = vectors.subwords, resolve(progress)
    learning = max(1, vectors.vector_size // 4) if parts is None else parts, seed, threads, shows
    plain = _stored(vectors, vectors.matrix, storage, learning)
    ngrams = None
    if subwords is not None and len(subwords.matrix):
        ngrams = _stored(vectors, subwords.matrix, storage, learning, of_ngrams=True)
    small = type(vectors)(plain.restore(vectors._native, ngrams))
    report = _report(vectors, small, plain.size, neighbors, sample, threads)
    if ngrams is not None and subwords is not None:
        report = replace(
            report,
            bytes_before=report.bytes_before + subwords.matrix.nbytes,
            bytes_after=report.bytes_after + ngrams.size,
            ngram_recall=_ngram_recall(vectors, small, neighbors, sample, threads),
        )
    return Quantized(report=report, vectors=small)


def _stored(
    vectors: WordVectors, matrix: Numbers, storage: Storage, learning: _Learning, *, of_ngrams: bool = False
) -> _native.Stored:
    if storage == "float16":
        largest = float(np.abs(matrix).max())
        if largest > float(np.finfo(np.float16).max):
            message = f'`storage` must not be "float16" for numbers beyond 65,504, got {largest:g}'
            raise ParameterError(message, "storage")
        return _native.Stored.half(matrix.astype(np.float16).view(np.uint16).ravel())
    if storage == "int8":
        return _native.Stored.bytes(*_as_bytes(matrix))
    return _native.Stored.product(vectors._native, of_ngrams, *learning)


def _as_bytes(matrix: Numbers) -> tuple[npt.NDArray[np.int8], Numbers]:
    """Whole numbers from -127 to 127, and what one of them is worth in each row."""
    scales = np.abs(matrix).max(axis=1) / np.float32(127)
    divisors = np.where(scales > 0, scales, np.float32(1))[:, None]
    return np.rint(matrix / divisors).astype(np.int8).ravel(), scales


def _report(
    before: WordVectors, after: WordVectors, size: int, neighbors: int, sample: int, threads: int | None
) -> QuantizationReport:
    rows, words = _sample(before, sample)
    both = [
        vectors.most_similar_batch(words, n=neighbors, threads=threads).rows for vectors in (before, after)
    ]
    norms = before._native.norms[rows], after._native.norms[rows]
    products = np.einsum("ij,ij->i", before._rows(rows).astype(np.float64), after._rows(rows))
    lengths = norms[0].astype(np.float64) * norms[1]
    # Zero vectors stay zero, which is no loss.
    cosines = np.divide(products, lengths, out=np.ones_like(products), where=lengths > 0)
    return QuantizationReport(
        storage=after.storage,
        bytes_before=before.matrix.nbytes,
        bytes_after=size,
        recall=_kept(*both),
        neighbors=both[0].shape[1],
        sample=len(words),
        mean_cosine=float(np.minimum(cosines, 1.0).mean()),
    )


def _sample(vectors: WordVectors, sample: int) -> tuple[npt.NDArray[np.int64], list[str]]:
    words = vectors._all_words()
    rows = np.unique(np.linspace(0, len(words) - 1, min(sample, len(words))).astype(np.int64))
    return rows, [words[row] for row in rows.tolist()]


def _ngram_recall(
    before: WordVectors, after: WordVectors, neighbors: int, sample: int, threads: int | None
) -> float:
    _, words = _sample(before, sample)
    asked = [word for word in words if before._from_ngrams(word) is not None]
    found = []
    for vectors in (before, after):
        points = [vector for word in asked if (vector := vectors._from_ngrams(word)) is not None]
        matrix = np.array(points, dtype=np.float32).reshape(-1, vectors.vector_size)
        found.append(vectors.most_similar_batch(matrix, n=neighbors, threads=threads).rows)
    return _kept(*found)


def _kept(before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]) -> float:
    """The share of the neighbors that are still there."""
    both = np.sort(np.concatenate([before, after], axis=1), axis=1)
    return float((both[:, 1:] == both[:, :-1]).sum()) / before.size if before.size else 1.0

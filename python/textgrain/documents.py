"""Vectors of sentences and documents, from those of their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.vectors import WordVectors

__all__ = ["DocumentVectors", "document_vectors", "word_movers_distance"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentVectors:
    """A vector for each document, and how much of the document it stands on.

    Attributes
    ----------
    matrix : array of float32
        Of shape (documents, vector_size); a document without a known word has a zero vector.
    coverage : array of float64
        The share of the words of each document that have vectors; 0 for an empty document.
    components : array of float64
        Of shape (removed, vector_size): the directions that were taken out of every document.
    """

    matrix: npt.NDArray[np.float32]
    coverage: npt.NDArray[np.float64]
    components: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.matrix)

    def similarities(self) -> npt.NDArray[np.float64]:
        """Return the cosine of each document with each other; 0 for zero vectors."""
        points = self.matrix.astype(np.float64)
        norms = np.linalg.norm(points, axis=1, keepdims=True)
        unit = np.divide(points, norms, out=np.zeros_like(points), where=norms > 0)
        cosines: npt.NDArray[np.float64] = unit @ unit.T
        return cosines


def document_vectors(
    vectors: WordVectors,
    documents: Iterable[Sequence[str]],
    *,
    weighting: Literal["mean", "sif"] = "mean",
    smoothing: float = 1e-3,
    remove: int | None = None,
    components: npt.ArrayLike | None = None,
) -> DocumentVectors:
    """Return a vector for each document: a weighted mean of the vectors of its words.

    Words without a vector are left out, and :attr:`DocumentVectors.coverage` says how many.

    Parameters
    ----------
    vectors : WordVectors
        The vectors of the words.
    documents : iterable of lists of str
        The words of each document, cut and written as those of the vectors are.
    weighting : {"mean", "sif"}
        Each word counts the same; or as ``smoothing / (smoothing + p)``, p being its share of the corpus,
        so that frequent words count little (smooth inverse frequency, Arora, Liang and Ma 2017). The
        latter needs counts.
    smoothing : float
        The ``a`` of that paper.
    remove : int, optional
        How many directions that all documents have in common to take out, each the first singular vector
        of what is left, not centered. 1 with ``"sif"``, as in that paper, and 0 with ``"mean"``, where none
        is given.
    components : array, optional
        Take out these directions instead: those of an earlier call, so that its documents and these can be
        compared.

    Raises
    ------
    ParameterError
        A setting is outside its range, a document is a single string, or there are no counts.

    Examples
    --------
    >>> vectors = tg.WordVectors.from_mapping({"low": [2, 0], "high": [0, 4]}, counts={"low": 9, "high": 1})
    >>> vectors.document_vectors([["low", "high"], ["low", "unknown"]]).matrix.tolist()
    [[1.0, 2.0], [2.0, 0.0]]
    """
    if weighting not in ("mean", "sif"):
        raise ParameterError(f'`weighting` must be "mean" or "sif", got {weighting!r}', "weighting")
    if not 0 < smoothing < np.inf:
        raise ParameterError(f"`smoothing` must be more than 0, got {smoothing}", "smoothing")
    removed = (1 if weighting == "sif" else 0) if remove is None else remove
    if not 0 <= removed <= vectors.vector_size:
        message = f"`remove` must be from 0 to {vectors.vector_size}, the size of a vector, got {removed}"
        raise ParameterError(message, "remove")
    weights = _sif_weights(vectors, smoothing) if weighting == "sif" else np.ones(len(vectors))
    matrix, coverage = _weighted_means(vectors, documents, weights)
    if components is not None:
        directions = np.atleast_2d(np.asarray(components, dtype=np.float64))
        if directions.size and directions.shape[1] != vectors.vector_size:
            message = f"`components` must have {vectors.vector_size} numbers each, got {directions.shape[1]}"
            raise ParameterError(message, "components")
        directions = directions.reshape(-1, vectors.vector_size)
    else:
        directions = _common_directions(matrix, removed)
    matrix = matrix - (matrix @ directions.T) @ directions
    return DocumentVectors(matrix=matrix.astype(np.float32), coverage=coverage, components=directions)


def _sif_weights(vectors: WordVectors, smoothing: float) -> npt.NDArray[np.float64]:
    counts = vectors.counts.astype(np.float64)
    total = counts.sum()
    if total == 0:
        message = (
            '`weighting` must be "mean" for vectors without counts, got "sif". Files of other programs '
            "hold none; give them with `WordVectors.from_mapping(..., counts=...)` or `with_words`"
        )
        raise ParameterError(message, "weighting")
    weights: npt.NDArray[np.float64] = smoothing / (smoothing + counts / total)
    return weights


def _weighted_means(
    vectors: WordVectors, documents: Iterable[Sequence[str]], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    rows_of = vectors._native.row
    means: list[npt.NDArray[np.float64]] = []
    coverage: list[float] = []
    for place, document in enumerate(documents):
        if isinstance(document, str):
            message = (
                f"`documents` must be lists of words, got the text {document[:40]!r} as number {place}. "
            )
            raise ParameterError(message + "Cut it first, as with `text.split()`", "documents")
        rows = [row for word in document if (row := rows_of(word)) is not None]
        coverage.append(len(rows) / len(document) if document else 0.0)
        if rows:
            means.append(weights[rows] @ vectors._rows(rows).astype(np.float64) / len(rows))
        else:
            means.append(np.zeros(vectors.vector_size))
    return np.array(means).reshape(-1, vectors.vector_size), np.array(coverage)


def _common_directions(matrix: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    if count == 0 or not matrix.any():
        return np.zeros((0, matrix.shape[1]))
    # From the small square matrix: there may be millions of documents.
    _, directions = np.linalg.eigh(matrix.T @ matrix)
    return directions.T[::-1][:count].copy()


def word_movers_distance(vectors: WordVectors, first: Sequence[str], second: Sequence[str]) -> float:
    """Return how far the words of one document must travel to become those of another.

    The word mover's distance of Kusner et al. (2015): the least sum of Euclidean distances times the share
    of words that is moved over them. Solved by the library POT. Words without a vector are left out.

    Parameters
    ----------
    vectors : WordVectors
        Where the words lie.
    first, second : list of str
        The words of both documents.

    Returns
    -------
    float
        0 for the same words in the same shares; "not a number" if a document has no known word.

    Raises
    ------
    ImportError
        POT is not installed.
    ParameterError
        A document is a single string.
    """
    try:
        import ot
    except ImportError as error:
        message = "this distance needs POT, which is not installed: pip install 'textgrain[transport]'"
        raise ImportError(message, name="ot") from error
    sides = []
    for name, document in (("first", first), ("second", second)):
        if isinstance(document, str):
            raise ParameterError(f"`{name}` must be a list of words, got the text {document[:40]!r}", name)
        rows = [row for word in document if (row := vectors._native.row(word)) is not None]
        if not rows:
            return float("nan")
        places, counts = np.unique(rows, return_counts=True)
        sides.append((vectors._rows(places).astype(np.float64), counts / counts.sum()))
    (left, from_shares), (right, to_shares) = sides
    distances = np.linalg.norm(left[:, None, :] - right[None, :, :], axis=2)
    return float(ot.emd2(from_shares, to_shares, distances))

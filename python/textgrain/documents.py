"""Vectors of sentences and documents, from those of their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from textgrain import _native
from textgrain._rows import unit_rows
from textgrain.corpus import Corpus, warn_of_replacements
from textgrain.exceptions import ParameterError
from textgrain.progress import resolve
from textgrain.projection import rows_in_block
from textgrain.trainers._runs import native_cut

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy.typing as npt

    from textgrain.phrases import PhraseTable
    from textgrain.progress import Progress
    from textgrain.tokenizer import Tokenizer
    from textgrain.vectors import WordVectors

    Weighting: TypeAlias = Literal["mean", "unit", "sif"]

__all__ = ["DocumentVectors", "cut_words", "document_vectors"]


def cut_words(
    text: str, split: str | PhraseTable | Tokenizer = "words", *, lowercase: bool = False
) -> list[str]:
    """Return the words of a text as the trainers of vectors see them.

    Parameters
    ----------
    text : str
        The text.
    split : {"words", "whitespace"}, PhraseTable or Tokenizer
        As for :class:`textgrain.Word2Vec`.
    lowercase : bool
        Lower-case the text first.

    Raises
    ------
    ParameterError
        There is no such rule.

    Examples
    --------
    >>> import textgrain as tg
    >>> tg.cut_words("The patient's fever: 39 degrees!", lowercase=True)
    ['the', 'patient', 's', 'fever', '39', 'degrees']
    """
    return _native.cut_words(text, native_cut(split), lowercase)


def in_lowercase(vectors: WordVectors, *, lowercase: bool | None) -> bool:
    """Whether words are looked up in lower case: as is said, or else as the vectors were trained."""
    return vectors.settings.get("lowercase") is True if lowercase is None else lowercase


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentVectors:
    """A vector for each document, and how much of the document it stands on.

    Attributes
    ----------
    matrix : array of float32
        Of shape (documents, vector_size); a document without a known word has a zero vector.
    coverage : array of float64
        The share of the words of each document that have vectors; 0 for an empty document.
    words : array of int64
        How many words each document has.
    components : array of float64
        Of shape (removed, vector_size): the directions that were taken out of every document.
    """

    matrix: npt.NDArray[np.float32]
    coverage: npt.NDArray[np.float64]
    words: npt.NDArray[np.int64]
    components: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def known_words(self) -> float:
        """The share of the words of all documents together that have vectors."""
        return float((self.coverage * self.words).sum()) / max(1, int(self.words.sum()))

    def most_similar(self, query: int | npt.ArrayLike, *, n: int = 10) -> list[tuple[int, float]]:
        """Return the numbers of the documents nearest to a document or a vector, best first, with cosines.

        Parameters
        ----------
        query : int or vector
            The number of one of these documents, which is not in its own answer, counted from 0; or a
            vector, such as that of another text, made with the same settings and :attr:`components`.
        n : int
            How many.

        Raises
        ------
        ParameterError
            There is no such document, the vector has another size, or ``n`` is negative.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"cat": [2, 1], "dog": [2, 2], "tax": [-1, 3]})
        >>> notes = vectors.document_vectors([["cat", "dog"], ["tax"], ["dog"]])
        >>> [number for number, _ in notes.most_similar(0)]
        [2, 1]
        >>> notes.most_similar(vectors["tax"], n=1)[0][0]
        1
        """
        if n < 0:
            raise ParameterError(f"`n` must be at least 0, got {n}", "n")
        own = int(query) if isinstance(query, (int, np.integer)) else None
        if own is not None and not 0 <= own < len(self):
            message = f"`query` must be the number of a document, from 0 to {len(self) - 1}, got {own}"
            raise ParameterError(message, "query")
        vector = np.asarray(query if own is None else self.matrix[own], dtype=np.float64)
        if vector.shape != self.matrix.shape[1:]:
            message = (
                f"`query` must hold {self.matrix.shape[1]} numbers, got an array of shape {vector.shape}"
            )
            raise ParameterError(message, "query")
        cosines = np.concatenate([np.zeros(0), *(_cosines(block, vector) for block in _blocks(self.matrix))])
        order = np.argsort(-cosines, kind="stable")[: n + 1]
        return [(number, float(cosines[number])) for number in order.tolist() if number != own][:n]

    def similarities(self) -> npt.NDArray[np.float64]:
        """Return the cosine of each document with each other; 0 for zero vectors."""
        unit = unit_rows(self.matrix.astype(np.float64))
        cosines: npt.NDArray[np.float64] = unit @ unit.T
        return cosines

    def __str__(self) -> str:
        without = int((self.coverage == 0).sum())
        have = "1 document has" if without == 1 else f"{without:,} documents have"
        text = f"{len(self):,} documents, {self.matrix.shape[1]} numbers each"
        if self.words.any():
            text += f"; {100 * self.known_words:.1f} % of their words have a vector"
        return text + (f", {have} no such word" if without else "")


def document_vectors(
    vectors: WordVectors,
    documents: Corpus | Iterable[Sequence[str]],
    *,
    weighting: Weighting = "mean",
    smoothing: float = 1e-3,
    remove: int | None = None,
    components: npt.ArrayLike | None = None,
    oov: Literal["skip", "subword"] = "skip",
    split: str | PhraseTable | Tokenizer = "words",
    lowercase: bool | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> DocumentVectors:
    """Return a vector for each document: a weighted mean of the vectors of its words.

    Words without a vector are left out, and :attr:`DocumentVectors.coverage` says how many.

    Parameters
    ----------
    vectors : WordVectors
        The vectors of the words.
    documents : Corpus, or iterable of lists of str
        A corpus of any size, whose documents are cut in all threads; or the words of each document, cut and
        written as those of the vectors are.
    weighting : {"mean", "unit", "sif"}
        Each word counts the same; or each vector is divided by its length first, as in fastText's vectors
        of sentences; or a word counts as ``smoothing / (smoothing + p)``, p being its share of the corpus,
        so that frequent words count little (smooth inverse frequency, Arora, Liang and Ma 2017). The
        last needs counts.
    smoothing : float
        The ``a`` of that paper.
    remove : int, optional
        How many directions that all documents have in common to take out, each the first singular vector
        of what is left, not centered. 1 with ``"sif"``, as in that paper, and 0 with the others, where none
        is given.
    components : array, optional
        Take out these directions instead: those of an earlier call, so that its documents and these can be
        compared.
    oov : {"skip", "subword"}
        Leave words outside the vocabulary out, or put their vectors together from their n-grams; such a
        word counts as one that is as rare as can be.
    split : {"words", "whitespace"}, PhraseTable or Tokenizer
        How the documents of a corpus are cut; as the vectors were trained.
    lowercase : bool, optional
        Whether those documents are lower-cased; as the vectors were trained where nothing is said, which
        their settings tell, and not at all where these do not.
    threads : int, optional
        Threads that read a corpus; all that the machine offers where none is given.
    progress : callable or bool, optional
        Shows progress on standard error if true.

    Raises
    ------
    ParameterError
        A setting is outside its range, a document is a single string, or there are no counts.

    Examples
    --------
    >>> vectors = tg.WordVectors.from_mapping({"low": [2, 0], "high": [0, 4]}, counts={"low": 9, "high": 1})
    >>> vectors.document_vectors([["low", "high"], ["low", "unknown"]]).matrix.tolist()
    [[1.0, 2.0], [2.0, 0.0]]
    >>> notes = tg.Corpus.from_iterable(["How low, how high?", "Low!"])
    >>> print(vectors.document_vectors(notes, lowercase=True))
    2 documents, 2 numbers each; 60.0 % of their words have a vector
    """
    if weighting not in ("mean", "unit", "sif"):
        raise ParameterError(f'`weighting` must be "mean", "unit" or "sif", got {weighting!r}', "weighting")
    if oov not in ("skip", "subword"):
        raise ParameterError(f'`oov` must be "skip" or "subword", got {oov!r}', "oov")
    if not 0 < smoothing < np.inf:
        raise ParameterError(f"`smoothing` must be more than 0, got {smoothing}", "smoothing")
    removed = (1 if weighting == "sif" else 0) if remove is None else remove
    if not 0 <= removed <= vectors.vector_size:
        message = f"`remove` must be from 0 to {vectors.vector_size}, the size of a vector, got {removed}"
        raise ParameterError(message, "remove")
    given = None if components is None else _checked_directions(components, vectors.vector_size)
    weights = _weights(vectors, weighting, smoothing)
    if isinstance(documents, Corpus):
        matrix, known, words, report = _native.document_means(
            vectors._native,
            documents._native,
            weights,
            from_ngrams=oov == "subword",
            unit=weighting == "unit",
            split=native_cut(split),
            lowercase=in_lowercase(vectors, lowercase=lowercase),
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
    else:
        if lowercase is not None or split != "words":
            name = "split" if lowercase is None else "lowercase"
            message = f"`{name}` must only be given with a Corpus: lists of words are cut already"
            raise ParameterError(message, name)
        matrix, known, words = _weighted_means(
            vectors, documents, weights, from_ngrams=oov == "subword", unit=weighting == "unit"
        )
    directions = _common_directions(matrix, removed) if given is None else given
    if len(directions):
        for block in _blocks(matrix):
            block -= (block @ directions.T) @ directions
    coverage = known / np.maximum(words, 1)
    return DocumentVectors(
        matrix=matrix, coverage=coverage, words=words.astype(np.int64), components=directions
    )


def _checked_directions(components: npt.ArrayLike, size: int) -> npt.NDArray[np.float64]:
    directions = np.atleast_2d(np.asarray(components, dtype=np.float64))
    if not np.isfinite(directions).all():
        raise ParameterError("`components` must be finite numbers, got others among them", "components")
    if directions.size and directions.shape[1:] != (size,):
        message = f"`components` must have {size} numbers each, got {directions.shape[-1]}"
        raise ParameterError(message, "components")
    return directions.reshape(-1, size)


def _weights(vectors: WordVectors, weighting: Weighting, smoothing: float) -> npt.NDArray[np.float64]:
    """What the vector in each row counts."""
    if weighting == "mean":
        return np.ones(len(vectors))
    if weighting == "unit":
        return _over_lengths(vectors._native.norms.astype(np.float64))
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


def _over_lengths(lengths: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """One divided by each length; a zero vector has no direction, and stays as it is."""
    shares: npt.NDArray[np.float64] = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return shares


def _weighted_means(
    vectors: WordVectors,
    documents: Iterable[Sequence[str]],
    weights: npt.NDArray[np.float64],
    *,
    from_ngrams: bool,
    unit: bool,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    rows_of = vectors._native.row
    means: list[npt.NDArray[np.float32]] = []
    counts: list[tuple[int, int]] = []
    for place, document in enumerate(documents):
        if isinstance(document, str):
            message = (
                f"`documents` must be lists of words, got the text {document[:40]!r} as number {place}. "
            )
            raise ParameterError(
                message + "Cut it first, as with `tg.cut_words(text)`, or pass a Corpus", "documents"
            )
        found = [rows_of(word) for word in document]
        rows = [row for row in found if row is not None]
        total = weights[rows] @ vectors._rows(rows).astype(np.float64)
        known = len(rows)
        if from_ngrams:
            unseen = [word for word, row in zip(document, found, strict=True) if row is None]
            composed = [vector for vector in map(vectors._from_ngrams, unseen) if vector is not None]
            if composed:
                points = np.array(composed, dtype=np.float64)
                total += (
                    _over_lengths(np.linalg.norm(points, axis=1)) if unit else np.ones(len(points))
                ) @ points
            known += len(composed)
        means.append((total / max(1, known)).astype(np.float32))
        counts.append((known, len(document)))
    known_and_all = np.array(counts, dtype=np.uint64).reshape(-1, 2)
    matrix = np.array(means, dtype=np.float32).reshape(-1, vectors.vector_size)
    return matrix, known_and_all[:, 0], known_and_all[:, 1]


def _common_directions(matrix: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.float64]:
    if count == 0 or not matrix.any():
        return np.zeros((0, matrix.shape[1]))
    # From the small square matrix: there may be millions of documents.
    products = np.zeros((matrix.shape[1], matrix.shape[1]))
    for block in _blocks(matrix):
        exact = block.astype(np.float64)
        products += exact.T @ exact
    _, directions = np.linalg.eigh(products)
    return directions.T[::-1][:count].copy()


def _blocks(matrix: npt.NDArray[np.float32]) -> Iterator[npt.NDArray[np.float32]]:
    """Views of a matrix, some rows each, so that work on it needs little memory."""
    rows = rows_in_block(matrix.shape[1])
    return (matrix[start : start + rows] for start in range(0, len(matrix), rows))


def _cosines(block: npt.NDArray[np.float32], vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    points = block.astype(np.float64)
    lengths = np.linalg.norm(points, axis=1) * np.linalg.norm(vector)
    products: npt.NDArray[np.float64] = points @ vector
    cosines: npt.NDArray[np.float64] = np.divide(
        products, lengths, out=np.zeros_like(products), where=lengths > 0
    )
    return cosines

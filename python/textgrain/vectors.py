"""Word vectors: looked up, compared, searched, drawn, saved and loaded."""

from __future__ import annotations

import difflib
import json
import os
import warnings
from typing import TYPE_CHECKING, Literal, TypeAlias, final

import numpy as np

from textgrain import _native
from textgrain.exceptions import (
    InvalidTextWarning,
    ParameterError,
    SkippedRowsWarning,
    UnknownWordError,
)
from textgrain.progress import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt
    from matplotlib.figure import Figure

    from textgrain.progress import Progress
    from textgrain.projection import DistanceConcentration, Projection

    Vector: TypeAlias = npt.NDArray[np.float32]
    WordOrVector: TypeAlias = "str | npt.ArrayLike"
    VectorFormat: TypeAlias = Literal["safetensors", "word2vec-text", "word2vec-binary", "glove-text"]

__all__ = ["WordVectors"]


@final
class WordVectors:
    """A vector for each word of a vocabulary, immutable.

    Made by a trainer, by :meth:`load` or by :meth:`from_mapping`. Words are in row order: by falling
    count, then by first appearance in the corpus.

    Examples
    --------
    >>> import textgrain as tg
    >>> notes = {"doctor": [0.8, 0.6], "physician": [0.7, 0.5], "car": [0.2, 0.9]}
    >>> vectors = tg.WordVectors.from_mapping(notes)
    >>> vectors.most_similar("doctor", n=1)[0][0]
    'physician'
    >>> round(vectors.distance("doctor", "physician"), 3)
    0.141
    """

    __slots__ = ("_native", "_words")

    def __init__(self, native: _native.WordVectors) -> None:
        self._native = native
        self._words: list[str] | None = None

    @classmethod
    def from_mapping(
        cls, vectors: Mapping[str, npt.ArrayLike], *, counts: Mapping[str, int] | None = None
    ) -> WordVectors:
        """Vectors from a mapping of words to lists of numbers, in its order.

        Raises
        ------
        ParameterError
            The mapping is empty, or the vectors differ in length.
        """
        if not vectors:
            raise ParameterError("`vectors` must hold at least one word, got an empty mapping", "vectors")
        rows = [np.asarray(vector, dtype=np.float32) for vector in vectors.values()]
        if any(row.ndim != 1 or row.shape != rows[0].shape for row in rows):
            raise ParameterError("`vectors` must hold lists of one length, got several lengths", "vectors")
        occurrences = [0 if counts is None else counts.get(word, 0) for word in vectors]
        return cls(_native.WordVectors.from_parts(list(vectors), np.stack(rows), occurrences, "{}", []))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        lenient: bool = False,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> WordVectors:
        r"""Open a vectors file of this library or of another program.

        Reads the safetensors files that :meth:`save` writes, word2vec text (also known as ``.vec``) and
        binary, and GloVe text, each also compressed with gzip or Zstandard. The format is found from the
        content; the name does not matter. An uncompressed safetensors file is mapped, and its matrix is
        read when it is needed; the others are read into memory. Other programs' files hold no counts:
        :attr:`counts` is zero, and :attr:`settings` says what was read.

        Of words that occur twice the first is kept, and bytes that are not UTF-8 are replaced by U+FFFD;
        a warning says so.

        Parameters
        ----------
        path : path-like
            The file.
        lenient : bool
            Keep what is good in a damaged word2vec or GloVe file, and warn of what was left out. If
            false, damage is an error. A damaged safetensors file is always refused.
        threads : int, optional
            Threads that read text. All that the machine offers where none is given.
        progress : callable or bool, optional
            Shows progress on standard error if true.

        Raises
        ------
        FormatError
            The file is none of these, or it is damaged or cut off; the error names the line or the byte.
        OSError
            The file cannot be opened.

        Warns
        -----
        SkippedRowsWarning
            Rows were left out.
        InvalidTextWarning
            Bytes of words were replaced.

        Examples
        --------
        >>> from pathlib import Path
        >>> _ = Path("glove.txt").write_text("low 0.5 1\nmy name 0.25 -2\n", encoding="utf-8")
        >>> vectors = tg.WordVectors.load("glove.txt")
        >>> vectors.words, vectors["my name"].tolist()
        (['low', 'my name'], [0.25, -2.0])
        """
        native, text, rows = _native.WordVectors.load(os.fspath(path), lenient, threads, resolve(progress))
        for message in rows:
            warnings.warn(f"{os.fspath(path)}: {message}", SkippedRowsWarning, stacklevel=2)
        if text is not None:
            warnings.warn(f"{os.fspath(path)}: {text}", InvalidTextWarning, stacklevel=2)
        return cls(native)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: VectorFormat = "safetensors",
        spaces: str | None = None,
        progress: Progress | bool | None = None,
    ) -> None:
        """Write the vectors to a file, whole or not at all.

        Only ``"safetensors"`` keeps everything: counts, settings, history and any word. The formats of
        other programs hold words and numbers, in the fewest digits that give each number back.

        Parameters
        ----------
        path : path-like
            The file. In another program's format it is compressed if its name ends in ``.gz`` or
            ``.zst``.
        format : {"safetensors", "word2vec-text", "word2vec-binary", "glove-text"}
            Word2vec text is what fastText calls ``.vec``.
        spaces : str, optional
            What to write in place of each white space character in a word, such as ``"_"``. The other
            programs' formats cannot hold such words, which are refused where this is not given.
        progress : callable or bool, optional
            Shows progress on standard error if true.

        Raises
        ------
        ParameterError
            The format is unknown, or it cannot hold one of the words.
        OSError
            The file cannot be written.

        Examples
        --------
        >>> from pathlib import Path
        >>> vectors = tg.WordVectors.from_mapping({"low": [0.5, 1], "my name": [0.1, -2]})
        >>> vectors.save("vectors.txt", format="word2vec-text", spaces="_")
        >>> print(Path("vectors.txt").read_text(encoding="utf-8"), end="")
        2 2
        low 0.5 1.0
        my_name 0.1 -2.0
        """
        self._native.save(os.fspath(path), format, spaces, resolve(progress))

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._native.row(word) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, word: str) -> Vector:
        """Return the vector of a word, as a read-only view.

        Raises
        ------
        UnknownWordError
            The word has no vector; the message suggests words that are spelled alike.
        """
        vector: Vector = self._native.matrix[self._row(word)]
        return vector

    @property
    def words(self) -> list[str]:
        """The words, in row order."""
        if self._words is None:
            self._words = self._native.words
        return list(self._words)

    @property
    def counts(self) -> npt.NDArray[np.uint64]:
        """How often each word occurs in the corpus, in row order."""
        return self._native.counts

    @property
    def matrix(self) -> Vector:
        """All vectors, of shape (words, vector_size): a read-only view, not a copy."""
        return self._native.matrix

    @property
    def vector_size(self) -> int:
        """Numbers in a vector."""
        return self._native.vector_size

    @property
    def history(self) -> list[float]:
        """The mean loss per pair of words in each epoch, in natural logarithms; empty if not trained here."""
        return self._native.history

    @property
    def settings(self) -> dict[str, object]:
        """What the vectors were made with, as plain data."""
        settings: dict[str, object] = json.loads(self._native.settings)
        return settings

    def similarity(self, a: WordOrVector, b: WordOrVector) -> float:
        """Cosine of the angle between two words or vectors, from -1 to 1; 0 if either vector is zero."""
        return self._native.cosine(self._vector(a), self._vector(b))

    def distance(self, a: WordOrVector, b: WordOrVector) -> float:
        """Euclidean distance between two words or vectors."""
        difference = self._vector(a).astype(np.float64) - self._vector(b)
        return float(np.linalg.norm(difference))

    def most_similar(
        self,
        positive: WordOrVector | Sequence[WordOrVector],
        negative: WordOrVector | Sequence[WordOrVector] = (),
        *,
        n: int = 10,
        threads: int | None = None,
    ) -> list[tuple[str, float]]:
        """Return the words nearest to a word, a vector, or a sum of them, best first.

        All vectors are compared, so the answer is exact. Words of the query are never in it.

        Parameters
        ----------
        positive, negative : str, vector, or list of them
            The query is the sum of the unit vectors of ``positive`` minus those of ``negative``.
        n : int
            How many words to return.
        threads : int, optional
            All that the machine offers where none is given.

        Returns
        -------
        list of (str, float)
            Words with the cosine of their angle to the query; equal cosines in row order.

        Raises
        ------
        UnknownWordError
            A word has no vector.
        ParameterError
            The query is empty, or ``n`` is negative.
        """
        added, removed = _as_list(positive), _as_list(negative)
        if not added and not removed:
            raise ParameterError("`positive` must hold at least one word or vector, got none", "positive")
        if n < 0:
            raise ParameterError(f"`n` must be at least 0, got {n}", "n")
        query = np.zeros(self.vector_size, dtype=np.float64)
        for sign, terms in ((1, added), (-1, removed)):
            for term in terms:
                query += sign * _unit(self._vector(term))
        excluded = [self._row(term) for term in (*added, *removed) if isinstance(term, str)]
        found = self._native.nearest(query.astype(np.float32), n, excluded, threads)
        return [(self._native.word(row), score) for row, score in found]

    def analogy(self, a: str, b: str, c: str, *, n: int = 10) -> list[tuple[str, float]]:
        """Return what is to ``c`` as ``b`` is to ``a``: the words nearest to b - a + c.

        Known as 3CosAdd (Mikolov et al. 2013); the three words are never in the answer.

        Examples
        --------
        >>> vectors.analogy("man", "king", "woman", n=1)  # doctest: +SKIP
        [('queen', 0.78)]
        """
        return self.most_similar([b, c], [a], n=n)

    def project(
        self, words: Iterable[str] | None = None, *, dimensions: int = 2, unit: bool = True
    ) -> Projection:
        """Return the principal components of words; see :func:`textgrain.projection.project`."""
        from textgrain.projection import project

        return project(self, words, dimensions=dimensions, unit=unit)

    def distance_concentration(
        self, *, dimensions: Iterable[int] = (2, 10, 100, 1000), points: int = 1000, seed: int = 1
    ) -> DistanceConcentration:
        """Compare far and near in these vectors with random points of several dimensions.

        See :func:`textgrain.projection.distance_concentration`.
        """
        from textgrain.projection import distance_concentration

        return distance_concentration(self, dimensions=dimensions, points=points, seed=seed)

    def plot(
        self,
        words: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        style: Literal["light", "dark"] = "light",
        size: tuple[float, float] = (9.0, 7.0),
        unit: bool = True,
    ) -> Figure:
        """Draw words as a map; see :func:`textgrain.plot.plot_words`."""
        from textgrain.plot import plot_words

        return plot_words(self, words, path, title=title, style=style, size=size, unit=unit)

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self):,} words, {self.vector_size} numbers each>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordVectors):
            return NotImplemented
        return (
            self.words == other.words
            and np.array_equal(self.matrix, other.matrix)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        native = self._native
        # Copied: a view would keep a mapped file open in the process that reads the pickle's buffers.
        return _rebuild, (
            native.words,
            native.matrix.copy(),
            native.counts.tolist(),
            native.settings,
            native.history,
        )

    def _row(self, word: str) -> int:
        row = self._native.row(word)
        if row is None:
            raise UnknownWordError(self._unknown(word))
        return row

    def _vector(self, term: WordOrVector) -> Vector:
        if isinstance(term, str):
            return self[term]
        vector = np.ascontiguousarray(term, dtype=np.float32)
        if vector.shape != (self.vector_size,):
            message = f"a vector must hold {self.vector_size} numbers, got an array of shape {vector.shape}"
            raise ParameterError(message, "vector")
        return vector

    def _unknown(self, word: str) -> str:
        for changed in (word.lower(), word.capitalize(), word.strip()):
            if changed != word and changed in self:
                return f"the word {word!r} has no vector, but {changed!r} has one"
        alike = difflib.get_close_matches(word, self.words[:_WORDS_COMPARED], n=3, cutoff=0.75)
        hint = (
            f"Spelled alike: {', '.join(map(repr, alike))}" if alike else f"Try `{word!r} in vectors` first"
        )
        return (
            f"the word {word!r} has no vector: it does not occur, or too rarely, in the corpus of these "
            f"{len(self):,} words. {hint}"
        )


# More words than this would make the message of an error slow.
_WORDS_COMPARED = 50_000


def _as_list(terms: WordOrVector | Sequence[WordOrVector]) -> list[WordOrVector]:
    if isinstance(terms, str):
        return [terms]
    if isinstance(terms, np.ndarray):
        return [terms] if terms.ndim == 1 else list(terms)
    listed: list[WordOrVector] = list(terms)  # type: ignore[arg-type]
    # A list of numbers is one vector.
    one = bool(listed) and isinstance(listed[0], (int, float, np.number))
    return [np.asarray(listed, dtype=np.float32)] if one else listed


def _unit(vector: Vector) -> npt.NDArray[np.float64]:
    exact = vector.astype(np.float64)
    norm = float(np.linalg.norm(exact))
    return exact / norm if norm > 0 else exact


def _rebuild(
    words: list[str], matrix: Vector, counts: list[int], settings: str, history: list[float]
) -> WordVectors:
    return WordVectors(_native.WordVectors.from_parts(words, matrix, counts, settings, history))

"""An approximate index of word vectors, by usearch: for millions of vectors and very many queries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from textgrain._atomic import writing
from textgrain.exceptions import FormatError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textgrain.vectors import WordVectors
    from textgrain.vectors.lookup import WordOrVector

__all__ = ["VectorIndex"]

# Rows that tell whether an index belongs to vectors.
_COMPARED = 100


@final
class VectorIndex:
    """Neighbors by cosine from a graph (HNSW, Malkov and Yashunin 2018), most of which are the true ones.

    :meth:`WordVectors.most_similar` is exact and answers in milliseconds for hundreds of thousands of
    words; an index pays off beyond that. :meth:`recall` says how often it is right.

    Parameters
    ----------
    vectors : WordVectors
        What is searched.
    connectivity : int
        Edges of each word in the graph: more find more and take more memory.
    effort_adding, effort_asking : int
        How many candidates are looked at while words are added and while questions are answered.
    threads : int
        Threads that add words; with 1 the same vectors give the same index.

    Raises
    ------
    ImportError
        usearch is not installed.
    ParameterError
        A number is below 1.

    Examples
    --------
    >>> index = tg.VectorIndex(vectors)  # doctest: +SKIP
    >>> index.most_similar("doctor", n=3)  # doctest: +SKIP
    [('physician', 0.93), ('nurse', 0.91), ('surgeon', 0.88)]
    """

    __slots__ = ("_index", "_vectors")

    def __init__(
        self,
        vectors: WordVectors,
        *,
        connectivity: int = 16,
        effort_adding: int = 128,
        effort_asking: int = 64,
        threads: int = 1,
    ) -> None:
        settings = {
            "connectivity": connectivity,
            "effort_adding": effort_adding,
            "effort_asking": effort_asking,
            "threads": threads,
        }
        for name, value in settings.items():
            if value < 1:
                raise ParameterError(f"`{name}` must be at least 1, got {value}", name)
        self._vectors = vectors
        self._index = _usearch().Index(
            ndim=vectors.vector_size,
            metric="cos",
            dtype="f32",
            connectivity=connectivity,
            expansion_add=effort_adding,
            expansion_search=effort_asking,
        )
        # A zero vector has no direction, and no place in the graph.
        rows = np.flatnonzero(vectors._native.norms > 0)
        if len(rows):
            self._index.add(rows.astype(np.uint64), vectors._rows(rows), threads=threads)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"<VectorIndex of {len(self):,} words>"

    def most_similar(self, query: WordOrVector, *, n: int = 10) -> list[tuple[str, float]]:
        """Return words near to a word or a vector, best first, with their cosines; never the word itself."""
        if n < 0:
            raise ParameterError(f"`n` must be at least 0, got {n}", "n")
        own = self._vectors._native.row(query) if isinstance(query, str) else None
        wanted = min(n + (own is not None), len(self))
        if n == 0 or wanted == 0:
            return []
        vector = self._vectors._vector(query)
        rows = [int(row) for row in self._index.search(vector, wanted).keys if int(row) != own]
        # Exact cosines of what was found: the index rounds its own.
        found = [
            (row, self._vectors.similarity(vector, self._vectors._native.vector(row))) for row in rows[:n]
        ]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return [(self._vectors._native.word(row), score) for row, score in found]

    def recall(self, *, n: int = 10, sample: int = 1000) -> float:
        """Return the share of the true ``n`` nearest words that the index finds, over words spread evenly."""
        for name, value in (("n", n), ("sample", sample)):
            if value < 1:
                raise ParameterError(f"`{name}` must be at least 1, got {value}", name)
        words = self._vectors._all_words()
        rows = np.unique(np.linspace(0, len(words) - 1, min(sample, len(words))).astype(np.int64))
        asked = [words[row] for row in rows.tolist() if self._vectors._native.norms[row] > 0]
        true = self._vectors.most_similar_batch(asked, n=n).words
        found = [{word for word, _ in self.most_similar(word, n=n)} for word in asked]
        kept: Sequence[int] = [len(set(right) & near) for right, near in zip(true, found, strict=True)]
        return sum(kept) / max(1, sum(map(len, true)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, whole or not at all; the vectors are saved by themselves."""
        with writing(Path(path)) as file:
            file.write(self._index.save())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], vectors: WordVectors, *, effort_asking: int = 64
    ) -> VectorIndex:
        """Open an index of these vectors.

        Parameters
        ----------
        path : path-like
            What :meth:`save` wrote.
        vectors : WordVectors
            The vectors that the index was made of.
        effort_asking : int
            As for a new index; the file does not hold it.

        Raises
        ------
        FormatError
            The file is no index, or one of other vectors.
        ParameterError
            The effort is below 1.
        OSError
            The file cannot be opened.
        """
        if effort_asking < 1:
            raise ParameterError(f"`effort_asking` must be at least 1, got {effort_asking}", "effort_asking")
        target = Path(path)
        content = target.read_bytes()
        library = _usearch()
        try:
            index: Any = library.Index.restore(content)
        except (RuntimeError, ValueError) as error:
            index = None
            reason = f"is not an index of usearch: {error}"
        else:
            reason = "is not an index of usearch"
        if index is None:
            raise FormatError(f"{target}: {reason}", target, reason)
        count = int((vectors._native.norms > 0).sum())
        if index.ndim != vectors.vector_size or len(index) != count:
            reason = (
                f"an index of {len(index):,} vectors of {index.ndim} numbers does not belong to these "
                f"{count:,} of {vectors.vector_size} that are not zero"
            )
            raise FormatError(f"{target}: {reason}", target, reason)
        if not _holds(index, vectors):
            reason = "the index holds other vectors than these. Make it anew from them"
            raise FormatError(f"{target}: {reason}", target, reason)
        index.expansion_search = effort_asking
        loaded = cls.__new__(cls)
        loaded._vectors, loaded._index = vectors, index
        return loaded


def _holds(index: Any, vectors: WordVectors) -> bool:  # noqa: ANN401
    """Whether some rows of the vectors, spread evenly, are in the index as they are here."""
    rows = np.flatnonzero(vectors._native.norms > 0)
    asked = rows[np.unique(np.linspace(0, len(rows) - 1, min(_COMPARED, len(rows))).astype(np.int64))]
    if not len(asked):
        return True
    held = index.get(asked.astype(np.uint64))
    # A row that is not there is None.
    return all(
        row is not None and np.array_equal(row, own)
        for row, own in zip(held, vectors._rows(asked), strict=True)
    )


def _usearch() -> Any:  # noqa: ANN401
    try:
        import usearch.index
    except ImportError as error:
        message = "an index needs usearch, which is not installed: pip install 'textgrain[index]'"
        raise ImportError(message, name="usearch") from error
    return usearch.index

"""N-grams of word vectors: what words without a vector of their own are made from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from textgrain import _native

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Subwords"]


@final
class Subwords:
    """The n-grams of word vectors; found as :attr:`textgrain.WordVectors.subwords`.

    A word is put between two marks and cut into all its runs of ``min_n`` to ``max_n`` characters.

    Examples
    --------
    >>> import textgrain as tg
    >>> ngrams = {"<wh": [1, 0], "her": [0, 2]}
    >>> vectors = tg.WordVectors.from_mapping({"where": [1, 2]}, ngrams=ngrams, min_n=3, max_n=3)
    >>> vectors.subwords
    <Subwords: 2 explicit n-grams of 3 to 3 characters>
    >>> vectors.subwords.ngrams("whet")
    ['<whet>', '<wh', 'whe', 'het', 'et>']
    >>> vectors.subwords.vector("whether").tolist()
    [1.0, 2.0]
    """

    __slots__ = ("_native", "_scheme")

    def __init__(self, native: _native.Ngrams) -> None:
        self._native = native
        self._scheme: dict[str, Any] = json.loads(native.scheme)

    @property
    def min_n(self) -> int:
        """Characters in the shortest n-grams."""
        return int(self._scheme["min_n"])

    @property
    def max_n(self) -> int:
        """Characters in the longest n-grams."""
        return int(self._scheme["max_n"])

    @property
    def naming(self) -> Literal["explicit", "fasttext", "floret", "finalfusion"]:
        """Whether each n-gram has a row of its own, or whose hash says which row it shares."""
        naming: Literal["text", "fasttext", "floret", "finalfusion"] = self._scheme["naming"]
        return "explicit" if naming == "text" else naming

    @property
    def buckets(self) -> int | None:
        """How many buckets the n-grams share; `None` where each has a row of its own."""
        if "exponent" in self._scheme:
            return 1 << int(self._scheme["exponent"])
        buckets: int | None = self._scheme.get("buckets")
        return buckets

    @property
    def combine(self) -> Literal["mean", "sum", "unit"]:
        """How vectors of n-grams become one: their mean, their sum, or their sum at length 1."""
        combine: Literal["mean", "sum", "unit"] = self._scheme["combine"]
        return combine

    @property
    def dropped(self) -> bool:
        """Whether a mean leaves out n-grams without a vector; otherwise they count as zeros."""
        return self._native.dropped

    @property
    def marks(self) -> tuple[str, str]:
        """What stands before and behind a word while it is cut."""
        return self._scheme["begin"], self._scheme["end"]

    @property
    def settings(self) -> dict[str, object]:
        """All of this as plain data."""
        return dict(self._scheme)

    @property
    def matrix(self) -> npt.NDArray[np.float32]:
        """The vectors of all rows, of shape (rows, vector_size): a read-only view, not a copy."""
        return self._native.matrix

    def ngrams(self, word: str) -> list[str]:
        """Return the n-grams of a word, whether or not they have a vector."""
        return [ngram for ngram, _ in self._native.parts(word)]

    def rows(self, word: str) -> list[tuple[str, list[int]]]:
        """Return the n-grams of a word, each with its rows in :attr:`matrix`: none if it has no vector."""
        return self._native.parts(word)

    def parts(self, word: str, *, others: int = 0) -> list[tuple[str, npt.NDArray[np.float64] | None]]:
        """Return the n-grams of a word with what each adds to its vector, `None` for one without a vector.

        The sum over all is the vector. ``others`` is how many vectors beside the n-grams a mean takes in.
        """
        rows = self.rows(word)
        sums = [
            (ngram, self._native.rows(places).sum(axis=0, dtype=np.float64) if places else None)
            for ngram, places in rows
        ]
        divisor = 1.0
        if self.combine == "mean":
            divisor = others + sum(len(places) or (not self.dropped) for _, places in rows)
        elif self.combine == "unit":
            known = [part for _, part in sums if part is not None]
            divisor = float(np.linalg.norm(np.sum(known, axis=0))) if known else 1.0
            divisor = divisor or 1.0
        return [(ngram, None if part is None else part / divisor) for ngram, part in sums]

    def vector(self, word: str) -> npt.NDArray[np.float32] | None:
        """Return the vector of a word by its n-grams alone; `None` where none of them has one."""
        return self._native.vector(word)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        kind = "explicit n-grams" if self.buckets is None else f"rows for {self.naming} n-grams"
        return f"<Subwords: {len(self):,} {kind} of {self.min_n} to {self.max_n} characters>"


def with_parts(vectors: _native.WordVectors, parts: tuple[Any, ...]) -> _native.WordVectors:
    """A copy of the vectors that has n-grams too."""
    scheme, matrix, buckets, dropped, texts = parts
    numbers = None if buckets is None else buckets.tolist()
    return _native.with_ngrams(vectors, scheme, matrix, buckets=numbers, dropped=dropped, texts=texts)


def equal(first: Subwords | None, second: Subwords | None) -> bool:
    """Whether two models make vectors from n-grams alike."""
    if first is None or second is None:
        return first is second
    return (
        first.settings == second.settings
        and first.dropped == second.dropped
        and first._native.texts == second._native.texts
        and np.array_equal(first.matrix, second.matrix)
        and _same(first._native.buckets, second._native.buckets)
    )


def _same(first: npt.NDArray[np.uint32] | None, second: npt.NDArray[np.uint32] | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)

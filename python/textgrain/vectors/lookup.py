"""Words and their vectors: what every other part of :class:`textgrain.WordVectors` builds on."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from textgrain import _native
from textgrain.exceptions import ParameterError, UnknownWordError
from textgrain.loss_history import LossHistory
from textgrain.subwords import Subwords

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Vector: TypeAlias = npt.NDArray[np.float32]
    WordOrVector: TypeAlias = "str | npt.ArrayLike"

__all__ = ["Lookup"]

# More words than this would make the message of an error slow.
_WORDS_COMPARED = 50_000


class Lookup:
    """Words in row order, their vectors, and what is known about them."""

    __slots__ = ("_native", "_words")

    def __init__(self, native: _native.WordVectors) -> None:
        self._native = native
        self._words: list[str] | None = None

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._native.row(word) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, word: str) -> Vector:
        """Return the vector of a word, as a read-only array.

        A word outside the vocabulary gets one from its n-grams where these vectors have n-grams; see
        :meth:`vector` for other ways.

        Raises
        ------
        UnknownWordError
            The word has no vector; the message suggests words that are spelled alike.
        """
        row = self._native.row(word)
        vector: Vector | None = self._from_ngrams(word) if row is None else self._native.vector(row)
        if vector is None:
            raise UnknownWordError(self._unknown(word))
        return vector

    @property
    def words(self) -> list[str]:
        """The words, in row order."""
        return list(self._all_words())

    @property
    def counts(self) -> npt.NDArray[np.uint64]:
        """How often each word occurs in the corpus, in row order."""
        return self._native.counts

    @property
    def matrix(self) -> Vector:
        """All vectors, of shape (words, vector_size): a read-only view, not a copy.

        Vectors that are stored with fewer bits (see :attr:`storage`) become floats here, once and for good;
        everything else that asks for single vectors or searches leaves them as they are.
        """
        return self._native.matrix

    @property
    def storage(self) -> Literal["float32", "float16", "int8", "product"]:
        """How the numbers are stored, in memory as in the file; see :meth:`quantize`."""
        return self._native.stored or "float32"

    @property
    def vector_size(self) -> int:
        """Numbers in a vector."""
        return self._native.vector_size

    @property
    def history(self) -> LossHistory:
        """The mean loss per pair of words in each epoch, in natural logarithms; empty if not trained here."""
        return LossHistory(self._native.history)

    @property
    def settings(self) -> dict[str, object]:
        """What the vectors were made with, as plain data."""
        settings: dict[str, object] = json.loads(self._native.settings)
        return settings

    def _all_words(self) -> list[str]:
        """The words without a copy, not to be changed."""
        if self._words is None:
            self._words = self._native.words
        return self._words

    @property
    def subwords(self) -> Subwords | None:
        """The n-grams from which words outside the vocabulary get vectors; `None` where there are none."""
        ngrams = _native.ngrams_of(self._native)
        return None if ngrams is None else Subwords(ngrams)

    def _from_ngrams(self, word: str) -> Vector | None:
        """The vector of a word by its n-grams alone, if any of them has one."""
        ngrams = _native.ngrams_of(self._native)
        return None if ngrams is None else ngrams.vector(word)

    def _rows(self, rows: npt.ArrayLike) -> Vector:
        """A copy of the vectors in some rows."""
        return self._native.rows(np.asarray(rows, dtype=np.int64).reshape(-1))

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
        reason = "it does not occur, or too rarely, in the corpus"
        if _native.ngrams_of(self._native) is not None:
            reason = "it is not in the vocabulary, and none of its n-grams is known to the corpus"
        return f"the word {word!r} has no vector: {reason} of these {len(self):,} words. {hint}"

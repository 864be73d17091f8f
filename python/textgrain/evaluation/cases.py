"""How words of a test are found in the vocabulary: the case rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from textgrain._rows import unit_rows
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from textgrain.vectors import WordVectors

    Case: TypeAlias = Literal["fold", "exact"]
    Unseen: TypeAlias = Literal["skip", "subword"]

__all__ = ["Dictionary", "fold"]


def fold(word: str) -> str:
    """Fold upper and lower case together, character by character, as Unicode's simple case folding does.

    No two different letters become one: ``ß`` stays apart from ``ss``, and the dotless ``ı`` from ``i``.

    Examples
    --------
    >>> fold("Straße"), fold("STRASSE"), fold("Ilık"), fold("ΣΊΣΥΦΟΣ") == fold("σίσυφος")
    ('straße', 'strasse', 'ilık', True)
    """
    if word.isascii():
        return word.lower()
    return "".join(map(_fold_character, word))


def _fold_character(character: str) -> str:
    folded = character.casefold()
    if len(folded) == 1:
        return folded
    # Full folding would write more than one letter here; `ẞ` has a small letter, `İ` has none.
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


class Dictionary:
    """Words by their row, found as they are written or, failing that, in any case.

    Of words that differ in case only, the first in row order is found; a word that is written exactly so is
    always preferred, so no word is hidden by another. With ``oov="subword"`` a word that is not found is put
    together from its n-grams as it is written, and has a row after all others.
    """

    def __init__(
        self,
        vectors: WordVectors,
        *,
        restrict: int | None = None,
        case: Case = "fold",
        oov: Unseen = "skip",
    ) -> None:
        if case not in ("fold", "exact"):
            raise ParameterError(f'`case` must be "fold" or "exact", got {case!r}', "case")
        if oov not in ("skip", "subword"):
            raise ParameterError(f'`oov` must be "skip" or "subword", got {oov!r}', "oov")
        if restrict is not None and restrict < 0:
            raise ParameterError(f"`restrict` must be at least 0 words, got {restrict}", "restrict")
        self._subwords = vectors.subwords if oov == "subword" else None
        if oov == "subword" and self._subwords is None:
            message = '`oov` must be "skip" for vectors without n-grams, got "subword"'
            raise ParameterError(message, "oov")
        self._vectors = vectors
        self.words = vectors.words[:restrict]
        self._rows = {word: row for row, word in enumerate(self.words)}
        self._folded: dict[str, int] = {}
        if case == "fold":
            for row, word in enumerate(self.words):
                self._folded.setdefault(fold(word), row)
        self.fold = fold if case == "fold" else str
        #: Words that were found in another case only.
        self.in_other_case: set[str] = set()
        #: Words that were put together from n-grams.
        self.composed: dict[str, npt.NDArray[np.float32]] = {}

    def row(self, word: str) -> int | None:
        """The row of a word of a test."""
        row = self._rows.get(word)
        if row is None and self._folded:
            row = self._folded.get(fold(word))
            if row is not None:
                self.in_other_case.add(word)
        if row is None and self._subwords is not None:
            vector = self._subwords.vector(word)
            if vector is not None:
                row = self._rows[word] = len(self.words) + len(self.composed)
                self.composed[word] = vector
        return row

    def name(self, row: int) -> str:
        """The word in a row."""
        own = len(self.words)
        return self.words[row] if row < own else list(self.composed)[row - own]

    def unit_rows(self, rows: Sequence[int]) -> npt.NDArray[np.float64]:
        """The vectors in some rows, each of length 1."""
        own, asked = len(self.words), np.asarray(rows, dtype=np.int64)
        points = np.empty((len(asked), self._vectors.vector_size))
        points[asked < own] = self._vectors._rows(asked[asked < own])
        if self.composed and (asked >= own).any():
            points[asked >= own] = np.stack(list(self.composed.values()))[asked[asked >= own] - own]
        return unit_rows(points)

    def with_composed(self) -> WordVectors:
        """The vectors with those that were put together, in their rows."""
        if not self.composed:
            return self._vectors
        return self._vectors.select(self.words).with_words(self.composed)

    def first_of_each_case(self) -> list[int]:
        """The rows without those that repeat an earlier word in another case."""
        return list(self._folded.values()) if self._folded else list(range(len(self.words)))

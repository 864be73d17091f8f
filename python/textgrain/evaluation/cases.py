"""How words of a test are found in the vocabulary: the case rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from textgrain.vectors import WordVectors

    Case: TypeAlias = Literal["fold", "exact"]

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
    always preferred, so no word is hidden by another.
    """

    def __init__(self, vectors: WordVectors, *, restrict: int | None = None, case: Case = "fold") -> None:
        if case not in ("fold", "exact"):
            raise ParameterError(f'`case` must be "fold" or "exact", got {case!r}', "case")
        if restrict is not None and restrict < 0:
            raise ParameterError(f"`restrict` must be at least 0 words, got {restrict}", "restrict")
        self.words = vectors.words[:restrict]
        self._rows = {word: row for row, word in enumerate(self.words)}
        self._folded: dict[str, int] = {}
        if case == "fold":
            for row, word in enumerate(self.words):
                self._folded.setdefault(fold(word), row)
        self.fold = fold if case == "fold" else str
        #: Words that were found in another case only.
        self.in_other_case: set[str] = set()

    def row(self, word: str) -> int | None:
        """The row of a word of a test."""
        row = self._rows.get(word)
        if row is None and self._folded:
            row = self._folded.get(fold(word))
            if row is not None:
                self.in_other_case.add(word)
        return row

    def first_of_each_case(self) -> list[int]:
        """The rows without those that repeat an earlier word in another case."""
        return list(self._folded.values()) if self._folded else list(range(len(self.words)))

"""Words added, replaced, dropped and renamed: each call makes new vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from textgrain import _native
from textgrain.exceptions import ParameterError
from textgrain.vectors.lookup import Lookup

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from textgrain.vectors.lookup import Vector

__all__ = ["Editing"]


class Editing(Lookup):
    """The methods of :class:`textgrain.WordVectors` that return changed copies."""

    __slots__ = ()

    def with_words(
        self, vectors: Mapping[str, npt.ArrayLike], *, counts: Mapping[str, int] | None = None
    ) -> Self:
        """Return vectors with more words; a word that is there already gets the new vector in its old row.

        New words come last, in the order of the mapping, and have a count of 0 unless ``counts`` says more.

        Raises
        ------
        ParameterError
            A vector has another length than those here.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [0, 1]})
        >>> more = vectors.with_words({"c": [1, 0.1], "b": [1, 1]})
        >>> more.words, more.most_similar("a", n=1)[0][0], len(vectors)
        (['a', 'b', 'c'], 'c', 2)
        """
        words = self.words
        rows = {word: row for row, word in enumerate(words)}
        fresh = [word for word in vectors if word not in rows]
        rows.update((word, len(words) + place) for place, word in enumerate(fresh))
        matrix = np.empty((len(rows), self.vector_size), dtype=np.float32)
        matrix[: len(words)] = self.matrix
        numbers = np.zeros(len(rows), dtype=np.uint64)
        numbers[: len(words)] = self.counts
        for word, vector in vectors.items():
            matrix[rows[word]] = self._vector(np.asarray(vector, dtype=np.float32))
        for word, count in (counts or {}).items():
            if word not in vectors:
                raise ParameterError(f"`counts` must only name words of `vectors`, got {word!r}", "counts")
            numbers[rows[word]] = count
        return self._rebuilt([*words, *fresh], matrix, numbers, f"with_words: {len(vectors)}")

    def drop(self, words: str | Iterable[str]) -> Self:
        """Return vectors without some words.

        Raises
        ------
        UnknownWordError
            A word has no vector.

        Examples
        --------
        >>> tg.WordVectors.from_mapping({"a": [1], "b": [2], "c": [3]}).drop(["b"]).words
        ['a', 'c']
        """
        kept = np.ones(len(self), dtype=bool)
        for word in [words] if isinstance(words, str) else words:
            kept[self._row(word)] = False
        return self._selected(np.flatnonzero(kept), "drop")

    def select(self, words: Iterable[str]) -> Self:
        """Return the vectors of these words only, in this order.

        Raises
        ------
        UnknownWordError
            A word has no vector.

        Examples
        --------
        >>> tg.WordVectors.from_mapping({"a": [1], "b": [2], "c": [3]}).select(["c", "a"]).words
        ['c', 'a']
        """
        if isinstance(words, str):
            raise ParameterError(f"`words` must be a list of words, got {words!r}", "words")
        rows = [self._row(word) for word in dict.fromkeys(words)]
        return self._selected(np.array(rows, dtype=np.int64), "select")

    def rename(self, names: Mapping[str, str]) -> Self:
        """Return vectors with other names for some words, in the same rows.

        Raises
        ------
        UnknownWordError
            A word has no vector.
        ParameterError
            Two words would have the same name.

        Examples
        --------
        >>> tg.WordVectors.from_mapping({"a": [1], "b": [2]}).rename({"a": "b", "b": "a"})["a"].tolist()
        [2.0]
        """
        words = self.words
        for old, new in names.items():
            words[self._row(old)] = new
        if len(set(words)) < len(words):
            seen: set[str] = set()
            twice = next(word for word in words if word in seen or seen.add(word))  # type: ignore[func-returns-value]
            raise ParameterError(
                f"`names` must leave words distinct, got {twice!r} twice. Drop one, or rename both", "names"
            )
        return self._rebuilt(words, self.matrix, self.counts, f"rename: {len(names)}")

    def _selected(self, rows: npt.NDArray[np.int64], edit: str) -> Self:
        words = self._all_words()
        names = [words[row] for row in rows.tolist()]
        return self._rebuilt(names, self._rows(rows), self.counts[rows], f"{edit}: {len(rows)} words left")

    def _rebuilt(self, words: list[str], matrix: Vector, counts: npt.NDArray[np.uint64], edit: str) -> Self:
        settings = json.loads(self._native.settings)
        # What is put together anew is floats.
        settings.pop("stored", None)
        settings["edits"] = [*settings.get("edits", []), edit]
        return type(self)(
            _native.WordVectors.from_parts(
                words,
                matrix,
                counts.tolist(),
                json.dumps(settings),
                self._native.history,
                # N-grams stay: words that are not here get their vectors as before.
                like=self._native,
            )
        )

"""Pairs of words that belong together, found in text and joined in it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, final

from textgrain import _native
from textgrain._atomic import writing
from textgrain.exceptions import FormatError, ParameterError

__all__ = ["Phrase", "PhraseTable"]

_FORMAT = "textgrain.phrases"
_VERSION = 1
_ITEMS = ([str, str, int, float], [str, str, int, int])

#: How words are cut before pairs are joined; phrases are cut by phrases for three and four words.
Split: TypeAlias = "str | PhraseTable"


@dataclass(frozen=True)
class Phrase:
    """Two words that are joined: how often they stood together, and what they scored."""

    first: str
    second: str
    count: int
    score: float


@final
class PhraseTable:
    """Phrases that :class:`Phrases` found, the best first.

    Given to a trainer of vectors as ``split``, it cuts documents into words and joins those that make a
    phrase. :meth:`cut` does the same to any text, so that a query finds the words that were trained.

    Examples
    --------
    >>> import textgrain as tg
    >>> notes = ["blood pressure is high", "high blood pressure again", "no blood was seen"] * 10
    >>> table = tg.Phrases(min_count=5, threshold=0.5).train(notes)
    >>> table[0].first, table[0].second, table[0].count, round(table[0].score, 2)
    ('was', 'seen', 10, 1.0)
    >>> table.cut("her blood pressure")
    ['her', 'blood_pressure']
    >>> trainer = tg.Word2Vec(split=table, vector_size=8, subsample=0, shrink_window=False)
    >>> "blood_pressure" in trainer.train(notes, threads=1)
    True
    """

    __slots__ = ("_native", "_settings", "_split")

    def __init__(self, native: _native.Phrases, *, split: Split, settings: dict[str, Any]) -> None:
        self._native = native
        self._split = split
        self._settings = settings

    @property
    def settings(self) -> dict[str, Any]:
        """What the phrases were found with, ``threshold`` as it came out."""
        return dict(self._settings)

    def cut(self, text: str) -> list[str]:
        """Cut a text into words; two that make a phrase are one.

        From left to right: of three words of which each two in a row make a phrase, the first two do.

        Examples
        --------
        >>> table = tg.Phrases(min_count=1, threshold=0).train(["ad hoc"])
        >>> table.cut("an ad hoc rule")
        ['an', 'ad_hoc', 'rule']
        """
        return self._native.cut(text.lower() if self._settings["lowercase"] else text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file, whole or not at all."""
        with writing(Path(path), "w", encoding="utf-8") as file:
            json.dump({"format": _FORMAT, "version": _VERSION, **self._document()}, file, ensure_ascii=False)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PhraseTable:
        """Read a file that :meth:`save` wrote.

        Raises
        ------
        FormatError
            The file holds something else or is damaged.
        """
        where = Path(path)
        try:
            document = json.loads(where.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as wrong:
            raise _refusal(where, f"no JSON: {wrong}") from wrong
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise _refusal(where, f'no table of phrases: the key "format" is not "{_FORMAT}"')
        if document.get("version") != _VERSION:
            found = document.get("version")
            raise _refusal(
                where, f"version {found!r}; this textgrain reads {_VERSION}. Install a newer textgrain"
            )
        return _table_of(document, where, 0)

    def _document(self) -> dict[str, Any]:
        split = self._split._document() if isinstance(self._split, PhraseTable) else self._split
        return {"split": split, "settings": self._settings, "phrases": self._native.items()}

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, place: int) -> Phrase:
        return Phrase(*self._native.items()[place])

    def __iter__(self) -> Iterator[Phrase]:
        return (Phrase(*item) for item in self._native.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PhraseTable) and self._document() == other._document()

    def __hash__(self) -> int:
        return hash((len(self), str(self._settings)))

    def __repr__(self) -> str:
        return f"<PhraseTable of {len(self):,} phrases>"

    def __reduce__(self) -> tuple[Callable[..., PhraseTable], tuple[Any, ...]]:
        return _rebuild, (self._native.items(), self._split, self._settings)


def native_split(split: Split) -> str | _native.Phrases:
    """How words are cut, as the engine takes it."""
    if isinstance(split, PhraseTable):
        return split._native
    if not isinstance(split, str):
        raise ParameterError(
            f'`split` must be "words", "whitespace" or a PhraseTable, got {split!r}', "split"
        )
    return split


def _rebuild(items: list[tuple[str, str, int, float]], split: Split, settings: dict[str, Any]) -> PhraseTable:
    native = _native.Phrases.from_items(native_split(split), str(settings["delimiter"]), items)
    return PhraseTable(native, split=split, settings=settings)


def _table_of(document: dict[str, Any], path: Path, depth: int) -> PhraseTable:
    split, settings, items = (document.get(key) for key in ("split", "settings", "phrases"))
    if isinstance(split, dict) and depth < 16:
        split = _table_of(split, path, depth + 1)
    if not isinstance(split, (str, PhraseTable)) or not isinstance(settings, dict):
        raise _refusal(path, 'damaged: "split" and "settings" must say how words were cut')
    if not isinstance(settings.get("delimiter"), str) or not isinstance(settings.get("lowercase"), bool):
        raise _refusal(path, 'damaged: "settings" must hold "delimiter" and "lowercase"')
    return _rebuild(_items_of(items, path), split, settings)


def _items_of(items: object, path: Path) -> list[tuple[str, str, int, float]]:
    made = []
    for place, item in enumerate(items if isinstance(items, list) else [items]):
        fits = isinstance(item, list) and [type(part) for part in item] in _ITEMS
        if not fits or not 0 <= item[2] < 1 << 64:
            raise _refusal(path, f"damaged: phrase {place} is not two words, a count and a score")
        made.append((item[0], item[1], item[2], float(item[3])))
    return made


def _refusal(path: Path, reason: str) -> FormatError:
    return FormatError(f"{path}: {reason}", path, reason)

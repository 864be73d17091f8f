"""Test sets: read from files of the usual layouts, or given as lists."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from textgrain.exceptions import FormatError, ParameterError

__all__ = ["Kind", "TestSet", "read_test_set"]

Kind: TypeAlias = Literal["similarity", "analogy", "odd-one-out", "categories"]

_KINDS = ("similarity", "analogy", "odd-one-out", "categories")


@dataclass(frozen=True, kw_only=True)
class TestSet:
    """A test and what it asks.

    Attributes
    ----------
    name : str
        The name of the file, or what the caller says.
    kind : str
        ``"similarity"``, ``"analogy"``, ``"odd-one-out"`` or ``"categories"``.
    sections : dict of str to list of tuple
        The items by the name of their section; one section without a name where the test has none. An item is
        ``(word, word, score)``; the four words of an analogy; words of which the last is the odd one; or
        ``(word, category)``.
    """

    name: str
    kind: Kind
    sections: dict[str, list[tuple[str, ...]]]
    scores: list[float]

    # Not for pytest, which collects classes whose names start so.
    __test__ = False

    @property
    def items(self) -> list[tuple[str, ...]]:
        """The items of all sections."""
        return [item for items in self.sections.values() for item in items]


def read_test_set(
    test: str | os.PathLike[str] | Iterable[Sequence[object]] | Mapping[str, Iterable[str]],
    kind: Kind | Literal["auto"] = "auto",
) -> TestSet:
    """Read a test from a file, or take one from a list of tuples or a mapping of categories to words.

    A file has one item a line, its fields separated by tabs, commas or blanks; empty lines and those that
    start with ``#`` are passed over, and a line ``: name`` starts a section. What it asks is found from the
    number of fields: two words and a number are a similarity, four words an analogy, and two words a pair of
    which analogies are made, each pair with each other one in its section. The other kinds must be named.

    Raises
    ------
    FormatError
        A line does not have the fields that the first one has; the error names it.
    ParameterError
        The kind is unknown, or there are no items.

    Examples
    --------
    >>> test = read_test_set([("cat", "dog", 7.5), ("cat", "car", 1.0)])
    >>> test.kind, test.items, test.scores
    ('similarity', [('cat', 'dog'), ('cat', 'car')], [7.5, 1.0])
    """
    if kind != "auto" and kind not in _KINDS:
        names = ", ".join(f'"{name}"' for name in _KINDS)
        raise ParameterError(f'`kind` must be "auto" or one of {names}, got {kind!r}', "kind")
    if isinstance(test, Mapping):
        pairs = [(word, str(name)) for name, words in test.items() for word in words]
        return TestSet(name="categories", kind="categories", sections={"": list(pairs)}, scores=[])
    if isinstance(test, (str, os.PathLike)):
        path = Path(test)
        rows = _rows_of_file(path)
        return _made(rows, kind, path.name, path)
    listed = [("", 0, [str(field) for field in item]) for item in test]
    return _made(listed, kind, "test", None)


_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

_Row: TypeAlias = "tuple[str, int, list[str]]"


def _rows_of_file(path: Path) -> list[_Row]:
    rows: list[_Row] = []
    section = ""
    text = path.read_text(encoding="utf-8-sig")
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        if content.startswith(":") and len(content.split()) > 1:
            section = content[1:].strip()
            continue
        separator = "\t" if "\t" in content else "," if "," in content.strip(",") else None
        rows.append((section, number, [field.strip() for field in content.split(separator)]))
    return rows


def _made(rows: list[_Row], kind: str, name: str, path: Path | None) -> TestSet:
    # A first line with names of columns has no number where all others do.
    if len(rows) > 1 and _score(rows[0][2]) is None and _score(rows[1][2]) is not None:
        rows = rows[1:]
    if not rows:
        raise ParameterError(f"`test` must hold at least one item, got none in {name}", "test")
    found = _kind_of(rows[0][2]) if kind == "auto" else kind
    if found is None:
        raise _wrong(path, rows[0], "two words and a score, four words, or two words")
    sections: dict[str, list[tuple[str, ...]]] = {}
    scores: list[float] = []
    for row in rows:
        section, _, fields = row
        items = sections.setdefault(section, [])
        if found == "similarity":
            score = _score(fields)
            if score is None:
                raise _wrong(path, row, "two words and a score")
            items.append((fields[0], fields[1]))
            scores.append(score)
            continue
        expected = {"analogy": (4,), "pairs": (2,), "categories": (2,)}.get(found)
        if (expected is not None and len(fields) not in expected) or len(fields) < 2:
            raise _wrong(path, row, _EXPECTED[found])
        items.append(tuple(fields))
    if found == "pairs":
        sections = {section: _questions(pairs) for section, pairs in sections.items()}
        found = "analogy"
    return TestSet(name=name, kind=found, sections=sections, scores=scores)  # type: ignore[arg-type]


_EXPECTED = {
    "analogy": "four words",
    "pairs": "two words",
    "categories": "a word and its category",
    "odd-one-out": "several words, the last of which is the odd one",
}


def _kind_of(fields: list[str]) -> str | None:
    if _score(fields) is not None:
        return "similarity"
    return {4: "analogy", 2: "pairs"}.get(len(fields))


def _score(fields: list[str]) -> float | None:
    """The first number after two words."""
    if len(fields) < 3:
        return None
    numbers = (field for field in fields[2:] if _NUMBER.fullmatch(field))
    return next((float(field) for field in numbers), None)


def _questions(pairs: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [(*first, *second) for first in pairs for second in pairs if first is not second]


def _wrong(path: Path | None, row: _Row, expected: str) -> FormatError | ParameterError:
    _, line, fields = row
    reason = f"expected {expected}, got {len(fields)} fields: {' | '.join(fields[:6])}"
    if path is None:
        return ParameterError(f"`test` must hold items of one kind: {reason}", "test")
    return FormatError(f"{path}, line {line}: {reason}", path, reason, line=line)

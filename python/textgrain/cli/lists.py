"""Words, pairs of words and pairs of texts in files that a command line names."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from textgrain.exceptions import FormatError

__all__ = ["named_words", "numbered_pairs", "read_pairs", "read_text_pairs"]


def named_words(words: Iterable[str], path: str | None) -> list[tuple[str, str]]:
    """Words, and those of a file, one a line, if there is one; each with where it is named, for messages.

    Blank lines are passed over.
    """
    lines = [] if path is None else _lines(path)
    named = [(line, f"{path}, line {number}: ") for number, line in lines if line.strip()]
    return [*((word, "") for word in words), *named]


def read_pairs(path: str) -> list[tuple[str, str]]:
    """The words of each line, which a tab or a space separates."""
    return [pair for _, pair in numbered_pairs(path)]


def numbered_pairs(path: str) -> list[tuple[int, tuple[str, str]]]:
    """The same, each with the number of its line."""
    pairs = []
    for number, line in _lines(path):
        words = line.split("\t") if "\t" in line else line.split()
        if len(words) == 2:
            pairs.append((number, (words[0].strip(), words[1].strip())))
        elif words:
            raise _refusal(path, number, f"expected two words, got {_fields(len(words))}")
    return pairs


def read_text_pairs(path: str) -> list[tuple[str, str]]:
    """The two texts of each line, which a tab separates."""
    pairs = []
    for number, line in _lines(path):
        texts = line.split("\t")
        if len(texts) == 2:
            pairs.append((texts[0], texts[1]))
        elif line.strip():
            raise _refusal(
                path, number, f"expected two texts with a tab between them, got {_fields(len(texts))}"
            )
    return pairs


def _lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers; only a line feed ends a line."""
    content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        reason = f"not valid UTF-8 (found byte 0x{content[error.start]:02X}). Convert the file to UTF-8"
        raise _refusal(path, number, reason) from error
    for number, line in enumerate(text.split("\n"), 1):
        yield number, line.removesuffix("\r")


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


def _refusal(path: str, number: int, reason: str) -> FormatError:
    return FormatError(f"{path}, line {number}: {reason}", path, reason, line=number)

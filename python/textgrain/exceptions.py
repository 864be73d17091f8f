"""The exceptions that textgrain raises; all derive from :class:`TextgrainError`.

Files that cannot be opened raise Python's own :class:`OSError` family, with the path in ``filename``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textgrain import _native
    from textgrain.vectors import WordVectors

__all__ = [
    "CorpusError",
    "DivergenceError",
    "FormatError",
    "InternalError",
    "InvalidTextWarning",
    "ParameterError",
    "SkippedRowsWarning",
    "SmallCorpusNotice",
    "TextgrainError",
    "UnknownIdError",
    "UnknownTokenError",
    "UnknownWordError",
]


class TextgrainError(Exception):
    """Base class: catch it to catch everything that textgrain raises for a cause it knows."""


class ParameterError(TextgrainError, ValueError):
    """A setting is outside its range, or two settings contradict each other."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[type[ParameterError], tuple[str, str]]:
        return type(self), (str(self), self.name)


class CorpusError(TextgrainError, ValueError):
    """The corpus holds nothing to train on."""


class FormatError(TextgrainError, ValueError):
    """A file does not hold what it should hold.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    reason : str
        What was found and what was expected.
    offset : int or None
        Where in the file, in bytes from its start.
    line : int or None
        Where in the file, as a line counted from 1.
    """

    def __init__(
        self,
        message: str,
        path: str | Path = "",
        reason: str = "",
        offset: int | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.path = Path(path)
        self.reason = reason
        self.offset = offset
        self.line = line

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, Path, str, int | None, int | None]]:
        return type(self), (str(self), self.path, self.reason, self.offset, self.line)


class UnknownTokenError(TextgrainError, KeyError):
    """A token, character or word is not in the vocabulary."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would hide the message in quotes.
        return str(self.args[0]) if self.args else ""


class UnknownWordError(UnknownTokenError):
    """A word has no vector."""


class UnknownIdError(TextgrainError, IndexError):
    """An id is not in the vocabulary."""


class DivergenceError(TextgrainError, ArithmeticError):
    """Training left the range of finite numbers; the message names the setting to lower.

    Attributes
    ----------
    vectors : WordVectors or None
        The vectors as they were after the last epoch that ended well; their ``history`` says how many
        there were. ``None`` if the first epoch diverged, or if they take more than 512 MB: give a
        ``checkpoint`` then.
    """

    def __init__(self, message: str, vectors: WordVectors | _native.WordVectors | None = None) -> None:
        super().__init__(message)
        from textgrain.vectors import WordVectors

        if vectors is not None and not isinstance(vectors, WordVectors):
            vectors = WordVectors(vectors)
        self.vectors = vectors

    def __reduce__(self) -> tuple[type[DivergenceError], tuple[str, WordVectors | None]]:
        return type(self), (str(self), self.vectors)


class InternalError(TextgrainError, RuntimeError):
    """A defect in textgrain itself."""


class InvalidTextWarning(UserWarning):
    """Bytes that are not UTF-8 were replaced; the message says how many and where."""


class SkippedRowsWarning(UserWarning):
    """Rows of a vectors file were left out; the message says how many, where and why."""


class SmallCorpusNotice(UserWarning):
    """Settings were adapted to a small corpus; the message says which and how to choose them yourself."""

"""Texts in a column of Parquet files."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textgrain.exceptions import CorpusError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ParquetDocuments"]

#: Rows that are turned into Python texts at a time.
_ROWS = 1024


class ParquetDocuments:
    """The texts of a column, read anew each time that they are iterated over."""

    def __init__(self, patterns: list[str], field: str) -> None:
        self._arrow, self._parquet = _pyarrow()
        self._paths = [path for pattern in patterns for path in _expanded(pattern)]
        if not self._paths:
            raise CorpusError("no files were named: pass at least one path or pattern")
        self._patterns, self._field = patterns, field
        for path in self._paths:
            self._open(path).close()

    def __iter__(self) -> Iterator[str]:
        for path in self._paths:
            row = 0
            with self._open(path) as file:
                try:
                    for batch in file.iter_batches(batch_size=_ROWS, columns=[self._field]):
                        for text in batch.column(0).to_pylist():
                            if text is None:
                                raise CorpusError(
                                    f"{path}, row {row}: the column {self._field!r} holds no text there"
                                )
                            yield text
                            row += 1
                except (self._arrow.ArrowException, UnicodeDecodeError) as error:
                    reason = f"the table cannot be read after row {row} ({error})"
                    raise FormatError(f"{path}: {reason}", path, reason) from error

    def _open(self, path: str) -> Any:  # noqa: ANN401 - the library has no types
        try:
            file = self._parquet.ParquetFile(path)
        except self._arrow.ArrowInvalid as error:
            reason = f"not a Parquet file, or a damaged one ({error})"
            raise FormatError(f"{path}: {reason}", path, reason) from error
        names = file.schema_arrow.names
        if names.count(self._field) != 1:
            file.close()
            known = ", ".join(map(repr, names[:20]))
            raise CorpusError(f"{path} has no column {self._field!r}; its columns are {known}")
        kind = file.schema_arrow.field(self._field).type
        types = self._arrow.types
        if types.is_dictionary(kind):
            kind = kind.value_type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            file.close()
            raise CorpusError(f"{path}: the column {self._field!r} must hold text, but holds {kind}")
        return file

    def __repr__(self) -> str:
        more = f", and {len(self._patterns) - 1} more" if len(self._patterns) > 1 else ""
        return f"{self._patterns[0]!r}{more}, field={self._field!r}"

    def __reduce__(self) -> tuple[type[ParquetDocuments], tuple[list[str], str]]:
        return ParquetDocuments, (self._patterns, self._field)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        message = "Parquet files need pyarrow, which is not installed: pip install 'textgrain[parquet]'"
        raise ImportError(message, name="pyarrow") from error
    return arrow, parquet


def _expanded(pattern: str) -> list[str]:
    """The files of a pattern in order; a path that exists, and one that is no pattern, as it is."""
    if Path(pattern).exists() or not any(sign in pattern for sign in "*?["):
        return [pattern]
    found = sorted(path for path in glob.glob(pattern) if Path(path).is_file())  # noqa: PTH207 - a pattern may be absolute
    if not found:
        raise CorpusError(f"no file matches the pattern {pattern!r}")
    return found

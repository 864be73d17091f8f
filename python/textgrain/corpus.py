"""Where text comes from."""

from __future__ import annotations

import operator
import os
import struct
import tempfile
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import IO, TYPE_CHECKING, Literal, final

from textgrain import _native
from textgrain.exceptions import CorpusError, InvalidTextWarning, ParameterError
from textgrain.progress import Progress, resolve

if TYPE_CHECKING:
    from textgrain.counts import PieceCounts

__all__ = ["Corpus"]


@final
class Corpus:
    """A lazy description of text that can be read any number of times.

    Make one with :meth:`from_files`, :meth:`from_iterable` or :meth:`from_counts`. Nothing is read
    until a trainer asks for it.

    Examples
    --------
    >>> import textgrain as tg
    >>> corpus = tg.Corpus.from_iterable(["low lower", "newest widest"])
    >>> corpus
    Corpus.from_iterable(<list of 2>)
    """

    __slots__ = ("_description", "_native", "_recipe")

    def __init__(self, recipe: tuple[object, ...], native: _native.Source, description: str) -> None:
        self._recipe = recipe
        self._native = native
        self._description = description

    @classmethod
    def from_files(
        cls,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        documents: str = "lines",
        field: str | None = None,
        errors: Literal["replace", "strict"] = "replace",
    ) -> Corpus:
        r"""Text files, plain, gzip or Zstandard (found by content, not by name).

        Parameters
        ----------
        paths : path, pattern or iterable of them
            Patterns such as ``"notes/*.txt.zst"`` are expanded; a path that exists is taken as it is.
        documents : {"lines", "files"} or str
            How a file is cut into documents: at each ``\n``, not at all, or at this separator.
        field : str, optional
            The files are lines of JSON, each an object, and the text in this field of it is the document. A
            line without one stops the run with its number; blank lines are passed over.
        errors : {"replace", "strict"}
            Bytes that are not UTF-8 become U+FFFD and are counted, or stop the run.

        Raises
        ------
        OSError
            A file does not exist, is a directory or may not be read.
        CorpusError
            A pattern matches no file.
        ParameterError
            A file is a table of Parquet, which :meth:`from_parquet` reads.

        Examples
        --------
        >>> from pathlib import Path
        >>> import textgrain as tg
        >>> corpus = tg.Corpus.from_files("notes/*.txt.zst")  # doctest: +SKIP
        >>> written = Path("notes.jsonl").write_text('{"id": 7, "text": "low lower"}')
        >>> corpus = tg.Corpus.from_files("notes.jsonl", field="text")
        >>> tg.BPE(merges=2).train(corpus).encode("low").tokens
        ['low']
        """
        listed = _paths(paths)
        tables = [path for path in listed if path.endswith(".parquet")]
        if tables:
            raise ParameterError(
                f"`paths` must be text files, got {tables[0]!r}. Use Corpus.from_parquet for it", "paths"
            )
        native = _native.Source.files(listed, documents, errors, field)
        shown = listed[0] if len(listed) == 1 else f"{listed[0]!r}, and {len(listed) - 1} more"
        description = f"Corpus.from_files({shown!r})" if len(listed) == 1 else f"Corpus.from_files({shown})"
        return cls(("files", tuple(listed), documents, errors, field), native, description)

    @classmethod
    def from_parquet(
        cls, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, field: str
    ) -> Corpus:
        """A column of tables in Parquet files; each text in it is a document.

        Needs pyarrow: ``pip install 'textgrain[parquet]'``. Tables are read a part at a time.

        Parameters
        ----------
        paths : path, pattern or iterable of them
            As in :meth:`from_files`.
        field : str
            The column with the text.

        Raises
        ------
        ImportError
            pyarrow is not installed.
        CorpusError
            A pattern matches no file; a file has no such column, or one that does not hold text. While the
            corpus is read: a row without a text, which is named.
        FormatError
            A file is no Parquet file, or is damaged.

        Examples
        --------
        >>> corpus = tg.Corpus.from_parquet("notes/*.parquet", field="text")  # doctest: +SKIP
        """
        from textgrain._parquet import ParquetDocuments

        documents = ParquetDocuments(_paths(paths), field)
        native = _native.Source.iterable(documents)
        return cls(("iterable", documents), native, f"Corpus.from_parquet({documents!r})")

    @classmethod
    def from_iterable(cls, documents: Iterable[str]) -> Corpus:
        """Documents that a Python iterable yields, one ``str`` each.

        A list, or any object whose ``iter()`` starts anew, is read where it is. An iterator that can be
        read only once, such as a generator, is first copied to a temporary file, so that training may
        pass over it several times.

        Raises
        ------
        TypeError
            The argument is a ``str`` (which would be cut into letters) or a mapping.

        Examples
        --------
        >>> tg.Corpus.from_iterable(line.upper() for line in ["one", "two"])
        Corpus.from_iterable(<2 spooled documents>)
        """
        if isinstance(documents, (str, bytes)):
            message = (
                "a single string is not a corpus: its letters would become documents. "
                "Pass a list of documents, or Corpus.from_files(path) to read a file"
            )
            raise TypeError(message)
        if isinstance(documents, Mapping):
            raise TypeError(
                "a mapping is not a sequence of documents; use Corpus.from_counts for word counts"
            )
        if iter(documents) is documents:
            documents = _SpooledDocuments(documents)
        shown = repr(documents) if isinstance(documents, _SpooledDocuments) else _describe(documents)
        native = _native.Source.iterable(documents)
        return cls(("iterable", documents), native, f"Corpus.from_iterable({shown})")

    @classmethod
    def from_counts(cls, counts: Mapping[str, int] | PieceCounts) -> Corpus:
        """Words with the number of times that each occurs; the order of the mapping breaks ties.

        Each word is one piece: no split rule is applied to it. Counts are 64-bit. :class:`PieceCounts` know
        the rule by which they were made, and a trainer with another one refuses them.

        Raises
        ------
        CorpusError
            A count is negative or not a whole number.

        Examples
        --------
        >>> tg.Corpus.from_counts({"low": 5, "lower": 2})
        Corpus.from_counts(<2 words>)
        """
        if not isinstance(counts, Mapping):
            native = _native.Source.pieces(counts._native)
            return cls(("counts", counts), native, f"Corpus.from_counts({counts!r})")
        listed = []
        for word, count in counts.items():
            if not isinstance(word, str):
                raise TypeError(f"words must be str, got {type(word).__name__}")
            if isinstance(count, bool) or not hasattr(count, "__index__") or int(count) < 0:
                raise CorpusError(
                    f"the count of {word!r} must be a whole number of at least 0, got {count!r}"
                )
            listed.append((word, int(count)))
        native = _native.Source.counts(listed)
        return cls(("counts", tuple(listed)), native, f"Corpus.from_counts(<{len(listed)} words>)")

    def take(self, numbers: Iterable[int], *, progress: Progress | bool | None = None) -> list[str]:
        """Return the documents with these numbers, counted from 0, in the order of the numbers.

        The corpus is read up to the last of them. Empty documents count, so for one document a line the
        number of a document is that of its line less one.

        Parameters
        ----------
        numbers : iterable of int
            Which documents.
        progress : callable or bool, optional
            Shows progress on standard error if true.

        Raises
        ------
        ParameterError
            There is no document with one of these numbers.

        Examples
        --------
        >>> tg.Corpus.from_iterable(["low", "lower", "lowest"]).take([2, 0])
        ['lowest', 'low']
        """
        wanted = [operator.index(number) for number in numbers]
        for number in wanted:
            if not 0 <= number < 2**64:
                raise ParameterError(f"`numbers` must be from 0 to 2**64 - 1, got {number}", "numbers")
        order = sorted(set(wanted))
        texts = dict(zip(order, _native.document_texts(self._native, order, resolve(progress)), strict=True))
        return [texts[number] for number in wanted]

    def __repr__(self) -> str:
        return self._description

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _rebuild, self._recipe


def as_corpus(source: Corpus | PieceCounts | Iterable[str] | Mapping[str, int]) -> Corpus:
    """What a trainer was given, as a corpus: lists and counts are wrapped."""
    from textgrain.counts import PieceCounts
    from textgrain.idfile import IdFile

    if isinstance(source, IdFile):
        raise CorpusError(
            "the corpus is a file of ids, which holds no text. Word2Vec, FastText and GloVe with "
            "split=tokenizer learn vectors of its tokens; everything else needs the text: "
            "Corpus.from_files or Corpus.from_iterable"
        )
    if isinstance(source, Corpus):
        return source
    if isinstance(source, (Mapping, PieceCounts)):
        return Corpus.from_counts(source)
    return Corpus.from_iterable(source)


def as_training_corpus(source: Corpus | PieceCounts | Iterable[str] | Mapping[str, int]) -> Corpus:
    """What a trainer was given, as a corpus; an iterator that has nothing left is not one."""
    corpus = as_corpus(source)
    documents = corpus._recipe[1]
    if isinstance(documents, _SpooledDocuments) and not len(documents):
        raise CorpusError(
            "the corpus is empty: the iterator that it was made of yielded no document. An iterator, such as "
            "a generator or an open file, can be passed over only once, so this one was probably used up "
            "before. Pass a list, or make the iterator anew"
        )
    return corpus


def warn_of_replacements(report: _native.Report) -> None:
    """Say how many invalid bytes were replaced, and where the first of them are."""
    if report.replaced == 0:
        return
    places = ", ".join(f"{path} byte {offset}" for path, offset in report.first_replaced[:3])
    more = ", …" if report.replaced > 3 else ""
    message = (
        f"{report.replaced:,} invalid UTF-8 sequence{'s' if report.replaced > 1 else ''} replaced by U+FFFD: "
        f'{places}{more}. Use errors="strict" to stop instead'
    )
    warnings.warn(message, InvalidTextWarning, stacklevel=4)


def _paths(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def _describe(documents: Iterable[str]) -> str:
    length = f" of {len(documents)}" if isinstance(documents, Sized) else ""
    return f"<{type(documents).__name__}{length}>"


def _rebuild(kind: str, *arguments: object) -> Corpus:
    if kind == "files":
        paths, documents, errors, field = arguments
        return Corpus.from_files(paths, documents=documents, errors=errors, field=field)  # type: ignore[arg-type]
    if kind == "counts":
        counts = arguments[0]
        return Corpus.from_counts(dict(counts) if isinstance(counts, tuple) else counts)  # type: ignore[arg-type]
    return Corpus.from_iterable(arguments[0])  # type: ignore[arg-type]


class _SpooledDocuments:
    """Documents of a one-time iterator, kept in a temporary file: length, then UTF-8, for each."""

    _LENGTH = struct.Struct("<Q")

    def __init__(self, documents: Iterable[str]) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="textgrain-")  # noqa: SIM115
        # Left to the collector alone, the file would be closed with a ResourceWarning.
        weakref.finalize(self, self._file.close)
        self._count = 0
        for document in documents:
            if not isinstance(document, str):
                raise TypeError(
                    f"documents must be str, got {type(document).__name__} for document {self._count}"
                )
            encoded = document.encode("utf-8", "surrogatepass")
            self._file.write(self._LENGTH.pack(len(encoded)) + encoded)
            self._count += 1
        self._file.flush()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        position = 0
        for _ in range(self._count):
            # Another reading may be under way on the same file.
            self._file.seek(position)
            (length,) = self._LENGTH.unpack(self._file.read(self._LENGTH.size))
            yield self._file.read(length).decode("utf-8", "surrogatepass")
            position += self._LENGTH.size + length

    def __repr__(self) -> str:
        return f"<{self._count} spooled documents>"

    def __reduce__(self) -> tuple[object, tuple[list[str]]]:
        return _SpooledDocuments, (list(self),)

"""The ids of a corpus in a file, read in place."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, final, overload

import numpy as np
import numpy.typing as npt

from textgrain import _native
from textgrain.progress import Progress, resolve

__all__ = ["DocumentSequence", "IdFile"]

#: uint16 or uint32, as the size of the vocabulary asks for.
Ids = npt.NDArray[np.unsignedinteger[Any]]


@final
class IdFile:
    """The ids of a corpus, made by :meth:`Tokenizer.encode_files`; a file of any size opens in a moment.

    Nothing is read until it is used: :attr:`ids` and all slices are views of the file in memory that the
    system shares among processes and gives back when it is short. An open file can be pickled and sent to
    other processes, which open it again by its path.

    Parameters
    ----------
    path : path
        The file.

    Raises
    ------
    FormatError
        The file is damaged or holds something else. Its header and lengths are checked here, its ids by
        :meth:`verify`.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(merges=2).train(["low lower lowest"])
    >>> ids = tokenizer.encode_files(["low", "lower low", ""], "out.ids")
    >>> len(ids), len(ids.documents)
    (6, 3)
    >>> ids[:4].tolist(), ids.documents[1].tolist()
    ([257, 257, 101, 114], [257, 101, 114, 32, 257])
    >>> ids.fingerprint == tokenizer.fingerprint
    True
    """

    __slots__ = ("_documents", "_ids", "_native", "_path")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).absolute()
        self._native = _native.IdFile.open(os.fspath(path))
        size, start, offsets_start = self._native.layout
        count, documents = len(self._native), self._native.documents
        self._ids: Ids = _mapped(self._path, f"<u{size}", start, count)
        offsets = _mapped(self._path, "<u8", offsets_start, documents + 1)
        self._documents = DocumentSequence(self._ids, offsets)

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def ids(self) -> Ids:
        """All ids, one document after the other: read-only, of type uint16 or uint32, in the file."""
        return self._ids

    @property
    def documents(self) -> DocumentSequence:
        """The documents: ``documents[3]`` is the ids of the fourth one, a view of :attr:`ids`."""
        return self._documents

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the ids."""
        return self._ids.dtype

    @property
    def fingerprint(self) -> str:
        """Stands for the tokens of the tokenizer that made the ids; see :attr:`Tokenizer.fingerprint`."""
        return self._native.fingerprint

    @property
    def vocab_size(self) -> int:
        """The number of ids that this tokenizer has."""
        return self._native.vocab_size

    @property
    def text_bytes(self) -> int:
        """The length of the text that was encoded, in bytes."""
        return self._native.text_bytes

    def verify(self, *, progress: Progress | bool | None = None) -> None:
        """Read the whole file and compare it with its checksum.

        Raises
        ------
        FormatError
            The file is damaged.
        """
        self._native.verify(resolve(progress))

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Ids: ...
    def __getitem__(self, place: int | slice) -> int | Ids:
        if isinstance(place, slice):
            return self._ids[place]
        return int(self._ids[operator.index(place)])

    def __iter__(self) -> Iterator[int]:
        return (
            number
            for start in range(0, len(self), 1 << 16)
            for number in self[start : start + (1 << 16)].tolist()
        )

    def __repr__(self) -> str:
        return f"<IdFile of {len(self):,} ids in {len(self.documents):,} documents, {self.dtype}>"

    def __reduce__(self) -> tuple[Callable[[Path], IdFile], tuple[Path]]:
        return IdFile, (self._path,)


@final
class DocumentSequence(Sequence[Ids]):
    """The documents of a file of ids, each an array of its ids; made by :class:`IdFile`."""

    __slots__ = ("_ids", "_offsets")

    def __init__(self, ids: Ids, offsets: npt.NDArray[np.uint64]) -> None:
        self._ids = ids
        self._offsets = offsets

    @property
    def offsets(self) -> npt.NDArray[np.uint64]:
        """Where each document begins in the ids; shape ``(len(self) + 1,)``, the last is the end."""
        return self._offsets

    @property
    def lengths(self) -> npt.NDArray[np.uint64]:
        """The number of ids of each document; a new array."""
        return np.diff(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> Ids: ...
    @overload
    def __getitem__(self, place: slice) -> list[Ids]: ...
    def __getitem__(self, place: int | slice) -> Ids | list[Ids]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = operator.index(place)
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(f"there is no document {place} among {len(self):,}")
        return self._ids[int(self._offsets[number]) : int(self._offsets[number + 1])]

    def __repr__(self) -> str:
        return f"<{len(self):,} documents>"


def _mapped(path: Path, kind: str, start: int, count: int) -> npt.NDArray[Any]:
    """Numbers in a file, as a plain read-only array; an empty range cannot be mapped."""
    if count == 0:
        array: npt.NDArray[Any] = np.empty(0, dtype=kind)
        array.flags.writeable = False
        return array
    return np.asarray(np.memmap(path, dtype=kind, mode="r", offset=start, shape=(count,)))

"""Where word vectors come from and go to: mappings, files, pickles."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from textgrain import _native
from textgrain.exceptions import InvalidTextWarning, ParameterError, SkippedRowsWarning
from textgrain.progress import resolve
from textgrain.subwords import with_parts
from textgrain.vectors.lookup import Lookup

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    from typing_extensions import Self

    from textgrain.progress import Progress

    VectorFormat: TypeAlias = Literal[
        "safetensors", "word2vec-text", "word2vec-binary", "glove-text", "fasttext"
    ]

__all__ = ["Files"]


class Files(Lookup):
    """The methods of :class:`textgrain.WordVectors` that open and write files."""

    __slots__ = ()

    @classmethod
    def from_mapping(
        cls,
        vectors: Mapping[str, npt.ArrayLike],
        *,
        counts: Mapping[str, int] | None = None,
        ngrams: Mapping[str, npt.ArrayLike] | None = None,
        min_n: int = 3,
        max_n: int = 6,
    ) -> Self:
        """Vectors from a mapping of words to lists of numbers, in its order.

        Parameters
        ----------
        vectors : mapping of str to list of float
            The words and their vectors, all of one length.
        counts : mapping of str to int, optional
            How often each word occurs; 0 where nothing is said.
        ngrams : mapping of str to list of float, optional
            Vectors of n-grams of words between ``<`` and ``>``. A word outside the vocabulary gets the sum
            of those that it has.
        min_n, max_n : int
            Characters in the shortest and the longest n-grams that are looked for; the whole word between
            its marks is always one.

        Raises
        ------
        ParameterError
            The mapping is empty, or the vectors differ in length.
        """
        if not vectors:
            raise ParameterError("`vectors` must hold at least one word, got an empty mapping", "vectors")
        rows = [np.asarray(vector, dtype=np.float32) for vector in vectors.values()]
        if any(row.ndim != 1 or row.shape != rows[0].shape for row in rows):
            raise ParameterError("`vectors` must hold lists of one length, got several lengths", "vectors")
        occurrences = [0 if counts is None else counts.get(word, 0) for word in vectors]
        native = _native.WordVectors.from_parts(list(vectors), np.stack(rows), occurrences, "{}", [])
        if ngrams is None:
            return cls(native)
        size = rows[0].size
        parts = [np.asarray(vector, dtype=np.float32) for vector in ngrams.values()]
        if any(part.shape != (size,) for part in parts):
            raise ParameterError(f"`ngrams` must hold lists of {size} numbers, as the vectors do", "ngrams")
        scheme = {
            "min_n": min_n,
            "max_n": max_n,
            "begin": "<",
            "end": ">",
            "naming": "text",
            "whole_word": True,
            "combine": "sum",
        }
        matrix = np.stack(parts) if parts else np.zeros((0, size), dtype=np.float32)
        texts = (list(ngrams), list(range(len(parts))))
        return cls(with_parts(native, (json.dumps(scheme), matrix, None, False, texts)))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        lenient: bool = False,
        keep: str | os.PathLike[str] | None = None,
        verify: bool = True,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Self:
        r"""Open a vectors file of this library or of another program.

        Reads the safetensors files that :meth:`save` writes, word2vec text (also known as ``.vec``) and
        binary, GloVe text, models of fastText (``.bin`` and ``.ftz``), floret (``.bin`` and ``.floret``) and
        finalfusion, each also compressed with gzip or Zstandard. The format is found from the content; the
        name does not matter. An uncompressed safetensors file is mapped, and its matrix is read when it is
        needed; the others are read into memory. Where a file holds no counts :attr:`counts` is zero, and
        :attr:`settings` says what was read. The models have n-grams, from which unseen words get vectors:
        see :attr:`subwords`.

        Of words that occur twice the first is kept, and bytes that are not UTF-8 are replaced by U+FFFD;
        a warning says so.

        Parameters
        ----------
        path : path-like, or an address that begins with https://
            The file. One behind an address is fetched whenever this is called, and its size is checked; no
            other call of this library opens a connection.
        lenient : bool
            Keep what is good in a damaged word2vec or GloVe file, and warn of what was left out. If
            false, damage is an error. Damaged files of the other kinds are always refused.
        keep : path-like, optional
            Where to keep a file that is fetched. If there is a file already, it is opened and nothing is
            fetched. If not given, nothing is kept.
        verify : bool
            Compare a safetensors file that :meth:`save` wrote with its checksum, for which all of it is read.
            If false, only the header and the words are, which takes a fraction of the time for a large
            file; damage to the numbers goes unnoticed then. Files of other kinds are read as a whole anyway.
        threads : int, optional
            Threads that read text. All that the machine offers where none is given.
        progress : callable or bool, optional
            Shows progress on standard error if true.

        Raises
        ------
        FormatError
            The file is none of these, or it is damaged or cut off; the error names the line or the byte.
        OSError
            The file cannot be opened, or not be fetched as a whole (``ConnectionError``).
        ParameterError
            The address does not begin with https://, or ``keep`` is given for a path.

        Warns
        -----
        SkippedRowsWarning
            Rows were left out.
        InvalidTextWarning
            Bytes of words were replaced.

        Examples
        --------
        >>> from pathlib import Path
        >>> _ = Path("glove.txt").write_text("low 0.5 1\nmy name 0.25 -2\n", encoding="utf-8")
        >>> vectors = tg.WordVectors.load("glove.txt")
        >>> vectors.words, vectors["my name"].tolist()
        (['low', 'my name'], [0.25, -2.0])
        """
        name, shows = os.fspath(path), resolve(progress)
        if name.lower().startswith(("https://", "http://")):
            # Imported only here: what it needs takes longer than all the rest.
            from textgrain._download import fetched

            with fetched(name, None if keep is None else Path(keep), shows) as file:
                return cls.load(file, lenient=lenient, verify=verify, threads=threads, progress=shows)
        if keep is not None:
            raise ParameterError(f"`keep` must only be given with an address, got the path {name!r}", "keep")
        native, text, rows = _native.WordVectors.load(name, lenient, verify, threads, shows)
        for message in rows:
            warnings.warn(f"{os.fspath(path)}: {message}", SkippedRowsWarning, stacklevel=2)
        if text is not None:
            warnings.warn(f"{os.fspath(path)}: {text}", InvalidTextWarning, stacklevel=2)
        return cls(native)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: VectorFormat = "safetensors",
        spaces: str | None = None,
        sketch: bool = False,
        progress: Progress | bool | None = None,
    ) -> None:
        """Write the vectors to a file, whole or not at all.

        Only ``"safetensors"`` keeps everything: counts, settings, history and any word. The formats of
        other programs hold words and numbers, in the fewest digits that give each number back.

        Parameters
        ----------
        path : path-like
            The file. In another program's format it is compressed if its name ends in ``.gz`` or
            ``.zst``.
        format : {"safetensors", "word2vec-text", "word2vec-binary", "glove-text", "fasttext"}
            Word2vec text is what fastText calls ``.vec``; ``"fasttext"`` is its ``.bin``, which also holds
            counts and hashed n-grams.
        spaces : str, optional
            What to write in place of each white space character in a word, such as ``"_"``. The other
            programs' formats cannot hold such words, which are refused where this is not given.
        sketch : bool
            Also write the matrix with a byte for each number, which takes a quarter more. From it a search
            knows which vectors it need not look at; answers are the same. Large vectors make it by
            themselves after eight queries; from a file it is there for the first one, takes no memory of
            this process, and is shared with others. Only for floats, and for ``"safetensors"``.
        progress : callable or bool, optional
            Shows progress on standard error if true.

        Raises
        ------
        ParameterError
            The format is unknown, or it cannot hold one of the words, or a sketch.
        OSError
            The file cannot be written.

        Examples
        --------
        >>> from pathlib import Path
        >>> vectors = tg.WordVectors.from_mapping({"low": [0.5, 1], "my name": [0.1, -2]})
        >>> vectors.save("vectors.txt", format="word2vec-text", spaces="_")
        >>> print(Path("vectors.txt").read_text(encoding="utf-8"), end="")
        2 2
        low 0.5 1.0
        my_name 0.1 -2.0
        """
        self._native.save(os.fspath(path), format, spaces, sketch, resolve(progress))

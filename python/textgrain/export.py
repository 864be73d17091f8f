"""Word vectors for other tools: tables, plain matrices, the embedding projector, language models."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from textgrain._atomic import writing
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    from textgrain.progress import Progress
    from textgrain.tokenizer import Tokenizer
    from textgrain.vectors import WordVectors

__all__ = ["TokenMatrix", "export_numpy", "export_parquet", "export_projector", "token_matrix"]


def export_numpy(vectors: WordVectors, path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write the matrix as ``NAME.npy`` and the words as ``NAME.json``, a list in row order; return the paths.

    Any program that reads NumPy files reads the matrix; JSON holds any word.

    Parameters
    ----------
    vectors : WordVectors
        What is written.
    path : path-like
        ``NAME``, with or without ``.npy``.

    Raises
    ------
    OSError
        A file cannot be written.

    Examples
    --------
    >>> vectors = tg.WordVectors.from_mapping({"low": [0.5, 1], "my name": [0.25, -2]})
    >>> matrix, words = tg.export_numpy(vectors, "notes")
    >>> np.load(matrix).tolist(), words.read_text(encoding="utf-8")
    ([[0.5, 1.0], [0.25, -2.0]], '["low", "my name"]')
    """
    target = Path(path)
    base = target.with_suffix("") if target.suffix == ".npy" else target
    matrix, words = Path(f"{base}.npy"), Path(f"{base}.json")
    with writing(matrix) as file:
        np.save(file, vectors.matrix, allow_pickle=False)
    with writing(words, "w", encoding="utf-8") as file:
        json.dump(vectors.words, file, ensure_ascii=False)
    return matrix, words


def export_projector(
    vectors: WordVectors, path: str | os.PathLike[str], *, n: int | None = None, spaces: str | None = None
) -> tuple[Path, Path]:
    """Write the two tables of the TensorFlow embedding projector, and return their paths.

    ``NAME.vectors.tsv`` holds a row of numbers for each word; ``NAME.metadata.tsv`` the words and, where
    they are known, their counts.

    Parameters
    ----------
    vectors : WordVectors
        What is written.
    path : path-like
        ``NAME``.
    n : int, optional
        Only the first so many words; the projector becomes slow beyond some ten thousands.
    spaces : str, optional
        What to write in place of each tab or line break in a word, which the tables cannot hold. Words with
        one are refused where this is not given.

    Raises
    ------
    ParameterError
        A word has a tab or a line break.
    OSError
        A file cannot be written.

    Examples
    --------
    >>> vectors = tg.WordVectors.from_mapping({"low": [0.5, 1], "my name": [0.25, -2]}, counts={"low": 3})
    >>> rows, words = tg.export_projector(vectors, "notes")
    >>> print(words.read_text(encoding="utf-8"), end="")
    word	count
    low	3
    my name	0
    """
    if n is not None and n < 0:
        raise ParameterError(f"`n` must be at least 0, got {n}", "n")
    rows, metadata = Path(f"{os.fspath(path)}.vectors.tsv"), Path(f"{os.fspath(path)}.metadata.tsv")
    words = [_without_breaks(word, spaces) for word in vectors.words[:n]]
    counts = vectors.counts[:n].tolist()
    with writing(rows, "w", encoding="utf-8", newline="\n") as file:
        for number in range(len(words)):
            row = vectors._native.vector(number)
            # The fewest digits that give the same float back.
            file.write("\t".join(map(str, row)) + "\n")
    with writing(metadata, "w", encoding="utf-8", newline="\n") as file:
        if any(counts):
            file.write("word\tcount\n")
            file.writelines(f"{word}\t{count}\n" for word, count in zip(words, counts, strict=True))
        else:
            # A single column has no header there.
            file.writelines(f"{word}\n" for word in words)
    return rows, metadata


_BREAKS = str.maketrans(dict.fromkeys("\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"))


def _without_breaks(word: str, spaces: str | None) -> str:
    if word.translate(_BREAKS) == word:
        return word
    if spaces is None:
        message = (
            f"`spaces` must be given for words with tabs or line breaks, which tables cannot hold: {word!r}. "
            'Try `spaces=" "`'
        )
        raise ParameterError(message, "spaces")
    return word.translate(dict.fromkeys(_BREAKS, spaces))


def export_parquet(
    vectors: WordVectors,
    path: str | os.PathLike[str],
    *,
    neighbors: int = 15,
    n: int | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> Path:
    """Write a Parquet table with words, counts, vectors, a map and nearest neighbors, and return its path.

    The columns are ``id``, ``word``, ``count``, ``vector``, ``x`` and ``y`` (the two principal components),
    and ``neighbors`` with lists of ``ids`` and ``distances`` (1 minus the cosine), as Embedding Atlas reads
    them: ``embedding-atlas words.parquet --text word --x x --y y --neighbors neighbors``.

    Parameters
    ----------
    vectors : WordVectors
        What is written.
    path : path-like
        The file.
    neighbors : int
        How many neighbors of each word.
    n : int, optional
        Only the first so many words, which are searched for neighbors too.
    threads : int, optional
        All that the machine offers where none is given.
    progress : callable or bool, optional
        Shows progress on standard error if true.

    Raises
    ------
    ImportError
        PyArrow is not installed.
    OSError
        The file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as parquet
    except ImportError as error:
        message = "Parquet files need pyarrow, which is not installed: pip install 'textgrain[parquet]'"
        raise ImportError(message, name="pyarrow") from error
    from textgrain.projection import project

    for name, value in (("neighbors", neighbors), ("n", n)):
        if value is not None and value < 0:
            raise ParameterError(f"`{name}` must be at least 0, got {value}", name)
    words = vectors.words[:n]
    found = vectors.most_similar_batch(
        words, n=neighbors, restrict=len(words), threads=threads, progress=progress
    )
    places = project(vectors, words).coordinates if len(words) > 1 else np.zeros((len(words), 2))
    matrix = vectors._rows(np.arange(len(words)))
    ids, distances = pa.array(found.rows.ravel()), pa.array(1 - found.scores.ravel())
    ends = pa.array(np.arange(len(words) + 1, dtype=np.int32) * found.rows.shape[1])
    lists = [pa.ListArray.from_arrays(ends, values) for values in (ids, distances)]
    table = pa.table(
        {
            "id": pa.array(np.arange(len(words), dtype=np.int64)),
            "word": pa.array(words, pa.string()),
            "count": pa.array(vectors.counts[:n]),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), vectors.vector_size),
            "x": pa.array(places[:, 0].astype(np.float32)),
            "y": pa.array(places[:, 1].astype(np.float32)),
            "neighbors": pa.StructArray.from_arrays(lists, names=["ids", "distances"]),
        }
    )
    target = Path(path)
    with writing(target) as file:
        parquet.write_table(table, file, compression="zstd")
    return target


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenMatrix:
    """Vectors in the order of a tokenizer's ids, as the first layer of a model wants them.

    Attributes
    ----------
    matrix : array of float32
        Of shape (vocab_size, vector_size): the row of an id is the vector of its token.
    known : array of bool
        Which ids have a vector; the others were filled up.
    """

    matrix: npt.NDArray[np.float32] = field(repr=False)
    known: npt.NDArray[np.bool_] = field(repr=False)

    @property
    def coverage(self) -> float:
        """The share of ids with a vector."""
        return float(self.known.mean())

    def __str__(self) -> str:
        return f"{int(self.known.sum()):,} of {len(self.known):,} ids have a vector"


def token_matrix(
    vectors: WordVectors,
    tokenizer: Tokenizer,
    *,
    missing: Literal["zero", "mean", "normal"] = "normal",
    seed: int = 1,
) -> TokenMatrix:
    """Return the vectors of a tokenizer's tokens by id, as the first layer of a model wants them.

    A token is looked up as it stands in the vocabulary and, if it has no vector, without the white space
    around it.

    Parameters
    ----------
    vectors : WordVectors
        The vectors of words, trained on text cut in the same way.
    tokenizer : Tokenizer
        Whose ids give the order.
    missing : {"zero", "mean", "normal"}
        What ids without a vector get: zeros, the mean of the vectors found, or random normal numbers with
        the mean and the standard deviation that these have in each column.
    seed : int
        For the random numbers.

    Raises
    ------
    ParameterError
        ``missing`` is none of these.

    Examples
    --------
    >>> tokenizer = tg.WordLevel().train(["low lower low"])
    >>> vectors = tg.WordVectors.from_mapping({"low": [0.5, 1.0]})
    >>> table = tg.token_matrix(vectors, tokenizer, missing="zero")
    >>> # torch.from_numpy(table.matrix)
    >>> table.matrix[tokenizer.encode_ids("low")].tolist()
    [[0.5, 1.0]]
    """
    if missing not in ("zero", "mean", "normal"):
        raise ParameterError(f'`missing` must be "zero", "mean" or "normal", got {missing!r}', "missing")
    rows = np.full(tokenizer.vocab_size, -1, dtype=np.int64)
    row_of = vectors._native.row
    for number, token in enumerate(tokenizer.vocabulary):
        if not token:
            continue
        row = row_of(token)
        if row is None and token.strip() != token:
            row = row_of(token.strip())
        if row is not None:
            rows[number] = row
    known = rows >= 0
    matrix = np.zeros((len(rows), vectors.vector_size), dtype=np.float32)
    matrix[known] = vectors._rows(rows[known])
    if known.any() and missing != "zero":
        found = matrix[known].astype(np.float64)
        mean = found.mean(axis=0)
        if missing == "mean":
            matrix[~known] = mean
        else:
            random = np.random.default_rng(seed)
            matrix[~known] = random.normal(mean, found.std(axis=0), (int((~known).sum()), len(mean)))
    return TokenMatrix(matrix=matrix, known=known)

"""Vectors for words that were never seen, from the letters that they share with words that were.

A word is wrapped in ``<`` and ``>``, so that a beginning differs from a middle and from an end, and cut
into all its runs of 3 to 6 characters; the wrapped word itself is one more. The vector of a word is the sum
of the vectors of its n-grams. A word that nobody has seen still has n-grams that others have, and so it has
a vector.

Source: Bojanowski, Grave, Joulin and Mikolov, "Enriching Word Vectors with Subword Information", 2017.

Examples
--------
>>> ngrams("where", 3, 3)
['<wh', 'whe', 'her', 'ere', 're>', '<where>']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["ngrams", "word_vector"]


def ngrams(word: str, min_n: int = 3, max_n: int = 6) -> list[str]:
    """All different n-grams of the wrapped word, short ones first, then the wrapped word as a whole.

    Examples
    --------
    >>> ngrams("a")
    ['<a>']
    """
    wrapped = f"<{word}>"
    runs = [
        wrapped[start : start + length]
        for length in range(min_n, max_n + 1)
        for start in range(len(wrapped) - length + 1)
    ]
    return [*dict.fromkeys(run for run in runs if run != wrapped), wrapped]


def word_vector(
    word: str, table: Mapping[str, NDArray[np.float64]], min_n: int = 3, max_n: int = 6
) -> NDArray[np.float64] | None:
    """Sum of the rows of those n-grams that the table knows; None if it knows none of them.

    Examples
    --------
    >>> table = {"<wh": np.array([1.0, 0.0]), "her": np.array([0.0, 2.0])}
    >>> word_vector("whether", table).tolist()
    [1.0, 2.0]
    >>> word_vector("xyz", table) is None
    True
    """
    known = [table[ngram] for ngram in ngrams(word, min_n, max_n) if ngram in table]
    return np.sum(known, axis=0) if known else None

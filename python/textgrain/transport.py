"""How far documents are apart, by moving the words of one to those of the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    from textgrain.vectors import WordVectors

__all__ = ["word_movers_distance"]


def word_movers_distance(vectors: WordVectors, first: Sequence[str], second: Sequence[str]) -> float:
    """Return how far the words of one document must travel to become those of another.

    The word mover's distance of Kusner et al. (2015): the least sum of Euclidean distances times the share
    of words that is moved over them. Solved by the library POT. Words without a vector are left out.

    Parameters
    ----------
    vectors : WordVectors
        Where the words lie.
    first, second : list of str
        The words of both documents.

    Returns
    -------
    float
        0 for the same words in the same shares; "not a number" if a document has no known word.

    Raises
    ------
    ImportError
        POT is not installed.
    ParameterError
        A document is a single string.
    """
    try:
        import ot
    except ImportError as error:
        message = "this distance needs POT, which is not installed: pip install 'textgrain[transport]'"
        raise ImportError(message, name="ot") from error
    sides = []
    for name, document in (("first", first), ("second", second)):
        if isinstance(document, str):
            raise ParameterError(f"`{name}` must be a list of words, got the text {document[:40]!r}", name)
        rows = [row for word in document if (row := vectors._native.row(word)) is not None]
        if not rows:
            return float("nan")
        places, counts = np.unique(rows, return_counts=True)
        sides.append((vectors._rows(places).astype(np.float64), counts / counts.sum()))
    (left, from_shares), (right, to_shares) = sides
    # POT builds on SciPy, whose distances need no room for the differences.
    from scipy.spatial.distance import cdist

    return float(ot.emd2(from_shares, to_shares, cdist(left, right)))

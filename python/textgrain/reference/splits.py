"""How a document is cut into pieces before anything is counted.

Two rules that drop the spaces between pieces:

* ``whitespace``: a piece is whatever stands between spaces, punctuation included;
* ``words``: a piece is a run of letters, marks, numbers and underscores, or one other character that is not
  a space.

*Letter*, *mark* and *number* are the Unicode categories L, M and N. A space is a character with the Unicode
property White_Space; Python's own ``str.split()`` would also cut at four control characters that lack it.

Examples
--------
>>> whitespace("J’aime les modèles!")
['J’aime', 'les', 'modèles!']
>>> words("J’aime les modèles!")
['J', '’', 'aime', 'les', 'modèles', '!']
"""

from __future__ import annotations

import unicodedata
from itertools import groupby

__all__ = ["is_space", "is_word_character", "whitespace", "words"]

# File, group, record and unit separator: spaces for Python, but not for Unicode.
NOT_SPACES = "\x1c\x1d\x1e\x1f"


def is_space(character: str) -> bool:
    r"""Whether the character has the Unicode property White_Space.

    Examples
    --------
    >>> is_space("\u3000"), is_space("\x1f")
    (True, False)
    """
    return character.isspace() and character not in NOT_SPACES


def is_word_character(character: str) -> bool:
    """Whether the character is a letter, a mark, a number or the underscore.

    Examples
    --------
    >>> [is_word_character(character) for character in "é_7ा-"]
    [True, True, True, True, False]
    """
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def whitespace(text: str) -> list[str]:
    """Pieces are the runs of characters between spaces."""
    return ["".join(run) for space, run in groupby(text, is_space) if not space]


def words(text: str) -> list[str]:
    """Pieces are words, and single characters that are neither words nor spaces."""
    pieces: list[str] = []
    for word, run in groupby(text, is_word_character):
        if word:
            pieces.append("".join(run))
        else:
            pieces.extend(character for character in run if not is_space(character))
    return pieces

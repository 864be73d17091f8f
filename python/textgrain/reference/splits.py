"""How a document is cut into pieces before anything is counted.

Two rules that drop the spaces between pieces, and one that keeps them:

* ``whitespace``: a piece is whatever stands between spaces, punctuation included;
* ``words``: a piece is a run of letters, marks, numbers and underscores, or one other character that is not
  a space;
* ``script``: a piece begins where the script changes. Characters that scripts share, such as spaces, digits
  and punctuation, belong to what is before them. Python knows no scripts, so it is told a function that does.

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
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["is_space", "is_word_character", "script", "whitespace", "words"]

#: What Japanese mixes within words counts as one script.
JAPANESE = {"Hiragana": "Han", "Katakana": "Han"}

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


def script(text: str, script_of: Callable[[str], str | None]) -> list[str]:
    """Pieces begin where the script changes; `script_of` names the script of a character, if it has its own.

    Examples
    --------
    >>> script("hello, мир! 1", lambda c: "Latin" if "a" <= c <= "z" else "Cyrillic" if c > "z" else None)
    ['hello, ', 'мир! 1']
    """
    pieces: list[str] = []
    current = None
    for character in text:
        found = script_of(character)
        found = JAPANESE.get(found, found) if found else current
        if not pieces or (current and found != current):
            pieces.append("")
        pieces[-1] += character
        current = found
    return pieces

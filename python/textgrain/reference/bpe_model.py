"""What byte-pair encoding starts from and what it leaves behind.

A word starts as its characters or as its bytes; a marker may be added to its end. A symbol is a Python
string. A byte is written as the character of the same number (Latin-1), so that one code serves characters
and bytes.

The list of merges is all that is learned. The tokens follow from it: first the alphabet in the order of the
code points (or the bytes from 0 to 255), then the marker, then what each merge spells. The place of a token
in this list is its id, and it never changes when more merges are made.

Examples
--------
>>> model = Model(("l", "o", "w", "_"), (Merge("l", "o", 7, 2, ("o", "w"), 7),), end_of_word="_")
>>> model.vocabulary
('l', 'o', 'w', '_', 'lo')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Merge", "Model", "Pair", "describe", "start_alphabet", "start_symbols", "visible_first"]

Pair = tuple[str, str]


class Merge(NamedTuple):
    """One step of training: the pair that won, and how close the race was."""

    left: str
    right: str
    total: int
    tied_pairs: int  # pairs that had this total, the winner included
    runner_up: Pair | None
    runner_up_total: int | None

    @property
    def token(self) -> str:
        """The symbol that the pair becomes."""
        return self.left + self.right


@dataclass(frozen=True)
class Model:
    """What training learned, and how words are to be started."""

    alphabet: tuple[str, ...]
    merges: tuple[Merge, ...]
    symbols: Literal["characters", "bytes"] = "characters"
    end_of_word: str | None = None

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All tokens; the place of a token is its id."""
        return tuple(dict.fromkeys([*self.alphabet, *(step.token for step in self.merges)]))

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Look up the id of each token.

        Examples
        --------
        >>> Model(("a", "b"), (Merge("a", "b", 2, 1, None, None),)).ids(["ab", "a"])
        [2, 0]
        """
        places = {token: place for place, token in enumerate(self.vocabulary)}
        return [places[token] for token in tokens]


def start_symbols(word: str, symbols: str = "characters", end_of_word: str | None = None) -> list[str]:
    """Cut a word into the symbols that it has before any merge.

    Examples
    --------
    >>> start_symbols("où", end_of_word="_")
    ['o', 'ù', '_']
    >>> start_symbols("où", "bytes")
    ['o', 'Ã', '¹']
    """
    if end_of_word is not None and end_of_word in word:
        # The engine knows the marker by more than its spelling; here it is a plain string.
        raise ValueError(
            f"the word {word!r} contains the end-of-word marker {end_of_word!r}; choose another marker"
        )
    start = list(word) if symbols == "characters" else [chr(byte) for byte in word.encode("utf-8")]
    return start if end_of_word is None else [*start, end_of_word]


def start_alphabet(words: Iterable[str], symbols: str, end_of_word: str | None) -> tuple[str, ...]:
    """List the symbols that exist before any merge, in the order of their ids; the marker is the last."""
    start = sorted(set().union(*words)) if symbols == "characters" else [chr(byte) for byte in range(256)]
    return tuple(start if end_of_word is None else [*start, end_of_word])


def visible_first(alphabet: Sequence[str]) -> list[str]:
    """Put the bytes in the order of the characters that stand for them in GPT-2's files.

    Printable bytes stand for themselves, the others for characters beyond; other alphabets stay as they are.

    Examples
    --------
    >>> [ord(symbol) for symbol in visible_first([chr(byte) for byte in range(256)])][:3]
    [33, 34, 35]
    """
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    if len(alphabet) < 256:
        return list(alphabet)
    return sorted(alphabet[:256], key=lambda symbol: (ord(symbol) not in visible, symbol)) + list(
        alphabet[256:]
    )


def describe(ranking: Sequence[Pair], totals: Mapping[Pair, int]) -> Merge:
    """Write down how one round of training ended."""
    winner, runner_up = ranking[0], ranking[1] if len(ranking) > 1 else None
    tied = sum(total == totals[winner] for total in totals.values())
    return Merge(*winner, totals[winner], tied, runner_up, totals[runner_up] if runner_up else None)

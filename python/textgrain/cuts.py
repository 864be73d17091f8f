"""The same text cut into words, characters, subwords and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from textgrain import _native
from textgrain._text import align, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CutComparison", "CutRow"]


@dataclass(frozen=True, kw_only=True)
class CutRow:
    """One way to cut the text.

    Attributes
    ----------
    cut : str
        "word", "character", "subword" or "byte".
    tokens : tuple of str
        The tokens.
    table_rows : int
        Rows of the embedding table: tokens that can be told apart. For words and characters these are only
        the ones in this text; a real table has one for each in its corpus.
    table_parameters : int
        Numbers in that table.
    """

    cut: str
    tokens: tuple[str, ...]
    table_rows: int
    table_parameters: int

    @property
    def count(self) -> int:
        """The number of tokens."""
        return len(self.tokens)

    @property
    def grid(self) -> int:
        """The cells of the grid in which attention compares each token with each: the count squared."""
        return self.count**2


@final
class CutComparison:
    """The same text cut four ways; made by :meth:`textgrain.Tokenizer.compare_cuts`.

    Examples
    --------
    >>> import textgrain as tg
    >>> tokenizer = tg.BPE(merges=40, split="whitespace").train(["the patient has a condition"])
    >>> comparison = tokenizer.compare_cuts("The patient has a critical condition")
    >>> comparison["word"].count, comparison["character"].count
    (6, 36)
    """

    def __init__(self, tokenizer: _native.Tokenizer, text: str, width: int) -> None:
        self._text = text
        self._width = width
        words = tuple(_native.split_pieces(text, "words"))
        characters = tuple(text)
        subwords = tuple(tokenizer.tokens(tokenizer.encode(text, "text")))
        encoded = text.encode("utf-8", "replace")
        cuts = (
            ("word", words, len(set(words))),
            ("character", characters, len(set(characters))),
            ("subword", subwords, tokenizer.vocab_size),
            ("byte", tuple(f"{byte:02x}" for byte in encoded), 256),
        )
        self._rows = tuple(
            CutRow(cut=cut, tokens=tokens, table_rows=rows, table_parameters=rows * width)
            for cut, tokens, rows in cuts
        )

    @property
    def text(self) -> str:
        """The text that is cut."""
        return self._text

    @property
    def width(self) -> int:
        """The numbers in a row of the embedding table."""
        return self._width

    @property
    def rows(self) -> tuple[CutRow, ...]:
        """The four cuts: word, character, subword, byte."""
        return self._rows

    def __getitem__(self, cut: str) -> CutRow:
        for row in self._rows:
            if row.cut == cut:
                return row
        raise KeyError(cut)

    def __iter__(self) -> Iterator[CutRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        counts = ", ".join(f"{row.count} {row.cut}s" for row in self._rows)
        return f"<CutComparison: {counts}>"

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [
            ("cut", "tokens", "grid", "table rows", f"parameters at width {self._width}", "")
        ]
        for row in self._rows:
            numbers = (row.count, row.grid, row.table_rows, row.table_parameters)
            rows.append((row.cut, *(f"{number:,}" for number in numbers), _beginning(row.tokens)))
        return align(rows, right=(1, 2, 3, 4))


def _beginning(tokens: tuple[str, ...], columns: int = 60) -> str:
    """As many of the first tokens as fit into a line."""
    shown = ""
    for token in tokens:
        following = f"{shown}|{visible(token)}" if shown else visible(token)
        if len(following) > columns:
            return shown + "|…"
        shown = following
    return shown

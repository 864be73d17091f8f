"""How a text became its tokens."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from textgrain._text import align, visible

if TYPE_CHECKING:
    from textgrain import _native

__all__ = ["EncodingExplanation", "ExplainedPiece", "ExplainedStep"]


@dataclass(frozen=True, kw_only=True)
class ExplainedStep:
    """One merge, applied everywhere in a piece.

    Attributes
    ----------
    rank : int
        Place in the order of merges, from 1.
    left, right : str
        The pair that was merged.
    tokens : tuple of str
        The piece after it.
    """

    rank: int
    left: str
    right: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ExplainedPiece:
    """One piece of a text and what was done to it.

    Attributes
    ----------
    text : str
        The piece.
    start : int
        Where it begins in the text, in characters.
    symbols : tuple of str
        What it started as; empty where no merges are involved.
    steps : tuple of ExplainedStep
        The merges that were applied, in order.
    tokens : tuple of str
        What it became.
    ids : tuple of int
        The ids of the tokens.
    """

    text: str
    start: int
    symbols: tuple[str, ...]
    steps: tuple[ExplainedStep, ...]
    tokens: tuple[str, ...]
    ids: tuple[int, ...]


@final
class EncodingExplanation:
    """The pieces of a text with every merge that was applied; prints as a table.

    Examples
    --------
    >>> import textgrain as tg
    >>> trainer = tg.BPE(merges=3, split="whitespace", symbols="characters")
    >>> tokenizer = trainer.train({"low": 5, "lower": 2, "slow": 1})
    >>> print(tokenizer.explain("slow lower"))
    slow
             start  s l o w
      merge      1  s lo w   l + o
      merge      2  s low    lo + w
               ids  4 7
    lower
             start  l o w e r
      merge      1  lo w e r   l + o
      merge      2  low e r    lo + w
      merge      3  lowe r     low + e
               ids  8 3
    """

    def __init__(self, native: _native.Tokenizer, text: str, special: str) -> None:
        self._text = text
        vocabulary = native.vocabulary()
        merges = native.merges()

        def tokens(ids: list[int]) -> tuple[str, ...]:
            return tuple(vocabulary[number] for number in ids)

        def step(rank: int, symbols: list[int]) -> ExplainedStep:
            left, right, _ = merges[rank]
            return ExplainedStep(
                rank=rank + 1, left=vocabulary[left], right=vocabulary[right], tokens=tokens(symbols)
            )

        self._pieces = tuple(
            ExplainedPiece(
                text=piece,
                start=start,
                symbols=tokens(symbols),
                steps=tuple(step(rank, after) for rank, after in steps),
                tokens=tokens(ids),
                ids=tuple(ids),
            )
            for piece, start, symbols, steps, ids in native.explain(text, special)
        )

    @property
    def text(self) -> str:
        """The text that is explained."""
        return self._text

    @property
    def pieces(self) -> tuple[ExplainedPiece, ...]:
        """The pieces of the text, in order."""
        return self._pieces

    def __len__(self) -> int:
        return len(self._pieces)

    def __repr__(self) -> str:
        steps = sum(len(piece.steps) for piece in self._pieces)
        return f"<EncodingExplanation of {len(self)} pieces and {steps} merges>"

    def __str__(self) -> str:
        return "\n".join(_piece_text(piece) for piece in self._pieces)

    def _repr_html_(self) -> str:
        parts = []
        for piece in self._pieces:
            rows = "".join(
                f"<tr><td>{html.escape(name)}</td><td>{html.escape(number)}</td>"
                f"<td>{html.escape(tokens)}</td><td>{html.escape(pair)}</td></tr>"
                for name, number, tokens, pair in _rows(piece)
            )
            title = f"<caption style='text-align:left'><b>{html.escape(visible(piece.text))}</b></caption>"
            parts.append(f"<table style='font-family:monospace;text-align:left'>{title}{rows}</table>")
        return "".join(parts)


def _joined(tokens: tuple[str, ...]) -> str:
    return " ".join(map(visible, tokens))


def _rows(piece: ExplainedPiece) -> list[tuple[str, str, str, str]]:
    rows = [("", "start", _joined(piece.symbols), "")] if piece.symbols else []
    for step in piece.steps:
        pair = f"{visible(step.left)} + {visible(step.right)}"
        rows.append(("merge", str(step.rank), _joined(step.tokens), pair))
    if not piece.symbols:
        rows.append(("", "token", _joined(piece.tokens), ""))
    rows.append(("", "ids", " ".join(map(str, piece.ids)), ""))
    return rows


def _piece_text(piece: ExplainedPiece) -> str:
    table = align(_rows(piece), right=(1,))
    return visible(piece.text) + "\n" + "\n".join("  " + line for line in table.splitlines())

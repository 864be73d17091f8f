"""What made up the vector of a word."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textgrain._text import align, visible

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["ExplainedNgram", "WordExplanation"]


@dataclass(frozen=True, kw_only=True)
class ExplainedNgram:
    """A part of a word and what it gives to the vector.

    Attributes
    ----------
    ngram : str
        The n-gram with the marks around the word, or the word itself without them.
    known : bool
        Whether the part has a vector.
    weight : float or None
        How much of the word's vector it makes up: the weights of all parts add up to 1, and one that
        points elsewhere has a negative weight. `None` where it cannot be known.
    neighbors : list of (str, float)
        The words nearest to the vector of this part alone, with the cosine.
    """

    ngram: str
    known: bool
    weight: float | None
    neighbors: list[tuple[str, float]]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WordExplanation:
    """The parts that made up the vector of a word; prints as a table.

    Attributes
    ----------
    word : str
        The word.
    in_vocabulary : bool
        Whether it has a vector of its own.
    vector : array
        The vector.
    parts : list of ExplainedNgram
        The word itself where it has a row of its own, and the n-grams that it is made from.

    Examples
    --------
    >>> import textgrain as tg
    >>> ngrams = {"<wh": [1, 0], "her": [0, 1], "<where>": [0, 1]}
    >>> vectors = tg.WordVectors.from_mapping({"where": [1, 2]}, ngrams=ngrams, min_n=3, max_n=3)
    >>> print(vectors.explain("whet"))
    'whet' is not in the vocabulary: its vector comes from 1 of 5 n-grams
      part    weight  nearest words
      <wh      1.000  where 0.447
      <whet>          no vector
      whe             no vector
      het             no vector
      et>             no vector
    """

    word: str
    in_vocabulary: bool
    vector: npt.NDArray[np.float32]
    parts: list[ExplainedNgram]

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"<WordExplanation of {self.word!r}: {self._known()} of {len(self)} parts have a vector>"

    def __str__(self) -> str:
        table = align([("part", "weight", "nearest words"), *self._rows()], right=(1,))
        return self._title() + "\n" + "\n".join("  " + line for line in table.splitlines())

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("part", "weight", "nearest words"))
        rows = "".join(
            "<tr>"
            + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in row)
            + "</tr>"
            for row in self._rows()
        )
        return f"<table><caption>{html.escape(self._title())}</caption><tr>{head}</tr>{rows}</table>"

    def _known(self) -> int:
        return sum(part.known for part in self.parts)

    def _title(self) -> str:
        if not self.in_vocabulary:
            source = f"its vector comes from {self._known()} of {len(self)} n-grams"
            return f"{self.word!r} is not in the vocabulary: {source}"
        if len(self) == 1:
            return f"{self.word!r} has a vector of its own, which is not made from parts"
        return f"{self.word!r} is in the vocabulary: {self._known()} of {len(self)} parts have a vector"

    def _rows(self) -> list[tuple[str, str, str]]:
        """The parts as cells, those that give most first."""
        ordered = sorted(self.parts, key=lambda part: (not part.known, -abs(part.weight or 0.0)))
        return [
            (
                visible(part.ngram),
                "" if part.weight is None else f"{part.weight:.3f}",
                ", ".join(f"{visible(word)} {score:.3f}" for word, score in part.neighbors)
                if part.known
                else "no vector",
            )
            for part in ordered
        ]

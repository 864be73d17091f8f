"""What a test came to: figures, and always how much of the test they stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "AnalogyResult",
    "AnalogySection",
    "CategoryResult",
    "OddOneOutResult",
    "SimilarityResult",
    "TestResult",
]


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """What all results have in common.

    Attributes
    ----------
    name : str
        The name of the test.
    total : int
        Items of the test.
    used : int
        Items whose words all have vectors.
    unknown : list of str
        The words without a vector, in the order of the test.
    in_other_case : list of str
        Words that were found with other upper or lower case only.
    composed : list of str
        Words outside the vocabulary whose vectors come from their n-grams.
    in_vocabulary : int
        Items whose words are all in the vocabulary.
    """

    name: str
    total: int
    used: int
    unknown: list[str] = field(repr=False)
    in_other_case: list[str] = field(repr=False)
    composed: list[str] = field(repr=False)
    in_vocabulary: int

    # Not for pytest, which collects classes whose names start so.
    __test__ = False

    @property
    def coverage(self) -> float:
        """The share of items whose words all have vectors, from 0 to 1."""
        return self.used / self.total

    def _figures(self) -> dict[str, Any]:
        raise AssertionError

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        counts = {"coverage": self.coverage, "used": self.used, "total": self.total}
        counts["in_vocabulary"] = self.in_vocabulary
        words = {
            "unknown": self.unknown,
            "in_other_case": self.in_other_case,
            "composed": self.composed,
        }
        return {"test": self.name, **self._figures(), **counts, **words}

    def _coverage_line(self, items: str) -> str:
        line = f"coverage {100 * self.coverage:.1f} %: {self.used:,} of {self.total:,} {items}"
        if self.composed:
            share = 100 * self.in_vocabulary / self.total
            line += f", {share:.1f} % without n-grams: {self.in_vocabulary:,}"
            words = "1 word is" if len(self.composed) == 1 else f"{len(self.composed):,} words are"
            line += f"; {words} put together from n-grams: {_first_few(self.composed)}"
        if self.unknown:
            words = "1 word has" if len(self.unknown) == 1 else f"{len(self.unknown):,} words have"
            line += f"; {words} no vector: {_first_few(self.unknown)}"
        return line


def _first_few(words: list[str]) -> str:
    return ", ".join(words[:5]) + (", ..." if len(words) > 5 else "")


@dataclass(frozen=True, kw_only=True)
class SimilarityResult(TestResult):
    """How well cosines follow the judgements of people.

    Attributes
    ----------
    spearman : float
        The correlation of the ranks, which is what is usually reported.
    spearman_in_vocabulary : float
        The same without pairs of which a word was put together from n-grams.
    pearson : float
        The linear correlation.
    interval : (float, float)
        Where the rank correlation lies with 95 % confidence, from the number of pairs (Fisher's
        transformation, with the variance of Bonett and Wright 2000).
    pairs : list of (str, str)
        The pairs that were used.
    human, cosine : array of float64
        What people and what the vectors say of each of them.
    """

    spearman: float
    spearman_in_vocabulary: float
    pearson: float
    interval: tuple[float, float]
    pairs: list[tuple[str, str]] = field(repr=False)
    human: npt.NDArray[np.float64] = field(repr=False, compare=False)
    cosine: npt.NDArray[np.float64] = field(repr=False, compare=False)

    def _figures(self) -> dict[str, Any]:
        return {
            "spearman": self.spearman,
            "spearman_in_vocabulary": self.spearman_in_vocabulary,
            "pearson": self.pearson,
            "interval": list(self.interval),
        }

    def __str__(self) -> str:
        low, high = self.interval
        interval = "" if math.isnan(low) else f" (95 %: {low:.3f} to {high:.3f})"
        figures = f"Spearman {self.spearman:.4f}{interval}, Pearson {self.pearson:.4f}"
        if self.composed:
            figures += f", Spearman without n-grams {self.spearman_in_vocabulary:.4f}"
        return f"{self.name}: {figures}; {self._coverage_line('pairs')}"


@dataclass(frozen=True, kw_only=True)
class AnalogySection:
    """One section of an analogy test: questions answered right, questions asked, questions in the file."""

    name: str
    correct: int
    used: int
    total: int

    @property
    def accuracy(self) -> float:
        """The share of asked questions that were answered right; "not a number" if none was asked."""
        return self.correct / self.used if self.used else float("nan")


@dataclass(frozen=True, kw_only=True)
class AnalogyResult(TestResult):
    """How many analogies come out.

    Attributes
    ----------
    sections : list of AnalogySection
        The figures by section.
    method : str
        How the answers were found: ``"3cosadd"`` or ``"3cosmul"``.
    wrong : list of (str, str, str, str, str)
        The questions with wrong answers: a, b, c, what was expected and what came out.
    """

    sections: list[AnalogySection]
    method: str
    wrong: list[tuple[str, str, str, str, str]] = field(repr=False)

    @property
    def correct(self) -> int:
        """Questions answered right, in all sections."""
        return sum(section.correct for section in self.sections)

    @property
    def accuracy(self) -> float:
        """The share of asked questions that were answered right; "not a number" if none was asked."""
        return self.correct / self.used if self.used else float("nan")

    def _figures(self) -> dict[str, Any]:
        sections = [
            {
                "name": section.name,
                "accuracy": section.accuracy,
                "correct": section.correct,
                "used": section.used,
                "total": section.total,
            }
            for section in self.sections
        ]
        return {
            "method": self.method,
            "accuracy": self.accuracy,
            "correct": self.correct,
            "sections": sections,
        }

    def __str__(self) -> str:
        lines = [
            f"{100 * section.accuracy:5.1f} %  {section.correct:>6,} of {section.used:>6,} "
            f"({section.total:,} in the test)  {section.name}"
            for section in self.sections
            if len(self.sections) > 1
        ]
        lines.append(
            f"{self.name}: {100 * self.accuracy:.2f} % right by {self.method}; "
            + self._coverage_line("questions")
        )
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class OddOneOutResult(TestResult):
    """How often the word that does not fit was found.

    Attributes
    ----------
    correct : int
        Items answered right.
    wrong : list of (tuple of str, str)
        The items with wrong answers, and what came out.
    """

    correct: int
    wrong: list[tuple[tuple[str, ...], str]] = field(repr=False)

    @property
    def accuracy(self) -> float:
        """The share of asked items that were answered right; "not a number" if none was asked."""
        return self.correct / self.used if self.used else float("nan")

    def _figures(self) -> dict[str, Any]:
        return {"accuracy": self.accuracy, "correct": self.correct}

    def __str__(self) -> str:
        figures = f"{100 * self.accuracy:.2f} % of the odd words found"
        return f"{self.name}: {figures}; {self._coverage_line('items')}"


@dataclass(frozen=True, kw_only=True)
class CategoryResult(TestResult):
    """How well words of one category lie together.

    Attributes
    ----------
    purity : float
        The share of words that belong to the most frequent category of their cluster, with as many clusters
        as categories; 1 is perfect.
    categories : int
        How many categories, and so clusters, there are.
    clusters : list of list of str
        The words of each cluster.
    """

    purity: float
    categories: int
    clusters: list[list[str]] = field(repr=False)

    def _figures(self) -> dict[str, Any]:
        return {"purity": self.purity, "categories": self.categories, "clusters": self.clusters}

    def __str__(self) -> str:
        figures = f"purity {self.purity:.4f} in {self.categories} clusters"
        return f"{self.name}: {figures}; {self._coverage_line('words')}"

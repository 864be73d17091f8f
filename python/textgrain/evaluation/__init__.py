"""How good word vectors are: tests made by people, and what the vectors say of themselves.

``vectors.evaluate(test)`` is :func:`evaluate`.
"""

from textgrain.evaluation.cases import fold
from textgrain.evaluation.intrinsic import Overlap, VectorReport, describe, neighbor_overlap, stability
from textgrain.evaluation.results import (
    AnalogyResult,
    AnalogySection,
    CategoryResult,
    OddOneOutResult,
    SimilarityResult,
    TestResult,
)
from textgrain.evaluation.scores import evaluate
from textgrain.evaluation.scoring import average_linkage, mean_ranks, pearson, purity, spearman
from textgrain.evaluation.sets import TestSet, read_test_set

__all__ = [
    "AnalogyResult",
    "AnalogySection",
    "CategoryResult",
    "OddOneOutResult",
    "Overlap",
    "SimilarityResult",
    "TestResult",
    "TestSet",
    "VectorReport",
    "average_linkage",
    "describe",
    "evaluate",
    "fold",
    "mean_ranks",
    "neighbor_overlap",
    "pearson",
    "purity",
    "read_test_set",
    "spearman",
    "stability",
]

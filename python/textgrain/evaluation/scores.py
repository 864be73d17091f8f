"""Word vectors against a test set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from textgrain import _native
from textgrain.evaluation.cases import Dictionary
from textgrain.evaluation.results import (
    AnalogyResult,
    AnalogySection,
    CategoryResult,
    OddOneOutResult,
    SimilarityResult,
)
from textgrain.evaluation.scoring import average_linkage, pearson, purity, spearman
from textgrain.evaluation.sets import read_test_set
from textgrain.exceptions import ParameterError
from textgrain.progress import resolve

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from textgrain.evaluation.cases import Case, Unseen
    from textgrain.evaluation.sets import Kind, TestSet
    from textgrain.progress import Progress
    from textgrain.vectors import WordVectors
    from textgrain.vectors.search import Method

__all__ = ["evaluate"]


def evaluate(
    vectors: WordVectors,
    test: str | os.PathLike[str] | Iterable[Sequence[object]] | Mapping[str, Iterable[str]],
    *,
    kind: Kind | Literal["auto"] = "auto",
    restrict: int | None = None,
    case: Case = "fold",
    oov: Unseen = "skip",
    unknown: Literal["skip", "wrong"] = "skip",
    method: Method = "3cosadd",
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> SimilarityResult | AnalogyResult | OddOneOutResult | CategoryResult:
    """Score word vectors on a test: similarities, analogies, odd words or categories.

    The result says how much of the test could be asked, and which words have no vector.

    Parameters
    ----------
    vectors : WordVectors
        What is tested.
    test : path, list of tuples, or mapping of str to iterables of str
        The test; see :func:`read_test_set`. A mapping names categories.
    kind : {"auto", "similarity", "analogy", "odd-one-out", "categories"}
        What the test asks; similarities and analogies are found by themselves.
    restrict : int, optional
        Only the first so many words count as known and may be answers. Other programs use 300,000.
    case : {"fold", "exact"}
        Words that are not in the vocabulary as they are written are looked up with upper and lower case
        folded (Unicode's simple folding), and analogies count as right whatever the case; or not.
    oov : {"skip", "subword"}
        Whether words outside the vocabulary have no vector here, or the one of their n-grams. The result
        says how much of the test could be asked, and how much without n-grams.
    unknown : {"skip", "wrong"}
        Leave out items with words that have no vector; or count them: as a cosine of 0, as a wrong answer.
    method : {"3cosadd", "3cosmul"}
        How analogies are answered; see :meth:`WordVectors.most_similar`.
    threads : int, optional
        All that the machine offers where none is given.
    progress : callable or bool, optional
        Shows progress on standard error if true.

    Raises
    ------
    FormatError
        A line of the test cannot be read.
    ParameterError
        A setting is unknown, or the test is empty.

    Examples
    --------
    >>> notes = {"cat": [2, 1], "dog": [2, 1.5], "car": [-1, 1], "bus": [-2, 1]}
    >>> vectors = tg.WordVectors.from_mapping(notes)
    >>> print(vectors.evaluate([("cat", "dog", 9), ("Car", "bus", 8), ("cat", "bus", 1), ("cat", "cow", 7)]))
    test: Spearman 1.0000, Pearson 0.9954; coverage 75.0 %: 3 of 4 pairs; 1 word has no vector: cow
    >>> vectors.evaluate({"animals": ["cat", "dog"], "vehicles": ["car", "bus"]}).purity
    1.0
    """
    if unknown not in ("skip", "wrong"):
        raise ParameterError(f'`unknown` must be "skip" or "wrong", got {unknown!r}', "unknown")
    asked = read_test_set(test, kind)
    dictionary = Dictionary(vectors, restrict=restrict, case=case, oov=oov)
    if asked.kind == "similarity":
        return _similarity(asked, dictionary, count_unknown=unknown == "wrong")
    if asked.kind == "analogy":
        return _analogies(
            asked, dictionary, method, threads, resolve(progress), count_unknown=unknown == "wrong"
        )
    if asked.kind == "odd-one-out":
        return _odd_one_out(asked, dictionary, count_unknown=unknown == "wrong")
    return _categories(asked, dictionary)


def _common(
    test: TestSet, dictionary: Dictionary, used: int, items: Sequence[Sequence[str]]
) -> dict[str, Any]:
    listed = list(dict.fromkeys(word for item in items for word in item))
    in_vocabulary = (
        all(dictionary.row(word) is not None and word not in dictionary.composed for word in item)
        for item in items
    )
    return {
        "name": test.name,
        "total": len(test.items),
        "used": used,
        "unknown": [word for word in listed if dictionary.row(word) is None],
        "in_other_case": sorted(dictionary.in_other_case),
        "composed": list(dictionary.composed),
        "in_vocabulary": sum(in_vocabulary),
    }


def _similarity(test: TestSet, dictionary: Dictionary, *, count_unknown: bool) -> SimilarityResult:
    known = [[dictionary.row(word) for word in pair] for pair in test.items]
    places = [index for index, rows in enumerate(known) if None not in rows]
    left, right = (dictionary.unit_rows([known[index][side] or 0 for index in places]) for side in (0, 1))
    cosine = (left * right).sum(axis=1)
    human = np.array([test.scores[index] for index in places])
    pairs = [(test.items[index][0], test.items[index][1]) for index in places]
    if count_unknown:
        missing = [index for index, rows in enumerate(known) if None in rows]
        cosine = np.concatenate([cosine, np.zeros(len(missing))])
        human = np.concatenate([human, [test.scores[index] for index in missing]])
        pairs += [(test.items[index][0], test.items[index][1]) for index in missing]
    ranks = spearman(human, cosine)
    own = np.array([not any(word in dictionary.composed for word in pair) for pair in pairs], dtype=bool)
    return SimilarityResult(
        **_common(test, dictionary, len(places), test.items),
        spearman=ranks,
        spearman_in_vocabulary=spearman(human[own], cosine[own]),
        pearson=pearson(human, cosine),
        interval=_interval(ranks, len(human)),
        pairs=pairs,
        human=human,
        cosine=cosine,
    )


def _interval(correlation: float, count: int) -> tuple[float, float]:
    """Where a rank correlation lies with 95 % confidence (Bonett and Wright 2000)."""
    if count < 4 or not abs(correlation) < 1:
        return float("nan"), float("nan")
    half = 1.959964 * math.sqrt((1 + correlation**2 / 2) / (count - 3))
    center = math.atanh(correlation)
    return math.tanh(center - half), math.tanh(center + half)


def _analogies(
    test: TestSet,
    dictionary: Dictionary,
    method: str,
    threads: int | None,
    progress: Progress | None,
    *,
    count_unknown: bool,
) -> AnalogyResult:
    asked = [
        (section, item, rows)
        for section, items in test.sections.items()
        for item in items
        if None not in (rows := [dictionary.row(word) for word in item])
    ]
    questions = np.array([rows for _, _, rows in asked], dtype=np.int64).reshape(-1, 4)
    # A word that differs from an earlier one in case only is no answer of its own.
    among = np.union1d(np.array(dictionary.first_of_each_case(), dtype=np.int64), questions)
    answers = _native.solve_analogies(
        dictionary.with_composed()._native,
        np.ascontiguousarray(questions[:, :3]),
        among,
        method,
        threads,
        progress,
    )
    correct = dict.fromkeys(test.sections, 0)
    used = dict.fromkeys(test.sections, 0)
    wrong: list[tuple[str, str, str, str, str]] = []
    for (section, item, rows), answer in zip(asked, answers.tolist(), strict=True):
        used[section] += 1
        found = "" if answer < 0 else dictionary.name(answer)
        expected = dictionary.name(rows[3] or 0)
        if answer >= 0 and dictionary.fold(found) == dictionary.fold(expected):
            correct[section] += 1
        else:
            wrong.append((item[0], item[1], item[2], item[3], found))
    common = _common(test, dictionary, len(asked), test.items)
    sections = [
        AnalogySection(
            name=name,
            correct=correct[name],
            used=len(items) if count_unknown else used[name],
            total=len(items),
        )
        for name, items in test.sections.items()
    ]
    if count_unknown:
        common["used"] = common["total"]
    return AnalogyResult(**common, sections=sections, method=method, wrong=wrong)


def _odd_one_out(test: TestSet, dictionary: Dictionary, *, count_unknown: bool) -> OddOneOutResult:
    correct, used = 0, 0
    wrong: list[tuple[tuple[str, ...], str]] = []
    for item in test.items:
        rows = [row for word in item if (row := dictionary.row(word)) is not None]
        if len(rows) < len(item):
            continue
        used += 1
        points = dictionary.unit_rows(rows)
        answer = int((points @ points.mean(axis=0)).argmin())
        if answer == len(item) - 1:
            correct += 1
        else:
            wrong.append((item, item[answer]))
    common = _common(test, dictionary, used, test.items)
    if count_unknown:
        common["used"] = common["total"]
    return OddOneOutResult(**common, correct=correct, wrong=wrong)


def _categories(test: TestSet, dictionary: Dictionary) -> CategoryResult:
    known = [(item, row) for item in test.items if (row := dictionary.row(item[0])) is not None]
    if not known:
        message = f"`test` must hold at least one word with a vector, got none in {test.name}"
        raise ParameterError(message, "test")
    categories = [item[1] for item, _ in known]
    count = len(set(categories))
    clusters = average_linkage(dictionary.unit_rows([row for _, row in known]), count)
    members: list[list[str]] = [[] for _ in range(count)]
    for (item, _), cluster in zip(known, clusters.tolist(), strict=True):
        members[cluster].append(item[0])
    return CategoryResult(
        **_common(test, dictionary, len(known), [item[:1] for item in test.items]),
        purity=purity(clusters, categories),
        categories=count,
        clusters=members,
    )

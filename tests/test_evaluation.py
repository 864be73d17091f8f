"""Tests made by people: reading them, the case rule, the scores."""

import gzip
import itertools
import json

import numpy as np
import pytest

import textgrain as tg
from textgrain.evaluation import average_linkage, fold, pearson, purity, read_test_set, spearman
from textgrain.exceptions import FormatError, ParameterError


@pytest.fixture
def few():
    return tg.WordVectors.from_mapping(
        {
            "king": [1, 1, 0], "queen": [1, 0, 1], "man": [0, 1, 0.1], "woman": [0, 0.1, 1],
            "apple": [-1, 0.5, 0.4], "Paris": [0.2, -1, 0.1],
        }
    )  # fmt: skip


def test_correlations_with_ties():
    # Ranks 1, 2.5, 2.5, 4, 5 and 2, 1, 4, 4, 4: deviations multiply to 5.5, squares add up to 9.5 and 8.
    left, right = [1.0, 2.0, 2.0, 3.0, 5.0], [2.0, 1.0, 4.0, 4.0, 4.0]
    assert spearman(left, right) == pytest.approx(5.5 / np.sqrt(9.5 * 8))
    assert np.isnan(pearson([1, 1], [1, 2]))
    assert np.isnan(spearman([], []))


def test_correlations_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(1)
    left, right = random.integers(0, 9, 50), random.normal(size=50)
    assert spearman(left, right) == pytest.approx(stats.spearmanr(left, right).statistic)
    assert pearson(left, right) == pytest.approx(stats.pearsonr(left, right).statistic)


def test_clusters_and_their_purity():
    points = np.array([[1, 0], [5, 0.2], [0, 1], [0.1, 2], [-1, -1]])
    assert average_linkage(points, 3).tolist() == [0, 0, 1, 1, 2]
    assert average_linkage(points, 5).tolist() == [0, 1, 2, 3, 4]
    assert average_linkage(points, 1).tolist() == [0] * 5
    assert purity([0, 0, 1, 1, 2], list("aabba")) == 1.0
    assert purity([0, 0, 0, 0, 0], list("aabba")) == 0.6


def test_average_linkage_is_that_of_scipy():
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    points = np.random.default_rng(3).normal(size=(40, 6))
    ours = average_linkage(points, 7)
    theirs = hierarchy.fcluster(hierarchy.linkage(points, "average", metric="cosine"), 7, "maxclust")
    pairs = itertools.combinations(range(40), 2)
    assert all((ours[a] == ours[b]) == (theirs[a] == theirs[b]) for a, b in pairs)


def test_files_of_every_layout(tmp_path):
    def read(text, kind="auto"):
        path = tmp_path / "test.txt"
        path.write_text(text, encoding="utf-8")
        return read_test_set(path, kind)

    tabs = read("Word 1\tWord 2\tHuman (mean)\nlove\tsex\t6.77\n# note\n\nice cream\tcake\t.5\n")
    assert tabs.items == [("love", "sex"), ("ice cream", "cake")]
    assert tabs.scores == [6.77, 0.5]
    assert read("a,b,1\nc,d,2e1\n").scores == [1.0, 20.0]
    assert read("old new A 1.58\n").items == [("old", "new")]
    sections = read("\ufeff: first one\nA B C D\r\n: second\nE F G H\n").sections
    assert sections == {"first one": [("A", "B", "C", "D")], "second": [("E", "F", "G", "H")]}
    assert read("a b c d\n").sections == {"": [("a", "b", "c", "d")]}
    pairs = read("man woman\nking queen\n")
    assert pairs.kind == "analogy"
    assert pairs.items == [("man", "woman", "king", "queen"), ("king", "queen", "man", "woman")]
    assert read("a b c\n", "odd-one-out").items == [("a", "b", "c")]
    assert read("cat animal\n", "categories").items == [("cat", "animal")]
    for text, message in [
        ("a b 1\nc d\n", "line 2: expected two words and a score, got 2 fields: c | d"),
        ("a b c d\n: x y\ne f\n", "line 3: expected four words"),
        ("one\n", "line 1: expected two words and a score, four words, or two words"),
    ]:
        with pytest.raises(FormatError, match=message.replace("|", r"\|")) as caught:
            read(text)
        assert caught.value.line is not None
    for empty in ("", "# only a note\n", ": section\n"):
        with pytest.raises(ParameterError, match="at least one item"):
            read(empty)
    with pytest.raises(ParameterError, match="`kind` must be"):
        read("a b 1", "guess")
    with pytest.raises(ParameterError, match="items of one kind"):
        read_test_set([("a", "b", 1), ("c",)])


def test_the_case_rule_merges_no_different_words():
    assert [fold(word) for word in ("ILIK", "ılık", "ilik")] == ["ilik", "ılık", "ilik"]
    assert fold("STRASSE") != fold("straße") == fold("STRAẞE")
    words = {"ılık": [1, 0.0], "ilik": [0, 1.0], "straße": [1, 1.0], "strasse": [1, -1.0], "Berlin": [2, 1.0]}
    vectors = tg.WordVectors.from_mapping(words)
    result = vectors.evaluate([("ılık", "straße", 1), ("ILIK", "strasse", 2), ("BERLIN", "ılık", 3)])
    assert (result.used, result.unknown) == (3, [])
    assert result.in_other_case == ["BERLIN", "ILIK"]
    assert result.cosine == pytest.approx([0.70710678, -0.70710678, 0.89442719])
    exact = vectors.evaluate([("ILIK", "strasse", 2), ("ılık", "ilik", 1)], case="exact")
    assert (exact.used, exact.unknown) == (1, ["ILIK"])


def test_unknown_words_are_counted(few):
    test = [("king", "queen", 5.0), ("king", "zebra", 1.0), ("man", "woman", 4.0)]
    result = few.evaluate(test)
    assert (result.total, result.used, result.unknown) == (3, 2, ["zebra"])
    assert result.coverage == pytest.approx(2 / 3)
    assert "coverage 66.7 %: 2 of 3 pairs; 1 word has no vector: zebra" in str(result)
    counted = few.evaluate(test, unknown="wrong")
    assert len(counted.cosine) == 3
    assert counted.cosine[2] == 0
    assert json.loads(json.dumps(result.as_dict()))["coverage"] == pytest.approx(2 / 3)
    with pytest.raises(ParameterError, match="`unknown` must be"):
        few.evaluate(test, unknown="ignore")
    with pytest.raises(ParameterError, match="`case` must be"):
        few.evaluate(test, case="lower")
    assert few.evaluate([("a", "b", 1)]).coverage == 0


def test_analogies_by_section(few):
    questions = [
        ("man", "king", "woman", "queen"),
        ("MAN", "KING", "WOMAN", "QUEEN"),
        ("king", "man", "queen", "apple"),
        ("king", "man", "queen", "zebra"),
    ]
    result = few.evaluate(questions)
    assert (result.correct, result.used, result.total) == (2, 3, 4)
    assert result.accuracy == pytest.approx(2 / 3)
    assert result.wrong == [("king", "man", "queen", "apple", "woman")]
    assert few.evaluate(questions, unknown="wrong").accuracy == 0.5
    by_product = few.evaluate(questions[:1], method="3cosmul")
    [(alone, _)] = few.analogy("man", "king", "woman", n=1, method="3cosmul")
    assert by_product.wrong[0][4] == alone
    # The answer lies beyond the words that count.
    assert few.evaluate(questions[:1], restrict=1).used == 0
    with pytest.raises(ParameterError, match="`method` must be"):
        few.evaluate(questions, method="sum")


def test_odd_words_and_categories(few):
    result = few.evaluate(
        [("king", "queen", "apple"), ("man", "king", "Paris"), ("man", "apple", "king")], kind="odd-one-out"
    )
    assert (result.correct, result.used) == (2, 3)
    assert result.wrong == [(("man", "apple", "king"), "apple")]
    categories = few.evaluate({"royal": ["king", "queen", "emu"], "fruit": ["apple"]})
    assert (categories.purity, categories.used, categories.total) == (1.0, 3, 4)
    assert sorted(map(sorted, categories.clusters)) == [["apple"], ["king", "queen"]]
    with pytest.raises(ParameterError, match="at least one word with a vector"):
        few.evaluate({"x": ["emu"]})


@pytest.mark.shared
def test_the_figures_of_gensim(shared_data):
    """Twenty thousand words of GloVe on all sets that lie there, to the digits that are recorded."""
    data = shared_data / "data"
    with gzip.open(data / "golden" / "eval_gensim_4.4.0.json.gz") as file:
        golden = json.load(file)["glove.6B.50d.top20k.txt"]
    vectors = tg.WordVectors.load(data / "vectors" / "glove" / "glove.6B.50d.top20k.txt.gz")
    for name, expected in golden["similarity"].items():
        result = vectors.evaluate(data / "eval" / "similarity" / name)
        assert result.spearman == pytest.approx(expected["spearman"], abs=5e-5), name
        assert result.pearson == pytest.approx(expected["pearson"], abs=5e-5), name
        assert 100 * (1 - result.coverage) == pytest.approx(expected["oov_pct"], abs=5e-3), name
    result = vectors.evaluate(data / "eval" / "analogy" / "questions-words.txt")
    assert result.accuracy == pytest.approx(golden["analogy"]["total_accuracy"], abs=5e-5)
    sections = {section.name: [section.correct, section.used] for section in result.sections}
    expected = golden["analogy"]["sections"]
    expected.pop("Total accuracy", None)
    assert sections == {name: counts for name, counts in expected.items() if name in sections}


@pytest.mark.shared
def test_sets_of_other_languages_load(shared_data):
    folder = shared_data / "data" / "eval" / "analogy"
    assert len(read_test_set(folder / "questions-words.txt").items) == 19_544
    assert read_test_set(folder / "de" / "semantic_df.questions", "odd-one-out").kind == "odd-one-out"
    assert len(read_test_set(folder / "pt" / "family-pt.txt").items) > 100


def test_words_put_together_from_ngrams_are_told_apart():
    vectors = tg.WordVectors.from_mapping(
        {"cat": [2, 1], "dog": [2, 1.5], "car": [-1, 1]}, ngrams={"<ca": [-0.5, 1], "dog": [1, 1]}
    )
    pairs = [("cat", "dog", 9), ("dog", "car", 1), ("dogs", "dog", 8), ("cab", "car", 7), ("cat", "xyz", 2)]
    without = vectors.evaluate(pairs)
    assert (without.used, without.in_vocabulary, without.composed) == (2, 2, [])
    assert without.spearman == without.spearman_in_vocabulary == 1
    result = vectors.evaluate(pairs, oov="subword")
    assert (result.used, result.in_vocabulary, result.composed) == (4, 2, ["dogs", "cab"])
    assert result.unknown == ["xyz"]
    assert result.cosine[2] == pytest.approx(vectors.similarity("dogs", "dog"))
    assert result.spearman_in_vocabulary == without.spearman
    assert "80.0 %: 4 of 5 pairs, 40.0 % without n-grams: 2; 2 words are put" in str(result)
    assert result.as_dict()["in_vocabulary"] == 2
    odd = vectors.evaluate([["dog", "dogs", "car"]], kind="odd-one-out", oov="subword")
    assert (odd.correct, odd.used, odd.in_vocabulary) == (1, 1, 0)
    groups = vectors.evaluate({"animals": ["dog", "dogs"], "cars": ["car", "cab"]}, oov="subword")
    assert (groups.purity, groups.used, groups.in_vocabulary) == (1, 4, 2)
    with pytest.raises(ParameterError, match="without n-grams"):
        tg.WordVectors.from_mapping({"a": [1]}).evaluate(pairs, oov="subword")
    with pytest.raises(ParameterError, match='"skip" or "subword"'):
        vectors.evaluate(pairs, oov="zero")


def test_analogies_with_words_from_ngrams():
    words = {"man": [0, 1, 0], "king": [1, 1, 0], "woman": [0, 0, 1], "apple": [-1, 0, 0.5]}
    vectors = tg.WordVectors.from_mapping(words, ngrams={"queen": [1, 0.1, 1]}, max_n=5)
    items = [("man", "king", "woman", "queen")]
    assert vectors.evaluate(items, kind="analogy").used == 0
    result = vectors.evaluate(items, kind="analogy", oov="subword")
    assert (result.correct, result.used, result.in_vocabulary) == (1, 1, 0)
    # A word beyond the restriction is put together as well.
    more = vectors.with_words({"queen": [-1, -1, -1]})
    assert more.evaluate(items, kind="analogy", oov="subword", restrict=4).correct == 1
    assert more.evaluate(items, kind="analogy", oov="subword").correct == 0

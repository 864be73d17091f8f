"""Search: metrics, restrictions, batches, and what the small questions answer."""

import json

import numpy as np
import pytest

import textgrain as tg
from textgrain import _native
from textgrain.exceptions import ParameterError, UnknownWordError


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(5).normal(size=(300, 20)).astype(np.float32)


@pytest.fixture(scope="module")
def vectors(points):
    return tg.WordVectors.from_mapping({f"w{row}": point for row, point in enumerate(points)})


def names(found):
    return [word for word, _ in found]


def test_metrics_are_what_numpy_finds(vectors, points):
    exact = points.astype(np.float64)
    distances = np.linalg.norm(exact - exact[7], axis=1)
    order = [row for row in np.argsort(distances, kind="stable") if row != 7][:12]
    found = vectors.most_similar("w7", n=12, metric="euclidean")
    assert names(found) == [f"w{row}" for row in order]
    assert [score for _, score in found] == pytest.approx(distances[order], rel=1e-6)
    products = exact @ exact[7]
    order = [row for row in np.argsort(-products, kind="stable") if row != 7][:12]
    found = vectors.most_similar("w7", n=12, metric="dot")
    assert names(found) == [f"w{row}" for row in order]
    assert [score for _, score in found] == pytest.approx(products[order], rel=1e-5)


def test_two_words_give_their_midpoint_by_distance():
    vectors = tg.WordVectors.from_mapping({"a": [0, 0], "b": [4, 0], "middle": [2, 0], "sum": [4.1, 0]})
    assert vectors.most_similar(["a", "b"], n=1, metric="euclidean") == [("middle", 0.0)]
    # b - a + middle stays a sum.
    assert vectors.most_similar(["b", "middle"], ["a"], n=1, metric="euclidean")[0][0] == "sum"


def test_the_product_of_cosines(vectors, points):
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    moved = (1 + unit.astype(np.float64) @ unit.T) / 2
    scores = moved[3] * moved[5] / (moved[8] + 1e-6)
    order = [row for row in np.argsort(-scores) if row not in (3, 5, 8)][:10]
    found = vectors.most_similar(["w3", "w5"], ["w8"], method="3cosmul")
    assert names(found) == [f"w{row}" for row in order]
    assert [score for _, score in found] == pytest.approx(scores[order], rel=1e-5)
    assert vectors.analogy("w8", "w3", "w5", method="3cosmul") == found
    with pytest.raises(ParameterError, match='`method` must be "3cosadd" or "3cosmul"'):
        vectors.most_similar("w1", method="sum")
    with pytest.raises(ParameterError, match=r"`metric` must be \"cosine\" with the method"):
        vectors.most_similar("w1", method="3cosmul", metric="dot")
    with pytest.raises(ParameterError, match='`metric` must be one of "cosine", "euclidean", "dot"'):
        vectors.most_similar("w1", metric="angle")


def test_restricted_to_words_or_to_the_most_frequent(vectors):
    everything = vectors.most_similar("w0", n=300)
    few = [f"w{row}" for row in (250, 3, 77, 3, 0)]
    assert vectors.most_similar("w0", restrict=few) == [pair for pair in everything if pair[0] in few]
    first = {f"w{row}" for row in range(40)}
    assert vectors.most_similar("w0", restrict=40, n=300) == [p for p in everything if p[0] in first]
    assert vectors.most_similar("w0", restrict=10_000, n=300) == everything
    assert vectors.most_similar("w0", restrict=0) == vectors.most_similar("w0", restrict=[]) == []
    with pytest.raises(UnknownWordError, match="'missing'"):
        vectors.most_similar("w0", restrict=["missing"])
    with pytest.raises(ParameterError, match="at least 0 words, got -1"):
        vectors.most_similar("w0", restrict=-1)
    with pytest.raises(ParameterError, match="a number or a list of words"):
        vectors.most_similar("w0", restrict="w1")


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "dot"])
def test_a_batch_gives_what_each_query_gives_alone(vectors, points, metric):
    words = [f"w{row}" for row in range(0, 300, 4)]
    for restrict in (None, 50, words[:20]):
        found = vectors.most_similar_batch(words, n=7, metric=metric, restrict=restrict)
        assert len(found) == len(words)
        for word, answer in zip(words, found, strict=True):
            assert answer == vectors.most_similar(word, n=7, metric=metric, restrict=restrict)
    by_matrix = vectors.most_similar_batch(points[:60], n=3, metric=metric)
    assert by_matrix.rows.shape == by_matrix.scores.shape == (60, 3)
    for point, answer in zip(points, by_matrix, strict=False):
        assert answer == vectors.most_similar(point, n=3, metric=metric)


def test_limits_of_batches(vectors):
    assert len(vectors.most_similar_batch([])) == 0
    assert vectors.most_similar_batch(["w1", "w2"], n=0).rows.shape == (2, 0)
    whole = vectors.most_similar_batch(["w1", "w1"], n=1000)
    assert whole.rows.shape == (2, 299)
    assert whole.words[0] == names(vectors.most_similar("w1", n=1000))
    # One query is among the words that are searched, the other is not.
    uneven = vectors.most_similar_batch(["w1", "w2"], restrict=["w1", "w3"])
    assert [len(answer) for answer in uneven] == [1, 2]
    assert uneven.rows[0].tolist() == [3, -1]
    assert np.isnan(uneven.scores[0, 1])
    assert uneven[0:2] == [uneven[0], uneven[1]]
    assert "by cosine" in repr(uneven)
    for wrong in ("w1", np.ones(20), np.ones((2, 3)), [[1.0]]):
        with pytest.raises(ParameterError, match="`queries` must"):
            vectors.most_similar_batch(wrong)
    with pytest.raises(ParameterError, match="finite"):
        vectors.most_similar_batch(np.full((1, 20), np.nan))
    with pytest.raises(ParameterError, match="`n` must be at least 0"):
        vectors.most_similar_batch(["w1"], n=-1)


def test_tables_in_notebooks_escape_words():
    vectors = tg.WordVectors.from_mapping({"<b>": [1, 0], "&": [1, 1]})
    shown = vectors.most_similar_batch(["<b>", "&"])._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    many = vectors.most_similar_batch(["&"] * 30)._repr_html_()
    assert "and 10 more" in many


def test_large_matrices_give_the_same_before_and_after_their_copy_of_bytes():
    random = np.random.default_rng(0)
    points = random.normal(size=(40_000, 120)).astype(np.float32)
    points[100] = 0
    points[200:260] = points[7]
    native = _native.WordVectors.from_parts(
        [f"w{r}" for r in range(len(points))], points, [0] * len(points), "{}", []
    )
    vectors = tg.WordVectors(native)
    queries = ["w7", "w100", "w201", "w39999"]
    for metric in ("cosine", "euclidean", "dot"):
        together = vectors.most_similar_batch(queries, metric=metric, n=80)
        for _ in range(4):
            alone = [vectors.most_similar(word, metric=metric, n=80) for word in queries]
            assert alone == list(together)


def test_similarity_of_sets_and_means(vectors, points):
    first, second = points[[1, 2]].mean(axis=0), points[[3, 4, 5]].mean(axis=0)
    expected = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert vectors.n_similarity(["w1", "w2"], ["w3", "w4", "w5"]) == pytest.approx(expected, abs=1e-6)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    assert vectors.mean_vector(["w1", "w2"]) == pytest.approx(unit[[1, 2]].mean(axis=0), abs=1e-6)
    plain = vectors.mean_vector(["w1", points[2]], weights=[3, -1], unit=False)
    assert plain == pytest.approx((3 * points[1] - points[2]) / 4, abs=1e-6)
    for wrong, message in (([], "at least one"), (["w1"], "`weights` must hold 1")):
        with pytest.raises(ParameterError, match=message):
            vectors.mean_vector(wrong, weights=[1, 2])
    with pytest.raises(ParameterError, match="add up to more than 0"):
        vectors.mean_vector(["w1"], weights=[0])
    assert vectors.distance("w1", "w2", metric="cosine") == 1 - vectors.similarity("w1", "w2")
    with pytest.raises(ParameterError, match='"euclidean" or "cosine"'):
        vectors.distance("w1", "w2", metric="dot")


def test_ranks_and_odd_words(vectors):
    neighbors = names(vectors.most_similar("w9", n=299))
    assert vectors.closer_than("w9", neighbors[4]) == neighbors[:4]
    assert vectors.rank("w9", neighbors[4]) == 5
    assert vectors.rank("w9", "w9") == 0
    assert vectors.closer_than("w9", "w9") == []
    same = tg.WordVectors.from_mapping({"a": [1, 0], "b": [1, 1], "c": [2, 2], "d": [0, 1]})
    assert [same.rank("a", other) for other in "bcd"] == [1, 1, 3]
    with pytest.raises(ParameterError, match="at least 3 words"):
        same.odd_one_out(["a", "b"])
    assert same.odd_one_out(["a", "b", "c", "d"]) == "a"


def test_metrics_side_by_side(vectors, points):
    comparison = vectors.compare_metrics("w4", n=6)
    assert comparison.length == pytest.approx(np.linalg.norm(points[4]))
    for metric, answer in comparison.neighbors.items():
        assert [(near.word, near.score) for near in answer] == vectors.most_similar("w4", n=6, metric=metric)
    near = comparison.neighbors["dot"][0]
    assert near.length == pytest.approx(np.linalg.norm(vectors[near.word]))
    both = set(names(vectors.most_similar("w4", n=6))) & {near.word for near in comparison.neighbors["dot"]}
    assert comparison.shared["cosine, dot"] == len(both) / 6
    assert str(comparison).startswith(f"w4: length {comparison.length:.2f}")
    assert "in common: cosine and euclidean" in str(comparison)
    assert json.loads(json.dumps(comparison.as_dict()))["word"] == "w4"
    odd = tg.WordVectors.from_mapping({"<i>": [1, 0], "&": [1, 1]}).compare_metrics("<i>")
    assert "&lt;i&gt;" in odd._repr_html_()
    assert "<i>" not in odd._repr_html_()
    assert vectors.compare_metrics("w4", n=0).shared["cosine, dot"] == 0


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")  # Of its own methods, by itself.
def test_gensim_gives_the_same(vectors, points):
    keyed = pytest.importorskip("gensim.models.keyedvectors")
    theirs = keyed.KeyedVectors(20)
    theirs.add_vectors(vectors.words, points)
    pairs = [
        (vectors.most_similar("w3"), theirs.most_similar("w3")),
        (vectors.most_similar(["w3", "w4"], ["w5"]), theirs.most_similar(["w3", "w4"], ["w5"])),
        (
            vectors.analogy("w5", "w3", "w4", method="3cosmul"),
            theirs.most_similar_cosmul(["w3", "w4"], ["w5"]),
        ),
        (vectors.most_similar("w3", restrict=50), theirs.most_similar("w3", restrict_vocab=50)),
    ]
    for ours, expected in pairs:
        assert names(ours) == names(expected)
        assert [score for _, score in ours] == pytest.approx([s for _, s in expected], abs=1e-5)
    words = ["w1", "w2", "w3", "w4"]
    assert vectors.odd_one_out(words) == theirs.doesnt_match(words)
    assert vectors.n_similarity(words[:2], words[2:]) == pytest.approx(
        theirs.n_similarity(words[:2], words[2:]), abs=1e-6
    )
    assert vectors.rank("w1", "w2") == theirs.rank("w1", "w2")
    # There in row order, here best first.
    assert sorted(vectors.closer_than("w1", "w2")) == sorted(theirs.closer_than("w1", "w2"))

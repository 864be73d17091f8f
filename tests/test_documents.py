"""Vectors of documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import CorpusError, ParameterError
from textgrain.reference import document_vectors as twin


@pytest.fixture
def vectors():
    words = {"the": [4, 1, 0], "cat": [1, 3, 0], "dog": [1, 2.5, 0.2], "tax": [1, 0, 3]}
    return tg.WordVectors.from_mapping(words, counts={"the": 900, "cat": 50, "dog": 40, "tax": 10})


def test_means_and_their_coverage(vectors):
    documents = [["the", "cat"], ["dog", "emu", "dog"], ["emu"], []]
    found = vectors.document_vectors(iter(documents))
    assert found.matrix.tolist() == pytest.approx(
        np.array([[2.5, 2, 0], [1, 2.5, 0.2], [0, 0, 0], [0, 0, 0]]), abs=1e-6
    )
    assert found.coverage == pytest.approx([1, 2 / 3, 0, 0])
    assert len(found) == 4
    assert found.similarities()[0, 2] == 0


def test_smooth_inverse_frequency_is_the_formula_of_the_paper(vectors):
    documents = [["the", "cat", "the"], ["the", "dog"], ["tax", "the", "tax"]]
    found = vectors.document_vectors(documents, weighting="sif", smoothing=0.01)
    share = dict(zip(vectors.words, vectors.counts / vectors.counts.sum(), strict=True))
    plain = np.array([
        np.mean([0.01 / (0.01 + share[word]) * vectors[word].astype(float) for word in document], axis=0)
        for document in documents
    ])  # fmt: skip
    first = np.linalg.svd(plain)[2][0]
    assert found.matrix == pytest.approx(plain - np.outer(plain @ first, first), abs=1e-6)
    # Documents that come later are seen from the same side.
    later = vectors.document_vectors(
        documents[:1], weighting="sif", smoothing=0.01, components=found.components
    )
    assert later.matrix[0] == pytest.approx(found.matrix[0], abs=1e-6)


TEXTS = ["The cat, the DOG.", "", "emu", "Tax! tax? The tax", "dog"]


def test_a_corpus_is_cut_as_for_training(vectors, tmp_path):
    """Lists of words and a corpus give the same, in any number of threads."""
    cut = [tg.cut_words(text, lowercase=True) for text in TEXTS]
    assert cut[0] == ["the", "cat", "the", "dog"]
    expected = vectors.document_vectors(cut, weighting="sif")
    path = tmp_path / "notes.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    for corpus in (tg.Corpus.from_iterable(TEXTS), tg.Corpus.from_files(path)):
        for threads in (1, 3):
            found = vectors.document_vectors(corpus, weighting="sif", lowercase=True, threads=threads)
            assert found.matrix == pytest.approx(expected.matrix, abs=1e-6)
            assert found.coverage.tolist() == expected.coverage.tolist() == [1, 0, 0, 1, 1]
            assert found.words.tolist() == expected.words.tolist() == [4, 0, 1, 4, 1]
    assert found.known_words == pytest.approx(0.9)
    assert str(found) == (
        "5 documents, 3 numbers each; 90.0 % of their words have a vector, 2 documents have no such word"
    )
    as_written = vectors.document_vectors(tg.Corpus.from_iterable(TEXTS))
    assert as_written.coverage.tolist() == [0.5, 0, 0, 0.5, 1]


def test_vectors_know_whether_they_are_of_lower_case():
    corpus = tg.Corpus.from_iterable(["The CAT sat", "the cat"] * 3)
    trainer = tg.Word2Vec(vector_size=4, min_count=1, lowercase=True, subsample=0, shrink_window=False)
    vectors = trainer.train(corpus, threads=1)
    assert vectors.document_vectors(corpus).known_words == 1
    assert vectors.document_vectors(corpus, lowercase=False).known_words == pytest.approx(9 / 15)


def test_other_ways_to_cut(vectors):
    corpus = tg.Corpus.from_iterable(["the cat, the dog"])
    assert vectors.document_vectors(corpus, split="whitespace").coverage.tolist() == [0.75]
    phrases = tg.Phrases(min_count=1, threshold=0).train(["cat the"])
    joined = vectors.rename({"tax": "cat_the"})
    found = joined.document_vectors(corpus, split=phrases)
    assert found.matrix.tolist() == joined.document_vectors([["the", "cat_the", "dog"]]).matrix.tolist()
    tokenizer = tg.BPE(vocab_size=260, split="words").train(["the cat"])
    tokens = tg.cut_words("the cat", tokenizer)
    assert "".join(tokens) == "thecat"
    named = tg.WordVectors.from_mapping({token: [1, place] for place, token in enumerate(set(tokens))})
    assert named.document_vectors(corpus, split=tokenizer).coverage.tolist() == [3 / 7]


def test_words_from_their_ngrams():
    counts, ngrams = {"cat": 99, "car": 1}, {"<ca": [-0.5, 1]}
    vectors = tg.WordVectors.from_mapping({"cat": [2, 1], "car": [-1, 1]}, counts=counts, ngrams=ngrams)
    for documents in ([["cat", "cab", "emu"]], tg.Corpus.from_iterable(["cat cab, emu"])):
        assert vectors.document_vectors(documents).matrix.tolist() == [[2, 1]]
        found = vectors.document_vectors(documents, oov="subword")
        assert (found.matrix.tolist(), found.coverage[0]) == ([[0.75, 1]], 2 / 3)
        weighed = vectors.document_vectors(
            documents, oov="subword", weighting="sif", remove=0, smoothing=0.01
        )
        # A word outside the vocabulary is as rare as can be.
        assert weighed.matrix[0] == pytest.approx([(0.02 - 0.5) / 2, (0.01 + 1) / 2])


def test_words_at_length_one():
    vectors = tg.WordVectors.from_mapping(
        {"cat": [3, 4], "car": [0, 0], "low": [0, 2]}, ngrams={"<ca": [-6, 8], "<em": [0, 0]}
    )
    for documents in ([["cat", "low", "cab"]], tg.Corpus.from_iterable(["cat low cab"])):
        found = vectors.document_vectors(documents, weighting="unit")
        assert found.matrix[0] == pytest.approx([0.3, 0.9])
        composed = vectors.document_vectors(documents, weighting="unit", oov="subword")
        assert composed.matrix[0] == pytest.approx([0, 2.6 / 3])
    for documents in ([["car", "emu"]], tg.Corpus.from_iterable(["car emu"])):
        assert vectors.document_vectors(documents, weighting="unit", oov="subword").matrix.tolist() == [
            [0, 0]
        ]


@pytest.mark.peer
def test_vectors_of_sentences_are_those_of_fasttext(tmp_path):
    fasttext = pytest.importorskip("fasttext")
    lines = [f"the w{row % 7} stood by w{row % 11} and w{row % 13}" for row in range(200)]
    trainer = tg.FastText(vector_size=8, min_count=3, epochs=2, buckets=500, subsample=0, shrink_window=False)
    vectors = trainer.train(lines, threads=1)
    vectors.save(tmp_path / "model.bin", format="fasttext")
    theirs = fasttext.load_model(str(tmp_path / "model.bin"))
    texts = ["the w1 by w2", "w100 stood, unseen", "x"]
    found = vectors.document_vectors(
        tg.Corpus.from_iterable(texts), weighting="unit", oov="subword", split="whitespace"
    )
    for text, vector in zip(texts, found.matrix, strict=True):
        assert vector == pytest.approx(theirs.get_sentence_vector(text), abs=1e-5)


def test_documents_near_to_others(vectors):
    found = vectors.document_vectors([["cat"], ["tax"], [], ["dog", "cat"], ["tax"]])
    assert [number for number, _ in found.most_similar(0)] == [3, 1, 4, 2]
    assert found.most_similar(1, n=1) == [(4, pytest.approx(1))]
    assert found.most_similar(2)[0] == (0, 0)
    assert found.most_similar(vectors["dog"], n=2)[0][0] == 3
    assert found.most_similar([0, 0, 1], n=2)[0] == (1, pytest.approx(3 / 10**0.5))
    assert found.most_similar(0, n=0) == []
    assert vectors.document_vectors([]).most_similar([0, 0, 1]) == []
    for query, message in [(5, "from 0 to 4, got 5"), (-1, "got -1"), ([1, 2], "must hold 3 numbers")]:
        with pytest.raises(ParameterError, match=message):
            found.most_similar(query)
    with pytest.raises(ParameterError, match="`n` must be at least 0"):
        found.most_similar(0, n=-1)


@given(
    documents=st.lists(
        st.lists(st.sampled_from(["the", "cat", "dog", "tax", "emu"]), max_size=9), max_size=8
    ),
    smoothing=st.floats(1e-5, 1),
    remove=st.integers(0, 2),
)
@settings(deadline=None, max_examples=60)
def test_the_readable_twin(documents, smoothing, remove):
    words = {"the": [4, 1, 0], "cat": [1, 3, 0], "dog": [1, 2.5, 0.2], "tax": [1, 0, 3]}
    counts = {"the": 900, "cat": 50, "dog": 40, "tax": 10}
    vectors = tg.WordVectors.from_mapping(words, counts=counts)
    exact = {word: vectors[word].astype(float) for word in words}
    weights = twin.sif_weights(counts, smoothing)
    plain = np.array([twin.weighted_mean(words, exact, weights) for words in documents]).reshape(-1, 3)
    for given_as in (documents, tg.Corpus.from_iterable([" ".join(document) for document in documents])):
        found = vectors.document_vectors(given_as, weighting="sif", smoothing=smoothing, remove=remove)
        # Directions that are equally long may be told apart in another way; what is left is as long.
        expected = twin.remove_common(plain, remove) if plain.any() else plain
        assert np.linalg.norm(found.matrix) == pytest.approx(np.linalg.norm(expected), abs=1e-4)
        if remove == 0:
            assert found.matrix == pytest.approx(plain, abs=1e-6)


def test_texts_by_number(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("one\n\nthree\nfour\n" * 1000, encoding="utf-8")
    corpus = tg.Corpus.from_files(path)
    assert corpus.take([2, 1, 2, 3999, 0]) == ["three", "", "three", "four", "one"]
    assert corpus.take([]) == []
    with pytest.raises(ParameterError, match="must be below 4000, the number of documents, got 4000"):
        corpus.take([4000])
    with pytest.raises(ParameterError, match=r"from 0 to 2\*\*64 - 1, got -1"):
        corpus.take([-1])
    with pytest.raises(CorpusError, match="holds no documents"):
        tg.Corpus.from_counts({"a": 1}).take([0])


def test_a_long_run_over_documents_stops(vectors):
    class StopError(Exception):
        pass

    def stop(*_):
        raise StopError

    with pytest.raises(StopError):
        vectors.document_vectors(tg.Corpus.from_iterable(["the cat"] * 200_000), progress=stop)


def test_limits(vectors):
    with pytest.raises(ParameterError, match="got the text 'the cat' as number 0"):
        vectors.document_vectors(["the cat"])
    for setting, value in [
        ("weighting", "tfidf"),
        ("smoothing", 0),
        ("remove", 4),
        ("components", [[1, 2]]),
        ("oov", "zero"),
    ]:
        with pytest.raises(ParameterError, match=f"`{setting}` must"):
            vectors.document_vectors([["the"]], **{setting: value})
    for setting in ({"split": "whitespace"}, {"lowercase": True}):
        with pytest.raises(ParameterError, match="only be given with a Corpus"):
            vectors.document_vectors([["the"]], **setting)
    for split in ("gpt4", 3):
        with pytest.raises(ParameterError, match="`split` must be"):
            tg.cut_words("the cat", split)
    bare = tg.WordVectors.from_mapping({"a": [1, 2]})
    with pytest.raises(ParameterError, match="without counts"):
        bare.document_vectors([["a"]], weighting="sif")
    assert vectors.document_vectors([], weighting="sif").matrix.shape == (0, 3)

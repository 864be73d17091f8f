"""The engine makes the merges, ids and cuts that the readable twin makes, on thousands of random corpora.

Alphabets are tiny, so that ties, overlaps such as ``aaaa`` and chains of merges come all the time.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.reference import bpe as twin
from textgrain.reference import splits

ALPHABETS = ["a", "ab", "abc", "aéक中", "a\U0001f600\u0301\0", "abcdefghijklmnopqrstuvwxyz"]
THREADS = [1, 2, 5]
many = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def corpora(draw, alphabets=ALPHABETS):
    """Word counts in the order of first appearance, and a few words to encode, all of one alphabet."""
    word = st.text(
        alphabet=draw(st.sampled_from(alphabets)), min_size=1, max_size=draw(st.sampled_from([3, 8, 40]))
    )
    counts = draw(st.dictionaries(word, st.integers(min_value=1, max_value=6), min_size=1, max_size=10))
    known = sorted(set().union(*counts))
    return counts, draw(st.lists(st.text(alphabet=known, min_size=1, max_size=12), max_size=5))


def engine_symbol(symbol, end_of_word, symbols):
    """A symbol of the twin, which writes bytes as Latin-1, as bytes."""
    if symbols == "characters":
        return symbol.encode()
    if end_of_word and symbol.endswith(end_of_word):
        return symbol.removesuffix(end_of_word).encode("latin-1") + end_of_word.encode()
    return symbol.encode("latin-1")


def vocabulary_bytes(tokenizer):
    return [tokenizer.id_to_bytes(id_) for id_ in range(tokenizer.vocab_size)]


def check_equal(tokenizer, model, words):
    """Compare merges with their totals and ties, ids and cuts."""
    marker = model.end_of_word
    spell = lambda symbol: engine_symbol(symbol, marker, model.symbols)  # noqa: E731
    assert len(tokenizer.history) == len(model.merges)
    for record, step in zip(tokenizer.history, model.merges, strict=True):
        found = tokenizer.id_to_bytes(record.id)
        assert found == spell(step.token), f"merge {record.rank}: {record} is not {step}"
        assert (record.total, record.tied_pairs) == (step.total, step.tied_pairs)
        assert record.runner_up_total == step.runner_up_total
        if model.symbols == "characters":
            assert (record.left, record.right) == (step.left, step.right)
            assert (tuple(record.runner_up) if record.runner_up else None) == step.runner_up
    assert vocabulary_bytes(tokenizer) == [spell(token) for token in model.vocabulary]
    for word in words:
        assert tokenizer.encode_ids(word).tolist() == model.ids(twin.encode(word, model)), f"cut of {word!r}"


@pytest.mark.parametrize("tie_break", ["first", "lowest-ids", "largest-text"])
@pytest.mark.parametrize("end_of_word", [None, "</w>"])
@pytest.mark.parametrize("symbols", ["characters", "bytes"])
def test_training_and_encoding(symbols, end_of_word, tie_break):
    @many
    @given(corpora(), st.integers(min_value=1, max_value=4), st.sampled_from(THREADS))
    def check(corpus, min_frequency, threads):
        counts, words = corpus
        common = {"symbols": symbols, "end_of_word": end_of_word, "tie_break": tie_break}
        model = twin.train(counts, min_frequency=min_frequency, **common)
        trainer = tg.BPE(merges=10_000, min_frequency=min_frequency, split="none", **common)
        check_equal(trainer.train(counts, threads=threads), model, [*counts, *words])

    check()


@many
@given(corpora(), st.integers(min_value=0, max_value=12), st.sampled_from(THREADS))
def test_a_number_of_merges(corpus, merges, threads):
    counts, words = corpus
    model = twin.train(counts, merges=merges)
    tokenizer = tg.BPE(merges=merges, symbols="characters", split="none").train(counts, threads=threads)
    check_equal(tokenizer, model, words)


@many
@given(corpora(), st.integers(min_value=0, max_value=12))
def test_a_size_of_the_vocabulary(corpus, more):
    """The size counts everything and is never exceeded."""
    counts, words = corpus
    special = ("<s>", "</s>")
    size = len(set().union(*counts)) + 1 + len(special) + more
    tokenizer = tg.BPE(
        vocab_size=size, symbols="characters", split="none", unknown_token="<unk>", special_tokens=special
    ).train(counts)
    model = twin.train(counts, merges=more)
    assert tokenizer.vocab_size == len(model.vocabulary) + 3 <= size
    assert tokenizer.vocabulary[: len(model.vocabulary)] == list(model.vocabulary)
    assert tokenizer.vocabulary[len(model.vocabulary) :] == ["<unk>", *special]
    for word in words:
        assert tokenizer.encode_ids(word).tolist() == model.ids(twin.encode(word, model))


@many
@given(
    st.lists(st.text(alphabet="ab -_1é\u2028\u0301", max_size=12), min_size=1, max_size=8),
    st.sampled_from(["whitespace", "words"]),
    st.sampled_from(THREADS),
)
def test_documents_are_cut_and_counted_in_order(documents, split, threads):
    cut = {"whitespace": splits.whitespace, "words": splits.words}[split]
    counts = {}
    for document in documents:
        for piece in cut(document):
            counts[piece] = counts.get(piece, 0) + 1
    trainer = tg.BPE(merges=100, symbols="characters", split=split)
    if not counts:
        with pytest.raises(tg.exceptions.CorpusError):
            trainer.train(documents)
        return
    model = twin.train(counts)
    tokenizer = trainer.train(documents, threads=threads)
    check_equal(tokenizer, model, list(counts))
    for document in documents:
        tokens = [token for piece in cut(document) for token in twin.encode(piece, model)]
        assert tokenizer.encode(document).tokens == tokens
        assert tokenizer.count(document) == len(tokens)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_long_words(data):
    """Long pieces take another path through the encoder."""
    alphabet = data.draw(st.sampled_from(["a", "ab", "abc"]))
    long = st.text(alphabet=alphabet, min_size=150, max_size=600)
    counts = data.draw(st.dictionaries(long, st.integers(1, 3), min_size=1, max_size=3))
    tie_break = data.draw(st.sampled_from(["first", "lowest-ids", "largest-text"]))
    model = twin.train(counts, merges=60, tie_break=tie_break)
    tokenizer = tg.BPE(merges=60, symbols="characters", split="none", tie_break=tie_break).train(counts)
    longer = st.text(alphabet=sorted(set().union(*counts)), min_size=500, max_size=900)
    check_equal(tokenizer, model, [*counts, data.draw(longer)])


@settings(max_examples=100, deadline=None)
@given(corpora(alphabets=["ab", "abc"]), st.integers(min_value=2**31, max_value=2**40))
def test_large_counts(corpus, factor):
    counts = {word: count * factor for word, count in corpus[0].items()}
    tokenizer = tg.BPE(merges=50, symbols="characters", split="none").train(counts)
    check_equal(tokenizer, twin.train(counts, merges=50), [])


def test_the_marker_is_more_than_its_spelling():
    """A word that contains the text of the marker is no trouble for the engine."""
    counts = {"a_": 3, "a": 5, "_": 2, "b_a": 1}
    trainer = tg.BPE(merges=20, symbols="characters", split="none", end_of_word="_")
    tokenizer = trainer.train(counts)
    for word in counts:
        assert tokenizer.decode(tokenizer.encode_ids(word)) == word
    assert tokenizer.encode_ids("a_").tolist() != tokenizer.encode_ids("a").tolist()

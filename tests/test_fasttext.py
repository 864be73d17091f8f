"""Training of vectors that are made of n-grams: what is learned, what holds for them, what is refused."""

from __future__ import annotations

import dataclasses
import pickle
import warnings

import numpy as np
import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, DivergenceError, ParameterError, SmallCorpusNotice

SMALL = tg.FastText(vector_size=16, window=2, subsample=0, shrink_window=False)
KINDS = pytest.mark.parametrize("kind", ["hashed", "explicit"])
TOKENIZERS = pytest.mark.parametrize(
    "tokenizers",
    [tg.BPE(merges=60), tg.WordPiece(vocab_size=80), tg.Unigram(vocab_size=300)],
    ids=["bpe", "wordpiece", "unigram"],
)


def wrong_neighbors(vectors, groups) -> list[tuple[str, str]]:
    """Pairs of a word and one of its 4 nearest that is not of its group; 128 are looked at."""
    return [
        (word, neighbor)
        for group in groups.values()
        for word in group
        for neighbor, _ in vectors.most_similar(word, n=4)
        if neighbor not in group
    ]


@KINDS
@pytest.mark.parametrize("loss", ["negative-sampling", "hierarchical-softmax"])
@pytest.mark.parametrize("shared", [True, False])
def test_groups_of_the_hospital_are_found(hospital_sentences, hospital_groups, kind, loss, shared):
    trainer = dataclasses.replace(SMALL, ngrams=kind, loss=loss, shared_negatives=shared)
    vectors = trainer.train(hospital_sentences, threads=1)
    assert wrong_neighbors(vectors, hospital_groups) == []
    assert vectors.history == sorted(vectors.history, reverse=True)
    assert len(vectors) == 66


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_default_settings_learn_a_small_corpus_and_say_what_they_did(
    hospital_sentences, hospital_groups, kind, seed
):
    with pytest.warns(SmallCorpusNotice, match=r"31,614 words: .*subsample=0 and shrink_window=False"):
        vectors = tg.FastText(ngrams=kind, seed=seed).train(hospital_sentences, threads=1)
    assert wrong_neighbors(vectors, hospital_groups) == []
    assert vectors.settings["trainer"] == "fasttext"
    assert vectors.settings["ngrams"] == kind
    assert vectors.settings["subsample"] == 0
    assert vectors.settings["learning_rate"] == 0.05


def test_cbow_learns_too(hospital_sentences, hospital_groups):
    trainer = dataclasses.replace(SMALL, architecture="cbow", ngrams="explicit")
    vectors = trainer.train(hospital_sentences, threads=1)
    assert len(wrong_neighbors(vectors, hospital_groups)) <= 3


def test_threads_learn_the_same_groups(hospital_sentences, hospital_groups):
    vectors = SMALL.train(hospital_sentences, threads=3)
    assert wrong_neighbors(vectors, hospital_groups) == []
    trainer = dataclasses.replace(SMALL, deterministic=True)
    assert trainer.train(hospital_sentences, threads=1) == trainer.train(hospital_sentences, threads=3)


def test_the_vector_of_a_word_is_the_sum_of_its_explicit_ngrams(hospital_sentences):
    vectors = dataclasses.replace(SMALL, ngrams="explicit").train(hospital_sentences, threads=1)
    for word in vectors.words:
        rows = [row for _, places in vectors.subwords.rows(word) for row in places]
        assert len(rows) == len(vectors.subwords.ngrams(word))
        np.testing.assert_allclose(vectors[word], vectors.subwords.matrix[rows].sum(axis=0), atol=1e-5)
        np.testing.assert_allclose(vectors[word], vectors.subwords.vector(word), atol=1e-5)
    assert not vectors.can_vectorize("xyzzy")
    assert vectors.can_vectorize("doctors")


@KINDS
@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
@pytest.mark.parametrize("loss", ["negative-sampling", "hierarchical-softmax"])
def test_tokens_are_learned_as_words_are(hospital_sentences, kind, architecture, loss):
    trainer = dataclasses.replace(SMALL, ngrams=kind, architecture=architecture, loss=loss, epochs=2)
    tokenizer = tg.WordLevel(split="whitespace").train(hospital_sentences)
    by_token = dataclasses.replace(trainer, split=tokenizer).train(hospital_sentences, threads=1)
    by_word = dataclasses.replace(trainer, split="whitespace").train(hospital_sentences, threads=1)
    assert by_token == by_word


@KINDS
@TOKENIZERS
def test_ngrams_of_tokens_are_those_of_their_names(hospital_sentences, kind, tokenizers, tmp_path):
    tokenizer = tokenizers.train(hospital_sentences)
    trainer = dataclasses.replace(SMALL, ngrams=kind, split=tokenizer, min_count=1, epochs=2)
    vectors = trainer.train(hospital_sentences, threads=2)
    ids = {token for sentence in hospital_sentences for token in tokenizer.encode(sentence).ids}
    assert set(vectors.words) == {tokenizer.id_to_token(id) for id in ids}
    for token in vectors.words:
        marked = f"<{token}>"
        runs = {marked[start : start + n] for n in range(3, 7) for start in range(len(marked) - n + 1)}
        assert set(vectors.subwords.ngrams(token)) == (runs | {marked} if kind == "explicit" else runs)
    unseen = [max(vectors.words, key=len) + "s", " doctorate", "##tors"]
    assert not any(token in vectors for token in unseen)
    vectors.save(tmp_path / "tokens.safetensors")
    again = tg.WordVectors.load(tmp_path / "tokens.safetensors")
    assert again == vectors
    np.testing.assert_array_equal(again.lookup(unseen), vectors.lookup(unseen))
    assert pickle.loads(pickle.dumps(trainer)) == trainer


@TOKENIZERS
def test_vectors_of_tokens_survive_files_of_others(hospital_sentences, tokenizers, tmp_path):
    trainer = dataclasses.replace(SMALL, buckets=3000, split=tokenizers.train(hospital_sentences), epochs=2)
    vectors = trainer.train(hospital_sentences, threads=1)
    for format, exact in (("fasttext", 2e-6), ("word2vec-text", 1e-6), ("word2vec-binary", 0)):
        path = tmp_path / format
        if any(" " in token for token in vectors.words):
            with pytest.raises(ParameterError, match='Write such words with `spaces="_"`'):
                vectors.save(path, format=format)
        vectors.save(path, format=format, spaces="_")
        again = tg.WordVectors.load(path)
        assert again.words == [token.replace(" ", "_") for token in vectors.words]
        np.testing.assert_allclose(again.matrix, vectors.matrix, atol=exact)
    unseen = tg.WordVectors.load(tmp_path / "fasttext").lookup(["doctors", "ospita"])
    np.testing.assert_allclose(unseen, vectors.lookup(["doctors", "ospita"]), atol=2e-6)


def test_hashed_vectors_survive_a_model_of_fasttext(hospital_sentences, tmp_path):
    vectors = SMALL.train(hospital_sentences, threads=1)
    path = tmp_path / "hospital.bin"
    dataclasses.replace(SMALL, buckets=3000).train(hospital_sentences, threads=1)
    vectors.save(tmp_path / "hospital.safetensors")
    assert (tmp_path / "hospital.safetensors").stat().st_size < 200_000
    small = dataclasses.replace(SMALL, buckets=3000).train(hospital_sentences, threads=1)
    small.save(path, format="fasttext")
    again = tg.WordVectors.load(path)
    assert again.words == small.words
    assert again.counts.tolist() == small.counts.tolist()
    for word in ("doctor", "doctors", "hospitalization"):
        np.testing.assert_allclose(again[word], small[word], atol=2e-6)


@pytest.mark.peer
@pytest.mark.parametrize("peer", ["fasttext", "gensim"])
@pytest.mark.parametrize("tokens", [False, True], ids=["words", "tokens"])
def test_owners_open_what_was_trained(hospital_sentences, tmp_path, peer, tokens):
    pytest.importorskip(peer)
    split = tg.WordPiece(vocab_size=80).train(hospital_sentences) if tokens else "words"
    vectors = dataclasses.replace(SMALL, buckets=3000, split=split).train(hospital_sentences, threads=1)
    path = str(tmp_path / "hospital.bin")
    vectors.save(path, format="fasttext")
    if peer == "fasttext":
        import fasttext

        theirs = fasttext.load_model(path).get_word_vector
    else:
        from gensim.models.fasttext import load_facebook_vectors

        theirs = load_facebook_vectors(path).__getitem__
    for word in ("doctor", "the", "doctors", "hospitalization", "naïve", *vectors.words):
        np.testing.assert_allclose(theirs(word), vectors[word], atol=2e-6)


def test_unseen_words_are_near_words_that_are_spelled_alike(hospital_sentences, hospital_groups):
    vectors = SMALL.train(hospital_sentences, threads=1)
    for group in ("staff", "symptom", "month"):
        word = hospital_groups[group][-1]
        assert vectors.most_similar(word + "s", n=1)[0][0] in hospital_groups[group]


def test_buckets_that_nothing_falls_into_cost_nothing():
    documents = ["fever and cough", "cough and headache"] * 20
    one = tg.FastText(vector_size=4, buckets=2_000_000_000, epochs=1, subsample=0, shrink_window=False)
    vectors = one.train(documents, threads=1)
    assert len(vectors.subwords) == len({n for word in vectors.words for n in vectors.subwords.ngrams(word)})
    few = dataclasses.replace(one, buckets=3).train(documents, threads=1)
    assert len(few.subwords) == 3


@KINDS
def test_training_goes_on_with_new_words_and_old_ones_kept(hospital_sentences, kind, tmp_path):
    trainer = dataclasses.replace(SMALL, ngrams=kind, epochs=2)
    known = trainer.train(hospital_sentences, threads=1)
    more = ["the ambulance took the doctors"] * 50
    path = tmp_path / "known.safetensors"
    known.save(path)
    for start in (known, path):
        vectors = trainer.train(more, threads=1, init_from=start)
        assert vectors.settings["init_from"] == {"matched": 2, "new": 2, "kept": 64}
        assert set(known.words) < set(vectors.words)
    still = dataclasses.replace(trainer, learning_rate=1e-30).train(more, threads=1, init_from=known)
    np.testing.assert_allclose(still.lookup(known.words), known.matrix, atol=1e-5)
    plain = tg.WordVectors.from_mapping({word: known[word] for word in known.words[:10]})
    from_plain = dataclasses.replace(trainer, learning_rate=1e-30).train(more, threads=1, init_from=plain)
    np.testing.assert_allclose(from_plain.lookup(plain.words), plain.matrix, atol=1e-4)
    with pytest.raises(ParameterError, match="n-grams as the settings ask for"):
        dataclasses.replace(trainer, max_n=5).train(more, init_from=known)
    with pytest.raises(ParameterError, match="`vector_size`"):
        dataclasses.replace(trainer, vector_size=5).train(more, init_from=known)


def test_a_stopped_run_goes_on_to_the_same_bytes(hospital_sentences, tmp_path):
    whole = SMALL.train(hospital_sentences, threads=1)
    path = tmp_path / "run"

    class Enough(Exception):  # noqa: N818
        pass

    def stop(stage, done, total, _unit, _figures):
        if stage == "training" and done > total / 2:
            raise Enough

    with pytest.raises(Enough):
        SMALL.train(hospital_sentences, threads=1, checkpoint=path, progress=stop)
    assert path.exists()
    assert SMALL.train(hospital_sentences, threads=1, checkpoint=path) == whole


def test_epochs_are_told_and_may_be_the_last(hospital_sentences):
    seen = []

    def enough(epoch):
        seen.append((epoch.number, epoch.vectors["doctors"].shape))
        return epoch.number < 2

    vectors = SMALL.train(hospital_sentences, threads=1, on_epoch=enough)
    assert seen == [(1, (16,)), (2, (16,))]
    assert len(vectors.history) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_n": 0}, "`min_n` must be from 1"),
        ({"max_n": 2}, r"`max_n` must be from min_n \(3\)"),
        ({"max_n": 256}, "`max_n`"),
        ({"buckets": 0}, "`buckets` must be from 1"),
        ({"buckets": 2**31}, "`buckets`"),
        ({"ngrams": "both"}, '`ngrams` must be "hashed" or "explicit"'),
        ({"window": 0}, "`window`"),
        ({"learning_rate": 0.0}, "`learning_rate`"),
    ],
)
def test_settings_outside_their_range(change, message):
    with pytest.raises(ParameterError, match=message):
        dataclasses.replace(SMALL, **change).train(["a b c"])


def test_degenerate_corpora():
    with pytest.raises(CorpusError, match="no words"):
        SMALL.train([""])
    with pytest.raises(CorpusError, match="one distinct word"):
        SMALL.train(["word"] * 200)
    with pytest.raises(CorpusError, match="the largest useful min_count is 2"):
        SMALL.train(["a b"] * 2)
    with pytest.raises(CorpusError, match="no word has another word beside it"):
        SMALL.train(["a", "b"] * 20)


def test_divergence_names_the_rate(hospital_sentences):
    for architecture in ("skipgram", "cbow"):
        with pytest.raises(DivergenceError, match=r"Lower learning_rate, which is 10+; 0\.05 is usual"):
            dataclasses.replace(SMALL, architecture=architecture, learning_rate=1e30).train(
                hospital_sentences
            )


def test_long_words_and_documents():
    document = " ".join(["x" * 5_000, "é" * 300, "a"] * 2_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallCorpusNotice)
        for kind in ("hashed", "explicit"):
            vectors = tg.FastText(vector_size=2, epochs=1, ngrams=kind).train([document])
            assert len(vectors) == 3
            assert np.isfinite(vectors.matrix).all()

"""Ways to cut a text that are drawn by chance, and the best few."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import ParameterError
from textgrain.reference import unigram as twin

SENTENCES = ["the lower house and the newest house, lower than the lowest", "the newer house is lower"] * 5
UNIGRAM = tg.Unigram(vocab_size=300, special_tokens=["<end>"]).train(SENTENCES)
BPE = tg.BPE(vocab_size=300, special_tokens=["<end>"]).train(SENTENCES)
ODD = ["", "the newest houses é\U0001f600  中", "a" * 3000, "<end>the<end>", " \n\t "]


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize(("tokenizer", "how"), [(UNIGRAM, "alpha"), (BPE, "dropout")])
def test_every_way_stands_for_the_text(tokenizer, how, text):
    for seed, strength in [(0, 0.0), (1, 0.5), (2**64 - 1, 1.0)]:
        for special in ("text", "allow"):
            chosen = {how: strength, "seed": seed, "special": special}
            ids = tokenizer.sample_ids(text, **chosen)
            assert tokenizer.decode(ids) == text
            np.testing.assert_array_equal(ids, tokenizer.sample_ids(text, **chosen))


@pytest.mark.parametrize(("tokenizer", "settings"), [(UNIGRAM, {"alpha": 0.05}), (BPE, {"dropout": 0.3})])
def test_seeds_give_different_ways(tokenizer, settings):
    text = "the newest lowest house"
    assert len({tuple(tokenizer.sample_ids(text, seed=seed, **settings)) for seed in range(20)}) > 3


def test_the_ends_of_the_scale():
    text = "the newest lowest house"
    assert BPE.sample_ids(text, dropout=0, seed=3).tolist() == BPE.encode_ids(text).tolist()
    assert BPE.sample_ids(text, dropout=1, seed=3).tolist() == list(text.encode())
    assert UNIGRAM.sample_ids(text, alpha=1000, seed=3).tolist() == UNIGRAM.encode_ids(text).tolist()


@settings(max_examples=100, deadline=None)
@given(text=st.text("abé<", max_size=7), n=st.integers(1, 30))
def test_the_best_ways_are_those_of_the_twin(model_of_pieces, text, n):
    tokenizer, scores = model_of_pieces
    ways = tokenizer.n_best_ids(text, n)
    expected = twin.n_best(text, scores, n)
    assert [score for _, score in ways] == pytest.approx([score for _, score in expected])
    assert len({tuple(ids) for ids, _ in ways}) == len(ways)
    for ids, score in ways:
        assert sum(scores[tokenizer.id_to_token(id_)] for id_ in ids) == pytest.approx(score)
    assert ways[0][0].tolist() == tokenizer.encode_ids(text).tolist()


@pytest.fixture(scope="module")
def model_of_pieces():
    """All pieces of a small model have a score, so that none is unknown."""
    words = {"abé": 9, "ab": 5, "b<": 4, "aab": 3, "é<a": 2, "<": 2}
    trainer = tg.Unigram(
        vocab_size=12, split="none", byte_fallback=False, unknown_token="?", character_coverage=1.0
    )
    tokenizer = trainer.train(words)
    scores = {}
    for token in tokenizer.vocabulary[:-1]:
        ways = tokenizer.n_best_ids(token, 100)
        [score] = [score for ids, score in ways if len(ids) == 1]
        scores[token] = score
    return tokenizer, scores


def test_ways_are_drawn_by_their_probability(model_of_pieces):
    tokenizer, _ = model_of_pieces
    ways = tokenizer.n_best_ids("aabé", 100)
    for alpha in (0.2, 1.0):
        weights = np.exp([alpha * score for _, score in ways])
        weights /= weights.sum()
        drawn = Counter(tuple(tokenizer.sample_ids("aabé", alpha=alpha, seed=seed)) for seed in range(4000))
        for (ids, _), weight in zip(ways, weights, strict=True):
            assert abs(drawn[tuple(ids)] / 4000 - weight) < 0.03


@pytest.mark.parametrize(
    ("tokenizer", "settings", "message"),
    [
        (UNIGRAM, {}, "`alpha` or `dropout` must be set"),
        (UNIGRAM, {"alpha": 1, "dropout": 0.1}, "cannot be set together with `alpha`"),
        (UNIGRAM, {"dropout": 0.1}, "must be one with merges"),
        (BPE, {"alpha": 0.1}, "must be a unigram model"),
        (BPE, {"dropout": 1.1}, "`dropout` must be from 0 to 1"),
        (UNIGRAM, {"alpha": float("nan")}, "`alpha` must be a number of at least 0"),
    ],
)
def test_settings_that_do_not_fit(tokenizer, settings, message):
    with pytest.raises(ParameterError, match=message):
        tokenizer.sample_ids("a", seed=1, **settings)


def test_only_unigram_models_have_best_ways():
    with pytest.raises(ParameterError, match="must be a unigram model"):
        BPE.n_best_ids("a", 2)
    with pytest.raises(ParameterError, match="`n` must be a whole number of at least 1"):
        UNIGRAM.n_best_ids("a", 0)


@pytest.mark.shared
def test_sentencepiece_models(shared_data):
    trained = shared_data / "data" / "tokenizers" / "trained"
    unigram = tg.Tokenizer.from_sentencepiece(trained / "spm_unigram8k.model")
    merges = tg.Tokenizer.from_sentencepiece(trained / "spm_bpe8k_bytefb.model")
    text = "Hello world \U0001f600"
    assert merges.decode(merges.sample_ids(text, dropout=0.3, seed=1)) == text
    assert merges.sample_ids(text, dropout=0, seed=1).tolist() == merges.encode_ids(text).tolist()
    assert unigram.n_best_ids(text, 1)[0][0].tolist() == unigram.encode_ids(text).tolist()
    assert unigram.decode(unigram.sample_ids("Hello world", alpha=0.2, seed=4)) == "Hello world"


@pytest.mark.shared
@pytest.mark.peer
def test_best_ways_of_sentencepiece(shared_data):
    sentencepiece = pytest.importorskip("sentencepiece")
    path = shared_data / "data" / "tokenizers" / "trained" / "spm_unigram8k.model"
    ours = tg.Tokenizer.from_sentencepiece(path)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in ["Hello world", "tokenizers", "a b", "Привет"]:
        assert [ids.tolist() for ids, _ in ours.n_best_ids(text, 8)] == theirs.nbest_encode(
            text, nbest_size=8
        )

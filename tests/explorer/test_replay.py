"""Steps of a training from its end: the same words, pairs, totals and ties as counting anew."""

import time
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.explorer.replay import Replay
from textgrain.explorer.session import Session
from textgrain.explorer.views import learn

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=12), st.integers(1, 9), min_size=1, max_size=20)


def counted(tokenizer, words, step):
    """Every word cut as `explain` says, and every pair counted."""
    totals, cuts = Counter(), []
    for word, count in words.items():
        tokens = []
        for piece in tokenizer.explain(word).pieces:
            done = [each.tokens for each in piece.steps if each.rank <= step]
            tokens += done[-1] if done else piece.symbols
        cuts.append(tokens)
        for pair in pairwise(tokens):
            totals[pair] += count
    return cuts, sorted(totals.items(), key=lambda item: -item[1])


@settings(max_examples=200, deadline=None)
@given(words=WORDS, merges=st.integers(0, 40), end=st.sampled_from([None, "_"]))
def test_steps_are_those_of_the_training(words, merges, end):
    trainer = tg.BPE(merges=merges, split="none", symbols="characters", end_of_word=end)
    tokenizer = trainer.train(words)
    replay = Replay(tokenizer, list(words), list(words.values()))
    for step in range(len(tokenizer.merges) + 1):
        cuts, ranked = counted(tokenizer, words, step)
        assert [replay.cut(word, step) for word in range(len(words))] == cuts
        pairs = replay.pairs(step)
        assert pairs.first(9999) == [(*pair, total) for pair, total in ranked]
        assert pairs.first(3) == pairs.first(9999)[:3]
        assert len(pairs) == len(ranked)
        if step < len(tokenizer.merges):
            record = tokenizer.history[step]
            assert pairs.first(1) == [(*record.pair, record.total)]
            assert pairs.tied == record.tied_pairs
            after = [replay.cut(word, step + 1) for word in range(len(words))]
            changed = {word for word in range(len(words)) if cuts[word] != after[word]}
            assert set(replay.changing(step, 999)) == changed


def test_a_token_with_two_merges_knows_which_one_made_it():
    """`abc` from `ab` + `c` in one word and from `a` + `bc` in another, and a token that contains it."""
    words = {"abx": 9, "bcy": 8, "abc": 1, "zbc": 5, "abcd": 4}
    seeds = [("a", "b"), ("ab", "c"), ("b", "c"), ("z", "bc"), ("abc", "d"), ("z", "b")]
    tokenizer = tg.BPE(merges=8, split="none", symbols="characters", seed_merges=seeds).train(words)
    replay = Replay(tokenizer, list(words), list(words.values()))
    for step in range(len(tokenizer.merges) + 1):
        cuts, ranked = counted(tokenizer, words, step)
        assert [replay.cut(word, step) for word in range(len(words))] == cuts
        assert replay.pairs(step).first(99) == [(*pair, total) for pair, total in ranked]


@pytest.mark.parametrize("tie_break", ["first", "lowest-ids"])
def test_a_corpus_is_replayed_with_the_totals_of_its_training(tie_break, tmp_path):
    lines = [f"word{number % 7} the {number % 5} patient sat, {'la' * (number % 4)}" for number in range(300)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines), "utf-8")
    corpus = tg.Corpus.from_files(path)
    tokenizer = tg.BPE(vocab_size=330, tie_break=tie_break).train(corpus)
    session = Session.of([{"own": tokenizer, "text": corpus}])
    begun = learn.replay(session, "own", "text")
    assert learn.replay(session, "own", "text") == begun
    while not learn.ready(session, begun["lesson"])["ready"]:
        time.sleep(0.01)
    assert begun["merges"] == len(tokenizer.merges)
    for step, record in enumerate(tokenizer.history):
        state = learn.state(session, begun["lesson"], step, words=20)
        first = state["pairs"][0]
        assert (first["left"], first["right"], first["total"]) == (record.left, record.right, record.total)
        assert state["tied"] == record.tied_pairs
        assert state["size"] == 256 + step
        assert len({word["word"] for word in state["words"]}) == len(state["words"]) <= 20
        changing = [word for word in state["words"] if word["changes"]]
        assert changing
        assert all((record.left, record.right) in pairwise(word["tokens"]) for word in changing)


def test_what_cannot_be_replayed_says_why(tmp_path):
    path = tmp_path / "gone.txt"
    path.write_text("low lower", "utf-8")
    session = Session.of(
        [
            {
                "own": tg.BPE(merges=3).train(["low lower"]),
                "foreign": tg.WordLevel(min_frequency=1).train(["low lower"]),
                "gone": tg.Corpus.from_files(path),
            }
        ]
    )
    path.unlink()
    with pytest.raises(ValueError, match="keeps no history"):
        learn.replay(session, "foreign", "gone")
    lesson = learn.replay(session, "own", "gone")["lesson"]
    for _ in range(500):
        if session.lessons[lesson].reason:
            break
        time.sleep(0.01)
    with pytest.raises(ValueError, match=r"gone\.txt"):
        learn.ready(session, lesson)
    with pytest.raises(ValueError, match=r"gone\.txt"):
        learn.state(session, lesson, 0)

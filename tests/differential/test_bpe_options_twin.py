"""The options of the BPE trainer against their readable twin, on random corpora of few letters."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.reference import bpe_options as twin

many = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LETTERS = "abcd"
words = st.text(alphabet=LETTERS, min_size=1, max_size=10)
corpora = st.dictionaries(words, st.integers(min_value=1, max_value=6), min_size=1, max_size=8)
markers = st.sampled_from([None, "_"])


def trainer(**options):
    return tg.BPE(split="none", symbols="characters", unknown_token="?", **{"merges": 1000, **options})


def check_equal(tokenizer, model):
    for record, step in zip(tokenizer.history, model.merges, strict=True):
        found = (record.left, record.right, record.total, record.tied_pairs, record.runner_up_total)
        assert found == (step.left, step.right, step.total, step.tied_pairs, step.runner_up_total)
    assert tokenizer.vocabulary[:-1] == list(model.vocabulary)


@many
@given(corpora, st.integers(min_value=1, max_value=5), markers)
def test_max_token_length(counts, longest, marker):
    tokenizer = trainer(max_token_length=longest, end_of_word=marker).train(counts)
    model = twin.train(counts, end_of_word=marker, allowed=lambda pair: len("".join(pair)) <= longest)
    check_equal(tokenizer, model)
    assert max(len(token) for token in model.vocabulary) <= longest


@many
@given(corpora, st.lists(st.tuples(words, words), max_size=20), markers)
def test_forbidden_merges(counts, forbidden, marker):
    tokenizer = trainer(forbidden_merges=forbidden, end_of_word=marker).train(counts)
    check_equal(tokenizer, twin.train(counts, end_of_word=marker, allowed=lambda pair: pair not in forbidden))


@many
@given(corpora, st.data(), markers)
def test_seed_merges(counts, data, marker):
    counts = {LETTERS: 1, **counts}
    seeds, tokens = [], list(LETTERS)
    for _ in range(data.draw(st.integers(min_value=0, max_value=5))):
        pair = data.draw(st.tuples(st.sampled_from(tokens), st.sampled_from(tokens)))
        if pair not in seeds:
            seeds.append(pair)
            tokens.append("".join(pair))
    merges = data.draw(st.integers(min_value=len(seeds), max_value=30))
    for tie_break in ("first", "lowest-ids", "largest-text"):
        made = trainer(seed_merges=seeds, merges=merges, end_of_word=marker, tie_break=tie_break).train(
            counts
        )
        assert [record.pair for record in made.history[: len(seeds)]] == seeds
        if tie_break == "first":
            model = twin.train(counts, merges=merges, end_of_word=marker, seed_merges=seeds)
            check_equal(made, model)


@many
@given(corpora, st.integers(min_value=1, max_value=5), st.sets(st.sampled_from("abxy")), markers)
def test_alphabet(counts, limit, initial, marker):
    limit = max(limit, len(initial))
    alphabet = twin.keep_most_frequent(counts, limit, initial)
    assert len(alphabet) <= limit
    options = {"limit_alphabet": limit, "initial_alphabet": sorted(initial), "end_of_word": marker}
    for threads in (1, 3):
        tokenizer = trainer(**options).train(counts, threads=threads)
        check_equal(tokenizer, twin.train(counts, end_of_word=marker, alphabet=alphabet))

"""How tokenizers do on a corpus, against counts by hand."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgrain as tg
from textgrain.exceptions import UnknownTokenError

TEXTS = ["low lower lowest", "", "J’aime  Málaga \U0001f600", "one\ttwo\nthree"]


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(st.text(alphabet="low er\n⭢é", max_size=12), max_size=6), threads=st.integers(1, 3))
def test_figures_are_those_of_single_encodings(each_tokenizer, texts, threads):
    figures = each_tokenizer.statistics(texts, threads=threads)
    ids = [number for text in texts for number in each_tokenizer.encode_ids(text).tolist()]
    np.testing.assert_array_equal(figures.counts, np.bincount(ids, minlength=len(each_tokenizer)))
    assert figures.tokens == len(ids)
    assert figures.documents == len(texts)
    assert figures.words == sum(len(text.split()) for text in texts)
    assert figures.characters == sum(map(len, texts))
    assert figures.bytes == sum(len(text.encode()) for text in texts)
    if ids:
        assert figures.bytes_per_token == figures.bytes / len(ids)
        assert figures.tokens_per_character == len(ids) / figures.characters


def test_the_vocabulary_that_is_used():
    tokenizer = tg.BPE(merges=2, special_tokens=["<end>"]).train(["low lower lowest"])
    figures = tokenizer.statistics(["low lower"])
    assert figures.used == 4
    assert figures.vocabulary_use == 4 / 258
    assert len(figures.never_used) == 254
    assert "lo" in figures.never_used
    assert "<end>" not in figures.never_used
    assert figures.most_frequent(2) == [("low", 2), (" ", 1)]
    assert figures.length_counts.tolist() == [0, 3, 0, 2]
    shares = np.array([2, 1, 1, 1]) / 5
    assert figures.efficiency == pytest.approx(math.log(sum(shares**2.5)) / -1.5 / math.log(259))
    with pytest.raises(ValueError, match="read-only"):
        figures.counts[0] = 1


def test_unknown_tokens_are_counted():
    trainer = tg.BPE(merges=0, symbols="characters", unknown_token="<unk>")
    figures = trainer.train(["abc"]).statistics(["abxc", "yz"])
    assert figures.unknown == 3
    assert figures.unknown_share == 0.5
    with pytest.raises(UnknownTokenError):
        tg.BPE(merges=0, symbols="characters").train(["abc"]).statistics(["x"])


def test_no_text_gives_figures_without_a_value():
    figures = tg.BPE(merges=0).train(["a"]).statistics([])
    assert (figures.tokens, figures.used) == (0, 0)
    for value in (
        figures.tokens_per_word,
        figures.bytes_per_token,
        figures.unknown_share,
        figures.efficiency,
    ):
        assert math.isnan(value)
    assert "no tokens" in str(figures)


def test_views():
    figures = tg.BPE(merges=2).train(["low lower lowest"]).statistics(["low lower " * 100])
    assert "tokens per word" in str(figures)
    assert "\n3  ██" in figures.length_chart()
    assert "<table>" in figures._repr_html_()
    wide = tg.WordLevel().train(["a" * 30]).statistics(["a" * 30])
    assert "24+  ██" in wide.length_chart()


def test_compare():
    small, large = (tg.BPE(merges=merges).train(TEXTS) for merges in (2, 20))
    once = (text for text in TEXTS)
    comparison = tg.compare_tokenizers({"small": small, "large": large}, {"a": once, "b": ["low"]})
    assert comparison.names == ["small", "large"]
    assert comparison.groups == ["a", "b", "all"]
    assert comparison["small"].tokens == comparison["small", "a"].tokens + comparison["small", "b"].tokens
    assert comparison["large", "b"].counts.tolist() == large.statistics(["low"]).counts.tolist()
    assert len(str(comparison).splitlines()) == 7
    assert "<td>small</td>" in comparison._repr_html_()
    assert comparison.as_dict()["large"]["b"]["tokens"] == 1
    assert [group for group, _, _ in comparison] == ["a", "a", "b", "b", "all", "all"]
    unnamed = tg.compare_tokenizers([small, small, large], ["low"])
    assert unnamed.names == ["bpe 258", "bpe 258 (2)", "bpe 276"]
    assert unnamed.groups == ["all"]
    for nothing in (({}, ["a"]), ([small], {})):
        with pytest.raises(ValueError, match="at least one tokenizer and one group"):
            tg.compare_tokenizers(*nothing)


def test_a_path_is_read_by_lines(tmp_path):
    (tmp_path / "a.txt").write_text("low\nlower\n", encoding="utf-8")
    tokenizer = tg.BPE(merges=2).train(["low"])
    assert tokenizer.statistics(tmp_path / "a.txt").documents == 2
    assert tg.compare_tokenizers([tokenizer], str(tmp_path / "*.txt"))["bpe 258"].documents == 2


def test_figures_can_be_written_as_json():
    figures = tg.BPE(merges=2).train(["low"]).statistics(["low"])
    assert json.loads(json.dumps(figures.as_dict()))["tokens"] == 1

"""`textgrain compare`, and `textgrain inspect --corpus`."""

import pytest

import textgrain as tg


@pytest.fixture
def other(textgrain, corpus, tmp_path):
    path = tmp_path / "other.json"
    assert textgrain("train", "word-level", corpus, "-o", path, "--quiet").status == 0
    return path


def test_a_table_and_the_same_as_json(textgrain, tokenizer, other, corpus):
    table = textgrain("compare", tokenizer, other, "--corpus", corpus, "--quiet")
    assert table.status == 0, table.err
    head, *rows = table.out.splitlines()
    assert "tokens per word" in head
    assert [row.split()[:2] for row in rows] == [["all", str(tokenizer)], ["all", str(other)]]
    figures = textgrain("compare", tokenizer, other, "--corpus", corpus, "--quiet", "--json").json
    expected = tg.Tokenizer.load(tokenizer).statistics(corpus).as_dict()
    assert figures[str(tokenizer)]["all"] == expected


def test_groups(textgrain, tokenizer, tmp_path):
    (tmp_path / "a.txt").write_text("low\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("tower\n\n", encoding="utf-8")
    command = ("compare", tokenizer, "--quiet", "--json", "--groups")
    by_file = textgrain(*command, "files", "--corpus", tmp_path / "?.txt").json[str(tokenizer)]
    assert list(by_file) == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "all"]
    (tmp_path / "tabs").write_text("en\tlow tower\nde\tTurm\nen\tlow\nxx\t\n", encoding="utf-8")
    by_tab = textgrain(*command, "tabs", "--corpus", tmp_path / "tabs").json[str(tokenizer)]
    assert [by_tab[group]["words"] for group in ("en", "de", "xx", "all")] == [3, 1, 0, 4]
    assert by_tab["xx"]["tokens_per_word"] is None
    wrong = textgrain(*command, "tabs", "--corpus", tmp_path / "a.txt")
    assert wrong.status == 1
    assert "line 1: --groups tabs" in wrong.err
    assert (
        "each tokenizer can be named once"
        in textgrain("compare", tokenizer, tokenizer, "--corpus", tmp_path / "a.txt").err
    )


def test_inspect_a_tokenizer_with_text(textgrain, tokenizer, vectors, corpus):
    assert "bytes in a token of the vocabulary" in textgrain("inspect", tokenizer).out
    shown = textgrain("inspect", tokenizer, "--corpus", corpus, "--quiet").out
    assert "tokens per word" in shown
    facts = textgrain("inspect", tokenizer, "--corpus", corpus, "--quiet", "--json").json
    figures = tg.Tokenizer.load(tokenizer).statistics(corpus)
    assert facts["corpus"]["tokens"] == figures.tokens
    assert facts["corpus"]["never_used"] == figures.never_used
    assert sum(facts["token_lengths"].values()) == figures.tokenizer.vocab_size
    assert "can only be used with a tokenizer" in textgrain("inspect", vectors, "--corpus", corpus).err

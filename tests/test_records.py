"""Texts in fields of JSON lines and in columns of Parquet tables."""

import gzip
import json
import pickle
import sys

import pytest

import textgrain as tg
from textgrain.exceptions import CorpusError, FormatError, ParameterError

TEXTS = ["low lower", "", "J’aime\nMálaga \U0001f600", 'newest \\ "widest"']


def documents(corpus):
    """The texts of a corpus, in order, as encoding them to a file shows them."""
    tokenizer = tg.BPE(merges=0, split="none").train(["x"])
    ids = tokenizer.encode_files(corpus, "out.ids", resume=False, threads=2)
    return [tokenizer.decode(document) for document in ids.documents]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rows(texts=TEXTS, **settings):
    return "".join(json.dumps({"id": 1, "text": text, "tags": [["x"]]}, **settings) + "\n" for text in texts)


def test_each_line_gives_the_text_of_its_field(tmp_path):
    (tmp_path / "a.jsonl").write_text(rows(), encoding="utf-8")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(rows(ensure_ascii=False).encode()))
    corpus = tg.Corpus.from_files("*.jsonl*", field="text")
    assert documents(corpus) == TEXTS + TEXTS
    assert documents(pickle.loads(pickle.dumps(corpus))) == TEXTS + TEXTS
    plain = tg.BPE(vocab_size=270).train(TEXTS + TEXTS)
    assert tg.BPE(vocab_size=270).train(corpus).vocabulary == plain.vocabulary


def test_many_lines_in_many_threads(tmp_path):
    texts = [f"text number {number} é" for number in range(60_000)]
    (tmp_path / "a.jsonl").write_text(rows(texts), encoding="utf-8")
    assert documents(tg.Corpus.from_files("a.jsonl", field="text")) == texts


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ('{"text": 5}', "expected a text"),
        ('{"text": null}', "null"),
        ("{}", "it has no such field"),
        ('"text"', "expected an object"),
        ("", None),
        ('{"text": "a"', "EOF"),
        ("[" * 100_000, "expected an object"),
        ('{"text": ' + "[" * 100_000, "expected a text"),
        ('{"x": ' + "[" * 100_000, "EOF"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, cause):
    (tmp_path / "a.jsonl").write_text(rows() + line + "\n" + rows(), encoding="utf-8")
    corpus = tg.Corpus.from_files("a.jsonl", field="text")
    if cause is None:
        assert documents(corpus) == TEXTS + TEXTS
        return
    with pytest.raises(
        FormatError, match=rf'a.jsonl, line 5: is not a JSON object.*field "text": .*{cause}'
    ) as caught:
        tg.BPE(merges=1).train(corpus)
    assert caught.value.line == 5


def test_invalid_text_in_a_line_is_counted(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a\xffb"}\n{"text": "c\\ud800"}\n')
    with pytest.warns(tg.exceptions.InvalidTextWarning, match="2 invalid .*a.jsonl byte 11"):
        assert documents(tg.Corpus.from_files("a.jsonl", field="text")) == ["a\ufffdb", "c\ufffd"]
    with pytest.raises(FormatError, match="byte 11: not valid UTF-8"):
        documents(tg.Corpus.from_files("a.jsonl", field="text", errors="strict"))


def test_a_field_needs_lines(tmp_path):
    (tmp_path / "a.jsonl").write_text(rows())
    with pytest.raises(ParameterError, match='`documents` must be "lines" where `field` is set'):
        tg.Corpus.from_files("a.jsonl", field="text", documents="files")


def test_columns_of_tables(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = arrow.table({"id": [1, 2, 3, 4], "text": TEXTS})
    parquet.write_table(table, "a.parquet", row_group_size=2)
    labels = arrow.array(["x", "y"]).dictionary_encode()
    parquet.write_table(arrow.table({"text": labels}), "b.parquet", compression="zstd")
    corpus = tg.Corpus.from_parquet("*.parquet", field="text")
    assert repr(corpus) == "Corpus.from_parquet('*.parquet', field='text')"
    assert documents(corpus) == documents(pickle.loads(pickle.dumps(corpus))) == [*TEXTS, "x", "y"]
    with pytest.raises(CorpusError, match="has no column 'body'; its columns are 'id', 'text'"):
        tg.Corpus.from_parquet("a.parquet", field="body")
    with pytest.raises(CorpusError, match="the column 'id' must hold text, but holds int64"):
        tg.Corpus.from_parquet("a.parquet", field="id")
    with pytest.raises(CorpusError, match="no file matches the pattern"):
        tg.Corpus.from_parquet("none*.parquet", field="text")
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        tg.Corpus.from_parquet("none.parquet", field="text")


def test_damaged_tables_and_rows_without_text(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.table({"text": ["a", None]}), "a.parquet")
    with pytest.raises(CorpusError, match=r"a.parquet, row 1: the column 'text' holds no text"):
        tg.BPE(merges=1).train(tg.Corpus.from_parquet("a.parquet", field="text"))
    content = (tmp_path / "a.parquet").read_bytes()
    for damaged in (content[:-20], b"", b"PAR1", content[:100]):
        (tmp_path / "b.parquet").write_bytes(damaged)
        with pytest.raises(FormatError, match=r"b\.parquet: not a Parquet file, or a damaged one"):
            tg.Corpus.from_parquet("b.parquet", field="text")


def test_without_the_library_and_with_the_other_call(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'textgrain\[parquet\]'"):
        tg.Corpus.from_parquet("a.parquet", field="text")
    with pytest.raises(ParameterError, match=r"Use Corpus\.from_parquet for it"):
        tg.Corpus.from_files("a.parquet")

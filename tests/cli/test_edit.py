"""Words of a vectors file dropped, renamed and added, from a shell."""

import pytest

import textgrain as tg


@pytest.fixture
def letters(tmp_path):
    path = tmp_path / "letters.safetensors"
    vectors = {"a": [1, 0], "b": [0, 1], "c": [1, 1], "d": [2, 1]}
    tg.WordVectors.from_mapping(vectors, counts={"a": 9, "b": 5, "c": 3, "d": 1}, ngrams={"<c": [1, 2]}).save(
        path
    )
    return path


@pytest.fixture
def others(tmp_path):
    path = tmp_path / "others.safetensors"
    tg.WordVectors.from_mapping({"b": [7, 7], "x": [3, 4], "y": [5, 6]}, counts={"x": 2}).save(path)
    return path


@pytest.fixture
def edit(textgrain, letters, tmp_path):
    """The result of an edit and the vectors that it wrote."""

    def run(*options):
        output = tmp_path / "out.safetensors"
        result = textgrain("edit", letters, "-o", output, *options)
        return result, tg.WordVectors.load(output) if result.status == 0 else None

    return run


def test_drop_and_select(edit, letters, tmp_path):
    result, vectors = edit("--drop", "b", "a", "--json")
    assert vectors == tg.WordVectors.load(letters).drop(["a", "b"])
    facts = result.json
    assert facts.pop("output") == str(tmp_path / "out.safetensors")
    assert facts == {
        "words_before": 4, "words": 2, "dropped": 2, "renamed": 0, "replaced": 0, "added": 0, "unknown": [],
    }  # fmt: skip
    words = tmp_path / "words.txt"
    words.write_bytes("\ufeffd\r\n\r\na\r\nd\r\n".encode())
    result, vectors = edit("--select", "c", "--select-from", words)
    assert vectors == tg.WordVectors.load(letters).select(["c", "d", "a"])
    assert "4 words before, 3 now (1 dropped); written to" in result.err
    assert vectors.subwords is not None
    assert (edit("--drop-from", words)[1].words, edit("--select", "a", "b", "--drop", "a")[1].words) == (
        ["b", "c"], ["b"],
    )  # fmt: skip


def test_rename(edit, tmp_path):
    result, vectors = edit("--rename", "a", "b", "--rename", "b", "a", "--json")
    assert (vectors.words, vectors["b"].tolist()) == (["b", "a", "c", "d"], [1, 0])
    assert result.json["renamed"] == 2
    names = tmp_path / "names.tsv"
    names.write_text("c\tsea side\nd e\n", encoding="utf-8")
    assert edit("--rename-from", names)[1].words == ["a", "b", "sea side", "e"]
    assert "leave words distinct, got 'b' twice" in edit("--rename", "a", "b")[0].err
    names.write_text("c\tsea\nd\te\nc\tsee\n", encoding="utf-8")
    assert (
        "names.tsv, line 3: a word must have one new name, got 'sea' and 'see' for 'c'"
        in edit("--rename-from", names)[0].err
    )


def test_add(edit, letters, others, tmp_path):
    result, vectors = edit("--add-from", others, "--json")
    assert vectors.words == ["a", "b", "c", "d", "x", "y"]
    assert vectors["b"].tolist() == [7, 7]
    assert vectors.counts.tolist() == [9, 5, 3, 1, 2, 0]
    assert (result.json["added"], result.json["replaced"]) == (2, 1)
    result, vectors = edit("--add-from", others, "--add", "x", "b", "--existing", "keep")
    assert (vectors.words, vectors["b"].tolist()) == (["a", "b", "c", "d", "x"], [0, 1])
    assert "5 now (1 added)" in result.err
    assert "`--add` names words of the file in --add-from" in edit("--add", "x")[0].err
    tg.WordVectors.from_mapping({"long": [1, 2, 3]}).save(others)
    assert "must name vectors of 2 numbers" in edit("--add-from", others)[0].err


def test_all_steps_in_their_order(edit, others):
    result, vectors = edit(
        "--select", "d", "c", "b", "--drop", "c", "--rename", "d", "delta", "--add-from", others, "--add", "y"
    )
    assert vectors.words == ["delta", "b", "y"]
    assert "(2 dropped, 1 renamed, 1 added)" in result.err
    assert vectors.settings["edits"] == [
        "select: 3 words left", "drop: 2 words left", "rename: 1", "with_words: 1",
    ]  # fmt: skip


def test_words_that_are_not_there(edit, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("a\nzebra\n", encoding="utf-8")
    result, _ = edit("--drop-from", words)
    assert result.status == 1
    assert "words.txt, line 2: the word 'zebra' has no vector" in result.err
    assert "With --unknown skip" in result.err
    result, vectors = edit("--drop-from", words, "--rename", "emu", "bird", "--unknown", "skip")
    assert vectors.words == ["b", "c", "d"]
    assert "2 named words have no vector and were passed over: 'zebra', 'emu'" in result.err
    assert edit("--drop", "emu", "--unknown", "skip", "--json")[0].json["unknown"] == ["emu"]


def test_limits(edit, textgrain, letters, tmp_path):
    assert "nothing to change" in edit()[0].err
    text = tmp_path / "out.vec"
    assert textgrain("edit", letters, "-o", text, "--select", "c", "a").status == 0
    assert text.read_text(encoding="utf-8") == "2 2\nc 1.0 1.0\na 1.0 0.0\n"
    assert "nowhere" in textgrain("edit", letters, "-o", tmp_path / "nowhere" / "out", "--drop", "a").err
    tg.WordVectors.load(letters).quantize("int8", neighbors=1).save(letters)
    result, vectors = edit("--drop", "a")
    assert "numbers stored as int8 became floats" in result.err
    assert vectors.storage == "float32"

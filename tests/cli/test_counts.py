"""`textgrain count`, `textgrain merge-counts`, and training from their files."""

import textgrain as tg


def test_counting_in_parts_trains_what_the_whole_trains(textgrain, corpus, tmp_path):
    lines = corpus.read_text(encoding="utf-8").splitlines()
    files = []
    for number, part in enumerate((lines[:70], lines[70:])):
        text = tmp_path / f"{number}.txt"
        text.write_text("\n".join(part), encoding="utf-8")
        files.append(tmp_path / f"{number}.counts")
        result = textgrain("count", text, "--split", "words", "-o", files[-1], "--json", "-q")
        assert result.json["documents"] == len(part)
        assert result.json["split"] == "words"
    merged = tmp_path / "all.counts"
    result = textgrain("merge-counts", *files, "-o", merged, "-q", "--json")
    assert result.json["total"] == sum(len(line.split()) for line in lines)
    train = ("train", "bpe", "--split", "words", "--vocab-size", 290, "-q")
    assert textgrain(*train, corpus, "-o", tmp_path / "whole.json").status == 0
    for number, inputs in enumerate((files, [merged])):
        path = tmp_path / f"{number}.json"
        assert textgrain(*train, "--counts", *inputs, "-o", path).status == 0
        assert path.read_bytes() == (tmp_path / "whole.json").read_bytes()
    result = textgrain("train", "bpe", "--counts", merged, "--vocab-size", 290, "-o", tmp_path / "x.json")
    assert result.status == 1
    assert "`split` of the trainer" in result.err


def test_pairs_on_the_command_line(textgrain, corpus, tmp_path):
    path = tmp_path / "guided.json"
    train = ("train", "bpe", corpus, "--merges", 3, "--max-token-length", 2, "-q", "-o", path)
    forbidden = ("--forbidden-merges", "e s", "o w")
    assert "is neither" in textgrain(*train, "--seed-merges", "\\x20t o", *forbidden).err
    assert textgrain(*train, "--seed-merges", "\\x20 t", *forbidden).status == 0
    history = tg.Tokenizer.load(path).history
    assert history[0].pair == (" ", "t")
    assert not {("e", "s"), ("o", "w")} & {record.pair for record in history}


def test_extending(textgrain, corpus, tokenizer, tmp_path):
    text = tmp_path / "new.txt"
    text.write_text("tachycardia and bradycardia\n" * 9, encoding="utf-8")
    path = tmp_path / "new.json"
    result = textgrain(
        "extend", tokenizer, text, "--merges", 7, "--special-tokens", "<x>", "-o", path, "--json"
    )
    old, new = tg.Tokenizer.load(tokenizer), tg.Tokenizer.load(path)
    assert result.json == {"output": str(path), "vocab_size": len(old) + 8, "added": 8}
    assert new.special_tokens["<x>"] == len(old) + 7
    assert new.encode_ids("the low").tolist() == old.encode_ids("the low").tolist()


def test_texts_in_fields(textgrain, tmp_path):
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"text": "low lower"}\n{"text": "lowest"}\n')
    result = textgrain("count", lines, "--field", "text", "-o", tmp_path / "a.counts", "--json", "-q")
    assert result.json["documents"] == 2
    tokenizer = tmp_path / "tokenizer.json"
    assert (
        textgrain("train", "bpe", lines, "--field", "text", "--merges", 2, "-q", "-o", tokenizer).status == 0
    )
    field = ("--field", "text")
    result = textgrain("encode", tokenizer, lines, *field, "-o", tmp_path / "a.ids", "--json", "-q")
    assert result.json["documents"] == 2
    assert "`field` can only be used with --output" in textgrain("encode", tokenizer, lines, *field).err
    assert "without field" in textgrain("encode", tokenizer, *field, "-o", tmp_path / "b.ids").err

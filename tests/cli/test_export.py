import textgrain as tg


def test_exports_for_other_tools(textgrain, vectors, tmp_path):
    printed = textgrain("export", vectors, tmp_path / "a", "--to", "projector")
    assert "a.vectors.tsv and " in printed.err
    result = textgrain("export", vectors, tmp_path / "b", "--to", "npy", "--json", "-q").json
    assert [path.rsplit(".", 1)[1] for path in result["output"]] == ["npy", "json"]


def test_fewer_bits_come_with_their_cost(textgrain, vectors, tmp_path):
    path = tmp_path / "small.safetensors"
    result = textgrain("export", vectors, path, "--to", "int8", "--json", "-q").json
    assert result["storage"] == "int8"
    assert 0 <= result["recall"] <= 1
    assert tg.WordVectors.load(path).words == tg.WordVectors.load(vectors).words
    assert "nearest neighbors are kept" in textgrain("export", vectors, path, "--to", "product").err


def test_options_without_effect_are_refused(textgrain, vectors, tmp_path):
    targets = {
        "--neighbors": "parquet",
        "--number": "parquet or projector",
        "--spaces": "projector",
        "--parts": "product",
        "--tokenizer": "npy",
        "--missing": "npy",
    }
    for option, where in targets.items():
        result = textgrain(
            "export", vectors, tmp_path / "x", "--to", "int8", option, "zero" if option == "--missing" else 3
        )
        assert f"`{option}` can only be used with --to {where}, got int8" in result.err
    for option, value in (("--missing", "zero"), ("--seed", 3)):
        result = textgrain("export", vectors, tmp_path / "x", "--to", "npy", option, value)
        assert f"`{option}` can only be used with --tokenizer" in result.err
    assert not any(tmp_path.glob("x*"))


def test_the_number_of_words_is_that_of_the_table(textgrain, vectors, tmp_path):
    result = textgrain("export", vectors, tmp_path / "a", "--to", "projector", "--number", 2, "--json").json
    assert result["words"] == 2
    assert len((tmp_path / "a.vectors.tsv").read_text(encoding="utf-8").splitlines()) == 2

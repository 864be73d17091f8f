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

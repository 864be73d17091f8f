def test_tests_are_scored_with_their_coverage(textgrain, vectors, tmp_path):
    pairs, analogies = tmp_path / "pairs.tsv", tmp_path / "analogies.txt"
    pairs.write_text("low\tlower\t9\nthe\ttower\t1\nLow\tnewest\t3\nlow\tabsent\t1\n", encoding="utf-8")
    analogies.write_text(": degree\nlow lower wide wider\nlow lower low lowest\n", encoding="utf-8")
    printed = textgrain("evaluate", vectors, pairs, analogies, "-q")
    assert printed.status == 0
    assert "coverage 75.0 %: 3 of 4 pairs; 1 word has no vector: absent" in printed.out
    assert "coverage 50.0 %: 1 of 2 questions" in printed.out
    results = textgrain("evaluate", vectors, pairs, analogies, "--json", "-q").json
    assert [result["test"] for result in results] == ["pairs.tsv", "analogies.txt"]
    assert results[0]["in_other_case"] == ["Low"]
    assert results[1]["sections"][0]["name"] == "degree"
    exact = textgrain("evaluate", vectors, pairs, "--case", "exact", "--unknown", "wrong", "--json", "-q")
    assert exact.json[0]["unknown"] == ["Low", "absent"]


def test_what_is_wrong_is_named(textgrain, vectors, tmp_path):
    path = tmp_path / "broken.txt"
    path.write_text("a b 1\na b\n", encoding="utf-8")
    result = textgrain("evaluate", vectors, path)
    assert result.status == 1
    assert "line 2: expected two words and a score" in result.err


def test_without_a_test_the_vectors_are_described(textgrain, vectors):
    assert "dimensions used" in textgrain("evaluate", vectors, "-q").out
    assert textgrain("evaluate", vectors, "-q", "--json").json["words"] == 11


def test_two_files_are_compared(textgrain, vectors, corpus, tmp_path):
    printed = textgrain("compare-vectors", vectors, vectors, "-n", 2, "-q")
    assert "100.0 % of the 10 nearest words in common" in printed.out
    assert "most changed" in printed.out
    result = textgrain("compare-vectors", vectors, vectors, "--json", "-q").json
    assert result["neighbors"]["mean"] == 1.0
    assert max(figures["change"] for figures in result["change"].values()) < 1e-6
    other = tmp_path / "other.safetensors"
    command = ("train", "word2vec", corpus, "--vector-size", 5, "--min-count", 1, "-o", other, "-q")
    assert textgrain(*command).status == 0
    assert textgrain("compare-vectors", vectors, other, "--json", "-q").json["change"] is None
    assert "8 and 5 numbers" in textgrain("compare-vectors", vectors, other).err


def test_associations(textgrain, vectors):
    targets = ("--first-targets", "low", "lower", "--second-targets", "the", "newest", "absent")
    command = (
        "associate", vectors, *targets, "--first-attributes", "tower", "--second-attributes", "flower",
    )  # fmt: skip
    assert "'absent' has no vector" in textgrain(*command).err
    assert "effect size" in textgrain(*command, "--unknown", "skip").out
    result = textgrain(*command, "--unknown", "skip", "--json").json
    assert (result["partitions"], result["unknown"]) == (6, ["absent"])


def test_a_picture_of_the_space(textgrain, vectors, tmp_path):
    path = tmp_path / "space.png"
    assert textgrain("evaluate", vectors, "--picture", path, "-q").status == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert textgrain("plot", vectors, "low", "the", "--neighbors", 3, "--dark", "-o", path).status == 0
    assert textgrain("plot", vectors, "--neighbors", 3, "-o", path).status == 1
    compared = textgrain("similar", vectors, "low", "--metric", "all")
    assert "in common: cosine and euclidean" in compared.out
    assert textgrain("similar", vectors, "low", "--metric", "all", "--json").json[0]["word"] == "low"

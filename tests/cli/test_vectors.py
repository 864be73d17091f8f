"""Word vectors in use, from a shell."""

import pytest

import textgrain as tg


@pytest.fixture
def animals(tmp_path):
    path = tmp_path / "animals.safetensors"
    vectors = {"cat": [2, 1], "kitten": [1, 0.6], "tiger": [6, 4], "car": [-1, 2], "bus": [-2, 3]}
    tg.WordVectors.from_mapping(vectors).save(path)
    return path


def test_similarity(textgrain, animals):
    vectors = tg.WordVectors.load(animals)
    result = textgrain("similarity", animals, "cat", "kitten", "car", "--json").json
    assert result["word"] == "cat"
    assert [other["word"] for other in result["others"]] == ["kitten", "car"]
    assert result["others"][0]["cosine"] == vectors.similarity("cat", "kitten")
    assert result["others"][0]["distance"] == vectors.distance("cat", "kitten")
    assert [other["rank"] for other in result["others"]] == [1, 3]
    lines = textgrain("similarity", animals, "cat", "kitten", "car").out.splitlines()
    assert lines[0].split() == ["cat", "cosine", "distance", "rank"]
    assert lines[1].split() == ["kitten", "0.997", "1.077", "1"]
    assert "'dog' has no vector" in textgrain("similarity", animals, "cat", "dog").err


def test_a_word_from_its_ngrams_has_no_rank(textgrain, tmp_path):
    path = tmp_path / "ngrams.safetensors"
    vectors = tg.WordVectors.from_mapping({"cat": [2, 1], "car": [-1, 1]}, ngrams={"<ca": [-0.5, 1]})
    vectors.save(path)
    result = textgrain("similarity", path, "cat", "cab", "--json").json
    assert result["others"][0]["rank"] is None
    assert "none" in textgrain("similarity", path, "cat", "cab").out
    explained = textgrain("explain", path, "cab", "--json").json
    assert explained["word"] == "cab"
    assert [part["ngram"] for part in explained["parts"] if part["weight"] is not None] == ["<ca"]
    assert "<ca" in textgrain("explain", path, "cab").out
    assert "`text` must be a word" in textgrain("explain", path).err


def test_odd_one_out(textgrain, animals):
    result = textgrain("odd-one-out", animals, "cat", "car", "tiger", "kitten", "--json").json
    assert result["odd"] == "car"
    assert [word for word, _ in result["fits"]] == ["car", "cat", "kitten", "tiger"]
    printed = textgrain("odd-one-out", animals, "cat", "car", "tiger").out.splitlines()
    assert printed[1].startswith("car")
    assert "at least 3 words" in textgrain("odd-one-out", animals, "cat", "car").err


def test_neighbors_of_sums_and_among_some(textgrain, animals):
    vectors = tg.WordVectors.load(animals)
    result = textgrain("similar", animals, "cat", "bus", "--minus", "car", "-n", 1, "--json").json
    assert result == {"cat + bus - car": [list(vectors.most_similar(["cat", "bus"], ["car"], n=1)[0])]}
    result = textgrain("similar", animals, "cat", "car", "--sum", "--json").json
    assert [word for word, _ in result["cat + car"]] == [
        word for word, _ in vectors.most_similar(["cat", "car"])
    ]
    result = textgrain("similar", animals, "cat", "--among", "car", "bus", "--json").json
    assert [word for word, _ in result["cat"]] == ["car", "bus"]
    assert "takes words one by one" in textgrain("similar", animals, "cat", "--sum", "--metric", "all").err


def test_translate(textgrain, animals, tmp_path):
    vectors = tg.WordVectors.load(animals)
    names = {"cat": "Katze", "kitten": "Kätzchen", "tiger": "Tiger", "car": "Auto", "bus": "Bus"}
    turned = {names[word]: [-y, x] for word, (x, y) in zip(vectors.words, vectors.matrix, strict=True)}
    german, pairs, test = tmp_path / "german", tmp_path / "pairs", tmp_path / "test"
    tg.WordVectors.from_mapping(turned).save(german)
    pairs.write_text("cat\tKatze\ncar Auto\ntiger Tiger\ndog Hund\n", encoding="utf-8")
    test.write_text("bus Bus\nkitten Kätzchen\n", encoding="utf-8")
    command = ("translate", animals, german, "bus", "--pairs", pairs)
    result = textgrain(*command, "--test", test, "--json").json
    assert (result["pairs"], result["skipped"]) == (3, 1)
    assert result["mean_cosine"] == pytest.approx(1)
    assert result["answers"]["bus"][0][0] == "Bus"
    assert (result["test"]["at_5"], result["test"]["coverage"]) == (1, 1)
    printed = textgrain(*command, "--method", "cosine", "--test", test)
    assert "turned by 3 pairs, 1 left out; their mean cosine is 1.000" in printed.err
    assert printed.out.splitlines()[1].split() == ["Bus", "1.000"]
    assert "among the first 5" in printed.out
    pairs.write_text("cat\n", encoding="utf-8")
    assert "line 1: expected two words, got 1 field" in textgrain(*command).err


def test_an_axis(textgrain, animals):
    command = ("axis", animals, "tiger", "bus", "--pair", "car", "cat", "--pair", "bus", "kitten")
    result = textgrain(*command, "--json").json
    assert [place["word"] for place in result["places"]] == ["tiger", "bus"]
    assert result["agreement"] > 0.9
    printed = textgrain(*command)
    assert printed.out.splitlines()[1].startswith("tiger")
    assert "agreement of the pairs" in printed.err


def test_stability(textgrain, vectors):
    result = textgrain("stability", vectors, vectors, vectors, "--neighbors", 3, "--json").json
    assert result["mean"] == 1
    assert "in common" in textgrain("stability", vectors, vectors).out
    assert "at least 2 sets of vectors" in textgrain("stability", vectors).err


@pytest.mark.parametrize("kind", ["loss", "space", "concentration"])
def test_pictures_of_vectors(textgrain, vectors, tmp_path, kind):
    pytest.importorskip("matplotlib")
    path = tmp_path / "picture.png"
    assert textgrain("plot", vectors, "--kind", kind, "-o", path, "--dark", "-q").status == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "takes neither words" in textgrain("plot", vectors, "low", "--kind", kind, "-o", path).err


@pytest.mark.parametrize("kind", ["merges", "token-lengths"])
def test_pictures_of_tokenizers(textgrain, tokenizer, tmp_path, kind):
    pytest.importorskip("matplotlib")
    path = tmp_path / "picture.svg"
    result = textgrain("plot", tokenizer, "--kind", kind, "-o", path, "--json")
    assert result.json == {"output": str(path)}
    assert b"<svg" in path.read_bytes()


def test_groups_on_a_map(textgrain, animals, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "map.svg"
    groups = ("--group", "animals", "cat", "tiger", "--group", "vehicles", "car", "bus")
    assert textgrain("plot", animals, *groups, "-o", path).status == 0
    assert b"vehicles" in path.read_bytes()
    assert "give no others" in textgrain("plot", animals, "kitten", *groups, "-o", path).err


@pytest.mark.parametrize(
    "command",
    [
        ("similar", "cat"), ("similarity", "cat", "car"), ("analogy", "a", "b", "c"), ("evaluate",),
        ("odd-one-out", "a", "b", "c"), ("plot",), ("axis", "a", "--pair", "b", "c"),
    ],
)  # fmt: skip
def test_what_is_fetched_is_kept(textgrain, animals, command):
    """Where the file is there already nothing is fetched, and a path is not an address."""
    verb, *rest = command
    assert "with an address" in textgrain(verb, animals, *rest, "--keep", "kept.bin").err
    address = "https://vectors.invalid/animals.safetensors"
    if verb == "similar":
        assert textgrain(verb, address, *rest, "--keep", animals, "-q").status == 0


def test_all_neighbors_that_are_nearer(textgrain, animals):
    vectors = tg.WordVectors.load(animals)
    result = textgrain("similar", animals, "cat", "bus", "--closer-than", "car", "--json").json
    assert result["cat"] == [[word, vectors.similarity("cat", word)] for word in ("kitten", "tiger")]
    assert result["bus"] == []
    printed = textgrain("similar", animals, "cat", "--closer-than", "car").out.splitlines()
    assert [line.split()[0] for line in printed] == ["cat", "kitten", "tiger"]
    assert (
        "not with --restrict"
        in textgrain("similar", animals, "cat", "--closer-than", "car", "--restrict", 3).err
    )

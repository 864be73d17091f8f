"""Word vectors in use, from a shell."""

import numpy as np
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
    written = (tmp_path / "source.vec", tmp_path / "target.safetensors")
    assert textgrain(*command, "-o", *written, "-q").status == 0
    turned, fixed = (tg.WordVectors.load(path) for path in written)
    assert (turned.words, fixed.words) == (vectors.words, list(names.values()))
    for word, name in names.items():
        assert turned.distance(word, fixed[name]) == pytest.approx(0, abs=1e-5)
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


def test_neighbors_of_rows(textgrain, animals, tmp_path):
    vectors, rows = tg.WordVectors.load(animals), tmp_path / "rows.npy"
    np.save(rows, np.array([[2, 1], [-1, 2.5]]))
    verb = ("similar", animals, "--vectors-from", rows, "-n", 2, "--metric", "euclidean")
    found = vectors.most_similar_batch([[2, 1], [-1, 2.5]], n=2, metric="euclidean")
    assert textgrain(*verb, "--json").json == {
        "row 0": [list(near) for near in found[0]],
        "row 1": [list(near) for near in found[1]],
    }
    assert textgrain(*verb).out.splitlines()[0].split() == ["row", "0", "euclidean"]
    for other in (("--sum",), ("--closer-than", "cat"), ("--metric", "all")):
        assert f"asks for rows, not with {' '.join(other[:1])}" in textgrain(*verb, *other).err
    assert "not with words" in textgrain("similar", animals, "cat", "--vectors-from", rows).err
    np.save(rows, np.zeros((1, 3)))
    assert "`queries` must have 2 numbers in each row" in textgrain(*verb).err


def test_losses_of_several_trainings(textgrain, vectors, animals, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "loss.svg"
    other = tmp_path / "other.safetensors"
    other.write_bytes(vectors.read_bytes())
    verb = ("plot", vectors, "-o", path, "--also", other)
    assert textgrain(*verb, "--kind", "loss").status == 0
    assert str(other) in path.read_text(encoding="utf-8")
    assert "only be used with --kind loss, got space" in textgrain(*verb, "--kind", "space").err


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


def test_similarity_of_sets(textgrain, animals):
    vectors = tg.WordVectors.load(animals)
    result = textgrain("similarity", animals, "cat", "kitten", "--to", "car", "bus", "--json").json
    assert result == {
        "first": ["cat", "kitten"],
        "second": ["car", "bus"],
        "cosine": vectors.n_similarity(["cat", "kitten"], ["car", "bus"]),
    }
    printed = textgrain("similarity", animals, "cat", "--to", "car").out.splitlines()
    assert printed[1].split() == ["cat", ":", "car", f"{vectors.similarity('cat', 'car'):.3f}"]
    assert "at least one word to compare 'cat' with" in textgrain("similarity", animals, "cat").err


def test_numbers_of_words(textgrain, animals, tmp_path):
    assert textgrain("word-vectors", animals, "cat", "bus").out == "cat 2.0 1.0\nbus -2.0 3.0\n"
    words, output = tmp_path / "words.txt", tmp_path / "words.npy"
    words.write_text("tiger\n\nemu\n", encoding="utf-8")
    verb = ("word-vectors", animals, "--words-from", words)
    assert "words.txt, line 3: the word 'emu' has no vector" in textgrain(*verb).err
    result = textgrain(*verb, "--oov", "subword", "zero", "--json").json
    assert [row["word"] for row in result] == ["tiger", "emu"]
    assert (result[0]["vector"], result[1]["vector"]) == ([6, 4], [0, 0])
    result = textgrain(*verb, "--oov", "skip", "-o", output, "--json").json
    assert result == {"output": str(output), "words": ["tiger"], "vector_size": 2}
    assert np.load(output).tolist() == [[6, 4]]
    assert "1 vector of 2 numbers" in textgrain(*verb, "--oov", "skip", "-o", output).err
    assert "at least one word" in textgrain("word-vectors", animals).err


def test_the_mean_of_words(textgrain, animals):
    vectors = tg.WordVectors.load(animals)
    verb = ("word-vectors", animals, "cat", "bus", "--mean")
    [row] = textgrain(*verb, "--json").json
    assert row["vector"] == pytest.approx(vectors.mean_vector(["cat", "bus"]).tolist())
    assert textgrain(*verb, "--no-unit", "--weights", 3, 1).out == "mean 1.0 1.5\n"
    assert "`weights` must hold 2 numbers" in textgrain(*verb, "--weights", 1).err
    assert "`weights` can only be used with --mean" in textgrain(*verb[:-1], "--weights", 1, 2).err
    assert "`unit` can only be used with --mean" in textgrain(*verb[:-1], "--no-unit").err


def test_near_and_far_beside_random_points(textgrain, animals, tmp_path):
    verb = ("distance-concentration", animals, "--dimensions", 2, 50, "--points", 100)
    expected = tg.WordVectors.load(animals).distance_concentration(dimensions=[2, 50], points=100)
    result = textgrain(*verb, "--json").json
    assert result == {
        "random": {"2": expected.random[2], "50": expected.random[50]},
        "own_dimensions": 2,
        "own": expected.own,
        "own_random": expected.own_random,
        "points": 5,
    }
    assert textgrain(*verb).out == f"{expected}\n"
    assert "at least 1 each" in textgrain(*verb[:2], "--dimensions", 0).err
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.png"
    assert textgrain(*verb, "--picture", picture).status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_two_words_in_one_place_have_no_ratio(textgrain, tmp_path):
    path = tmp_path / "twins"
    tg.WordVectors.from_mapping({"a": [1, 2], "b": [1, 2], "c": [3, 4]}).save(path)
    assert textgrain("distance-concentration", path, "--json").json["own"] is None


@pytest.mark.parametrize("verb", ["compare-vectors", "translate", "stability"])
def test_several_files_that_are_fetched_are_kept(textgrain, vectors, verb, tmp_path):
    assert "with an address" in textgrain(verb, vectors, vectors, "--keep", tmp_path).err
    folder = tmp_path / "kept"
    folder.mkdir()
    for name in ("one.vec", "two words.vec"):
        (folder / name).write_bytes(vectors.read_bytes())
    addresses = ("https://vectors.invalid/one.vec", "https://vectors.invalid/x/two%20words.vec?y=1")
    # They are there already, so nothing is fetched.
    result = textgrain(verb, *addresses, "--keep", folder, "-q", "--json")
    assert result.status == 0
    assert result.json == textgrain(verb, vectors, vectors, "--json", "-q").json
    for other in ("https://vectors.invalid/x/one.vec", "https://vectors.invalid/"):
        failed = textgrain(verb, addresses[0], other, "--keep", folder)
        assert "whose last parts are different names" in failed.err


def test_words_of_a_file_and_products_of_cosines(textgrain, animals, tmp_path):
    vectors, words = tg.WordVectors.load(animals), tmp_path / "words.txt"
    words.write_text("cat\ncar\n", encoding="utf-8")
    result = textgrain("similar", animals, "bus", "--words-from", words, "-n", 1, "--json").json
    assert result == {word: [list(vectors.most_similar(word, n=1)[0])] for word in ("bus", "cat", "car")}
    product = ("similar", animals, "cat", "bus", "--minus", "car", "--method", "3cosmul", "-n", 2)
    found = vectors.most_similar(["cat", "bus"], ["car"], method="3cosmul", n=2)
    assert textgrain(*product, "--json").json == {"cat + bus - car": [list(near) for near in found]}
    assert (
        "only be used with --sum or --minus"
        in textgrain("similar", animals, "cat", "--method", "3cosmul").err
    )
    assert "at least one word, got none" in textgrain("similar", animals).err


def test_coordinates_of_words(textgrain, animals, tmp_path):
    vectors, words = tg.WordVectors.load(animals), tmp_path / "words.txt"
    words.write_text("car\nbus\n", encoding="utf-8")
    expected = vectors.project(["cat", "car", "bus"])
    verb = ("project", animals, "cat", "--words-from", words)
    assert textgrain(*verb, "--json").json == {
        "words": ["cat", "car", "bus"],
        "coordinates": expected.coordinates.tolist(),
        "explained": expected.explained.tolist(),
        "method": "pca",
    }
    printed = textgrain(*verb, "--no-unit", "--dimensions", 1)
    [x] = vectors.project(["cat", "car", "bus"], dimensions=1, unit=False).coordinates[0]
    assert printed.out.splitlines()[:2] == ["word       1", f"cat   {x:6.3f}"]
    assert "share of the variance that each column shows: " in printed.err
    assert textgrain("project", animals, "--json").json["words"] == vectors.words
    assert "`dimensions` must be from 1 to 2" in textgrain(*verb, "--dimensions", 3).err


def test_several_models_a_side(textgrain, tmp_path):
    random = np.random.default_rng(1)
    start = random.normal(size=(30, 4))
    paths = [tmp_path / f"{place}.safetensors" for place in range(4)]
    for path in paths:
        moved = start + 0.1 * random.normal(size=start.shape)
        tg.WordVectors.from_mapping({f"w{row}": point for row, point in enumerate(moved)}).save(path)
    anchors = tmp_path / "anchors.txt"
    anchors.write_text("\n".join(f"w{row}" for row in range(20)), encoding="utf-8")
    verb = ("compare-vectors", paths[0], paths[2], "--first-also", paths[1], "--second-also", paths[3])
    result = textgrain(*verb, "--anchors-from", anchors, "--rounds", 5, "--json").json
    models = [tg.WordVectors.load(path) for path in paths]
    names = [f"w{row}" for row in range(20)]
    assert result["change"] == tg.meaning_change(models[:2], models[2:], anchors=names, rounds=5).as_dict()
    assert "noise" in result["change"]["w3"]
    assert "neighbors lost  noise" in textgrain(*verb).out
    assert "noise" not in textgrain("compare-vectors", paths[0], paths[2]).out


def test_a_matrix_for_the_ids_of_a_tokenizer(textgrain, animals, tmp_path):
    tokenizer, output = tmp_path / "tokenizer.json", tmp_path / "matrix"
    tg.WordLevel(unknown_token="?").train(["cat emu cat"]).save(tokenizer)
    verb = ("export", animals, output, "--tokenizer", tokenizer, "--missing", "zero", "--to")
    result = textgrain(*verb, "npy", "--json").json
    assert result == {"output": [f"{output}.npy"], "ids": 3, "vector_size": 2, "known": 1}
    known = tg.Tokenizer.load(tokenizer)
    assert np.load(f"{output}.npy")[known.token_to_id("cat")].tolist() == [2, 1]
    assert "1 of 3 ids have a vector; written to" in textgrain(*verb, "npy").err
    assert "can only be used with --to npy, got int8" in textgrain(*verb, "int8").err


def test_a_description_of_fewer_words(textgrain, vectors):
    described = textgrain("evaluate", vectors, "--sample", 8, "--neighbors", 2, "--json", "-q").json
    assert (described["sample"], described["neighbors"]) == (8, 2)
    for option in ("--sample", "--neighbors", "--picture"):
        assert "is given without a test" in textgrain("evaluate", vectors, "test.tsv", option, 5).err


def test_words_of_all_kinds_in_a_table(textgrain, tmp_path):
    path = tmp_path / "words"
    vectors = {
        "a": [1, 0],
        "日本語": [1, 0.1],
        " b": [1, 0.2],
        "c\nd": [1, 0.3],
        "e f": [1, 0.4],
        "": [1, 0.5],
    }
    tg.WordVectors.from_mapping(vectors).save(path)
    # Wide letters take two columns.
    assert textgrain("similar", path, "a").out.splitlines() == [
        "a       cosine",
        "日本語   0.995",
        "␣b       0.981",
        "c⏎d      0.958",
        "e f      0.928",
        "         0.894",
    ]
    assert [word for word, _ in textgrain("similar", path, "a", "--json").json["a"]] == list(vectors)[1:]

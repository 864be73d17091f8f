import io
import subprocess
import sys

import pytest

import textgrain as tg


def test_training_says_what_it_made_on_standard_error(textgrain, corpus, tmp_path):
    path = tmp_path / "out.json"
    result = textgrain("train", "bpe", corpus, "--vocab-size", 280, "--special-tokens", "<end>", "-o", path)
    assert result.status == 0
    assert result.out == ""
    assert "280 tokens" in result.err
    assert str(path) in result.err
    assert tg.Tokenizer.load(path).special_tokens == {"<end>": 279}


def test_training_as_json(textgrain, corpus, tmp_path):
    result = textgrain(
        "train", "word2vec", corpus, "--min-count", 1, "--json", "-q", "-o", tmp_path / "v.safetensors"
    )
    assert result.json["words"] == 11
    assert len(result.json["mean_loss_per_epoch"]) == 5


def test_training_by_glove(textgrain, corpus, tmp_path):
    result = textgrain(
        "train", "glove", corpus, "--min-count", 1, "--no-symmetric", "--optimizer", "sgd", "--epochs", 4,
        "--json", "-q", "-o", tmp_path / "v.safetensors",
    )  # fmt: skip
    assert result.json["words"] == 11
    assert len(result.json["mean_loss_per_epoch"]) == 4


@pytest.mark.parametrize("method", ["word2vec", "fasttext", "glove"])
def test_training_ends_when_the_loss_of_what_is_held_out_does_not_fall(textgrain, corpus, method, tmp_path):
    settings = ("--min-count", 1, "--learning-rate", 0.2, "--epochs", 500, "--threads", 1)
    held_out = ("--held-out", 0.3, "--patience", 2)
    result = textgrain(
        "train", method, corpus, *settings, *held_out, "--json", "-q", "-o", tmp_path / "v.safetensors"
    )
    losses = result.json["held_out_loss_per_epoch"]
    assert len(losses) == len(result.json["mean_loss_per_epoch"]) < 500
    assert losses.index(min(losses)) == len(losses) - 3


@pytest.mark.parametrize("method", ["glove", "fasttext"])
def test_training_on_tokens(textgrain, corpus, tokenizer, method, tmp_path):
    output = tmp_path / "v.safetensors"
    command = (
        "train",
        method,
        corpus,
        "--tokenizer",
        tokenizer,
        "--min-count",
        1,
        "--epochs",
        2,
        "-q",
        "-o",
        output,
    )
    assert textgrain(*command).status == 0
    learned = tg.WordVectors.load(output).words
    known = tg.Tokenizer.load(tokenizer)
    assert set(learned) <= {known.id_to_token(id) for id in range(len(known))}


def test_training_that_diverges_leaves_the_last_good_epoch(textgrain, tmp_path):
    corpus = tmp_path / "notes.txt"
    corpus.write_text("fever and cough\ncough and headache\nheadache and fever\n" * 5, encoding="utf-8")
    output = tmp_path / "vectors.safetensors"
    settings = ("--vector-size", 8, "--min-count", 1, "--epochs", 1000, "--threads", 1)
    rates = ("--learning-rate", 0.5, "--min-learning-rate", 0.5)
    result = textgrain("train", "word2vec", corpus, *settings, *rates, "-o", output)
    assert result.status == 1
    assert "Lower learning_rate" in result.err
    (kept,) = tmp_path.glob("vectors-epoch*.safetensors")
    assert str(kept) in result.err
    assert not output.exists()
    assert f"epoch{len(tg.WordVectors.load(kept).history)}." in kept.name


@pytest.mark.parametrize(("method", "window"), [("word2vec", 5), ("fasttext", 5), ("glove", 15)])
def test_training_goes_on_from_a_checkpoint_and_from_vectors(
    textgrain, corpus, tokenizer, method, window, tmp_path
):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    settings = ("--vector-size", 6, "--epochs", 2, "--threads", 1, "--json", "-q")
    run = ("train", method, corpus, *settings, "--checkpoint", tmp_path / "run", "--checkpoint-minutes", 1)
    assert textgrain(*run, "-o", first).status == 0
    assert textgrain(*run, "-o", second).status == 0
    assert first.read_bytes() == second.read_bytes()
    refused = textgrain(*run, "--window", 2, "-o", second)
    assert refused.status != 0
    assert f"window was {window} and is now 2" in refused.err
    more = textgrain("train", method, corpus, *settings, "--init-from", first, "-o", second)
    assert more.json["init_from"] == {"matched": more.json["words"], "new": 0, "kept": 0}
    tokens = textgrain("train", method, corpus, *settings, "--tokenizer", tokenizer, "-o", second)
    assert tokens.status == 0
    assert tokens.json["words"] != more.json["words"]
    ids, third = tmp_path / "corpus.ids", tmp_path / "third.safetensors"
    assert textgrain("encode", tokenizer, corpus, "--output", ids, "-q").status == 0
    by_id = ("train", method, ids, "--ids", *settings, "--tokenizer", tokenizer, "-o", third)
    assert textgrain(*by_id).status == 0
    assert third.read_bytes() == second.read_bytes()
    refused = textgrain("train", method, ids, ids, *by_id[3:])
    assert refused.status != 0
    assert "`--ids` takes one file of ids, got 2" in refused.err


def test_phrases_are_found_and_joined(textgrain, corpus, tmp_path):
    table, vectors = tmp_path / "phrases.json", tmp_path / "vectors.safetensors"
    found = textgrain("train", "phrases", corpus, "--threshold", 0.2, "--json", "-q", "-o", table)
    assert found.json["phrases"] > 0
    assert found.json["settings"]["threshold"] == 0.2
    for method in ("word2vec", "fasttext", "glove"):
        settings = ("--min-count", 1, "--vector-size", 4, "--epochs", 1, "--threads", 1, "-q", "-o", vectors)
        assert textgrain("train", method, corpus, *settings, "--phrases", table).status == 0
        similar = textgrain("similar", vectors, "the_newest", "--json")
        assert similar.status == 0, similar.err


def test_options_come_from_the_trainers(textgrain, capsys):
    with pytest.raises(SystemExit):
        textgrain("train", "bpe", "--help")
    text = capsys.readouterr().out
    for option in ("--vocab-size", "--end-of-word", "--tie-break {first,lowest-ids,", "--no-space-prefix"):
        assert option in text


def test_encode_then_decode_gives_the_text_back(textgrain, tokenizer, corpus, tmp_path):
    encoded = textgrain("encode", tokenizer, corpus)
    assert encoded.status == 0
    ids = tmp_path / "ids.txt"
    ids.write_text(encoded.out, encoding="utf-8")
    decoded = textgrain("decode", tokenizer, ids)
    assert decoded.out.rstrip("\n") == corpus.read_text(encoding="utf-8")


def test_encode_reads_standard_input(textgrain, tokenizer, monkeypatch):
    standard_input = io.TextIOWrapper(io.BytesIO("low\u2028lower\nthe".encode()))
    monkeypatch.setattr(sys, "stdin", standard_input)
    result = textgrain("encode", tokenizer, "--json")
    assert len(result.out.splitlines()) == 2


def test_encode_to_tokens(textgrain, tokenizer, tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("the lowest", encoding="utf-8")
    assert "".join(textgrain("encode", tokenizer, path, "--tokens").json) == "the lowest"


def test_explain_a_text_and_the_training(textgrain, tokenizer):
    assert "lower" in textgrain("explain", tokenizer, "lower").out
    merges = textgrain("explain", tokenizer, "--merges", 3, "--json").json
    assert [merge["rank"] for merge in merges] == [1, 2, 3]
    assert "character" in textgrain("explain", tokenizer, "lower", "--cuts").out
    pieces = textgrain("explain", tokenizer, "the lower", "--json").json
    assert [piece["text"] for piece in pieces] == ["the", " lower"]
    cuts = textgrain("explain", tokenizer, "the lower", "--cuts", "--json").json
    assert [(row["cut"], row["grid"]) for row in cuts][:2] == [("word", 4), ("character", 81)]


def test_similar_and_analogy(textgrain, vectors):
    assert len(textgrain("similar", vectors, "low", "the", "-n", 3, "--json").json["low"]) == 3
    assert "cosine" in textgrain("similar", vectors, "low").out
    assert len(textgrain("analogy", vectors, "low", "lower", "the", "-n", 2, "--json").json) == 2
    assert "euclidean" in textgrain("similar", vectors, "low", "--metric", "euclidean").out
    assert len(textgrain("similar", vectors, "low", "--restrict", 3, "--json").json["low"]) <= 3
    by_product = textgrain("analogy", vectors, "low", "lower", "the", "--method", "3cosmul", "--restrict", 9)
    assert "quotient" in by_product.out


def test_inspect_tells_files_apart_by_content(textgrain, tokenizer, vectors):
    assert textgrain("inspect", tokenizer, "--json").json["kind"] == "tokenizer"
    assert textgrain("inspect", vectors, "--json").json["kind"] == "word vectors"
    assert "vocab_size" in textgrain("inspect", tokenizer).out


def test_plot(textgrain, vectors, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "map.svg"
    assert textgrain("plot", vectors, "low", "lower", "the", "-o", path).status == 0
    assert "<svg" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("train", "bpe", "missing.txt", "--merges", 3), "missing.txt: No such file or directory"),
        (("train", "bpe", "{corpus}", "--merges", 3, "-o", "missing/t.json"), "the directory does not exist"),
        (
            ("train", "bpe", "{corpus}", "--vocab-size", 10),
            "`vocab_size` must be at least 256 to hold the alphabet",
        ),
        (("train", "word2vec", "{corpus}", "--min-count", 1000), "min_count"),
        (("encode", "{corpus}"), "corpus.txt"),
        (("similar", "{vectors}", "absent"), "absent"),
        (("decode", "{tokenizer}", "{corpus}"), "line 1: ids must be whole numbers"),
    ],
)
def test_mistakes_are_one_line_and_a_status(
    textgrain, corpus, tokenizer, vectors, arguments, part, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    places = {"corpus": corpus, "tokenizer": tokenizer, "vectors": vectors}
    result = textgrain(*(str(argument).format(**places) for argument in arguments), "-q")
    assert result.status == 1
    assert part in result.err
    assert len(result.err.splitlines()) == 1


def test_a_closed_pipe_is_not_an_error(tokenizer, corpus, tmp_path):
    long = tmp_path / "long.txt"
    long.write_text(corpus.read_text(encoding="utf-8") * 50, encoding="utf-8")
    command = f"{sys.executable} -m textgrain.cli encode {tokenizer} {long} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_demo(textgrain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = textgrain("demo", "-q")
    assert result.status == 0
    assert (tmp_path / "demo-output" / "tokenizer.json").exists()
    assert (tmp_path / "demo-output" / "vectors.safetensors").exists()
    assert "Ties happen" in result.out


def test_convert(textgrain, vectors, tmp_path):
    text, back = tmp_path / "v.vec.gz", tmp_path / "back.safetensors"
    result = textgrain("convert", vectors, text, "--to", "word2vec-text")
    assert (result.status, result.out) == (0, "")
    assert "11 words, 8 numbers each, written to" in result.err
    result = textgrain("convert", text, back, "--to", "safetensors", "--json", "--threads", 1)
    assert result.json["words"] == 11
    assert result.json["read"] == {"read_from": "word2vec-text"}
    assert tg.WordVectors.load(back).words == tg.WordVectors.load(vectors).words
    assert textgrain("inspect", text, "--json").json["read_from"] == "word2vec-text"
    sketched = tmp_path / "sketched.safetensors"
    assert textgrain("convert", back, sketched, "--sketch").status == 0
    assert tg.WordVectors.load(sketched) == tg.WordVectors.load(back)
    assert sketched.stat().st_size >= back.stat().st_size + 11 * 32
    assert "`sketch` must only be given for floats" in textgrain("convert", back, text, "--sketch").err
    text = tmp_path / "four-digits"
    text.write_text("1000 2\n" + "".join(f"w{row} 0.5 1\n" for row in range(1000)), encoding="utf-8")
    assert textgrain("inspect", text, "--json").json["words"] == 1000


def test_convert_says_what_is_damaged(textgrain, tmp_path):
    path, out = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_text("my name 0.5 1\nb 2\nc 3 4\n", encoding="utf-8")
    command = ("convert", path, out, "--to", "glove-text")
    result = textgrain(*command)
    assert result.status == 1
    assert "in.txt, line 2: a row must be a word and 2 numbers" in result.err
    result = textgrain(*command, "--lenient")
    assert result.status == 1
    assert "white space" in result.err
    assert not out.exists()
    result = textgrain(*command, "--lenient", "--spaces", "_")
    assert result.status == 0
    assert "note: " in result.err
    assert "line 2" in result.err
    assert out.read_text(encoding="utf-8") == "my_name 0.5 1.0\nc 3.0 4.0\n"

import json

import pytest

from textgrain.cli.main import main


class Result:
    """What one run of the command line left: exit status, standard output, standard error."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def textgrain(capsys):
    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return run


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    lines = [
        "the low lower lowest tower",
        "the newest widest flower",
        "a low tower is lower than the newest",
    ] * 40
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def tokenizer(textgrain, corpus, tmp_path):
    path = tmp_path / "tokenizer.json"
    assert textgrain("train", "bpe", corpus, "--vocab-size", 300, "-o", path, "--quiet").status == 0
    return path


@pytest.fixture
def vectors(textgrain, corpus, tmp_path):
    path = tmp_path / "vectors.safetensors"
    command = ("train", "word2vec", corpus, "--vector-size", 8, "--min-count", 1, "--threads", 1, "-o", path)
    assert textgrain(*command, "--quiet").status == 0
    return path

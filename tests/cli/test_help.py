"""What a newcomer reads: the list of commands, and the help of each."""

import re
from pathlib import Path

import pytest

from textgrain import cli
from textgrain.cli.main import _VERBS, main

VERBS = [verb.__name__.split(".")[-1].replace("_", "-") for verbs in _VERBS.values() for verb in verbs]


def page(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_list_holds_each_command_once_under_its_heading(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = page(capsys).splitlines()
    assert lines[0] == "usage: textgrain [-h] [--version] command ..."
    assert max(map(len, lines)) < 80
    listed = [found[1] for line in lines if (found := re.match(r"  ([a-z-]+) {2,}\S", line))]
    assert listed[: len(VERBS)] == VERBS
    for heading in _VERBS:
        assert f"{heading}:" in lines
    assert lines[-1].startswith("Start with `textgrain demo`")


def test_no_command_is_left_out():
    modules = {
        path.stem.replace("_", "-")
        for path in Path(cli.__file__).parent.glob("*.py")
        if "def add_parser(" in path.read_text(encoding="utf-8") and path.stem != "main"
    }
    assert modules == set(VERBS)
    assert len(VERBS) == len(set(VERBS))


@pytest.mark.parametrize("verb", VERBS)
def test_each_command_says_what_it_does_and_takes_json(capsys, verb):
    text = page(capsys, verb)
    if verb == "train":
        text = page(capsys, verb, "bpe")
    assert text.startswith(f"usage: textgrain {verb}")
    assert "--json" in text
    described = text.split("\n\n")[1]
    assert described.endswith(".")
    # Each option is explained.
    assert not re.search(r"^  --?[\w-]+( [A-Z]+)?$(?=\n  -|\n\n|\Z)", text, re.MULTILINE)

"""Documentation runs: every Python block of every page, and every example in a docstring."""

import doctest
import importlib
import pkgutil
import re
import shlex
import warnings
from pathlib import Path

import pytest

import textgrain
from textgrain.cli.main import _VERBS, _parser
from textgrain.exceptions import SmallCorpusNotice

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    if "```python" in path.read_text("utf-8")
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PIPE = re.compile(r"\s\|\s")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name(path):
    return str(path.relative_to(ROOT))


@pytest.fixture(autouse=True)
def empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        # Small corpora are what examples are made of.
        warnings.simplefilter("ignore", SmallCorpusNotice)
        yield


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_blocks_of_a_page_run_in_order(page):
    """One namespace a page, so that a block may use what the blocks above it made."""
    text = page.read_text(encoding="utf-8")
    namespace = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        lines_above = text.count("\n", 0, block.start(1))
        # Empty lines in front make a traceback name the line of the page.
        exec(compile("\n" * lines_above + block[1], str(page), "exec"), namespace)


@pytest.mark.parametrize(
    "page", sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")}), ids=name
)
def test_links_between_pages_lead_somewhere(page):
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def commands():
    """Each command in a block for the shell; a backslash joins it with the next line."""
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        for block in SHELL.finditer(page.read_text(encoding="utf-8")):
            for line in block[1].replace("\\\n", " ").splitlines():
                for command in PIPE.split(line):
                    words = shlex.split(command, comments=True)
                    if words[:1] == ["textgrain"]:
                        yield pytest.param(words[1:], id=f"{page.name}: {' '.join(words[1:4])}")


@pytest.mark.parametrize("words", list(commands()))
def test_commands_on_pages_are_understood(words):
    _parser().parse_args(words)


def test_each_command_is_in_the_table():
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`([a-z-]+)`", row)]
    verbs = [verb.__name__.split(".")[-1].replace("_", "-") for group in _VERBS.values() for verb in group]
    assert listed == verbs


def docstring_examples():
    names = [found.name for found in pkgutil.walk_packages(textgrain.__path__, "textgrain.")]
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ["textgrain", *names]:
        if name.endswith(("._native", ".__main__")):
            continue
        module = importlib.import_module(name)
        yield from (test for test in finder.find(module, extraglobs={"tg": textgrain}) if test.examples)


@pytest.mark.parametrize("example", list(docstring_examples()), ids=lambda example: example.name)
def test_examples_in_docstrings(example):
    report = []
    doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.append)
    assert not report, "".join(report)


def test_public_names_are_documented():
    for public in textgrain.__all__:
        value = getattr(textgrain, public)
        if callable(value):
            assert value.__doc__, f"{public} has no docstring"

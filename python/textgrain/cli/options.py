"""Options of a trainer on the command line, made from its dataclass and its docstring."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import shutil
import sys
import tempfile
import types
import typing
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from textgrain.corpus import Corpus
from textgrain.counts import PieceCounts
from textgrain.phrases import PhraseTable
from textgrain.tokenizer import Tokenizer

__all__ = [
    "add_corpus_options",
    "add_document_options",
    "add_field_option",
    "add_map_options",
    "add_trainer_options",
    "add_word_options",
    "corpus_from",
    "corpus_of_files",
    "trainer_from",
    "words_from",
]


def add_trainer_options(parser: argparse.ArgumentParser, trainer: type[Any]) -> None:
    """One option for each setting, with its default and the text of its documentation."""
    descriptions = _parameter_descriptions(trainer)
    hints = typing.get_type_hints(trainer)
    for field in dataclasses.fields(trainer):
        default = field.default
        note = "" if default in (None, ()) else f" (default: {default})"
        text = descriptions[field.name].replace("%", "%%") + note
        flag = "--" + field.name.replace("_", "-")
        parser.add_argument(flag, dest=field.name, default=default, help=text, **_reading(hints[field.name]))


def trainer_from(trainer: type[Any], options: argparse.Namespace) -> Any:  # noqa: ANN401
    """The trainer with the settings that the user chose."""
    settings = {field.name: getattr(options, field.name) for field in dataclasses.fields(trainer)}
    for name, value in settings.items():
        if isinstance(value, list):
            settings[name] = tuple(value)
    return trainer(**settings)


def add_corpus_options(parser: argparse.ArgumentParser) -> None:
    """The files to read and how to cut them, or counts of what is in them."""
    add_document_options(parser)
    parser.add_argument(
        "--counts",
        action="store_true",
        help="the files are counts that `textgrain count` wrote; they are added up in this order",
    )


def add_document_options(parser: argparse.ArgumentParser) -> None:
    """The files to read and how to cut them."""
    parser.add_argument(
        "corpus",
        nargs="+",
        help="text files or patterns, also .gz and .zst; .jsonl and .parquet with --field; or - for standard "
        "input",
    )
    parser.add_argument(
        "--documents",
        default="lines",
        metavar="RULE",
        help='"lines" (one document a line), "files" (one a file) or a separator (default: lines)',
    )
    add_field_option(parser)
    parser.add_argument(
        "--errors",
        default="replace",
        choices=["replace", "strict"],
        help="bytes that are not UTF-8: replace and count them, or stop (default: replace)",
    )


def corpus_from(options: argparse.Namespace) -> Corpus:
    """The corpus that the options name."""
    if options.counts:
        return Corpus.from_counts(PieceCounts.merge(PieceCounts.load(path) for path in options.corpus))
    return corpus_of_files(options.corpus, options, errors=options.errors)


def add_field_option(parser: argparse._ActionsContainer) -> None:
    """The field of JSON lines, or the column of a table."""
    parser.add_argument(
        "--field",
        metavar="NAME",
        help="the files are JSON lines or Parquet tables, with the text in this field",
    )


def corpus_of_files(
    paths: list[str], options: argparse.Namespace, errors: Literal["replace", "strict"] = "replace"
) -> Corpus:
    """Text files, JSON lines or Parquet tables, as `--field` and `--documents` say."""
    if "-" in paths:
        copy = _standard_input(options)
        paths = [copy if path == "-" else path for path in paths]
    if options.field is not None and all(path.endswith(".parquet") for path in paths):
        return Corpus.from_parquet(paths, field=options.field)
    return Corpus.from_files(paths, documents=options.documents, field=options.field, errors=errors)


def _standard_input(options: argparse.Namespace) -> str:
    """A copy of standard input, as a corpus may be read several times; it is there as long as the options."""
    directory = tempfile.mkdtemp(prefix="textgrain-")
    weakref.finalize(options, shutil.rmtree, directory, ignore_errors=True)
    path = Path(directory) / "standard-input"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return str(path)


def add_word_options(parser: argparse._ActionsContainer) -> None:
    """How a text is cut into the words that have vectors."""
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--split",
        default="words",
        choices=["words", "whitespace"],
        help="what a word is, as in the training of the vectors (default: words)",
    )
    ways.add_argument("--phrases", metavar="FILE", help="join the phrases of this table to one word each")
    ways.add_argument(
        "--tokenizer", metavar="FILE", help="the vectors are of tokens, which this tokenizer cuts"
    )
    parser.add_argument(
        "--lowercase",
        action=argparse.BooleanOptionalAction,
        help="look words up in lower case (default: as the vectors were trained, where their file says it)",
    )


def add_words_from_option(parser: argparse._ActionsContainer) -> None:
    """A file of words beside those of the command line."""
    parser.add_argument(
        "--words-from", metavar="FILE", help="a UTF-8 text file with a word on each line, or -"
    )


def add_map_options(parser: argparse._ActionsContainer) -> None:
    """How words get their places on a map."""
    parser.add_argument(
        "--method",
        default="pca",
        choices=["pca", "tsne", "umap", "pacmap"],
        help="principal components, or a map by a library that must be installed (default: pca)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="for the methods that draw at random (default: 1)"
    )
    parser.add_argument(
        "--unit",
        default=True,
        action=argparse.BooleanOptionalAction,
        help="divide vectors by their lengths first, so that near means near by cosine (default), or not",
    )


def words_from(options: argparse.Namespace) -> str | PhraseTable | Tokenizer:
    """How a text is cut into words."""
    if options.phrases is not None:
        return PhraseTable.load(options.phrases)
    if options.tokenizer is not None:
        return Tokenizer.load(options.tokenizer)
    split: str = options.split
    return split


def _parameter_descriptions(trainer: type[Any]) -> dict[str, str]:
    """The `Parameters` section of a NumPy-style docstring, by name."""
    # Before Python 3.13 docstrings keep their indentation.
    text = inspect.cleandoc(trainer.__doc__ or "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE)
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (section.group(1) if section else "").splitlines():
        name = re.match(r"(\w+) : ", line)
        if name:
            current = found.setdefault(name.group(1), [])
        elif line.strip():
            current.append(line.strip())
    return {name: " ".join(lines).replace("``", "").rstrip(".") for name, lines in found.items()}


def _reading(hint: Any) -> dict[str, Any]:  # noqa: ANN401
    """How argparse reads a value of this type."""
    if hint is bool:
        return {"action": argparse.BooleanOptionalAction}
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and typing.get_origin(arguments[0]) is tuple:
        return {"nargs": "*", "type": _pair, "metavar": "'LEFT RIGHT'"}
    if origin is tuple or (origin is not None and "Sequence" in str(origin)):
        return {"nargs": "*", "type": arguments[0], "metavar": "TEXT"}
    if origin is Literal:
        return {"choices": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return _reading_of_union([argument for argument in arguments if argument is not type(None)])
    return {"type": hint, "metavar": {int: "N", float: "X", str: "TEXT"}.get(hint, "VALUE")}


def _reading_of_union(members: list[Any]) -> dict[str, Any]:
    words = [
        word for member in members if typing.get_origin(member) is Literal for word in typing.get_args(member)
    ]
    kinds = [member for member in members if typing.get_origin(member) is not Literal]
    if not words:
        return _reading(kinds[0])
    kind: Callable[[str], Any] = _boolean if kinds[0] is bool else kinds[0]

    def read(text: str) -> Any:  # noqa: ANN401
        return text if text in words else kind(text)

    read.__name__ = " or ".join([*words, getattr(kinds[0], "__name__", "value")])
    return {"type": read, "metavar": "|".join([*words, "X"])}


def _pair(text: str) -> tuple[str, ...]:
    """Two tokens with a space between them; a space inside a token is written as backslash, x, 20."""
    pair = tuple(text.split(" "))
    if len(pair) != 2:
        raise ValueError(text)
    return pair


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"

"""`textgrain compare`: tokenizers side by side on the same text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textgrain import Corpus, compare_tokenizers
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import open_tokenizer
from textgrain.exceptions import ParameterError
from textgrain.statistics import Source, finite

__all__ = ["add_parser"]


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "compare",
        parents=[common],
        help="tokenizers side by side on the same text",
        description="Encodes the same text with several tokenizers and shows for each how many tokens a word "
        "takes, how many bytes a token stands for, and how much of its vocabulary is used.",
    )
    parser.add_argument("tokenizers", nargs="+", help="tokenizer.json or published .tiktoken files")
    parser.add_argument(
        "--corpus", nargs="+", required=True, metavar="FILE", help="text files; .gz and .zst are unpacked"
    )
    parser.add_argument(
        "--groups",
        choices=["none", "files", "tabs"],
        default="none",
        help="count by group: each file is one, or each line begins with its group and a tab (default: none)",
    )
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads to use (default: all of the machine)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    tokenizers = {path: open_tokenizer(path, None) for path in options.tokenizers}
    if len(tokenizers) < len(options.tokenizers):
        raise ParameterError("each tokenizer can be named once", "tokenizers")
    comparison = compare_tokenizers(
        tokenizers, _groups(options), threads=options.threads, progress=terminal.progress
    )
    if options.json:
        terminal.out_json(finite(comparison.as_dict()))
    else:
        terminal.out(str(comparison))


def _groups(options: argparse.Namespace) -> Source | dict[str, Source]:
    if options.groups == "none":
        return Corpus.from_files(options.corpus)
    if options.groups == "files":
        # Patterns stand for the files that they match.
        files = Corpus.from_files(options.corpus)._native.paths()
        return {str(path): Corpus.from_files(path) for path in files}
    groups: dict[str, list[str]] = {}
    for group, text in _tab_separated(options.corpus):
        groups.setdefault(group, []).append(text)
    return dict(groups)


def _tab_separated(paths: list[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        with Path(path).open(encoding="utf-8", errors="replace", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                group, tab, text = line.removesuffix("\n").partition("\t")
                if not tab:
                    raise ParameterError(
                        f"{path}, line {number}: --groups tabs needs a group, a tab and a text on each line",
                        "groups",
                    )
                yield group, text

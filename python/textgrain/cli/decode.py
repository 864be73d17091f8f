"""`textgrain decode`: a line of ids in, a line of text out."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_tokenizer_argument, open_tokenizer
from textgrain.exceptions import FormatError


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "decode",
        parents=[common],
        help="ids to text",
        description="Writes the text of each line of ids. Ids are separated by spaces, or a JSON list.",
    )
    add_tokenizer_argument(parser)
    parser.add_argument(
        "file", nargs="?", default="-", help="a file of ids, or - for standard input (default)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    tokenizer = open_tokenizer(options.tokenizer, None, only_decodes=True)
    with _opened(options.file) as source:
        for number, line in enumerate(source, start=1):
            text = tokenizer.decode(_ids(line, options.file, number))
            if options.json:
                terminal.out_json(text)
            else:
                terminal.out(text)


def _opened(path: str) -> AbstractContextManager[TextIO]:
    return nullcontext(sys.stdin) if path == "-" else Path(path).open(encoding="utf-8")


def _ids(line: str, path: str, number: int) -> list[int]:
    try:
        if line.lstrip().startswith("["):
            return [int(token_id) for token_id in json.loads(line)]
        return [int(token_id) for token_id in line.split()]
    except (ValueError, TypeError) as error:
        place = "standard input" if path == "-" else path
        reason = "ids must be whole numbers separated by spaces, or a JSON list of them"
        raise FormatError(f"{place}, line {number}: {reason}", path, reason, line=number) from error

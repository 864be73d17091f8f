"""`textgrain encode`: a line of text in, a line of ids out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option, add_tokenizer_argument, open_tokenizer

#: Lines that are encoded at a time: enough for all threads, little enough to stay in the caches.
_LINES_PER_BATCH = 4096


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "encode",
        parents=[common],
        help="text to ids",
        description="Writes the ids of each line of text, separated by spaces, on a line of its own.",
    )
    add_tokenizer_argument(parser)
    add_split_option(parser)
    parser.add_argument(
        "files", nargs="*", default=["-"], help="text files, or - for standard input (default)"
    )
    parser.add_argument("--tokens", action="store_true", help="write tokens (as a JSON list) instead of ids")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads to use (default: all of the machine)"
    )
    parser.add_argument(
        "--special",
        default="text",
        choices=["text", "allow", "error"],
        help="names of special tokens in the text: ordinary text, their ids, or an error (default: text)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    tokenizer = open_tokenizer(options.tokenizer, options.split)
    # Ids become text through a table: one look-up a token instead of one conversion.
    numbers = [str(token_id) for token_id in range(tokenizer.vocab_size)]
    for path in options.files:
        lines = _lines(path)
        while batch := list(islice(lines, _LINES_PER_BATCH)):
            flat, offsets = tokenizer.encode_ids_batch(
                batch, threads=options.threads, special=options.special
            )
            ids, ends = flat.tolist(), offsets.tolist()
            for start, end in pairwise(ends):
                part = ids[start:end]
                if options.tokens:
                    terminal.out_json([tokenizer.id_to_token(token_id) for token_id in part])
                elif options.json:
                    terminal.out_json(part)
                else:
                    terminal.out(" ".join([numbers[token_id] for token_id in part]))


def _lines(path: str) -> Iterator[str]:
    """Lines without their line feed; only a line feed ends a line."""
    if path == "-":
        sys.stdin.reconfigure(newline="\n", errors="replace", encoding="utf-8")  # type: ignore[union-attr]
        for line in sys.stdin:
            yield line.removesuffix("\n")
        return
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:  # noqa: PTH123
        for line in file:
            yield line.removesuffix("\n")

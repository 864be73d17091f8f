"""`textgrain convert`: vectors from one format into another."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import WordVectors, _native
from textgrain.cli.terminal import Terminal

_FORMATS = ("safetensors", "word2vec-text", "word2vec-binary", "glove-text", "fasttext")


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "convert",
        parents=[common],
        help="write a vectors file in another format",
        description="Reads a vectors file, whose format is found from its content, and writes it in another "
        "format. Other programs' formats are compressed where OUT ends in .gz or .zst.",
    )
    parser.add_argument("input", metavar="IN", help="a vectors file: safetensors, word2vec or GloVe")
    parser.add_argument("output", metavar="OUT", help="the file to write")
    parser.add_argument("--to", required=True, choices=_FORMATS, help="the format of OUT")
    parser.add_argument(
        "--spaces", metavar="TEXT", help="write this in place of white space in words, such as _"
    )
    parser.add_argument("--lenient", action="store_true", help="leave out damaged rows of IN and report them")
    parser.add_argument("--threads", type=int, metavar="N", help="threads that read text (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    _native.check_writable(options.output)
    vectors = WordVectors.load(
        options.input, lenient=options.lenient, threads=options.threads, progress=terminal.progress
    )
    vectors.save(options.output, format=options.to, spaces=options.spaces, progress=terminal.progress)
    if options.json:
        facts = {"output": options.output, "format": options.to, "words": len(vectors)}
        terminal.out_json(facts | {"vector_size": vectors.vector_size, "read": vectors.settings})
    else:
        terminal.status(
            f"{len(vectors):,} words, {vectors.vector_size} numbers each, written to {options.output}"
        )

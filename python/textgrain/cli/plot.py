"""`textgrain plot`: a map of words."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import WordVectors
from textgrain.cli.terminal import Terminal


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "plot",
        parents=[common],
        help="draw a map of words",
        description="Projects word vectors on their two main directions and draws the words there.",
    )
    parser.add_argument("vectors", help="a vectors file, of any format that is read")
    parser.add_argument("words", nargs="*", help="the words (default: the most frequent ones)")
    parser.add_argument(
        "--output", "-o", default="map.png", metavar="FILE", help=".png, .svg or .pdf (default: map.png)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = WordVectors.load(options.vectors)
    vectors.plot(options.words or None, path=options.output)
    if options.json:
        terminal.out_json({"output": options.output})
    else:
        terminal.status(f"drawn to {options.output}")

"""`textgrain stability`: what trainings that differ in their seed agree on."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import stability
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_keep_folder_option, open_each


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "stability",
        parents=[common],
        help="how far trainings with other seeds agree",
        description="Says how many neighbors of words are the same in several vectors files, as of trainings "
        "that differ in their seed. A finding should be larger than that.",
    )
    parser.add_argument("vectors", nargs="+", help="at least two vectors files, of any format, or addresses")
    add_keep_folder_option(parser)
    parser.add_argument(
        "--words", nargs="+", metavar="WORD", help="the words to compare (default: the first 10,000 shared)"
    )
    parser.add_argument(
        "--neighbors", type=int, default=10, metavar="N", help="neighbors of each word (default: 10)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="for the interval (default: 1)")
    parser.add_argument("--threads", type=int, metavar="N", help="threads (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    models = open_each(options.vectors, options, terminal, threads=options.threads)
    overlap = stability(
        models,
        words=options.words,
        neighbors=options.neighbors,
        seed=options.seed,
        threads=options.threads,
        progress=terminal.progress,
    )
    if options.json:
        terminal.out_json(overlap.as_dict())
    else:
        terminal.out(str(overlap))

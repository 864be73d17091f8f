"""`textgrain odd-one-out`: the word that fits least among the others."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "odd-one-out",
        parents=[common],
        help="the word that fits least among others",
        description="Writes each word with its cosine to the mean of all, the one that fits least first.",
    )
    add_vectors_argument(parser)
    parser.add_argument("words", nargs="+", help="at least three words")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = open_vectors(options.vectors, options, terminal)
    odd = vectors.odd_one_out(options.words)
    mean = vectors.mean_vector(options.words)
    others = [(word, vectors.similarity(mean, word)) for word in options.words if word != odd]
    fits = [(odd, vectors.similarity(mean, odd)), *sorted(others, key=lambda pair: pair[1])]
    if options.json:
        terminal.out_json({"odd": odd, "fits": [list(pair) for pair in fits]})
    else:
        terminal.table(["odd one out first", "cosine to the mean"], [list(pair) for pair in fits])

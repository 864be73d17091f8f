"""`textgrain similarity`: how near one word is to others."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "similarity",
        parents=[common],
        help="how near one word is to others",
        description="Writes how near a word is to each of the others: the cosine, the distance, and the "
        "place among the word's neighbors.",
    )
    add_vectors_argument(parser)
    parser.add_argument("word", help="the word")
    parser.add_argument("others", nargs="+", metavar="other", help="what it is compared with")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = open_vectors(options.vectors, options, terminal)
    word, found = options.word, []
    for other in options.others:
        # Words that get their vectors from n-grams are nobody's neighbors.
        rank = vectors.rank(word, other) if word in vectors and other in vectors else None
        cosine, distance = vectors.similarity(word, other), vectors.distance(word, other)
        found.append({"word": other, "cosine": cosine, "distance": distance, "rank": rank})
    if options.json:
        terminal.out_json({"word": word, "others": found})
        return
    rows = [["none" if value is None else value for value in figures.values()] for figures in found]
    terminal.table([word, "cosine", "distance", "rank"], rows)

"""`textgrain project`: coordinates of words on a map."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain.cli.lists import named_words
from textgrain.cli.options import add_map_options, add_words_from_option
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "project",
        parents=[common],
        help="coordinates of words on a map",
        description="Writes a few coordinates for each word: those of its place on the map that `textgrain "
        "plot` draws, or in more dimensions.",
    )
    add_vectors_argument(parser)
    parser.add_argument("words", nargs="*", metavar="word", help="the words (default: the 100 most frequent)")
    add_words_from_option(parser)
    parser.add_argument(
        "--dimensions", type=int, default=2, metavar="N", help="coordinates of each word (default: 2)"
    )
    add_map_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = open_vectors(options.vectors, options, terminal)
    words = [word for word, _ in named_words(options.words, options.words_from)]
    found = vectors.project(
        words or None,
        dimensions=options.dimensions,
        unit=options.unit,
        method=options.method,
        seed=options.seed,
    )
    if options.json:
        terminal.out_json(
            {
                "words": found.words,
                "coordinates": found.coordinates,
                "explained": None if found.explained is None else found.explained.tolist(),
                "method": found.method,
            }
        )
        return
    if found.explained is not None:
        shares = ", ".join(f"{100 * share:.1f} %" for share in found.explained)
        terminal.status(f"share of the variance that each column shows: {shares}")
    rows = [[word, *place] for word, place in zip(found.words, found.coordinates.tolist(), strict=True)]
    terminal.table(["word", *(str(number + 1) for number in range(options.dimensions))], rows)

"""`textgrain axis`: where words lie between opposites."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "axis",
        parents=[common],
        help="where words lie between opposites",
        description="Writes the place of words on an axis that pairs of opposites give, from -1 (the first "
        "words of the pairs) to 1, with an interval from drawing the pairs again.",
    )
    add_vectors_argument(parser)
    parser.add_argument("words", nargs="+", help="the words to place")
    parser.add_argument(
        "--pair",
        nargs=2,
        action="append",
        required=True,
        metavar=("FROM", "TO"),
        help="a pair of opposites, such as poor rich; give several",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="for the intervals (default: 1)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    axis = open_vectors(options.vectors, options, terminal).axis(
        [(start, end) for start, end in options.pair]
    )
    places = axis.project(options.words, seed=options.seed)
    if options.json:
        listed = [dataclasses.asdict(place) for place in places]
        terminal.out_json({"agreement": axis.agreement, "places": listed})
        return
    terminal.status(f"agreement of the pairs: {axis.agreement:.3f}")
    rows = [[place.word, place.score, f"{place.low:.3f} to {place.high:.3f}"] for place in places]
    terminal.table(["word", "place", "95 % interval"], rows)

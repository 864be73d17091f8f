"""`textgrain distance-concentration`: near and far among vectors and among random points."""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.curves import plot_concentration


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "distance-concentration",
        parents=[common],
        help="near and far, beside random points",
        description="Writes how many times farther the farthest point is than the nearest: for random points "
        "of several dimensions, where it nears 1 in many, and for these vectors. Vectors that learned "
        "something keep near and far words.",
    )
    add_vectors_argument(parser)
    parser.add_argument(
        "--dimensions",
        nargs="+",
        type=int,
        default=[2, 10, 100, 1000],
        metavar="N",
        help="of the random points (default: 2 10 100 1000)",
    )
    parser.add_argument(
        "--points", type=int, default=1000, metavar="N", help="points of each kind (default: 1000)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="for the points (default: 1)")
    parser.add_argument("--picture", metavar="FILE", help="draw all distances to a .png, .svg or .pdf")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = open_vectors(options.vectors, options, terminal)
    found = vectors.distance_concentration(
        dimensions=options.dimensions, points=options.points, seed=options.seed
    )
    if options.json:
        facts = dataclasses.asdict(found)
        # JSON has no number for a word that lies on another.
        terminal.out_json(facts | {"own": None if math.isinf(found.own) else found.own})
    else:
        terminal.out(str(found))
    if options.picture is not None:
        plot_concentration(vectors, options.picture, points=options.points, seed=options.seed)

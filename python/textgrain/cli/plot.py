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
        description="Draws words as a map: near on the picture means alike.",
    )
    parser.add_argument("vectors", help="a vectors file, of any format that is read")
    parser.add_argument("words", nargs="*", help="the words (default: the most frequent ones)")
    parser.add_argument(
        "--neighbors", type=int, metavar="N", help="draw each word with its N nearest ones, in one color"
    )
    parser.add_argument(
        "--method",
        default="pca",
        choices=["pca", "tsne", "umap", "pacmap"],
        help="principal components, or a map by a library that must be installed (default: pca)",
    )
    parser.add_argument("--dark", action="store_true", help="light on dark")
    parser.add_argument("--title", metavar="TEXT", help="text above the picture")
    parser.add_argument(
        "--output", "-o", default="map.png", metavar="FILE", help=".png, .svg or .pdf (default: map.png)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = WordVectors.load(options.vectors)
    around = options.words if options.neighbors is not None else None
    vectors.plot(
        None if around is not None else options.words or None,
        path=options.output,
        neighbors_of=around,
        neighbors=12 if options.neighbors is None else options.neighbors,
        method=options.method,
        title=options.title,
        style="dark" if options.dark else "light",
    )
    if options.json:
        terminal.out_json({"output": options.output})
    else:
        terminal.status(f"drawn to {options.output}")

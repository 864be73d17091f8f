"""`textgrain compare-vectors`: two vectors files side by side."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import meaning_change, neighbor_overlap
from textgrain.cli.lists import named_words
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_keep_folder_option, open_each


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "compare-vectors",
        parents=[common],
        help="two vectors files side by side",
        description="Says how far two vectors files give words the same neighbors, and, where the vectors "
        "are of one size, which words moved the most after one is turned onto the other.",
    )
    parser.add_argument("first", help="a vectors file, of any format that is read, or an address")
    parser.add_argument("second", help="another")
    parser.add_argument("words", nargs="*", help="the words to compare (default: the first 10,000 shared)")
    for side in ("first", "second"):
        parser.add_argument(
            f"--{side}-also",
            nargs="+",
            default=[],
            metavar="FILE",
            help=f"more models like the {side}, as of other seeds: says how much change is chance",
        )
    parser.add_argument(
        "--anchors-from",
        metavar="FILE",
        help="the words that stay in place on the whole, one a line (default: the first 10,000 shared)",
    )
    parser.add_argument(
        "--rounds", type=int, default=50, metavar="N", help="draws for the intervals (default: 50)"
    )
    add_keep_folder_option(parser)
    parser.add_argument(
        "--neighbors", type=int, default=10, metavar="N", help="neighbors of each word (default: 10)"
    )
    parser.add_argument(
        "--number", "-n", type=int, default=20, metavar="N", help="words to list (default: 20)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="for the intervals (default: 1)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    sides = [[options.first, *options.first_also], [options.second, *options.second_also]]
    models = open_each([path for side in sides for path in side], options, terminal)
    earlier, later = models[: len(sides[0])], models[len(sides[0]) :]
    first, second = earlier[0], later[0]
    words = options.words or None
    overlap = neighbor_overlap(
        first,
        second,
        words=words,
        neighbors=options.neighbors,
        seed=options.seed,
        progress=terminal.progress,
    )
    comparable = first.vector_size == second.vector_size
    change = None
    if comparable:
        anchors = None
        if options.anchors_from is not None:
            anchors = [word for word, _ in named_words((), options.anchors_from)]
        change = meaning_change(
            earlier, later, words, anchors=anchors, rounds=options.rounds, seed=options.seed
        )
    figures = {} if change is None else change.as_dict()
    if options.json:
        terminal.out_json({"neighbors": overlap.as_dict(), "change": figures or None})
        return
    terminal.out(str(overlap))
    if change is None:
        sizes = f"{first.vector_size} and {second.vector_size}"
        terminal.note(f"vectors of {sizes} numbers cannot be turned onto each other")
        return
    terminal.out()
    rows = [
        [
            word,
            figure["change"],
            f"{figure['low']:.3f} to {figure['high']:.3f}",
            figure["neighbors_lost"],
            *([figure["noise"]] if "noise" in figure else []),
        ]
        for word, figure in list(figures.items())[: options.number]
    ]
    header = ["most changed", "1 - cosine", "95 % interval", "neighbors lost"]
    terminal.table([*header, *([] if change.noise is None else ["noise"])], rows)

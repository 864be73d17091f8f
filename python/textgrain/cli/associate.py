"""`textgrain associate`: which words lie near which."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import association_test
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors

_SETS = ("first-targets", "second-targets", "first-attributes", "second-attributes")


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "associate",
        parents=[common],
        help="association test of four sets of words (WEAT)",
        description="Tests whether two sets of target words differ in how near they lie to two sets of "
        "attributes: effect size, and p-value by permutation.",
    )
    add_vectors_argument(parser)
    for name in _SETS:
        parser.add_argument(
            f"--{name}", nargs="+", required=True, metavar="WORD", help=name.replace("-", " ")
        )
    parser.add_argument(
        "--unknown",
        default="error",
        choices=["error", "skip"],
        help="what a word without a vector is (default: error)",
    )
    parser.add_argument(
        "--permutations",
        type=int,
        default=10_000,
        metavar="N",
        help="random divisions, where not all are counted (default: 10000)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="for the divisions (default: 1)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    test = association_test(
        open_vectors(options.vectors, options, terminal),
        options.first_targets,
        options.second_targets,
        options.first_attributes,
        options.second_attributes,
        unknown=options.unknown,
        permutations=options.permutations,
        seed=options.seed,
    )
    if options.json:
        terminal.out_json(test.as_dict())
        return
    terminal.out(str(test))
    ranked = sorted(test.associations.items(), key=lambda pair: -pair[1])
    terminal.table(["target", "association"], [list(pair) for pair in ranked])

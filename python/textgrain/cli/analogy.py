"""`textgrain analogy`: a is to b as c is to ... the answer."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "analogy",
        parents=[common],
        help="a is to b as c is to ...",
        description="Completes an analogy: `textgrain analogy v.safetensors man woman king` asks for queen.",
    )
    add_vectors_argument(parser)
    parser.add_argument("a", help="a is to")
    parser.add_argument("b", help="b as")
    parser.add_argument("c", help="c is to the answer")
    parser.add_argument(
        "--number", "-n", type=int, default=10, metavar="N", help="how many answers (default: 10)"
    )
    parser.add_argument(
        "--method",
        default="3cosadd",
        choices=["3cosadd", "3cosmul"],
        help="by the sum or by the product of cosines (default: 3cosadd)",
    )
    parser.add_argument(
        "--restrict", type=int, metavar="N", help="search among the first N words (default: all words)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = open_vectors(options.vectors, options, terminal)
    answers = vectors.analogy(
        options.a, options.b, options.c, n=options.number, method=options.method, restrict=options.restrict
    )
    if options.json:
        terminal.out_json([list(answer) for answer in answers])
        return
    terminal.table(
        [f"{options.a} : {options.b} = {options.c} :", _SCORES[options.method]],
        [list(answer) for answer in answers],
    )


# What the numbers beside the answers are.
_SCORES = {"3cosadd": "cosine", "3cosmul": "quotient"}

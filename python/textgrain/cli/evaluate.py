"""`textgrain evaluate`: word vectors against tests made by people."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.curves import plot_space
from textgrain.exceptions import ParameterError


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "evaluate",
        parents=[common],
        help="score vectors on tests",
        description="Scores word vectors on similarity, analogy, odd-one-out and category tests, and says "
        "how much of each test could be asked. Without a test, says how the vectors fill their space.",
    )
    add_vectors_argument(parser)
    parser.add_argument(
        "tests", nargs="*", metavar="test", help="test files; with none, a description of the vectors"
    )
    parser.add_argument(
        "--kind",
        default="auto",
        choices=["auto", "similarity", "analogy", "odd-one-out", "categories"],
        help="what the tests ask (default: auto, which knows similarities and analogies)",
    )
    parser.add_argument(
        "--restrict", type=int, metavar="N", help="only the first N words count (default: all words)"
    )
    parser.add_argument(
        "--case",
        default="fold",
        choices=["fold", "exact"],
        help="whether a word may be found with other upper and lower case (default: fold)",
    )
    parser.add_argument(
        "--oov",
        default="skip",
        choices=["skip", "subword"],
        help="whether words outside the vocabulary get vectors from their n-grams (default: skip)",
    )
    parser.add_argument(
        "--unknown",
        default="skip",
        choices=["skip", "wrong"],
        help="what items with words without a vector count as (default: skip)",
    )
    parser.add_argument(
        "--method",
        default="3cosadd",
        choices=["3cosadd", "3cosmul"],
        help="how analogies are answered (default: 3cosadd)",
    )
    parser.add_argument(
        "--picture", metavar="FILE", help="without a test: draw the description to a .png, .svg or .pdf"
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="without a test: describe the first N words (default: 10000)",
    )
    parser.add_argument(
        "--neighbors",
        type=int,
        metavar="N",
        help="without a test: neighbors of each word, for the hubs (default: 10)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    for name in ("picture", "sample", "neighbors"):
        if options.tests and getattr(options, name) is not None:
            raise ParameterError(f"`{name}` belongs to the description, which is given without a test", name)
    vectors = open_vectors(options.vectors, options, terminal, threads=options.threads)
    if not options.tests:
        settings = {"sample": options.sample, "neighbors": options.neighbors}
        chosen = {name: value for name, value in settings.items() if value is not None}
        report = vectors.describe(**chosen, threads=options.threads, progress=terminal.progress)
        if options.json:
            terminal.out_json(report.as_dict())
        else:
            terminal.out(str(report))
        if options.picture is not None:
            plot_space(vectors, options.picture)
        return
    results = [
        vectors.evaluate(
            test,
            kind=options.kind,
            restrict=options.restrict,
            case=options.case,
            oov=options.oov,
            unknown=options.unknown,
            method=options.method,
            threads=options.threads,
            progress=terminal.progress,
        )
        for test in options.tests
    ]
    if options.json:
        terminal.out_json([result.as_dict() for result in results])
        return
    for result in results:
        terminal.out(str(result))

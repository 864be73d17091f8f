"""`textgrain similar`: the nearest neighbors of words."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.exceptions import ParameterError


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "similar",
        parents=[common],
        help="nearest neighbors of words",
        description="Writes the words whose vectors point most nearly in the direction of each given word's.",
    )
    add_vectors_argument(parser)
    parser.add_argument("words", nargs="+", help="the words")
    parser.add_argument(
        "--number", "-n", type=int, default=10, metavar="N", help="how many neighbors (default: 10)"
    )
    parser.add_argument(
        "--metric",
        default="cosine",
        choices=["cosine", "euclidean", "dot", "all"],
        help="what nearness is; all three side by side with all (default: cosine)",
    )
    parser.add_argument(
        "--minus",
        nargs="+",
        metavar="WORD",
        help="ask once, for what is near to the sum of the words less these",
    )
    parser.add_argument(
        "--sum", action="store_true", help="ask once, for what is near to the sum of the words"
    )
    parser.add_argument("--among", nargs="+", metavar="WORD", help="search among these words only")
    parser.add_argument(
        "--restrict", type=int, metavar="N", help="search among the first N words (default: all words)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = open_vectors(options.vectors, options, terminal)
    restrict = options.among or options.restrict
    is_one_query = options.sum or options.minus is not None
    if options.metric == "all":
        if is_one_query:
            raise ParameterError("`--metric all` takes words one by one, not with --sum or --minus", "metric")
        compared = [
            vectors.compare_metrics(word, n=options.number, restrict=restrict) for word in options.words
        ]
        if options.json:
            terminal.out_json([comparison.as_dict() for comparison in compared])
        else:
            terminal.out("\n\n".join(map(str, compared)))
        return
    settings = {"n": options.number, "metric": options.metric, "restrict": restrict}
    if is_one_query:
        removed = options.minus or []
        name = " - ".join([" + ".join(options.words), *removed])
        answers = {name: vectors.most_similar(options.words, removed, **settings)}
    else:
        found = vectors.most_similar_batch(options.words, **settings)
        answers = dict(zip(options.words, found, strict=True))
    if options.json:
        terminal.out_json({word: [list(neighbor) for neighbor in found] for word, found in answers.items()})
        return
    for position, (word, neighbors) in enumerate(answers.items()):
        if position:
            terminal.out()
        terminal.table([word, options.metric], [list(neighbor) for neighbor in neighbors])

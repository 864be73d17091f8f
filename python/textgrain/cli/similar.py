"""`textgrain similar`: the nearest neighbors of words."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import WordVectors
from textgrain.cli.terminal import Terminal


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "similar",
        parents=[common],
        help="nearest neighbors of words",
        description="Writes the words whose vectors point most nearly in the direction of each given word's.",
    )
    parser.add_argument("vectors", help="a vectors file, of any format that is read")
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
        "--restrict", type=int, metavar="N", help="search among the first N words (default: all words)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    vectors = WordVectors.load(options.vectors)
    if options.metric == "all":
        compared = [
            vectors.compare_metrics(word, n=options.number, restrict=options.restrict)
            for word in options.words
        ]
        if options.json:
            terminal.out_json([comparison.as_dict() for comparison in compared])
        else:
            terminal.out("\n\n".join(map(str, compared)))
        return
    found = vectors.most_similar_batch(
        options.words, n=options.number, metric=options.metric, restrict=options.restrict
    )
    answers = dict(zip(options.words, found, strict=True))
    if options.json:
        terminal.out_json({word: [list(neighbor) for neighbor in found] for word, found in answers.items()})
        return
    for position, (word, neighbors) in enumerate(answers.items()):
        if position:
            terminal.out()
        terminal.table([word, options.metric], [list(neighbor) for neighbor in neighbors])

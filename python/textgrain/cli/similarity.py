"""`textgrain similarity`: how near one word is to others."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import WordVectors
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.exceptions import ParameterError


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "similarity",
        parents=[common],
        help="how near one word is to others",
        description="Writes how near a word is to each of the others: the cosine, the distance, and the "
        "place among the word's neighbors. With --to, how near the mean of some words is to that of others.",
    )
    add_vectors_argument(parser)
    parser.add_argument("word", help="the word")
    parser.add_argument(
        "others", nargs="*", metavar="other", help="what it is compared with; with --to, more words like it"
    )
    parser.add_argument(
        "--to",
        nargs="+",
        metavar="WORD",
        help="compare the mean vector of all words in front with the mean of these",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    if not options.others and options.to is None:
        raise ParameterError(f"`other` must be at least one word to compare {options.word!r} with", "other")
    vectors = open_vectors(options.vectors, options, terminal)
    if options.to is not None:
        _compare_means(vectors, options, terminal)
        return
    word, found = options.word, []
    for other in options.others:
        # Words that get their vectors from n-grams are nobody's neighbors.
        rank = vectors.rank(word, other) if word in vectors and other in vectors else None
        cosine, distance = vectors.similarity(word, other), vectors.distance(word, other)
        found.append({"word": other, "cosine": cosine, "distance": distance, "rank": rank})
    if options.json:
        terminal.out_json({"word": word, "others": found})
        return
    rows = [["none" if value is None else value for value in figures.values()] for figures in found]
    terminal.table([word, "cosine", "distance", "rank"], rows)


def _compare_means(vectors: WordVectors, options: argparse.Namespace, terminal: Terminal) -> None:
    first, second = [options.word, *options.others], options.to
    cosine = vectors.n_similarity(first, second)
    if options.json:
        terminal.out_json({"first": first, "second": second, "cosine": cosine})
    else:
        terminal.table(["means", "cosine"], [[f"{', '.join(first)} : {', '.join(second)}", cosine]])

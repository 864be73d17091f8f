"""`textgrain word-vectors`: the numbers of words."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from textgrain import WordVectors, _native
from textgrain.cli.arrays import shown, write_matrix
from textgrain.cli.lists import named_words
from textgrain.cli.options import add_words_from_option
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.exceptions import ParameterError, UnknownWordError


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "word-vectors",
        parents=[common],
        help="the numbers of words, or of their mean",
        description="Writes each word and the numbers of its vector on a line, or the vectors to a NumPy "
        "file, one in each row.",
    )
    add_vectors_argument(parser)
    parser.add_argument("words", nargs="*", metavar="word", help="the words")
    add_words_from_option(parser)
    parser.add_argument(
        "--oov",
        nargs="+",
        default=["subword"],
        choices=["subword", "error", "zero", "skip"],
        help="what a word outside the vocabulary is: put together from its n-grams, an error, zeros, or "
        "nothing; of several the first that works (default: subword, else an error)",
    )
    parser.add_argument("--mean", action="store_true", help="write the mean of the vectors only")
    parser.add_argument(
        "--weights", nargs="+", type=float, metavar="X", help="of a mean: how much each word counts"
    )
    parser.add_argument(
        "--unit",
        default=True,
        action=argparse.BooleanOptionalAction,
        help="of a mean: divide each vector by its length first, so that long ones do not outweigh others",
    )
    parser.add_argument("--output", "-o", metavar="FILE", help="write the vectors to this .npy file")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    if options.output is not None:
        _native.check_writable(options.output)
    if not options.mean and (options.weights is not None or not options.unit):
        name = "weights" if options.weights is not None else "unit"
        raise ParameterError(f"`{name}` can only be used with --mean", name)
    vectors = open_vectors(options.vectors, options, terminal)
    words, rows = _rows(vectors, options)
    if options.mean:
        mean = vectors.mean_vector(list(rows), weights=options.weights, unit=options.unit)
        words, rows = ["mean"], mean.reshape(1, -1)
    if options.output is not None:
        write_matrix(options.output, rows)
        if options.json:
            terminal.out_json({"output": options.output, "words": words, "vector_size": vectors.vector_size})
        else:
            count = "1 vector" if len(rows) == 1 else f"{len(rows):,} vectors"
            terminal.status(f"{count} of {vectors.vector_size} numbers; written to {options.output}")
    elif options.json:
        pairs = zip(words, rows, strict=True)
        terminal.out_json([{"word": word, "vector": row} for word, row in pairs])
    else:
        for word, row in zip(words, rows, strict=True):
            terminal.out(f"{word} {shown(row)}")


def _rows(vectors: WordVectors, options: argparse.Namespace) -> tuple[list[str], Any]:
    """The words that have a vector, and those vectors."""
    places = named_words(options.words, options.words_from)
    if not places:
        raise ParameterError("`words` must hold at least one word, got none", "words")
    words, rows = [], []
    for word, place in places:
        try:
            found = vectors.lookup([word], oov=options.oov)
        except UnknownWordError as error:
            raise UnknownWordError(f"{place}{error}") from error
        words += [word] * len(found)
        rows.append(found)
    return words, np.concatenate(rows)

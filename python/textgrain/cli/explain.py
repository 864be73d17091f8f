"""`textgrain explain`: why a text was cut as it was, how merges were chosen, or what a vector is made of."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from textgrain import Tokenizer, WordVectors
from textgrain.cli.inspect import is_tokenizer
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option, add_tokenizer_argument, open_tokenizer
from textgrain.exceptions import ParameterError


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "explain",
        parents=[common],
        help="why a text is cut so, or what a vector is made of",
        description="Without a text, shows how the first merges were chosen in training. For a vectors file, "
        "shows of which n-grams the vector of a word is made, and the words nearest to each.",
    )
    add_tokenizer_argument(parser)
    add_split_option(parser)
    parser.add_argument("text", nargs="?", help="the text to cut, or a word")
    parser.add_argument(
        "--cuts", action="store_true", help="compare the cut with words, characters and bytes"
    )
    parser.add_argument(
        "--merges", type=int, default=20, metavar="N", help="how many merges to show (default: 20)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    if options.split is None and not is_tokenizer(Path(options.tokenizer)):
        _explain_word(options, terminal)
        return
    tokenizer = open_tokenizer(options.tokenizer, options.split)
    if options.text is None:
        _explain_training(tokenizer, options, terminal)
        return
    if options.cuts:
        _compare_cuts(tokenizer, options, terminal)
        return
    explanation = tokenizer.explain(options.text)
    if options.json:
        terminal.out_json([dataclasses.asdict(piece) for piece in explanation.pieces])
    else:
        terminal.out(str(explanation))


def _explain_word(options: argparse.Namespace, terminal: Terminal) -> None:
    if options.text is None:
        raise ParameterError("`text` must be a word where vectors are explained, got none", "text")
    explanation = WordVectors.load(options.tokenizer, progress=terminal.progress).explain(options.text)
    if options.json:
        terminal.out_json(dataclasses.asdict(explanation))
    else:
        terminal.out(str(explanation))


def _compare_cuts(tokenizer: Tokenizer, options: argparse.Namespace, terminal: Terminal) -> None:
    comparison = tokenizer.compare_cuts(options.text)
    if options.json:
        facts = (dataclasses.asdict(row) | {"count": row.count, "grid": row.grid} for row in comparison)
        terminal.out_json(list(facts))
    else:
        terminal.out(str(comparison))


def _explain_training(tokenizer: Tokenizer, options: argparse.Namespace, terminal: Terminal) -> None:
    history = tokenizer.history
    if history is None:
        message = "this tokenizer has no record of its training; give a text to explain instead"
        raise ParameterError(f"{options.tokenizer}: {message}", "tokenizer")
    records = history[: options.merges]
    if options.json:
        terminal.out_json([dataclasses.asdict(record) for record in records])
        return
    terminal.out(history.table(options.merges))

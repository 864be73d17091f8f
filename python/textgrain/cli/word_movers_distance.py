"""`textgrain word-movers-distance`: how far texts are apart."""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from textgrain import WordVectors, cut_words
from textgrain.cli.lists import read_text_pairs
from textgrain.cli.options import add_word_options, words_from
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.documents import in_lowercase
from textgrain.exceptions import FormatError, ParameterError

# Cuts a text into the words that are looked up.
_Cut: TypeAlias = Callable[[str], list[str]]


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "word-movers-distance",
        parents=[common],
        help="how far two texts are apart",
        description="Writes how far the words of one text must travel to become those of the other (word "
        "mover's distance, Kusner et al. 2015): 0 for the same words, and the larger the less alike. Words "
        "without a vector are left out. Needs the library POT: pip install 'textgrain[transport]'.",
    )
    add_vectors_argument(parser)
    parser.add_argument("texts", nargs="*", metavar="text", help="two texts")
    parser.add_argument("--files", action="store_true", help="the texts are names of UTF-8 text files")
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="write a distance for each line of this file, which holds two texts with a tab between them",
    )
    add_word_options(parser.add_argument_group("words"))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    if (len(options.texts) == 2) == (options.pairs is not None) or len(options.texts) not in (0, 2):
        got = len(options.texts)
        raise ParameterError(f"`texts` must be two texts, or none with --pairs FILE, got {got}", "texts")
    vectors = open_vectors(options.vectors, options, terminal)
    lowercase = in_lowercase(vectors, lowercase=options.lowercase)
    cut = functools.partial(cut_words, split=words_from(options), lowercase=lowercase)
    if options.pairs is None:
        _one(vectors, options, terminal, cut)
    else:
        _many(vectors, options, terminal, cut)


def _one(vectors: WordVectors, options: argparse.Namespace, terminal: Terminal, cut: _Cut) -> None:
    texts = [_text_of(path) for path in options.texts] if options.files else options.texts
    first, second = map(cut, texts)
    sides = [
        {"words": len(words), "known": sum(word in vectors for word in words)} for words in (first, second)
    ]
    for name, text, side in zip(("first", "second"), options.texts, sides, strict=True):
        if side["known"] == 0:
            raise ParameterError(
                f"the {name} text must hold a word that has a vector, got {text!r}. See --lowercase", "texts"
            )
    distance = vectors.word_movers_distance(first, second)
    if options.json:
        terminal.out_json({"distance": distance, "first": sides[0], "second": sides[1]})
        return
    known = " and ".join(f"{side['known']:,} of {side['words']:,}" for side in sides)
    terminal.status(f"{known} words have a vector")
    terminal.out(str(distance))


def _many(vectors: WordVectors, options: argparse.Namespace, terminal: Terminal, cut: _Cut) -> None:
    pairs = read_text_pairs(options.pairs)
    distances = [vectors.word_movers_distance(*map(cut, pair)) for pair in pairs]
    without = sum(map(math.isnan, distances))
    if options.json:
        terminal.out_json([None if math.isnan(distance) else distance for distance in distances])
    else:
        for distance in distances:
            terminal.out(str(distance))
    if without:
        terminal.note(
            f"{without:,} of {len(distances):,} pairs have no distance (nan): a text without a word that has "
            "a vector"
        )


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"not valid UTF-8 at byte {error.start}. Convert the file to UTF-8"
        raise FormatError(f"{path}: {reason}", path, reason, offset=error.start) from error

"""`textgrain plot`: a map of words, or another picture of a file."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import WordVectors
from textgrain.cli.options import add_map_options
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import open_tokenizer
from textgrain.cli.vectors import add_keep_option, open_vectors
from textgrain.curves import (
    plot_concentration,
    plot_loss,
    plot_merges,
    plot_space,
    plot_token_lengths,
)
from textgrain.exceptions import ParameterError

_OF_VECTORS: dict[str, Any] = {
    "loss": plot_loss,
    "space": plot_space,
    "concentration": plot_concentration,
}
_OF_TOKENIZERS: dict[str, Any] = {"merges": plot_merges, "token-lengths": plot_token_lengths}


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "plot",
        parents=[common],
        help="draw a map of words, or another picture",
        description="Draws words as a map: near on the picture means alike. Other kinds draw the loss of "
        "each epoch, how the vectors fill their space, or near and far among them; of a tokenizer the counts "
        "of its merges, or the lengths of its tokens.",
    )
    parser.add_argument("file", help="a vectors file, or a tokenizer for the last two kinds")
    parser.add_argument("words", nargs="*", help="the words of a map (default: the most frequent ones)")
    add_keep_option(parser)
    parser.add_argument(
        "--kind",
        default="map",
        choices=["map", *_OF_VECTORS, *_OF_TOKENIZERS],
        help="what to draw (default: map)",
    )
    parser.add_argument(
        "--also", nargs="+", metavar="FILE", help="with loss: other trainings to draw beside it"
    )
    parser.add_argument(
        "--group",
        nargs="+",
        action="append",
        metavar=("NAME", "WORD"),
        help="words of a map that get one color and a name; may be repeated",
    )
    parser.add_argument(
        "--neighbors", type=int, metavar="N", help="draw each word with its N nearest ones, in one color"
    )
    add_map_options(parser)
    parser.add_argument("--dark", action="store_true", help="light on dark")
    parser.add_argument("--title", metavar="TEXT", help="text above the picture")
    parser.add_argument(
        "--output", "-o", default="map.png", metavar="FILE", help=".png, .svg or .pdf (default: map.png)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    style = "dark" if options.dark else "light"
    if options.also is not None and options.kind != "loss":
        raise ParameterError(f"`--also` can only be used with --kind loss, got {options.kind}", "also")
    if options.kind == "map":
        _draw_map(options, terminal, style)
    elif options.words or options.group or options.title or options.neighbors is not None:
        raise ParameterError(
            f"`--kind {options.kind}` is of the whole file and takes neither words nor a title", "kind"
        )
    elif options.kind in _OF_VECTORS:
        shown: Any = open_vectors(options.file, options, terminal)
        if options.also is not None:
            others = [WordVectors.load(path, progress=terminal.progress) for path in options.also]
            shown = dict(zip([options.file, *options.also], [shown, *others], strict=True))
        _OF_VECTORS[options.kind](shown, options.output, style=style)
    else:
        _OF_TOKENIZERS[options.kind](open_tokenizer(options.file, None), options.output, style=style)
    if options.json:
        terminal.out_json({"output": options.output})
    else:
        terminal.status(f"drawn to {options.output}")


def _draw_map(options: argparse.Namespace, terminal: Terminal, style: Any) -> None:  # noqa: ANN401
    vectors = open_vectors(options.file, options, terminal)
    around = options.words if options.neighbors is not None else None
    groups = {name: words for name, *words in options.group or ()}
    if groups and options.words:
        raise ParameterError("`--group` names the words of the map; give no others", "group")
    vectors.plot(
        None if around is not None else groups or options.words or None,
        path=options.output,
        neighbors_of=around,
        neighbors=12 if options.neighbors is None else options.neighbors,
        method=options.method,
        seed=options.seed,
        unit=options.unit,
        title=options.title,
        style=style,
    )

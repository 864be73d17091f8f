"""`textgrain translate`: words of one vectors file in the place of another's."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import Alignment, _native, align
from textgrain.cli.convert import vectors_format
from textgrain.cli.lists import read_pairs
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_keep_folder_option, open_each


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "translate",
        parents=[common],
        help="words of one file among those of another",
        description="Turns the vectors of SOURCE onto those of TARGET, by the words that both have or by the "
        "pairs of a dictionary, and writes which words of TARGET lie nearest to words of SOURCE.",
    )
    parser.add_argument("source", help="a vectors file, of any format that is read, or an address")
    parser.add_argument("target", help="another of the same vector size")
    parser.add_argument("words", nargs="*", help="words of SOURCE")
    add_keep_folder_option(parser)
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="a word of SOURCE and one of TARGET on each line (default: shared words)",
    )
    parser.add_argument(
        "--test", metavar="FILE", help="other pairs: says how often the answer is right, with an interval"
    )
    parser.add_argument(
        "--number", "-n", type=int, default=5, metavar="N", help="how many answers (default: 5)"
    )
    parser.add_argument(
        "--method",
        default="csls",
        choices=["csls", "cosine"],
        help="whether nearness counts less around words that are near to everything (default: csls)",
    )
    parser.add_argument(
        "--restrict",
        type=int,
        default=20_000,
        metavar="N",
        help="only the first N words of each file are looked at (default: 20000)",
    )
    parser.add_argument(
        "--output",
        "-o",
        nargs=2,
        metavar=("SOURCE", "TARGET"),
        help="write both sets as they are compared: turned, centered, and of length 1",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    for path in options.output or ():
        _native.check_writable(path)
    source, target = open_each((options.source, options.target), options, terminal)
    alignment = align(source, target, None if options.pairs is None else read_pairs(options.pairs))
    if options.output is not None:
        for path, vectors in zip(options.output, alignment.aligned(), strict=True):
            vectors.save(path, format=vectors_format(path))
    settings: dict[str, Any] = {"method": options.method, "restrict": options.restrict}
    answers = alignment.translate_batch(options.words, n=options.number, **settings) if options.words else []
    score = None if options.test is None else alignment.score(read_pairs(options.test), **settings)
    if options.json:
        facts: dict[str, Any] = {"pairs": len(alignment.pairs), "skipped": alignment.skipped}
        facts |= {
            "mean_cosine": alignment.mean_cosine,
            "answers": dict(zip(options.words, answers, strict=True)),
        }
        terminal.out_json(facts | {"test": None if score is None else _facts(score)})
        return
    terminal.status(_about(alignment))
    for position, (word, found) in enumerate(zip(options.words, answers, strict=True)):
        if position:
            terminal.out()
        terminal.table([word, options.method], [list(answer) for answer in found])
    if score is not None:
        terminal.out(str(score))


def _about(alignment: Alignment) -> str:
    skipped = f", {alignment.skipped:,} left out" if alignment.skipped else ""
    return (
        f"turned by {len(alignment.pairs):,} pairs{skipped}; their mean cosine is {alignment.mean_cosine:.3f}"
    )


def _facts(score: Any) -> dict[str, Any]:  # noqa: ANN401
    return {name: getattr(score, name) for name in score.__dataclass_fields__} | {"coverage": score.coverage}

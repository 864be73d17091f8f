"""`textgrain merge-counts`: files of counts go in, their sum comes out."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import PieceCounts, _native
from textgrain.cli.count import report
from textgrain.cli.terminal import Terminal


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "merge-counts",
        parents=[common],
        help="add up files of counts",
        description="Adds up files that `textgrain count` wrote, as if their texts had been one corpus, in "
        "the order of the files.",
    )
    parser.add_argument("files", nargs="+", help="files of counts")
    parser.add_argument("--output", "-o", required=True, metavar="FILE", help="where to write the sum")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    _native.check_writable(options.output)
    counts = PieceCounts.merge(PieceCounts.load(path) for path in options.files)
    counts.save(options.output)
    report(counts, options, terminal)

"""`textgrain count`: a corpus goes in, a file of counts comes out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from textgrain import PieceCounts, _native
from textgrain.cli.options import add_corpus_options, corpus_from
from textgrain.cli.terminal import Terminal
from textgrain.counts import Split


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "count",
        parents=[common],
        help="count pieces of text, to train from the counts",
        description="Counts the pieces of text files. Counts of several parts are added up with "
        "`textgrain merge-counts`; `textgrain train bpe --counts` trains from them.",
    )
    add_corpus_options(parser)
    parser.add_argument("--output", "-o", required=True, metavar="FILE", help="where to write the counts")
    parser.add_argument(
        "--split", default="gpt2", choices=get_args(Split), help="how documents are cut (default: gpt2)"
    )
    parser.add_argument("--space-prefix", action="store_true", help="words keep the space in front of them")
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    _native.check_writable(options.output)
    counts = PieceCounts.count(
        corpus_from(options),
        split=options.split,
        space_prefix=options.space_prefix,
        threads=options.threads,
        progress=terminal.progress,
    )
    counts.save(options.output)
    report(counts, options, terminal)


def report(counts: PieceCounts, options: argparse.Namespace, terminal: Terminal) -> None:
    """Say what was written."""
    facts = {
        "output": options.output,
        "bytes": Path(options.output).stat().st_size,
        "pieces": len(counts),
        "total": counts.total,
        "documents": counts.documents,
        "text_bytes": counts.bytes,
        "split": counts.split,
        "space_prefix": counts.space_prefix,
    }
    if options.json:
        terminal.out_json(facts)
    else:
        terminal.status(
            f"{len(counts):,} pieces of {counts.documents:,} documents; written to {options.output}"
        )

"""`textgrain index`: an approximate index of a vectors file, for very many vectors."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from textgrain import VectorIndex, _native
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "index",
        parents=[common],
        help="an approximate index, for millions of vectors",
        description="Writes an approximate index of a vectors file (HNSW, by the library usearch), which "
        "`textgrain similar --index` asks, and says which share of the true neighbors it finds. The search "
        "without an index is exact, and fast enough for hundreds of thousands of words. Needs usearch: "
        "pip install 'textgrain[index]'.",
    )
    add_vectors_argument(parser)
    parser.add_argument("--output", "-o", required=True, metavar="FILE", help="where to write the index")
    parser.add_argument(
        "--connectivity",
        type=int,
        default=16,
        metavar="N",
        help="edges of each word: more find more and take more memory (default: 16)",
    )
    parser.add_argument(
        "--effort-adding",
        type=int,
        default=128,
        metavar="N",
        help="candidates that are looked at while words are added (default: 128)",
    )
    parser.add_argument(
        "--effort-asking",
        type=int,
        default=64,
        metavar="N",
        help="candidates that are looked at while questions are answered (default: 64)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="threads that add words; with 1 the same vectors give the same index (default: 1)",
    )
    parser.add_argument(
        "--neighbors", type=int, default=10, metavar="N", help="neighbors of the recall (default: 10)"
    )
    parser.add_argument(
        "--sample", type=int, default=1000, metavar="N", help="words of the recall (default: 1000)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    _native.check_writable(options.output)
    vectors = open_vectors(options.vectors, options, terminal)
    started = time.monotonic()
    index = VectorIndex(
        vectors,
        connectivity=options.connectivity,
        effort_adding=options.effort_adding,
        effort_asking=options.effort_asking,
        threads=options.threads,
    )
    seconds = time.monotonic() - started
    recall = index.recall(n=options.neighbors, sample=options.sample)
    index.save(options.output)
    size = Path(options.output).stat().st_size
    if options.json:
        facts = {"output": options.output, "bytes": size, "words": len(index), "seconds": round(seconds, 3)}
        terminal.out_json(facts | {"recall": recall, "neighbors": options.neighbors})
        return
    terminal.status(
        f"{len(index):,} words in {seconds:.1f} s, {size:,} bytes; finds {100 * recall:.1f} % of the "
        f"{options.neighbors} nearest words; written to {options.output}"
    )

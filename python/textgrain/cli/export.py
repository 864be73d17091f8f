"""`textgrain export`: word vectors for other tools, or with fewer bits."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import WordVectors, export_numpy, export_parquet, export_projector, token_matrix
from textgrain.cli.arrays import write_matrix
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import open_tokenizer
from textgrain.cli.vectors import add_keep_option, open_vectors
from textgrain.exceptions import ParameterError

_QUANTIZED = ("float16", "int8", "product")

# What each option is for; elsewhere it would do nothing.
_TARGETS = {
    "neighbors": ("parquet",),
    "number": ("parquet", "projector"),
    "spaces": ("projector",),
    "parts": ("product",),
    "tokenizer": ("npy",),
    "missing": ("npy",),
    "seed": ("product", "npy"),
}


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "export",
        parents=[common],
        help="tables for other tools, or fewer bits",
        description="Writes vectors as a Parquet table with neighbors, as a NumPy matrix with its words, "
        "as the two tables of the embedding projector, or in a file of this library with fewer bits, "
        "saying what that costs.",
    )
    parser.add_argument("input", metavar="IN", help="a vectors file, of any format that is read")
    add_keep_option(parser)
    parser.add_argument("output", metavar="OUT", help="the file to write, or the start of the names of two")
    parser.add_argument(
        "--to",
        required=True,
        choices=["parquet", "npy", "projector", *_QUANTIZED],
        help="what to write; float16, int8 and product are files of this library",
    )
    parser.add_argument(
        "--neighbors", type=int, metavar="N", help="neighbors in a Parquet table (default: 15)"
    )
    parser.add_argument(
        "--parts", type=int, metavar="N", help="bytes a vector with product (default: a quarter of its size)"
    )
    parser.add_argument(
        "--number", "-n", type=int, metavar="N", help="only the first N words (parquet, projector)"
    )
    parser.add_argument(
        "--spaces", metavar="TEXT", help="write this in place of tabs and line breaks in words (projector)"
    )
    parser.add_argument(
        "--tokenizer",
        metavar="FILE",
        help="with npy: a row for each id of this tokenizer, as the first layer of a model wants them",
    )
    parser.add_argument(
        "--missing",
        choices=["zero", "mean", "normal"],
        help="with --tokenizer: what ids without a vector get: zeros, the mean, or random numbers like "
        "those of the others (default: normal)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="for product, and for the random numbers of --missing (default: 1)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    _check(options)
    vectors = open_vectors(options.input, options, terminal, threads=options.threads)
    if options.tokenizer is not None:
        _write_token_matrix(vectors, options, terminal)
    elif options.to in _QUANTIZED:
        _write_quantized(vectors, options, terminal)
    else:
        _write_tables(vectors, options, terminal)


def _check(options: argparse.Namespace) -> None:
    """Refuse options that would do nothing."""
    for name, targets in _TARGETS.items():
        if getattr(options, name) is not None and options.to not in targets:
            message = f"`--{name}` can only be used with --to {' or '.join(targets)}, got {options.to}"
            raise ParameterError(message, name)
    if options.to == "npy" and options.tokenizer is None:
        for name in ("missing", "seed"):
            if getattr(options, name) is not None:
                raise ParameterError(f"`--{name}` can only be used with --tokenizer or --to product", name)


def _given(options: argparse.Namespace, *names: str, **renamed: str) -> dict[str, Any]:
    """The options that were given, by the names of parameters; defaults are those of the functions."""
    renamed |= {name: name for name in names}
    values = {name: getattr(options, option) for name, option in renamed.items()}
    return {name: value for name, value in values.items() if value is not None}


def _write_quantized(vectors: WordVectors, options: argparse.Namespace, terminal: Terminal) -> None:
    given = _given(options, "parts", "seed", "threads")
    small = vectors.quantize(options.to, progress=terminal.progress, **given)
    small.save(options.output)
    if options.json:
        terminal.out_json({"output": [options.output], **small.report.as_dict()})
    else:
        terminal.status(str(small.report))


def _write_tables(vectors: WordVectors, options: argparse.Namespace, terminal: Terminal) -> None:
    if options.to == "parquet":
        given = _given(options, "neighbors", "threads", n="number")
        written = [export_parquet(vectors, options.output, progress=terminal.progress, **given)]
    elif options.to == "npy":
        written = [*export_numpy(vectors, options.output)]
    else:
        written = [*export_projector(vectors, options.output, **_given(options, "spaces", n="number"))]
    paths = [str(path) for path in written]
    if options.json:
        words = len(vectors) if options.number is None else min(options.number, len(vectors))
        terminal.out_json({"output": paths, "words": words})
    else:
        terminal.status(f"written to {' and '.join(paths)}")


def _write_token_matrix(vectors: WordVectors, options: argparse.Namespace, terminal: Terminal) -> None:
    tokenizer = open_tokenizer(options.tokenizer, None)
    table = token_matrix(vectors, tokenizer, **_given(options, "missing", "seed"))
    path = options.output if options.output.endswith(".npy") else f"{options.output}.npy"
    write_matrix(path, table.matrix)
    if options.json:
        ids, size = table.matrix.shape
        facts = {"output": [path], "ids": ids, "vector_size": size, "known": int(table.known.sum())}
        terminal.out_json(facts)
    else:
        terminal.status(f"{table}; written to {path}")

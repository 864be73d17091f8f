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
        "--neighbors", type=int, default=15, metavar="N", help="neighbors in a Parquet table (default: 15)"
    )
    parser.add_argument(
        "--parts", type=int, metavar="N", help="bytes a vector with product (default: a quarter of its size)"
    )
    parser.add_argument("--number", "-n", type=int, metavar="N", help="only the first N words of a table")
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
        default="normal",
        choices=["zero", "mean", "normal"],
        help="with --tokenizer: what ids without a vector get: zeros, the mean, or random numbers like "
        "those of the others (default: normal)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="for product, and for the random numbers of --missing (default: 1)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    if options.tokenizer is not None and options.to != "npy":
        raise ParameterError(f"`--tokenizer` can only be used with --to npy, got {options.to}", "tokenizer")
    vectors = open_vectors(options.input, options, terminal, threads=options.threads)
    if options.tokenizer is not None:
        _write_token_matrix(vectors, options, terminal)
        return
    if options.to in _QUANTIZED:
        small = vectors.quantize(
            options.to,
            parts=options.parts,
            seed=options.seed,
            threads=options.threads,
            progress=terminal.progress,
        )
        small.save(options.output)
        if options.json:
            terminal.out_json({"output": [options.output], **small.report.as_dict()})
        else:
            terminal.status(str(small.report))
        return
    if options.to == "parquet":
        written = [
            export_parquet(
                vectors,
                options.output,
                neighbors=options.neighbors,
                n=options.number,
                threads=options.threads,
                progress=terminal.progress,
            )
        ]
    elif options.to == "npy":
        written = [*export_numpy(vectors, options.output)]
    else:
        written = [*export_projector(vectors, options.output, n=options.number, spaces=options.spaces)]
    paths = [str(path) for path in written]
    if options.json:
        terminal.out_json({"output": paths, "words": len(vectors)})
    else:
        terminal.status(f"written to {' and '.join(paths)}")


def _write_token_matrix(vectors: WordVectors, options: argparse.Namespace, terminal: Terminal) -> None:
    table = token_matrix(
        vectors, open_tokenizer(options.tokenizer, None), missing=options.missing, seed=options.seed
    )
    path = options.output if options.output.endswith(".npy") else f"{options.output}.npy"
    write_matrix(path, table.matrix)
    if options.json:
        ids, size = table.matrix.shape
        facts = {"output": [path], "ids": ids, "vector_size": size, "known": int(table.known.sum())}
        terminal.out_json(facts)
    else:
        terminal.status(f"{table}; written to {path}")

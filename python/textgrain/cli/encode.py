"""`textgrain encode`: a line of text in, a line of ids out; or a corpus in, a file of ids out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from textgrain.cli.options import add_field_option, corpus_of_files
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option, add_tokenizer_argument, open_tokenizer
from textgrain.corpus import Corpus
from textgrain.exceptions import ParameterError
from textgrain.tokenizer import Tokenizer

#: Lines that are encoded at a time: enough for all threads, little enough to stay in the caches.
_LINES_PER_BATCH = 4096


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "encode",
        parents=[common],
        help="text to ids",
        description="Writes the ids of each line of text, separated by spaces, on a line of its own. "
        "With --output it writes a file of ids instead, for training on them; a stopped run goes on.",
    )
    add_tokenizer_argument(parser)
    add_split_option(parser)
    parser.add_argument(
        "files", nargs="*", default=["-"], help="text files, or - for standard input (default)"
    )
    parser.add_argument("--tokens", action="store_true", help="write tokens (as a JSON list) instead of ids")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="threads to use (default: all of the machine)"
    )
    parser.add_argument(
        "--special",
        default="text",
        choices=["text", "allow", "error"],
        help="names of special tokens in the text: ordinary text, their ids, or an error (default: text)",
    )
    parser.add_argument("--output", "-o", metavar="FILE", help="write a file of ids, such as notes.ids")
    output = parser.add_argument_group("options for --output")
    output.add_argument(
        "--documents",
        default="lines",
        metavar="RULE",
        help='"lines" (one document a line), "files" (one a file) or a separator (default: lines)',
    )
    add_field_option(output)
    output.add_argument("--start-token", metavar="TOKEN", help="a token in front of each document")
    output.add_argument("--end-token", metavar="TOKEN", help="a token after each document")
    output.add_argument(
        "--resume",
        default=True,
        action=argparse.BooleanOptionalAction,
        help="go on where a stopped run for this file was (default), or start anew",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    tokenizer = open_tokenizer(options.tokenizer, options.split)
    if options.output is not None:
        _write_file(tokenizer, options, terminal)
        return
    for name in ("start_token", "end_token", "field"):
        if getattr(options, name) is not None:
            raise ParameterError(f"`{name}` can only be used with --output", name)
    # Ids become text through a table: one look-up a token instead of one conversion.
    numbers = [str(token_id) for token_id in range(tokenizer.vocab_size)]
    for path in options.files:
        lines = _lines(path)
        while batch := list(islice(lines, _LINES_PER_BATCH)):
            flat, offsets = tokenizer.encode_ids_batch(
                batch, threads=options.threads, special=options.special
            )
            ids, ends = flat.tolist(), offsets.tolist()
            for start, end in pairwise(ends):
                part = ids[start:end]
                if options.tokens:
                    terminal.out_json([tokenizer.id_to_token(token_id) for token_id in part])
                elif options.json:
                    terminal.out_json(part)
                else:
                    terminal.out(" ".join([numbers[token_id] for token_id in part]))


def _write_file(tokenizer: Tokenizer, options: argparse.Namespace, terminal: Terminal) -> None:
    if options.tokens:
        raise ParameterError("`tokens` cannot be used with --output: the file holds ids", "tokens")
    corpus = _corpus(options)
    try:
        ids = tokenizer.encode_files(
            corpus,
            options.output,
            start_token=options.start_token,
            end_token=options.end_token,
            special=options.special,
            resume=options.resume,
            threads=options.threads,
            progress=terminal.progress,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "stopped; what is done is kept, and the same command goes on from there"
        ) from None
    facts = {
        "file": options.output,
        "ids": len(ids),
        "documents": len(ids.documents),
        "text_bytes": ids.text_bytes,
        "type": str(ids.dtype),
    }
    if options.json:
        terminal.out_json(facts)
        return
    ratio = ids.text_bytes / len(ids) if len(ids) else 0.0
    terminal.status(
        f"{options.output}: {len(ids):,} ids ({ids.dtype}) of {len(ids.documents):,} documents, "
        f"{ratio:.2f} bytes of text an id"
    )


def _corpus(options: argparse.Namespace) -> Corpus:
    if "-" not in options.files:
        return corpus_of_files(options.files, options)
    if options.files != ["-"] or options.documents != "lines" or options.field is not None:
        raise ParameterError(
            "standard input can only be encoded alone and with a document a line, without field, got"
            f" {' '.join(options.files)} with documents {options.documents!r}",
            "files",
        )
    return Corpus.from_iterable(_StandardInput())


class _StandardInput:
    """Lines of standard input; it is read once, so nothing is kept of it."""

    def __iter__(self) -> Iterator[str]:
        return _lines("-")


def _lines(path: str) -> Iterator[str]:
    """Lines without their line feed; only a line feed ends a line."""
    if path == "-":
        sys.stdin.reconfigure(newline="\n", errors="replace", encoding="utf-8")  # type: ignore[union-attr]
        for line in sys.stdin:
            yield line.removesuffix("\n")
        return
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:  # noqa: PTH123
        for line in file:
            yield line.removesuffix("\n")

"""Entry point: picks the verb, turns exceptions into one line and an exit status."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from textgrain.cli import (
    analogy,
    associate,
    axis,
    compare,
    compare_vectors,
    convert,
    count,
    decode,
    demo,
    distance_concentration,
    document_vectors,
    edit,
    encode,
    evaluate,
    explain,
    explore,
    export,
    extend,
    index,
    inspect,
    merge_counts,
    odd_one_out,
    plot,
    project,
    similar,
    similarity,
    stability,
    train,
    translate,
    word_movers_distance,
    word_vectors,
)
from textgrain.cli.terminal import Terminal
from textgrain.exceptions import TextgrainError

__all__ = ["main"]

#: The verbs under the headings of the list that `textgrain --help` shows.
_VERBS = {
    "Tokenizers and word vectors": (demo, train, explore, inspect, explain, plot, convert),
    "Tokenizers": (encode, decode, compare, extend, count, merge_counts),
    "Word vectors: words": (
        similar,
        similarity,
        analogy,
        odd_one_out,
        axis,
        associate,
        project,
        word_vectors,
    ),
    "Word vectors: texts": (document_vectors, word_movers_distance),
    "Word vectors: how good, how alike": (
        evaluate,
        distance_concentration,
        stability,
        compare_vectors,
        translate,
    ),
    "Word vectors: files": (edit, export, index),
}

#: Exit statuses, as shells and other programs use them.
_FAILURE = 1
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    terminal = Terminal(quiet=options.quiet)
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, *_: terminal.note(str(message))
    try:
        options.run(options, terminal)
        sys.stdout.flush()
    # An ImportError names what an option needs and how it is installed.
    except (TextgrainError, OSError, TypeError, ImportError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader, such as `head`, has seen enough; keep Python from complaining at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        terminal.error(_describe(error))
        return _FAILURE
    except KeyboardInterrupt as interrupt:
        terminal.error(str(interrupt) or "stopped; nothing was written")
        return _INTERRUPTED
    return 0


def _describe(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="write the result as JSON to standard output")
    common.add_argument("--quiet", "-q", action="store_true", help="no progress and no notices")
    parser = argparse.ArgumentParser(
        prog="textgrain",
        usage="%(prog)s [-h] [--version] command ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Start with `textgrain demo`. Each command tells more with --help.",
    )
    parser.add_argument("--version", action="version", version=f"textgrain {_version()}")
    # The list that argparse would write has no headings.
    subparsers = parser.add_subparsers(
        prog="textgrain", metavar="command", required=True, help=argparse.SUPPRESS
    )
    lines = [
        "Turns text into numbers: trains tokenizers and word vectors, and explains them.",
        "Results go to standard output, everything else to standard error.",
    ]
    for heading, modules in _VERBS.items():
        verbs = _Verbs(subparsers)
        for module in modules:
            module.add_parser(verbs, common)
        lines += ["", f"{heading}:", *(f"  {name:<23} {text}" for name, text in verbs.listed)]
    parser.description = "\n".join(lines)
    return parser


class _Verbs:
    """Where the verbs of a heading add their parsers; it writes down what each is for."""

    def __init__(self, subparsers: Any) -> None:  # noqa: ANN401 - argparse keeps this class to itself
        self._subparsers = subparsers
        self.listed: list[tuple[str, str]] = []

    def add_parser(self, name: str, **settings: Any) -> argparse.ArgumentParser:  # noqa: ANN401
        self.listed.append((name, settings["help"]))
        parser: argparse.ArgumentParser = self._subparsers.add_parser(name, **settings)
        return parser


def _version() -> str:
    from textgrain import _native

    return f"{dict(_native.build_info())['version']} ({_native.processor_level()})"

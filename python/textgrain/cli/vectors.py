"""The vectors that a command line names: a file of any format that is read, or an address."""

from __future__ import annotations

import argparse

from textgrain import WordVectors
from textgrain.cli.terminal import Terminal

__all__ = ["add_keep_option", "add_vectors_argument", "open_vectors"]


def add_vectors_argument(parser: argparse.ArgumentParser) -> None:
    """The file, and where it is kept if it is fetched."""
    parser.add_argument(
        "vectors", help="a vectors file, of any format that is read, or an address that begins with https://"
    )
    add_keep_option(parser)


def add_keep_option(parser: argparse._ActionsContainer) -> None:
    """Where a file that is fetched stays."""
    parser.add_argument(
        "--keep",
        metavar="FILE",
        help="where to keep a file that is fetched from an address; if it is there, nothing is fetched",
    )


def open_vectors(
    path: str,
    options: argparse.Namespace,
    terminal: Terminal,
    *,
    lenient: bool = False,
    threads: int | None = None,
) -> WordVectors:
    """Read the file, as the options say."""
    return WordVectors.load(
        path, lenient=lenient, keep=options.keep, threads=threads, progress=terminal.progress
    )

"""The vectors that a command line names: a file of any format that is read, or an address."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from textgrain import WordVectors
from textgrain.cli.terminal import Terminal
from textgrain.exceptions import ParameterError

__all__ = [
    "add_keep_folder_option",
    "add_keep_option",
    "add_vectors_argument",
    "open_each",
    "open_vectors",
]


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


def add_keep_folder_option(parser: argparse._ActionsContainer) -> None:
    """Where files that are fetched stay, for commands that take several."""
    parser.add_argument(
        "--keep",
        metavar="DIR",
        help="where to keep files that are fetched from addresses, each under its own name; what is there is "
        "not fetched again",
    )


def open_each(
    paths: Sequence[str], options: argparse.Namespace, terminal: Terminal, *, threads: int | None = None
) -> list[WordVectors]:
    """Read several files, as the options say."""
    places = dict.fromkeys(paths) if options.keep is None else _places(paths, Path(options.keep))
    return [
        WordVectors.load(path, keep=places[path], threads=threads, progress=terminal.progress)
        for path in paths
    ]


def _places(paths: Sequence[str], directory: Path) -> dict[str, Path | None]:
    """Where each file that is fetched is kept."""
    places: dict[str, Path | None] = dict.fromkeys(paths)
    names: dict[str, str] = {}
    for path in places:
        if not path.lower().startswith(("https://", "http://")):
            continue
        name = PurePosixPath(unquote(urlsplit(path).path)).name
        other = names.setdefault(name, path)
        if not name or other != path:
            rule = "addresses whose last parts are different names"
            raise ParameterError(f"`--keep` needs {rule}, got {other} and {path}", "keep")
        places[path] = directory / name
    if not names:
        raise ParameterError(f"`keep` must only be given with an address, got the path {paths[0]!r}", "keep")
    return places


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

"""`textgrain edit`: words of a vectors file selected, dropped, renamed and added, into a new file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from textgrain import WordVectors, _native
from textgrain.cli.convert import vectors_format
from textgrain.cli.lists import named_words, numbered_pairs
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.exceptions import ParameterError, UnknownWordError


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "edit",
        parents=[common],
        help="drop, rename or add words of a vectors file",
        description="Writes a new vectors file with other words: first those that --select names are kept, "
        "then words are dropped, then renamed, then added from another file. Files of words are UTF-8 text "
        "with a word on each line; - is standard input.",
    )
    add_vectors_argument(parser)
    parser.add_argument(
        "--output",
        "-o",
        required=True,
        metavar="FILE",
        help="where to write: word2vec text if the name ends in .vec, .vec.gz or .vec.zst, else a file of "
        "this library, which keeps counts and n-grams",
    )
    for name, what in (("select", "keep only these words, in this order"), ("drop", "leave out these words")):
        parser.add_argument(f"--{name}", nargs="+", metavar="WORD", help=what)
        parser.add_argument(f"--{name}-from", metavar="FILE", help="the same, with the words of a file")
    parser.add_argument(
        "--rename", nargs=2, action="append", metavar=("OLD", "NEW"), help="rename a word; may be repeated"
    )
    parser.add_argument(
        "--rename-from",
        metavar="FILE",
        help="rename words: on each line an old and a new name, with a tab between",
    )
    parser.add_argument(
        "--add-from", metavar="FILE", help="add the words of this vectors file, of the same vector size"
    )
    parser.add_argument("--add", nargs="+", metavar="WORD", help="only these words of it (default: all)")
    parser.add_argument(
        "--existing",
        default="replace",
        choices=["replace", "keep"],
        help="whether a word that is there already gets the added vector or keeps its own (default: replace)",
    )
    parser.add_argument(
        "--unknown",
        default="error",
        choices=["error", "skip"],
        help="what a named word without a vector is (default: error)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    target = vectors_format(options.output)
    _native.check_writable(options.output)
    if options.add is not None and options.add_from is None:
        raise ParameterError("`--add` names words of the file in --add-from, which is not given", "add")
    before = vectors = open_vectors(options.vectors, options, terminal)
    edit = _Edit(options)
    for step in (edit.select, edit.drop, edit.rename, edit.add):
        vectors = step(vectors, terminal)
    if vectors is before:
        raise ParameterError(
            "nothing to change: give --select, --drop, --rename or --add-from, or one of their files", "edit"
        )
    if before.storage != "float32":
        terminal.note(
            f"numbers stored as {before.storage} became floats; `textgrain export` stores them so again"
        )
    vectors.save(options.output, format=target, progress=terminal.progress)
    facts: dict[str, Any] = {"output": options.output, "words_before": len(before), "words": len(vectors)}
    if options.json:
        terminal.out_json(facts | edit.changes | {"unknown": edit.unknown})
        return
    changes = ", ".join(f"{count:,} {name}" for name, count in edit.changes.items() if count)
    terminal.status(
        f"{len(before):,} words before, {len(vectors):,} now ({changes or 'none changed'}); "
        f"written to {options.output}"
    )
    if edit.unknown:
        shown = ", ".join(map(repr, edit.unknown[:5])) + (", …" if len(edit.unknown) > 5 else "")
        terminal.note(f"{len(edit.unknown):,} named words have no vector and were passed over: {shown}")


class _Edit:
    """The steps, and what they changed."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.changes = dict.fromkeys(("dropped", "renamed", "replaced", "added"), 0)
        self.unknown: list[str] = []

    def select(self, vectors: WordVectors, _: Terminal) -> WordVectors:
        words = self._named(vectors, "select")
        return vectors if words is None else self._shortened(vectors, vectors.select(words))

    def drop(self, vectors: WordVectors, _: Terminal) -> WordVectors:
        words = self._named(vectors, "drop")
        return vectors if words is None else self._shortened(vectors, vectors.drop(words))

    def rename(self, vectors: WordVectors, _: Terminal) -> WordVectors:
        path = self._options.rename_from
        if self._options.rename is None and path is None:
            return vectors
        names: dict[str, str] = {}
        places: dict[str, str] = {}
        lines = [] if path is None else numbered_pairs(path)
        pairs = [("", pair) for pair in self._options.rename or ()]
        for place, (old, new) in pairs + [(f"{path}, line {number}: ", pair) for number, pair in lines]:
            places.setdefault(old, place)
            if names.setdefault(old, new) != new:
                message = f"{place}a word must have one new name, got {names[old]!r} and {new!r} for {old!r}"
                raise ParameterError(message, "rename")
        known = self._known(vectors, places)
        self.changes["renamed"] += len(known)
        return vectors.rename({old: names[old] for old in known})

    def add(self, vectors: WordVectors, terminal: Terminal) -> WordVectors:
        options = self._options
        if options.add_from is None:
            return vectors
        others = WordVectors.load(options.add_from, progress=terminal.progress)
        if others.vector_size != vectors.vector_size:
            raise ParameterError(
                f"`--add-from` must name vectors of {vectors.vector_size} numbers, as those of "
                f"{options.vectors}, got {others.vector_size}",
                "add_from",
            )
        wanted = others.words if options.add is None else self._known(others, dict.fromkeys(options.add, ""))
        words = [word for word in wanted if options.existing == "replace" or word not in vectors]
        # Files of other programs hold no counts, and a word that is replaced keeps its own then.
        counts = {
            word: count for word, count in zip(others.words, others.counts.tolist(), strict=True) if count
        }
        more = vectors.with_words(
            {word: others[word] for word in words},
            counts={word: counts[word] for word in words if word in counts},
        )
        self.changes["added"] = len(more) - len(vectors)
        self.changes["replaced"] = len(words) - self.changes["added"]
        return more

    def _shortened(self, before: WordVectors, after: WordVectors) -> WordVectors:
        self.changes["dropped"] += len(before) - len(after)
        return after

    def _named(self, vectors: WordVectors, option: str) -> list[str] | None:
        """The words that an option and its file name."""
        words: list[str] | None = getattr(self._options, option)
        path: str | None = getattr(self._options, f"{option}_from")
        if words is None and path is None:
            return None
        places: dict[str, str] = {}
        for word, place in named_words(words or (), path):
            places.setdefault(word, place)
        return self._known(vectors, places)

    def _known(self, vectors: WordVectors, places: Mapping[str, str]) -> list[str]:
        """The words that have a vector, of words and where each is named; what to do about others is set."""
        missing = [word for word in places if word not in vectors]
        if missing and self._options.unknown == "error":
            message = f"{places[missing[0]]}{vectors._unknown(missing[0])}"
            raise UnknownWordError(f"{message}. With --unknown skip such words are passed over")
        self.unknown += missing
        return [word for word in places if word in vectors]

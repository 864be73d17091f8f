"""`textgrain similar`: the nearest neighbors of words."""

from __future__ import annotations

import argparse
from typing import Any, TypeAlias

from textgrain import VectorIndex, WordVectors
from textgrain.cli.arrays import read_matrix
from textgrain.cli.lists import named_words
from textgrain.cli.options import add_words_from_option
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.exceptions import ParameterError

_Answers: TypeAlias = "dict[str, list[tuple[str, float]]]"


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "similar",
        parents=[common],
        help="nearest neighbors of words",
        description="Writes the words whose vectors point most nearly in the direction of each given word's.",
    )
    add_vectors_argument(parser)
    parser.add_argument("words", nargs="*", metavar="word", help="the words")
    add_words_from_option(parser)
    parser.add_argument(
        "--vectors-from",
        metavar="FILE",
        help="ask for what is near to each row of this .npy file, in place of words",
    )
    parser.add_argument(
        "--number", "-n", type=int, default=10, metavar="N", help="how many neighbors (default: 10)"
    )
    parser.add_argument(
        "--metric",
        default="cosine",
        choices=["cosine", "euclidean", "dot", "all"],
        help="what nearness is; all three side by side with all (default: cosine)",
    )
    parser.add_argument(
        "--minus",
        nargs="+",
        metavar="WORD",
        help="ask once, for what is near to the sum of the words less these",
    )
    parser.add_argument(
        "--sum", action="store_true", help="ask once, for what is near to the sum of the words"
    )
    parser.add_argument(
        "--method",
        choices=["3cosadd", "3cosmul"],
        help="of a sum: by the sum of vectors, or by the product of cosines (default: 3cosadd)",
    )
    parser.add_argument("--among", nargs="+", metavar="WORD", help="search among these words only")
    parser.add_argument(
        "--restrict", type=int, metavar="N", help="search among the first N words (default: all words)"
    )
    parser.add_argument(
        "--closer-than",
        metavar="WORD",
        help="in place of a number: all neighbors that are nearer than this word, by cosine",
    )
    parser.add_argument(
        "--index", metavar="FILE", help="ask this approximate index, which `textgrain index` made of the file"
    )
    parser.add_argument(
        "--effort",
        type=int,
        metavar="N",
        help="of an index: how many candidates are looked at; more find more (default: 64)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    options.words = [word for word, _ in named_words(options.words, options.words_from)]
    _check(options)
    vectors = open_vectors(options.vectors, options, terminal)
    if options.metric == "all":
        restrict = options.among or options.restrict
        compared = [
            vectors.compare_metrics(word, n=options.number, restrict=restrict) for word in options.words
        ]
        if options.json:
            terminal.out_json([comparison.as_dict() for comparison in compared])
        else:
            terminal.out("\n\n".join(map(str, compared)))
    elif options.closer_than is not None:
        _show(_closer(vectors, options), options, terminal)
    elif options.index is not None:
        effort = {} if options.effort is None else {"effort_asking": options.effort}
        index = VectorIndex.load(options.index, vectors, **effort)
        answers = {word: index.most_similar(word, n=options.number) for word in options.words}
        _show(answers, options, terminal)
    else:
        _show(_nearest(vectors, options), options, terminal)


def _check(options: argparse.Namespace) -> None:
    """Refuse what an index, all metrics at once, or the words nearer than another cannot answer."""
    if options.vectors_from is not None:
        _check_matrix(options)
    elif not options.words:
        raise ParameterError("`words` must hold at least one word, got none", "words")
    if options.effort is not None and options.index is None:
        raise ParameterError("`effort` can only be used with --index", "effort")
    is_sum = options.sum or options.minus is not None
    if options.method is not None and not is_sum:
        raise ParameterError("`method` can only be used with --sum or --minus", "method")
    if options.metric == "all" and is_sum:
        raise ParameterError("`--metric all` takes words one by one, not with --sum or --minus", "metric")
    for name in ("index", "closer_than"):
        if getattr(options, name) is None:
            continue
        others = {"sum", "minus", "among", "restrict", "index", "closer_than"} - {name}
        given = [other for other in sorted(others) if getattr(options, other) not in (None, False)]
        given += [] if options.metric == "cosine" else ["metric"]
        if given:
            flag, other = (f"--{option.replace('_', '-')}" for option in (name, given[0]))
            message = f"`{flag}` takes words one by one, among all words and by cosine, not with {other}"
            raise ParameterError(message, name)


def _check_matrix(options: argparse.Namespace) -> None:
    """Refuse what is asked of words only."""
    names = ("words", "sum", "minus", "closer_than", "index")
    given = [name for name in names if getattr(options, name) not in (None, False, [])]
    if given or options.metric == "all":
        other = given[0].replace("_", "-") if given else "metric all"
        other = other if other == "words" else f"--{other}"
        raise ParameterError(f"`--vectors-from` asks for rows, not with {other}", "vectors_from")


def _nearest(vectors: WordVectors, options: argparse.Namespace) -> _Answers:
    settings: dict[str, Any] = {
        "n": options.number,
        "metric": options.metric,
        "restrict": options.among or options.restrict,
    }
    if options.vectors_from is not None:
        found = vectors.most_similar_batch(read_matrix(options.vectors_from), **settings)
        return {f"row {number}": answer for number, answer in enumerate(found)}
    if options.sum or options.minus is not None:
        removed = options.minus or []
        settings["method"] = options.method or "3cosadd"
        name = " - ".join([" + ".join(options.words), *removed])
        return {name: vectors.most_similar(options.words, removed, **settings)}
    found = vectors.most_similar_batch(options.words, **settings)
    return dict(zip(options.words, found, strict=True))


def _closer(vectors: WordVectors, options: argparse.Namespace) -> _Answers:
    answers = {}
    for word in options.words:
        nearer = vectors.closer_than(word, options.closer_than)
        answers[word] = [(near, vectors.similarity(word, near)) for near in nearer]
    return answers


def _show(answers: _Answers, options: argparse.Namespace, terminal: Terminal) -> None:
    if options.json:
        terminal.out_json({word: [list(neighbor) for neighbor in found] for word, found in answers.items()})
        return
    for position, (word, neighbors) in enumerate(answers.items()):
        if position:
            terminal.out()
        terminal.table([word, options.metric], [list(neighbor) for neighbor in neighbors])

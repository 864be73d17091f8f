"""`textgrain document-vectors`: a vector for each document, and the documents nearest to a text."""

from __future__ import annotations

import argparse
from typing import Any

from textgrain import Corpus, DocumentVectors, WordVectors, _native
from textgrain._text import visible
from textgrain.cli.arrays import read_matrix, shown, write_matrix
from textgrain.cli.options import add_document_options, add_word_options, corpus_of_files, words_from
from textgrain.cli.terminal import Terminal
from textgrain.cli.vectors import add_vectors_argument, open_vectors
from textgrain.exceptions import ParameterError

# Characters of a document in a table.
_SHOWN = 70

# With fewer known words, the text is probably cut or written in another way than that of the training.
_FEW = 0.5


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "document-vectors",
        parents=[common],
        help="vectors of documents, and the nearest to a text",
        description="Makes a vector for each document from those of its words. With --output they are "
        "written to a NumPy file, one in each row; with --query the documents nearest to a text are listed; "
        "with neither, the numbers of each vector are written on a line.",
    )
    add_vectors_argument(parser)
    add_document_options(parser)
    parser.add_argument("--output", "-o", metavar="FILE", help="write the vectors to this .npy file")
    parser.add_argument(
        "--query",
        action="append",
        metavar="TEXT",
        help="list the documents that are nearest to this text; may be repeated",
    )
    parser.add_argument(
        "--number", "-n", type=int, default=10, metavar="N", help="how many of them (default: 10)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads (default: all)")
    add_word_options(parser.add_argument_group("words"))
    _add_weighting_options(parser.add_argument_group("weights"))
    parser.set_defaults(run=run)


def _add_weighting_options(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--weighting",
        default="mean",
        choices=["mean", "unit", "sif"],
        help="each word counts the same; or its vector is divided by its length first, as in fastText; or "
        "frequent words count little: smooth inverse frequency, for which the file must hold counts "
        "(default: mean)",
    )
    parser.add_argument(
        "--smoothing", type=float, default=1e-3, metavar="X", help="of sif: its `a` (default: 0.001)"
    )
    parser.add_argument(
        "--remove",
        type=int,
        metavar="N",
        help="take out so many directions that all documents have in common (default: 1 with sif, else 0)",
    )
    parser.add_argument(
        "--components", metavar="FILE", help="take out the directions in this .npy file instead"
    )
    parser.add_argument(
        "--save-components", metavar="FILE", help="write the directions that are taken out to this .npy file"
    )
    parser.add_argument(
        "--oov",
        default="skip",
        choices=["skip", "subword"],
        help="whether words outside the vocabulary are left out or put together from their n-grams "
        "(default: skip)",
    )


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    for path in filter(None, (options.output, options.save_components)):
        _native.check_writable(path)
    vectors = open_vectors(options.vectors, options, terminal, threads=options.threads)
    corpus = corpus_of_files(options.corpus, options, errors=options.errors)
    settings = _settings(options)
    found = vectors.document_vectors(corpus, **settings, remove=options.remove, progress=terminal.progress)
    answers = _answers(vectors, corpus, found, options, terminal)
    for path, matrix in ((options.output, found.matrix), (options.save_components, found.components)):
        if path is not None:
            write_matrix(path, matrix)
    if found.known_words < _FEW and found.words.any():
        terminal.note(
            f"only {100 * found.known_words:.1f} % of the words have a vector. Are they cut and written as "
            "those of the vectors? See --lowercase, --split and --oov"
        )
    if options.output is None and options.query is None:
        _write_lines(found, options, terminal)
    elif options.json:
        terminal.out_json(_facts(found, options) | ({"queries": answers} if answers else {}))
    else:
        _show(answers, terminal)
    terminal.status(str(found) + (f"; written to {options.output}" if options.output else ""))


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    components = None if options.components is None else read_matrix(options.components)
    return {
        "weighting": options.weighting,
        "smoothing": options.smoothing,
        "components": components,
        "oov": options.oov,
        "split": words_from(options),
        "lowercase": options.lowercase,
        "threads": options.threads,
    }


def _answers(
    vectors: WordVectors,
    corpus: Corpus,
    found: DocumentVectors,
    options: argparse.Namespace,
    terminal: Terminal,
) -> list[dict[str, Any]]:
    """For each query the documents nearest to it, best first."""
    if not options.query:
        return []
    # Seen from the side from which the documents are seen.
    settings = _settings(options) | {"components": found.components}
    asked = vectors.document_vectors(Corpus.from_iterable(options.query), **settings)
    answers: list[dict[str, Any]] = []
    for query, vector, coverage in zip(options.query, asked.matrix, asked.coverage, strict=True):
        if coverage == 0:
            message = (
                f"`--query` must hold a word that has a vector, got {query!r}. See --lowercase and --oov"
            )
            raise ParameterError(message, "query")
        nearest = found.most_similar(vector, n=options.number)
        texts = corpus.take([row for row, _ in nearest], progress=terminal.progress)
        rows = [
            {"row": row, "cosine": cosine, "text": text}
            for (row, cosine), text in zip(nearest, texts, strict=True)
        ]
        answers.append({"query": query, "documents": rows})
    return answers


def _facts(found: DocumentVectors, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "output": options.output,
        "documents": len(found),
        "vector_size": found.matrix.shape[1],
        "words": int(found.words.sum()),
        "known_words": found.known_words,
        "without_vector": int((found.coverage == 0).sum()),
        "weighting": options.weighting,
        "removed": len(found.components),
    }


def _write_lines(found: DocumentVectors, options: argparse.Namespace, terminal: Terminal) -> None:
    for row in found.matrix:
        if options.json:
            terminal.out_json(row)
        else:
            terminal.out(shown(row))


def _show(answers: list[dict[str, Any]], terminal: Terminal) -> None:
    for position, answer in enumerate(answers):
        if position:
            terminal.out()
        terminal.out(terminal.style(answer["query"], "bold"))
        rows = [[near["row"], near["cosine"], _shortened(near["text"])] for near in answer["documents"]]
        terminal.table(["row", "cosine", "document"], rows)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return "".join(
        character if character == " " else visible(character)
        for character in (text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
    )

"""`textgrain inspect`: what a file holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from textgrain import Corpus, IdFile, Tokenizer, WordVectors, _native
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option, open_tokenizer
from textgrain.exceptions import FormatError, ParameterError
from textgrain.statistics import bar_chart, finite, token_lengths


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "inspect",
        parents=[common],
        help="what a file holds, and how a tokenizer does on a text",
        description="Shows the settings, the size and some content of a tokenizer, vectors or ids file.",
    )
    parser.add_argument(
        "file", help="a tokenizer.json, .model, .tiktoken, vectors or ids file; told apart by content"
    )
    add_split_option(parser)
    parser.add_argument(
        "--corpus", nargs="+", metavar="FILE", help="text files; shows how a tokenizer does on them"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    if options.split is not None or is_tokenizer(Path(options.file)):
        _show_tokenizer(options, terminal)
        return
    if options.corpus is not None:
        raise ParameterError(f"`corpus` can only be used with a tokenizer, got {options.file}", "corpus")
    facts = _id_facts(options.file) if _is_id_file(Path(options.file)) else _vector_facts(options.file)
    if options.json:
        terminal.out_json(facts)
    else:
        _show(facts, terminal)


def _show_tokenizer(options: argparse.Namespace, terminal: Terminal) -> None:
    tokenizer = open_tokenizer(options.file, options.split)
    facts = _tokenizer_facts(tokenizer)
    figures = None
    if options.corpus is not None:
        figures = tokenizer.statistics(Corpus.from_files(options.corpus), progress=terminal.progress)
    if options.json:
        lengths = token_lengths(tokenizer).tolist()
        facts["token_lengths"] = {length: count for length, count in enumerate(lengths) if count}
        if figures is not None:
            never_used = figures.never_used
            facts["corpus"] = finite(figures.as_dict()) | {"never_used": never_used}
        terminal.out_json(facts)
        return
    _show(facts, terminal)
    terminal.out()
    if figures is None:
        terminal.out(f"bytes in a token of the vocabulary\n{bar_chart(token_lengths(tokenizer))}")
    else:
        terminal.out(str(figures))


def _show(facts: dict[str, object], terminal: Terminal) -> None:
    width = max(map(len, facts))
    for name, value in facts.items():
        terminal.out(f"{terminal.style(name.ljust(width), 'dim')}  {_shown(value)}")


def is_tokenizer(path: Path) -> bool:
    """Whether the content is that of a tokenizer, of whichever program."""
    try:
        _native.recognize_tokenizer(path)
    except FormatError:
        return False
    return True


def _is_id_file(path: Path) -> bool:
    """The version of the layout stands at the start of its header."""
    with path.open("rb") as file:
        return b'"textgrain.ids":' in file.read(1024)


def _id_facts(path: str) -> dict[str, object]:
    ids = IdFile(path)
    lengths = ids.documents.lengths
    return {
        "kind": "ids",
        "ids": len(ids),
        "documents": len(ids.documents),
        "type": str(ids.dtype),
        "vocab_size": ids.vocab_size,
        "text_bytes": ids.text_bytes,
        "longest document": int(lengths.max(initial=0)),
        "tokenizer": ids.fingerprint,
        "first ids": ids[:10].tolist(),
    }


def _tokenizer_facts(tokenizer: Tokenizer) -> dict[str, object]:
    tokens = tokenizer.vocabulary
    longest = sorted(tokens, key=len, reverse=True)[:5]
    return {
        "kind": "tokenizer",
        **{("method" if name == "kind" else name): value for name, value in tokenizer.settings.items()},
        # The size that was asked for may not have been reached.
        "vocab_size": tokenizer.vocab_size,
        "special_tokens": list(tokenizer.special_tokens),
        "lossless": tokenizer.lossless,
        "hugging_face": tokenizer.hugging_face_reason or "loads with equal ids",
        "longest tokens": longest,
    }


def _vector_facts(path: str) -> dict[str, object]:
    vectors = WordVectors.load(path)
    words, size = len(vectors), vectors.vector_size
    return {
        "kind": "word vectors",
        "words": words,
        "vector_size": size,
        "storage": vectors.storage,
        **vectors.settings,
        "mean_loss_per_epoch": [round(loss, 4) for loss in vectors.history],
        "most frequent": vectors.words[:10],
    }


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, (list, tuple)):
        return ", ".join(repr(item) if isinstance(item, str) else str(item) for item in value) or "none"
    return "none" if value is None else str(value)

"""`textgrain inspect`: what a file holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from textgrain import WordVectors
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option, open_tokenizer


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "inspect",
        parents=[common],
        help="show what a tokenizer or vectors file holds",
        description="Shows the settings, the size and some content of a tokenizer or vectors file.",
    )
    parser.add_argument("file", help="a tokenizer.json, a .tiktoken or a vectors file; told apart by content")
    add_split_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    is_vectors = _is_safetensors(Path(options.file))
    facts = _vector_facts(options.file) if is_vectors else _tokenizer_facts(options.file, options.split)
    if options.json:
        terminal.out_json(facts)
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        terminal.out(f"{terminal.style(name.ljust(width), 'dim')}  {_shown(value)}")


def _is_safetensors(path: Path) -> bool:
    """A safetensors file starts with the length of its header, which is a JSON object."""
    with path.open("rb") as file:
        start = file.read(9)
    return start[8:] == b"{" and int.from_bytes(start[:8], "little") <= path.stat().st_size


def _tokenizer_facts(path: str, split: str | None) -> dict[str, object]:
    tokenizer = open_tokenizer(path, split)
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
    words, size = vectors.matrix.shape
    return {
        "kind": "word vectors",
        "words": words,
        "vector_size": size,
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

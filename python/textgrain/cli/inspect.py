"""`textgrain inspect`: what a file holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from textgrain import WordVectors
from textgrain._tiktoken import is_rank_file
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option, is_sentencepiece_model, open_tokenizer


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "inspect",
        parents=[common],
        help="show what a tokenizer or vectors file holds",
        description="Shows the settings, the size and some content of a tokenizer or vectors file.",
    )
    parser.add_argument(
        "file", help="a tokenizer.json, .model, .tiktoken or vectors file; told apart by content"
    )
    add_split_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    is_tokenizer = options.split is not None or _is_tokenizer(Path(options.file))
    facts = _tokenizer_facts(options.file, options.split) if is_tokenizer else _vector_facts(options.file)
    if options.json:
        terminal.out_json(facts)
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        terminal.out(f"{terminal.style(name.ljust(width), 'dim')}  {_shown(value)}")


def _is_tokenizer(path: Path) -> bool:
    """A tokenizer is a JSON object, a SentencePiece model or a rank file; no vectors file starts like one."""
    with path.open("rb") as file:
        start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    is_json = start[:1] == b"{" and start[1:].lstrip()[:1] in (b'"', b"}")
    # A first line such as "1000 300" would pass for a token in base64 and its rank.
    is_header = start.split(b"\n")[0].replace(b" ", b"").strip().isdigit()
    return is_json or is_sentencepiece_model(path) or (is_rank_file(path) and not is_header)


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

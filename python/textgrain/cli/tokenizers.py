"""The tokenizer that a command line names: ours or of another program, told apart by content."""

from __future__ import annotations

import argparse
from pathlib import Path

from textgrain import Tokenizer, _native
from textgrain._tiktoken import identify

__all__ = ["add_split_option", "add_tokenizer_argument", "open_tokenizer"]


def add_tokenizer_argument(parser: argparse.ArgumentParser) -> None:
    """The file."""
    parser.add_argument(
        "tokenizer",
        help="a tokenizer.json, .model, .tiktoken, vocab.json, vocab.txt or a file of codes; told apart by "
        "content",
    )


def add_split_option(parser: argparse.ArgumentParser) -> None:
    """The split rule that goes with a rank file."""
    parser.add_argument(
        "--split",
        metavar="RULE",
        help="how a .tiktoken file splits text, such as gpt4; known for the files that OpenAI published",
    )


def open_tokenizer(path: str, split: str | None, *, only_decodes: bool = False) -> Tokenizer:
    """Read a tokenizer; a published rank file brings its split rule and special tokens."""
    if only_decodes and _native.recognize_tokenizer(path) == "tiktoken" and identify(Path(path)) is None:
        # Ids have the same bytes under every rule that keeps spaces.
        split = "none"
    return Tokenizer.load(path, split=split)

"""The tokenizer that a command line names: ours or of another program, told apart by content."""

from __future__ import annotations

import argparse
from pathlib import Path

from textgrain import Tokenizer
from textgrain._tiktoken import KNOWN, identify, is_rank_file
from textgrain.exceptions import ParameterError

__all__ = ["add_split_option", "add_tokenizer_argument", "open_tokenizer"]


def add_tokenizer_argument(parser: argparse.ArgumentParser) -> None:
    """The file."""
    parser.add_argument("tokenizer", help="a tokenizer.json, .model or .tiktoken file; told apart by content")


def add_split_option(parser: argparse.ArgumentParser) -> None:
    """The split rule that goes with a rank file."""
    parser.add_argument(
        "--split",
        metavar="RULE",
        help="how a .tiktoken file splits text, such as gpt4; known for the files that OpenAI published",
    )


def is_sentencepiece_model(path: Path) -> bool:
    """Whether the file begins with a message of less than 128 bytes that begins with a text."""
    with path.open("rb") as file:
        head = file.read(3)
    return len(head) == 3 and head[0] == head[2] == 0x0A and head[1] < 0x80


def open_tokenizer(path: str, split: str | None, *, only_decodes: bool = False) -> Tokenizer:
    """Read a tokenizer; a published rank file brings its split rule and special tokens."""
    file = Path(path)
    if not is_rank_file(file):
        if split is not None:
            raise ParameterError(
                f"`split` can only be used with a .tiktoken file, got {split!r} with {path}", "split"
            )
        return Tokenizer.from_sentencepiece(path) if is_sentencepiece_model(file) else Tokenizer.load(path)
    name = identify(file)
    if name is None and only_decodes:
        # Ids have the same bytes under every rule that keeps spaces.
        split = "none"
    if name is None and split is None:
        raise ParameterError(
            f"`split` must be set for {path}, a .tiktoken file that is not among those known by content"
            f" ({', '.join(KNOWN)}), got none. For example --split gpt4",
            "split",
        )
    return Tokenizer.from_tiktoken(file, split=split or KNOWN[name or ""].split, special_tokens=name)

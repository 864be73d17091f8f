"""`textgrain convert`: tokenizers and vectors from one format into another."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from textgrain import Tokenizer, _native
from textgrain.cli.terminal import Terminal
from textgrain.cli.tokenizers import add_split_option
from textgrain.cli.vectors import add_keep_option, open_vectors
from textgrain.exceptions import ParameterError

_VECTORS = ("safetensors", "word2vec-text", "word2vec-binary", "glove-text", "fasttext")
_TOKENIZERS = ("json", "tiktoken", "gpt2", "bert", "subword-nmt", "sentencepiece")

#: What the end of a name says; other names do not tell the format.
_ENDINGS = {
    "vocab.json": "gpt2",
    "merges.txt": "gpt2",
    "vocab.txt": "bert",
    ".json": "json",
    ".tiktoken": "tiktoken",
    ".codes": "subword-nmt",
    ".model": "sentencepiece",
    ".safetensors": "safetensors",
    ".vec": "word2vec-text",
    ".vec.gz": "word2vec-text",
    ".vec.zst": "word2vec-text",
}


def add_parser(verbs: Any, common: argparse.ArgumentParser) -> None:  # noqa: ANN401
    parser = verbs.add_parser(
        "convert",
        parents=[common],
        help="write a file in the format of another program",
        description="Reads a tokenizer or a vectors file, whose format is found from its content, and writes "
        "it in another format. What that format cannot say is refused with the reason. Vectors in other "
        "programs' formats are compressed where OUT ends in .gz or .zst.",
    )
    parser.add_argument("input", metavar="IN", help="a tokenizer or a vectors file")
    parser.add_argument("output", metavar="OUT", help="the file to write")
    parser.add_argument(
        "--to",
        choices=[*_TOKENIZERS, *_VECTORS],
        help="the format of OUT: the first six are for tokenizers, the others for vectors; found from its "
        f"name where it ends in {', '.join(_ENDINGS)}",
    )
    tokenizers = parser.add_argument_group("tokenizers")
    add_split_option(tokenizers)
    tokenizers.add_argument(
        "--special-token",
        action="append",
        metavar="TOKEN",
        help="a special token of a vocab.json or of codes, which do not say it; may be repeated",
    )
    vectors = parser.add_argument_group("vectors")
    vectors.add_argument(
        "--spaces", metavar="TEXT", help="write this in place of white space in words, such as _"
    )
    vectors.add_argument(
        "--sketch",
        action="store_true",
        help="also keep a byte for each number in a safetensors file, so that the first query is fast",
    )
    vectors.add_argument(
        "--lenient", action="store_true", help="leave out damaged rows of IN and report them"
    )
    add_keep_option(vectors)
    vectors.add_argument("--threads", type=int, metavar="N", help="threads that read text (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, terminal: Terminal) -> None:
    target = options.to or _format_of(options.output)
    _native.check_writable(options.output)
    if target in _TOKENIZERS:
        _convert_tokenizer(options, target, terminal)
    else:
        _convert_vectors(options, target, terminal)


def _format_of(path: str) -> str:
    name = Path(path).name
    for ending, target in _ENDINGS.items():
        if name.endswith(ending):
            return target
    known = ", ".join([*_TOKENIZERS, *_VECTORS])
    raise ParameterError(f"`--to` must be set for {path}, whose name does not tell the format: {known}", "to")


def vectors_format(path: str) -> Any:  # noqa: ANN401
    """What the end of a name says of a vectors file, or the format of this library."""
    targets = [target for ending, target in _ENDINGS.items() if Path(path).name.endswith(ending)]
    return targets[0] if targets and targets[0] in _VECTORS else "safetensors"


def _convert_tokenizer(options: argparse.Namespace, target: Any, terminal: Terminal) -> None:  # noqa: ANN401
    tokenizer = Tokenizer.load(options.input, split=options.split, special_tokens=options.special_token)
    tokenizer.save(options.output, format=target)
    if options.json:
        facts = {"output": options.output, "format": target, "tokens": len(tokenizer)}
        terminal.out_json(facts | {"read": _native.recognize_tokenizer(options.input)})
    else:
        terminal.status(f"{len(tokenizer):,} tokens written to {options.output}")


def _convert_vectors(options: argparse.Namespace, target: Any, terminal: Terminal) -> None:  # noqa: ANN401
    vectors = open_vectors(options.input, options, terminal, lenient=options.lenient, threads=options.threads)
    vectors.save(
        options.output,
        format=target,
        spaces=options.spaces,
        sketch=options.sketch,
        progress=terminal.progress,
    )
    if options.json:
        facts = {"output": options.output, "format": target, "words": len(vectors)}
        terminal.out_json(facts | {"vector_size": vectors.vector_size, "read": vectors.settings})
    else:
        terminal.status(
            f"{len(vectors):,} words, {vectors.vector_size} numbers each, written to {options.output}"
        )

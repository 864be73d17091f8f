"""The two files of GPT-2, `vocab.json` and `merges.txt`: a `tokenizer.json` that was taken apart.

They hold the vocabulary and the merges, and say nothing of how text is cut, of special tokens and of what is
done to a text: all of that is GPT-2's own by agreement.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textgrain.exceptions import FormatError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["document_of", "files_of", "write_text"]

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}


def _failed(path: Path, reason: str, line: int | None = None) -> FormatError:
    place = "" if line is None else f", line {line}"
    return FormatError(f"{path}{place}: {reason}", path, reason, None, line)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _failed(path, f"byte {error.start} is not UTF-8") from None


def _vocabulary(path: Path) -> dict[str, int]:
    try:
        vocabulary = json.loads(_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise _failed(path, f"not a vocabulary in JSON: {error}", line) from None
    if not isinstance(vocabulary, dict) or not vocabulary:
        raise _failed(path, "must be an object of tokens and their ids")
    for token, number in vocabulary.items():
        if type(number) is not int:
            raise _failed(path, f"the id of {token!r} must be a whole number, got {number!r}")
    return vocabulary


def _merges(path: Path) -> list[list[str]]:
    merges = []
    for line, text in enumerate(_text(path).split("\n"), start=1):
        # Only the first line may be a comment: "#" is a token too.
        merge = text.removesuffix("\r")
        if not merge or (line == 1 and merge.startswith("#version")):
            continue
        pair = merge.split(" ")
        if len(pair) != 2 or not all(pair):
            raise _failed(path, f"a merge must be two tokens with a space between, got {merge!r}", line)
        merges.append(pair)
    return merges


def document_of(
    vocabulary: str | os.PathLike[str], merges: str | os.PathLike[str], special_tokens: Iterable[str]
) -> bytes:
    """The `tokenizer.json` that the two files stand for."""
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens must be a sequence of names, got the string {special_tokens!r}")
    vocabulary, merges = Path(vocabulary), Path(merges)
    tokens = _vocabulary(vocabulary)
    pairs = _merges(merges)
    for number, (left, right) in enumerate(pairs):
        for token in (left, right, left + right):
            if token not in tokens:
                reason = (
                    f"merge {number + 1}, {left!r} and {right!r}, needs {token!r}, which {vocabulary} lacks"
                )
                raise _failed(merges, reason)
    added: list[dict[str, Any]] = []
    for name in special_tokens:
        if name not in tokens:
            raise ParameterError(
                f"`special_tokens` must be tokens of {vocabulary}, got {name!r}", "special_tokens"
            )
        flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
        added.append({"id": tokens[name], "content": name, **flags, "special": True})
    document = {
        "version": "1.0",
        "added_tokens": sorted(added, key=lambda token: token["id"]),
        "normalizer": None,
        "pre_tokenizer": _BYTE_LEVEL,
        "post_processor": None,
        "decoder": _BYTE_LEVEL,
        "model": {"type": "BPE", "vocab": tokens, "merges": pairs},
    }
    return json.dumps(document).encode()


def files_of(content: bytes) -> tuple[str, str]:
    """The content of `vocab.json` and of `merges.txt` for a tokenizer, or the reason why there is none."""
    document: dict[str, Any] = json.loads(content)
    model = document["model"]

    def refuse(reason: str) -> ParameterError:
        rule = "must be one that vocab.json and merges.txt can say"
        return ParameterError(f"`tokenizer` {rule}, got one {reason}", "tokenizer")

    if model.get("type") != "BPE":
        raise refuse(f"of type {model.get('type')}")
    splitting = document["pre_tokenizer"] or {}
    if splitting.get("type") != "ByteLevel" or not splitting.get("use_regex", True):
        raise refuse('that does not split text as GPT-2 does; train with split="gpt2"')
    if splitting.get("add_prefix_space") or document["normalizer"] is not None:
        raise refuse("that changes texts")
    if model.get("ignore_merges"):
        raise refuse("that takes whole words as tokens, whatever merges would make of them")
    vocabulary = dict(model["vocab"])
    for token in document["added_tokens"]:
        vocabulary.setdefault(token["content"], token["id"])
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    lines: Sequence[str] = ["#version: 0.2", *merges]
    return json.dumps(vocabulary, ensure_ascii=False), "\n".join(lines) + "\n"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a whole file or none."""
    target = Path(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

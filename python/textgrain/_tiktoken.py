"""What is known of the rank files that OpenAI published, which do not say it themselves."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from textgrain.exceptions import ParameterError

__all__ = ["KNOWN", "KnownRanks", "identify", "special_tokens_of"]


@dataclass(frozen=True)
class KnownRanks:
    """A published rank file.

    Attributes
    ----------
    sha256 : str
        Of the file.
    split : str
        The rule by which text is split.
    special_tokens : mapping
        The ids of the special tokens.
    """

    sha256: str
    split: str
    special_tokens: Mapping[str, int] = field(default_factory=dict)


KNOWN: Mapping[str, KnownRanks] = {
    "r50k_base": KnownRanks(
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        "gpt2",
        {"<|endoftext|>": 50256},
    ),
    "p50k_base": KnownRanks(
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        "gpt2",
        {"<|endoftext|>": 50256},
    ),
    "cl100k_base": KnownRanks(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        "gpt4",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": KnownRanks(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "o200k",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
}


def special_tokens_of(chosen: Mapping[str, int] | str | None) -> list[tuple[str, int]]:
    """Names and ids; a text is the name of a published file."""
    if chosen is None:
        return []
    if not isinstance(chosen, str):
        return list(chosen.items())
    if chosen not in KNOWN:
        known = ", ".join(f'"{name}"' for name in KNOWN)
        raise ParameterError(
            f"`special_tokens` must be a mapping of names to ids or one of {known}, got {chosen!r}",
            "special_tokens",
        )
    return list(KNOWN[chosen].special_tokens.items())


def identify(path: str | os.PathLike[str]) -> str | None:
    """The name of the published file that this is."""
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return next((name for name, known in KNOWN.items() if known.sha256 == digest), None)

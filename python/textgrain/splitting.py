"""How documents are changed and cut before a trainer sees them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from textgrain import _native

__all__ = ["Normalizer", "Regex", "Split", "split_pieces"]


@dataclass(frozen=True)
class Regex:
    r"""A split rule: cuts where a regular expression matches.

    The expression means what it means in Hugging Face tokenizers: classes such as ``\p{L}`` are those of
    Unicode, ``^`` and ``$`` match at each line. Matching takes time linear in the text, also with
    ``\s+(?!\S)`` near the end, as published patterns have it; an expression that looks around in other ways
    is slower, and looks 64 KiB ahead where it would otherwise give up. Published patterns are recognized and
    cut by faster means.

    Parameters
    ----------
    pattern : str
        The expression.
    behavior : {"isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"}
        What becomes of a match: a piece of its own, nothing, part of the piece before or after it, or a piece
        together with the matches that touch it.
    invert : bool
        Whether matches and what lies between them change places: with ``behavior="removed"`` the pieces are
        the matches, and the rest is dropped.

    Examples
    --------
    >>> import textgrain as tg
    >>> rule = tg.Regex("[ACGT]{3}")
    >>> tg.split_pieces("ACGTTTA", rule)
    ['ACG', 'TTT', 'A']
    >>> tokenizer = tg.BPE(merges=1, split=rule, symbols="characters").train(["ACGTTTACG"])
    >>> tokenizer.encode("ACGACG").tokens
    ['AC', 'G', 'AC', 'G']
    """

    pattern: str
    behavior: Literal["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"] = (
        "isolated"
    )
    invert: bool = False

    def stage(self) -> dict[str, Any]:
        """The rule as Hugging Face tokenizers writes it in a file."""
        behavior = "".join(word.capitalize() for word in self.behavior.split("_"))
        pattern = {"Regex": self.pattern}
        return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": self.invert}


#: A split rule: a name, an expression, a stage as Hugging Face tokenizers writes it, or several in a row.
Split: TypeAlias = str | Regex | Mapping[str, Any] | Sequence[str | Regex | Mapping[str, Any]]
#: What changes a text: a name, a stage as Hugging Face tokenizers writes it, or several in a row.
Normalizer: TypeAlias = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]

_NORMALIZERS = {
    "nfc": "NFC",
    "nfd": "NFD",
    "nfkc": "NFKC",
    "nfkd": "NFKD",
    "lowercase": "Lowercase",
    "strip_accents": "StripAccents",
    "nmt": "Nmt",
}
_BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}


def split_pieces(text: str, split: Split, normalizer: Normalizer | None = None) -> list[str]:
    """Return the pieces of a text under a split rule, as trainers see them.

    Examples
    --------
    >>> import textgrain as tg
    >>> tg.split_pieces("It's 2024!", "gpt4")
    ['It', "'s", ' ', '202', '4', '!']
    >>> tg.split_pieces("It's 2024!", ["whitespace", "punctuation", "digits"], normalizer="lowercase")
    ['it', "'", 's', '2', '0', '2', '4', '!']
    """
    return _native.split_pieces(text, split_spec(split, normalizer))


def split_spec(split: Split, normalizer: Normalizer | None = None) -> str:
    """The rule in the one string that the engine reads: a name, or JSON."""
    if isinstance(split, str) and normalizer is None:
        return split
    spec: dict[str, Any] = {"split": _split_stage(split)}
    if normalizer is not None:
        spec["normalizer"] = _normalizer_stage(normalizer)
    return json.dumps(spec, ensure_ascii=False)


def split_setting(spec: str) -> str | dict[str, Any]:
    """What :func:`split_spec` wrote, for people."""
    if not spec.startswith("{"):
        return spec
    stage: str | dict[str, Any] = json.loads(spec)["split"]
    return stage


def normalizer_setting(spec: str) -> dict[str, Any] | None:
    """The normalizer that :func:`split_spec` wrote, if there is one."""
    stage: dict[str, Any] | None = json.loads(spec).get("normalizer") if spec.startswith("{") else None
    return stage


def _split_stage(split: Split) -> str | dict[str, Any]:
    if isinstance(split, str):
        return split
    if isinstance(split, Regex):
        return split.stage()
    if isinstance(split, Mapping):
        return dict(split)
    if isinstance(split, Sequence):
        return {"type": "Sequence", "pretokenizers": [_split_stage(step) for step in split]}
    raise TypeError(f"split must be a name, a Regex, a mapping or a list of them, got {split!r}")


def _normalizer_stage(normalizer: Normalizer) -> dict[str, Any]:
    if isinstance(normalizer, str):
        # The engine says which names there are.
        return dict(_BERT) if normalizer == "bert" else {"type": _NORMALIZERS.get(normalizer, normalizer)}
    if isinstance(normalizer, Mapping):
        return dict(normalizer)
    if isinstance(normalizer, Sequence):
        return {"type": "Sequence", "normalizers": [_normalizer_stage(step) for step in normalizer]}
    raise TypeError(f"normalizer must be a name, a mapping or a list of them, got {normalizer!r}")

"""Where the second file of a pair lies."""

from __future__ import annotations

import os
from pathlib import Path

from textgrain.exceptions import ParameterError

__all__ = ["both_files"]

_VOCABULARY, _MERGES = "vocab.json", "merges.txt"


def both_files(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The ``vocab.json`` and the ``merges.txt`` that belong together, whichever of them is named.

    What stands before these names, as in ``notes-vocab.json``, is the same in both.
    """
    named = Path(path)
    for ending in (_VOCABULARY, _MERGES):
        if named.name.endswith(ending):
            start = named.name.removesuffix(ending)
            return named.with_name(start + _VOCABULARY), named.with_name(start + _MERGES)
    raise ParameterError(
        f"`path` must end in {_VOCABULARY} or {_MERGES}, so that the other file is found beside it, got"
        f" {os.fspath(path)!r}. With other names use from_gpt2 and save_gpt2, which take both",
        "path",
    )

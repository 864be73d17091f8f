"""What trainers of words, characters and WordPiece have in common: one call of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from textgrain import _native
from textgrain.corpus import as_training_corpus, warn_of_replacements
from textgrain.progress import Progress, resolve
from textgrain.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textgrain.corpus import Corpus


class LevelSettings(Protocol):
    """The settings that all of them have."""

    @property
    def vocab_size(self) -> int | None: ...
    @property
    def min_frequency(self) -> int: ...
    @property
    def special_tokens(self) -> tuple[str, ...]: ...
    @property
    def unknown_token(self) -> str | None: ...


def train_level(
    settings: LevelSettings,
    corpus: Corpus | Iterable[str] | Mapping[str, int],
    *,
    kind: str,
    split: str,
    order: str,
    threads: int | None,
    progress: Progress | bool | None,
) -> Tokenizer:
    """Collect the tokens of a corpus."""
    native, report = _native.train_level(
        as_training_corpus(corpus)._native,
        kind=kind,
        vocab_size=settings.vocab_size,
        split=split,
        order=order,
        min_frequency=settings.min_frequency,
        special_tokens=list(settings.special_tokens),
        unknown_token=settings.unknown_token,
        threads=threads,
        progress=resolve(progress),
    )
    warn_of_replacements(report)
    return Tokenizer(native)

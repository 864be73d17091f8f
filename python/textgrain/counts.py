"""Counts of pieces: what trainers of tokenizers learn from, as a value of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, final

from textgrain import _native, splitting
from textgrain.corpus import Corpus, as_corpus, warn_of_replacements
from textgrain.progress import Progress, resolve

__all__ = ["PieceCounts"]

Split = Literal[
    "gpt2",
    "gpt4",
    "o200k",
    "llama3",
    "qwen2",
    "deepseek",
    "metaspace",
    "digits",
    "punctuation",
    "script",
    "characters",
    "whitespace",
    "words",
    "none",
]


@final
class PieceCounts:
    """How often each piece of a corpus occurs, in order of first appearance.

    Counting needs the text once, training only the counts: count each part of a large corpus where it lies,
    add the counts up, and train from them as often as you like. The tokenizer is the one that the whole
    corpus would give, byte for byte.

    Examples
    --------
    >>> import textgrain as tg
    >>> parts = [tg.PieceCounts.count(part, split="words") for part in (["low lower"], ["low newest"])]
    >>> counts = tg.PieceCounts.merge(parts)
    >>> dict(counts)
    {'low': 2, 'lower': 1, 'newest': 1}
    >>> tg.BPE(merges=2, split="words").train(counts).encode("low").tokens
    ['low']
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.PieceCounts) -> None:
        self._native = native

    @classmethod
    def count(
        cls,
        corpus: Corpus | Iterable[str] | Mapping[str, int],
        *,
        split: splitting.Split = "gpt2",
        space_prefix: bool = False,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> PieceCounts:
        """Count the pieces of a corpus.

        Parameters
        ----------
        corpus : Corpus, iterable of str, or mapping of words to counts
            Each word of a mapping is one piece; `split` is not applied to it.
        split, space_prefix
            How documents are cut, as for :class:`BPE`. A trainer takes only counts of its own rule.
        threads : int, optional
            Threads that count; all of the machine by default. The result does not depend on it.
        progress : bool or callable, optional
            Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

        Examples
        --------
        >>> len(tg.PieceCounts.count(["to be or not to be"], split="words"))
        4
        """
        native, report = _native.count_pieces(
            as_corpus(corpus)._native,
            split=splitting.split_spec(split),
            space_prefix=space_prefix,
            threads=threads,
            progress=resolve(progress),
        )
        warn_of_replacements(report)
        return cls(native)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PieceCounts:
        """Read a file that :meth:`save` wrote.

        Raises
        ------
        FormatError
            The file is damaged or holds something else.
        """
        return cls(_native.PieceCounts.load(os.fspath(path)))

    @classmethod
    def merge(cls, parts: Iterable[PieceCounts]) -> PieceCounts:
        """Add up the counts of several corpora, as if they had been one, in this order.

        Raises
        ------
        ParameterError
            The parts were cut by different rules.
        CorpusError
            There are no parts.
        """
        return cls(_native.PieceCounts.merge([part._native for part in parts]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a safetensors file with a checksum, whole or not at all.

        It holds ``pieces`` (the bytes of all pieces), ``piece_ends`` (where each ends) and ``counts``; the
        rule, the number of documents and their bytes are in the metadata.
        """
        self._native.save(os.fspath(path))

    @property
    def total(self) -> int:
        """The number of pieces, each as often as it occurs."""
        return self._native.total

    @property
    def documents(self) -> int:
        """The number of documents with text in them that were counted."""
        return self._native.documents

    @property
    def bytes(self) -> int:
        """The bytes of text that were counted."""
        return self._native.bytes

    @property
    def split(self) -> str:
        """The rule by which documents were cut."""
        return self._native.split

    @property
    def space_prefix(self) -> bool:
        """Whether words keep the space in front of them."""
        return self._native.space_prefix

    def most_common(self, n: int | None = None) -> list[tuple[str, int]]:
        """List the `n` most frequent pieces; equals in order of first appearance.

        Examples
        --------
        >>> tg.PieceCounts.count(["to be or not to be"], split="words").most_common(2)
        [('to', 2), ('be', 2)]
        """
        return sorted(self._native.items(), key=lambda item: -item[1])[:n]

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self._native.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PieceCounts) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((len(self), self.total, self.split))

    def __repr__(self) -> str:
        return f"<PieceCounts of {len(self):,} pieces, split={self.split!r}>"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        recipe = (self._native.items(), self.split, self.space_prefix, self.documents, self.bytes)
        return _rebuild, recipe


def as_counts(
    source: Mapping[str, int] | PieceCounts | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> Mapping[str, int] | PieceCounts:
    """Counts as they are, or those of files, added up in the order given."""
    if isinstance(source, (Mapping, PieceCounts)):
        return source
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    return PieceCounts.merge(PieceCounts.load(path) for path in paths)


def _rebuild(
    items: list[tuple[str, int]],
    split: str,
    space_prefix: bool,  # noqa: FBT001
    documents: int,
    bytes_: int,
) -> PieceCounts:
    return PieceCounts(_native.PieceCounts.from_items(items, split, space_prefix, documents, bytes_))

"""How tokenizers do on a corpus: how many tokens a word takes, and which tokens are used at all."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union, final

import numpy as np
import numpy.typing as npt

from textgrain import _native
from textgrain._text import align
from textgrain.corpus import Corpus, as_corpus, warn_of_replacements
from textgrain.progress import Progress, resolve

if TYPE_CHECKING:
    from textgrain.tokenizer import Tokenizer

__all__ = ["TokenStatistics", "TokenizerComparison", "compare_tokenizers"]

#: What stands for a corpus: a path or pattern is read a line a document.
Source = Union[Corpus, str, "os.PathLike[str]", Iterable[str]]

_ORDINARY, _UNKNOWN = 0, 2

#: The order of the Rényi entropy that Zouhar et al. found to go best with the quality of translations.
_RENYI_ORDER = 2.5


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class TokenStatistics:
    """What encoding a corpus counted; made by :meth:`Tokenizer.statistics`.

    Attributes
    ----------
    tokenizer : Tokenizer
        The tokenizer.
    counts : ndarray of uint64, shape (vocab_size,)
        How often each id occurs; read-only.
    documents, words, characters, bytes : int
        The size of the text, without what separates documents. A word is what stands between white space, so
        text in scripts that use none has few of them.
    """

    tokenizer: Tokenizer
    counts: npt.NDArray[np.uint64]
    documents: int
    words: int
    characters: int
    bytes: int

    @property
    def tokens(self) -> int:
        """The number of tokens of the corpus."""
        return int(self.counts.sum())

    @property
    def tokens_per_word(self) -> float:
        """Fertility: into how many tokens a word is cut on average; NaN without words."""
        return _ratio(self.tokens, self.words)

    @property
    def tokens_per_character(self) -> float:
        """The tokens that a character takes on average, which also fits scripts without spaces."""
        return _ratio(self.tokens, self.characters)

    @property
    def bytes_per_token(self) -> float:
        """Compression: the bytes of text that a token stands for on average."""
        return _ratio(self.bytes, self.tokens)

    @property
    def unknown(self) -> int:
        """How many tokens are the unknown token."""
        _, kinds = _native.token_facts(self.tokenizer._native)
        return int(self.counts[kinds == _UNKNOWN].sum())

    @property
    def unknown_share(self) -> float:
        """The share of tokens that are the unknown token."""
        return _ratio(self.unknown, self.tokens)

    @property
    def used(self) -> int:
        """How many tokens of the vocabulary occur; special tokens and the unknown token do not count."""
        return int(np.count_nonzero(self.counts[self._ordinary()]))

    @property
    def vocabulary_use(self) -> float:
        """The share of the vocabulary that occurs; special tokens and the unknown token do not count."""
        return _ratio(self.used, int(np.count_nonzero(self._ordinary())))

    @property
    def never_used(self) -> list[str]:
        """The tokens that do not occur, in the order of their ids, without special and unknown tokens.

        Tokens that only lead to others, as most merges of a word do, are among them.
        """
        ids = np.flatnonzero(self._ordinary() & (self.counts == 0))
        return self.tokenizer._native.tokens(ids.astype(np.uint32))

    @property
    def efficiency(self) -> float:
        """How evenly the vocabulary is used, from 0 to 1: Rényi entropy over its largest value.

        Of order 2.5, as Zouhar et al. (2023, arXiv:2306.16842) propose.
        """
        shares = self.counts[self.counts > 0] / max(self.tokens, 1)
        if len(self.counts) < 2 or len(shares) == 0:
            return float("nan")
        entropy = np.log(np.sum(shares**_RENYI_ORDER)) / (1 - _RENYI_ORDER)
        return float(entropy / np.log(len(self.counts)))

    @property
    def length_counts(self) -> npt.NDArray[np.int64]:
        """``length_counts[n]`` is how many tokens of the corpus have `n` bytes; a new array."""
        lengths, kinds = _native.token_facts(self.tokenizer._native)
        ordinary = kinds == _ORDINARY
        return np.bincount(lengths[ordinary], weights=self.counts[ordinary]).astype(np.int64)

    def most_frequent(self, n: int = 10) -> list[tuple[str, int]]:
        """Return the tokens that occur most often with their counts; equals in the order of their ids."""
        ids = np.argsort(-self.counts.astype(np.int64), kind="stable")[:n]
        ids = ids[self.counts[ids] > 0]
        tokens = self.tokenizer._native.tokens(ids.astype(np.uint32))
        return list(zip(tokens, self.counts[ids].tolist(), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Return all figures by name, for JSON."""
        return {
            "documents": self.documents,
            "words": self.words,
            "characters": self.characters,
            "bytes": self.bytes,
            "tokens": self.tokens,
            "tokens_per_word": self.tokens_per_word,
            "tokens_per_character": self.tokens_per_character,
            "bytes_per_token": self.bytes_per_token,
            "unknown_share": self.unknown_share,
            "used": self.used,
            "vocabulary_use": self.vocabulary_use,
            "efficiency": self.efficiency,
        }

    def length_chart(self, width: int = 40) -> str:
        """Return a bar for each length in bytes: how many tokens of the corpus have it."""
        return bar_chart(self.length_counts, width)

    def __str__(self) -> str:
        rows = [(name.replace("_", " "), _shown(name, value)) for name, value in self.as_dict().items()]
        return f"{align(rows, right=(1,))}\n\nbytes in a token\n{self.length_chart()}"

    def __repr__(self) -> str:
        return (
            f"<TokenStatistics: {self.tokens:,} tokens, {self.tokens_per_word:.2f} a word, "
            f"{self.bytes_per_token:.2f} bytes each>"
        )

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{name.replace('_', ' ')}</td><td>{_shown(name, value)}</td></tr>"
            for name, value in self.as_dict().items()
        )
        return f"<table>{cells}</table><pre>bytes in a token\n{html.escape(self.length_chart())}</pre>"

    def _ordinary(self) -> npt.NDArray[np.bool_]:
        _, kinds = _native.token_facts(self.tokenizer._native)
        ordinary: npt.NDArray[np.bool_] = kinds == _ORDINARY
        return ordinary

    def __add__(self, other: TokenStatistics) -> TokenStatistics:
        return TokenStatistics(
            tokenizer=self.tokenizer,
            counts=_read_only(self.counts + other.counts),
            documents=self.documents + other.documents,
            words=self.words + other.words,
            characters=self.characters + other.characters,
            bytes=self.bytes + other.bytes,
        )


def count_tokens(
    tokenizer: Tokenizer,
    source: Source,
    special: str,
    *,
    threads: int | None,
    progress: Progress | bool | None,
) -> TokenStatistics:
    """Encode a corpus and count."""
    corpus = Corpus.from_files(source) if isinstance(source, (str, os.PathLike)) else as_corpus(source)
    counts, characters, in_bytes, words, report = _native.count_tokens(
        tokenizer._native, corpus._native, special, threads, resolve(progress)
    )
    warn_of_replacements(report)
    return TokenStatistics(
        tokenizer=tokenizer,
        counts=_read_only(counts),
        documents=report.documents,
        words=words,
        characters=characters,
        bytes=in_bytes,
    )


@final
class TokenizerComparison:
    """Several tokenizers on the same text; made by :func:`compare_tokenizers`."""

    def __init__(self, statistics: Mapping[str, Mapping[str, TokenStatistics]]) -> None:
        self._statistics = {name: dict(groups) for name, groups in statistics.items()}

    @property
    def names(self) -> list[str]:
        """The names of the tokenizers."""
        return list(self._statistics)

    @property
    def groups(self) -> list[str]:
        """The names of the groups of text; "all" is their sum where there are several."""
        return list(next(iter(self._statistics.values())))

    def __getitem__(self, place: tuple[str, str] | str) -> TokenStatistics:
        """The figures of a tokenizer, for a group or for all text."""
        name, group = (place, self.groups[-1]) if isinstance(place, str) else place
        return self._statistics[name][group]

    def __iter__(self) -> Iterator[tuple[str, str, TokenStatistics]]:
        for group in self.groups:
            for name in self.names:
                yield group, name, self._statistics[name][group]

    def as_dict(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return all figures by tokenizer and group, for JSON."""
        return {
            name: {group: figures.as_dict() for group, figures in groups.items()}
            for name, groups in self._statistics.items()
        }

    def _rows(self) -> list[tuple[str, ...]]:
        rows = [("text", "tokenizer", *(name.replace("_", " ") for name in _COLUMNS))]
        for group, name, figures in self:
            values = figures.as_dict()
            rows.append((group, name, *(_shown(column, values[column]) for column in _COLUMNS)))
        return rows

    def __str__(self) -> str:
        return align(self._rows(), right=range(2, 2 + len(_COLUMNS)))

    def __repr__(self) -> str:
        return f"<TokenizerComparison of {', '.join(self.names)} on {len(self.groups)} groups of text>"

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


_COLUMNS = (
    "tokens",
    "tokens_per_word",
    "tokens_per_character",
    "bytes_per_token",
    "unknown_share",
    "vocabulary_use",
    "efficiency",
)


def compare_tokenizers(
    tokenizers: Mapping[str, Tokenizer] | Iterable[Tokenizer],
    corpus: Source | Mapping[str, Source],
    *,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> TokenizerComparison:
    """Encode the same text with several tokenizers and put their figures side by side.

    Parameters
    ----------
    tokenizers : mapping of str to Tokenizer, or iterable of Tokenizer
        The tokenizers, by the names that the table gives them.
    corpus : Corpus, path, iterable of str, or mapping of str to these
        The text, or several groups of it by name, such as one for each language.
    threads : int, optional
        All that the machine offers where none is given.
    progress : bool or callable, optional
        Show a progress bar, or call ``progress(stage, done, total, unit, figures)``.

    Raises
    ------
    ValueError
        There are no tokenizers or no groups.
    UnknownTokenError
        The text holds something that a tokenizer has no token for.

    Examples
    --------
    >>> import textgrain as tg
    >>> small = tg.BPE(merges=2).train(["low lower lowest"])
    >>> large = tg.BPE(merges=9).train(["low lower lowest"])
    >>> texts = {"seen": ["low lower"], "new": ["slow towers"]}
    >>> comparison = tg.compare_tokenizers({"small": small, "large": large}, texts)
    >>> comparison["large", "seen"].tokens_per_word
    1.0
    >>> comparison["small", "all"].tokens
    14
    """
    named = _named(tokenizers)
    groups: Mapping[str, Source] = corpus if isinstance(corpus, Mapping) else {"all": corpus}
    if not named or not groups:
        raise ValueError("there must be at least one tokenizer and one group of text")
    # A text that can be read only once is needed once for each tokenizer.
    sources = {
        name: source if isinstance(source, (str, os.PathLike)) else as_corpus(source)
        for name, source in groups.items()
    }
    statistics = {}
    for name, tokenizer in named.items():
        figures = {
            group: count_tokens(tokenizer, source, "text", threads=threads, progress=progress)
            for group, source in sources.items()
        }
        if len(figures) > 1 and "all" not in figures:
            first, *rest = figures.values()
            figures["all"] = sum(rest, start=first)
        statistics[name] = figures
    return TokenizerComparison(statistics)


def _named(tokenizers: Mapping[str, Tokenizer] | Iterable[Tokenizer]) -> dict[str, Tokenizer]:
    if isinstance(tokenizers, Mapping):
        return dict(tokenizers)
    named: dict[str, Tokenizer] = {}
    for tokenizer in tokenizers:
        name = f"{tokenizer.settings['kind']} {len(tokenizer):,}"
        count = sum(known == name or known.startswith(f"{name} (") for known in named)
        named[name if count == 0 else f"{name} ({count + 1})"] = tokenizer
    return named


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _read_only(counts: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    counts.flags.writeable = False
    return counts


def _shown(name: str, value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if name in {"unknown_share", "vocabulary_use"}:
        return f"{value:.2%}"
    return f"{value:.3f}"


def token_lengths(tokenizer: Tokenizer) -> npt.NDArray[np.int64]:
    """How many tokens of the vocabulary have each length in bytes, without special and unknown tokens."""
    lengths, kinds = _native.token_facts(tokenizer._native)
    return np.bincount(lengths[kinds == _ORDINARY]).astype(np.int64)


def finite(figures: dict[str, Any]) -> dict[str, Any]:
    """For JSON, which has no number for what cannot be said, such as tokens a word without words."""
    return {
        name: finite(value) if isinstance(value, dict) else None if value != value else value
        for name, value in figures.items()
    }


def bar_chart(counts: npt.NDArray[np.int64], width: int = 40, most: int = 24) -> str:
    """One line a length; what is longer than most is put together."""
    if counts.sum() == 0:
        return "no tokens"
    shown = counts[:most]
    labels = [str(length) for length in range(len(shown))]
    if len(counts) > most:
        shown = np.append(shown, counts[most:].sum())
        labels.append(f"{most}+")
    total, largest = int(counts.sum()), int(shown.max())
    rows = [
        (label, "█" * round(width * int(count) / largest) or "▏", f"{int(count) / total:.1%}")
        for label, count in zip(labels, shown, strict=True)
        if count
    ]
    return align(rows, right=(0,))

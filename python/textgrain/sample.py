"""The text that ships with the package, for the demo, the examples and a first try."""

from __future__ import annotations

from pathlib import Path

from textgrain.corpus import Corpus

__all__ = ["sample_corpus"]

_SAMPLE = Path(__file__).parent / "data" / "economics.txt.gz"


def sample_corpus() -> Corpus:
    """About 2.8 MB of English prose on economics, one paragraph a document.

    The text is from OpenStax textbooks, CC BY 4.0; ``data/README.md`` in the package says more.

    Examples
    --------
    >>> import textgrain as tg
    >>> corpus = tg.sample_corpus()
    """
    return Corpus.from_files(_SAMPLE)

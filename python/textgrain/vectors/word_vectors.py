"""The public class of word vectors, put together from its roles."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from textgrain import _native
from textgrain.subwords import equal
from textgrain.vectors.editing import Editing
from textgrain.vectors.files import Files
from textgrain.vectors.unseen import UnseenWords

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt
    from matplotlib.figure import Figure

    from textgrain.association import Axis
    from textgrain.corpus import Corpus
    from textgrain.documents import DocumentVectors
    from textgrain.evaluation import (
        AnalogyResult,
        CategoryResult,
        OddOneOutResult,
        SimilarityResult,
        VectorReport,
    )
    from textgrain.evaluation.cases import Case
    from textgrain.evaluation.sets import Kind
    from textgrain.metrics import MetricComparison
    from textgrain.phrases import PhraseTable
    from textgrain.progress import Progress
    from textgrain.projection import DistanceConcentration, Projection
    from textgrain.quantization import Quantized, Storage
    from textgrain.tokenizer import Tokenizer
    from textgrain.vectors.search import Method, Restriction

__all__ = ["WordVectors"]


@final
class WordVectors(Files, UnseenWords, Editing):
    """A vector for each word of a vocabulary, immutable.

    Made by a trainer, by :meth:`load` or by :meth:`from_mapping`. Words are in row order: by falling
    count, then by first appearance in the corpus.

    Examples
    --------
    >>> import textgrain as tg
    >>> notes = {"doctor": [0.8, 0.6], "physician": [0.7, 0.5], "car": [0.2, 0.9]}
    >>> vectors = tg.WordVectors.from_mapping(notes)
    >>> vectors.most_similar("doctor", n=1)[0][0]
    'physician'
    >>> round(vectors.distance("doctor", "physician"), 3)
    0.141
    """

    __slots__ = ()

    def project(
        self,
        words: Iterable[str] | None = None,
        *,
        dimensions: int = 2,
        unit: bool = True,
        method: Literal["pca", "tsne", "umap", "pacmap"] = "pca",
        seed: int = 1,
    ) -> Projection:
        """Return few coordinates for each of some words; see :func:`textgrain.projection.project`."""
        from textgrain.projection import project

        return project(self, words, dimensions=dimensions, unit=unit, method=method, seed=seed)

    def distance_concentration(
        self, *, dimensions: Iterable[int] = (2, 10, 100, 1000), points: int = 1000, seed: int = 1
    ) -> DistanceConcentration:
        """Compare far and near in these vectors with random points of several dimensions.

        See :func:`textgrain.projection.distance_concentration`.
        """
        from textgrain.projection import distance_concentration

        return distance_concentration(self, dimensions=dimensions, points=points, seed=seed)

    def evaluate(
        self,
        test: str | os.PathLike[str] | Iterable[Sequence[object]] | Mapping[str, Iterable[str]],
        *,
        kind: Kind | Literal["auto"] = "auto",
        restrict: int | None = None,
        case: Case = "fold",
        oov: Literal["skip", "subword"] = "skip",
        unknown: Literal["skip", "wrong"] = "skip",
        method: Method = "3cosadd",
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> SimilarityResult | AnalogyResult | OddOneOutResult | CategoryResult:
        """Score the vectors on a test made by people; see :func:`textgrain.evaluation.evaluate`."""
        from textgrain.evaluation import evaluate

        return evaluate(
            self,
            test,
            kind=kind,
            restrict=restrict,
            case=case,
            oov=oov,
            unknown=unknown,
            method=method,
            threads=threads,
            progress=progress,
        )

    def describe(
        self,
        *,
        sample: int = 10_000,
        neighbors: int = 10,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> VectorReport:
        """Describe how the vectors fill their space; see :func:`textgrain.evaluation.describe`."""
        from textgrain.evaluation import describe

        return describe(self, sample=sample, neighbors=neighbors, threads=threads, progress=progress)

    def compare_metrics(self, word: str, *, n: int = 10, restrict: Restriction = None) -> MetricComparison:
        """Return neighbors by three metrics side by side; see :func:`textgrain.metrics.compare_metrics`."""
        from textgrain.metrics import compare_metrics

        return compare_metrics(self, word, n=n, restrict=restrict)

    def axis(self, pairs: Sequence[tuple[str, str]]) -> Axis:
        """Return the axis that pairs of words give; see :func:`textgrain.association.axis`."""
        from textgrain.association import axis

        return axis(self, pairs)

    def quantize(
        self,
        storage: Storage = "int8",
        *,
        parts: int | None = None,
        neighbors: int = 10,
        sample: int = 1000,
        seed: int = 1,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Quantized:
        """Store the vectors with fewer bits; see :func:`textgrain.quantization.quantize`."""
        from textgrain.quantization import quantize

        return quantize(
            self,
            storage,
            parts=parts,
            neighbors=neighbors,
            sample=sample,
            seed=seed,
            threads=threads,
            progress=progress,
        )

    def document_vectors(
        self,
        documents: Corpus | Iterable[Sequence[str]],
        *,
        weighting: Literal["mean", "unit", "sif"] = "mean",
        smoothing: float = 1e-3,
        remove: int | None = None,
        components: npt.ArrayLike | None = None,
        oov: Literal["skip", "subword"] = "skip",
        split: str | PhraseTable | Tokenizer = "words",
        lowercase: bool | None = None,
        threads: int | None = None,
        progress: Progress | bool | None = None,
    ) -> DocumentVectors:
        """Return a vector for each document; see :func:`textgrain.documents.document_vectors`."""
        from textgrain.documents import document_vectors

        return document_vectors(
            self,
            documents,
            weighting=weighting,
            smoothing=smoothing,
            remove=remove,
            components=components,
            oov=oov,
            split=split,
            lowercase=lowercase,
            threads=threads,
            progress=progress,
        )

    def word_movers_distance(self, first: Sequence[str], second: Sequence[str]) -> float:
        """Return how far documents are apart; see :func:`textgrain.transport.word_movers_distance`."""
        from textgrain.transport import word_movers_distance

        return word_movers_distance(self, first, second)

    def plot(
        self,
        words: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        neighbors_of: str | Iterable[str] | None = None,
        neighbors: int = 12,
        method: Literal["pca", "tsne", "umap", "pacmap"] = "pca",
        seed: int = 1,
        title: str | None = None,
        style: Literal["light", "dark"] = "light",
        size: tuple[float, float] = (9.0, 7.0),
        unit: bool = True,
    ) -> Figure:
        """Draw words as a map; see :func:`textgrain.plot.plot_words`."""
        from textgrain.plot import plot_words

        return plot_words(
            self,
            words,
            path,
            neighbors_of=neighbors_of,
            neighbors=neighbors,
            method=method,
            seed=seed,
            title=title,
            style=style,
            size=size,
            unit=unit,
        )

    def widget(self, word: str | None = None) -> Any:  # noqa: ANN401 - anywidget may be absent
        """Return a notebook widget with the map of all words, and the true neighbors of one.

        It is the map of :func:`textgrain.explore` that asks the kernel; nothing is loaded from a network.

        Parameters
        ----------
        word : str, optional
            The word to begin with.

        Raises
        ------
        TextgrainError
            The packages of the `notebook` extra are not installed.

        Examples
        --------
        >>> vectors = tg.WordVectors.from_mapping({"a": [1, 0], "b": [1, 1], "c": [0, 1]})
        >>> vectors.widget("a")  # doctest: +SKIP
        """
        from textgrain.explorer.session import Session
        from textgrain.explorer.widget import widget

        return widget(Session.of([self]), "map", {} if word is None else {"word": word})

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self):,} words, {self.vector_size} numbers each>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordVectors):
            return NotImplemented
        return (
            self.words == other.words
            and np.array_equal(self.matrix, other.matrix)
            and np.array_equal(self.counts, other.counts)
            and equal(self.subwords, other.subwords)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # The bytes of a file: numbers with few bits stay so, and everything is checked on the other side.
        return _rebuild, (self._native.to_bytes(),)


def _rebuild(content: bytes) -> WordVectors:
    return WordVectors(_native.WordVectors.from_bytes(content))

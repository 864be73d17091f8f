"""Pictures of figures: losses, merges, lengths of tokens, distances, and how vectors fill their space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from textgrain._figures import MARKS, checked_path, new_figure, soften, style_named
from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    import os

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from textgrain._figures import Style
    from textgrain.tokenizer import Tokenizer
    from textgrain.vectors import WordVectors

    Numbers = npt.NDArray[np.float64]

__all__ = ["plot_concentration", "plot_loss", "plot_merges", "plot_space", "plot_token_lengths"]


class _Canvas:
    """A figure with panels in one style, written to a file at the end."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        style: str,
        size: tuple[float, float],
        panels: tuple[int, int] = (1, 1),
    ) -> None:
        self.style: Style = style_named(style)
        self._path = None if path is None else checked_path(path)
        make = new_figure()
        self.figure = make(figsize=size, layout="constrained", facecolor=self.style.paper)
        grid = self.figure.subplots(*panels, squeeze=False)
        self.panels: list[Axes] = list(grid.ravel())
        for axes in self.panels:
            soften(axes, self.style)

    def label(self, axes: Axes, title: str, across: str, up: str) -> None:
        axes.set_title(title, color=self.style.ink, loc="left", fontsize=12, fontweight="bold", pad=10)
        axes.set_xlabel(across, color=self.style.ink)
        axes.set_ylabel(up, color=self.style.ink)

    def legend(self, axes: Axes) -> None:
        axes.legend(frameon=False, labelcolor=self.style.ink)

    def finish(self) -> Figure:
        if self._path is not None:
            self.figure.savefig(self._path, dpi=200, facecolor=self.style.paper)
        return self.figure


def plot_loss(
    runs: WordVectors | Mapping[str, WordVectors | Sequence[float]],
    path: str | os.PathLike[str] | None = None,
    *,
    style: Literal["light", "dark"] = "light",
    size: tuple[float, float] = (8.0, 5.0),
) -> Figure:
    """Draw the loss of each epoch, of one training or of several by name.

    Parameters
    ----------
    runs : WordVectors, or mapping of str to WordVectors or to lists of losses
        What was trained.
    path : path-like, optional
        Where to write the picture: ``.png``, ``.svg`` or ``.pdf``.
    style : {"light", "dark"}
        Dark on white, or light on dark.
    size : (float, float)
        Width and height in inches.

    Raises
    ------
    ParameterError
        There is no loss to draw: vectors from files of other programs have none.
    """
    named = runs if isinstance(runs, Mapping) else {"": runs}
    curves = {name: _losses(run) for name, run in named.items()}
    if not any(curves.values()):
        raise ParameterError("`runs` must hold at least one loss, got none", "runs")
    canvas = _Canvas(path, style, size)
    [axes] = canvas.panels
    for index, (name, losses) in enumerate(curves.items()):
        color, mark = canvas.style.colors[index % len(canvas.style.colors)], MARKS[index % len(MARKS)]
        epochs = np.arange(1, len(losses) + 1)
        axes.plot(epochs, losses, color=color, marker=mark, markersize=5, linewidth=1.8, label=name)
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    canvas.label(axes, "Loss", "epoch", "mean loss")
    if len(curves) > 1 or "" not in curves:
        canvas.legend(axes)
    return canvas.finish()


def _losses(run: WordVectors | Sequence[float]) -> list[float]:
    history = getattr(run, "history", run)
    return [float(loss) for loss in history]


def plot_merges(
    tokenizers: Tokenizer | Mapping[str, Tokenizer],
    path: str | os.PathLike[str] | None = None,
    *,
    style: Literal["light", "dark"] = "light",
    size: tuple[float, float] = (8.0, 5.0),
) -> Figure:
    """Draw how often the pair of each merge occurred when it was merged, by its rank, on logarithmic axes.

    A straight line is usual for text (Zipf's law); where it flattens at small counts, further merges are
    learned from a handful of words.

    Parameters
    ----------
    tokenizers : Tokenizer, or mapping of str to Tokenizer
        Trained here, as files of other programs hold no counts.
    path, style, size
        As for :func:`plot_loss`.

    Raises
    ------
    ParameterError
        A tokenizer has no history.
    """
    named = tokenizers if isinstance(tokenizers, Mapping) else {"": tokenizers}
    canvas = _Canvas(path, style, size)
    [axes] = canvas.panels
    for index, (name, tokenizer) in enumerate(named.items()):
        if not tokenizer.history:
            message = f"`tokenizers` must have a history of merges, got none in {name or tokenizer!r}"
            raise ParameterError(message, "tokenizers")
        totals = [record.total for record in tokenizer.history]
        color = canvas.style.colors[index % len(canvas.style.colors)]
        axes.plot(np.arange(1, len(totals) + 1), totals, color=color, linewidth=1.8, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    canvas.label(axes, "Merges", "rank of the merge", "occurrences of the pair")
    if len(named) > 1 or "" not in named:
        canvas.legend(axes)
    return canvas.finish()


def plot_token_lengths(
    tokenizers: Tokenizer | Mapping[str, Tokenizer],
    path: str | os.PathLike[str] | None = None,
    *,
    style: Literal["light", "dark"] = "light",
    size: tuple[float, float] = (8.0, 5.0),
) -> Figure:
    """Draw how many tokens of a vocabulary have which length, in characters; lengths beyond 24 are one bar.

    Parameters
    ----------
    tokenizers : Tokenizer, or mapping of str to Tokenizer
        What is drawn; several side by side.
    path, style, size
        As for :func:`plot_loss`.
    """
    named = tokenizers if isinstance(tokenizers, Mapping) else {"": tokenizers}
    if not named:
        raise ParameterError("`tokenizers` must hold at least one tokenizer, got none", "tokenizers")
    canvas = _Canvas(path, style, size)
    [axes] = canvas.panels
    width = 0.8 / len(named)
    longest = 1
    for index, (name, tokenizer) in enumerate(named.items()):
        lengths = [min(len(token), _LONGEST + 1) for token in tokenizer.vocabulary if token]
        counts = np.bincount(lengths)[1:]
        longest = max(longest, len(counts))
        places = np.arange(1, len(counts) + 1) + (index - (len(named) - 1) / 2) * width
        axes.bar(
            places,
            counts,
            width=width,
            color=canvas.style.colors[index % len(canvas.style.colors)],
            label=name,
        )
    ticks = np.arange(1, longest + 1)
    axes.set_xticks(ticks, [f">{_LONGEST}" if tick > _LONGEST else str(tick) for tick in ticks])
    axes.grid(visible=False, axis="x")
    canvas.label(axes, "Lengths of tokens", "characters", "tokens")
    if len(named) > 1 or "" not in named:
        canvas.legend(axes)
    return canvas.finish()


# Tokens longer than this share a bar.
_LONGEST = 24


def plot_concentration(
    vectors: WordVectors,
    path: str | os.PathLike[str] | None = None,
    *,
    points: int = 1000,
    seed: int = 1,
    style: Literal["light", "dark"] = "light",
    size: tuple[float, float] = (8.0, 5.0),
) -> Figure:
    """Draw the distances between words, each over their mean, beside those of random points.

    In many dimensions random points are all about equally far from each other; vectors that learned something
    have near and far words.

    Parameters
    ----------
    vectors : WordVectors
        What is drawn.
    path, style, size
        As for :func:`plot_loss`.
    points : int
        The first so many words, and as many random points.
    seed : int
        For the random points.

    Raises
    ------
    ParameterError
        Fewer than 3 points or words.
    """
    rows = vectors._rows(np.arange(min(max(points, 0), len(vectors)))).astype(np.float64)
    if len(rows) < 3:
        raise ParameterError(f"`points` must be at least 3, and so must the words, got {len(rows)}", "points")
    random = np.random.default_rng(seed)
    kinds = {
        "2 dimensions, random": random.normal(size=(len(rows), 2)),
        f"{rows.shape[1]:,} dimensions, random": random.normal(size=rows.shape),
        f"{rows.shape[1]:,} dimensions, these vectors": rows,
    }
    canvas = _Canvas(path, style, size)
    [axes] = canvas.panels
    edges = np.linspace(0, 3, 121)
    for index, (name, cloud) in enumerate(kinds.items()):
        distances = _distances(cloud)
        mean = float(distances.mean()) or 1.0
        share = np.histogram(distances / mean, edges)[0] / len(distances) / (edges[1] - edges[0])
        centers = (edges[1:] + edges[:-1]) / 2
        color = canvas.style.colors[index]
        axes.fill_between(centers, share, color=color, alpha=0.25, linewidth=0)
        axes.plot(centers, share, color=color, linewidth=1.8, label=name)
    axes.set_xlim(0, edges[-1])
    axes.set_ylim(bottom=0)
    canvas.label(axes, "How far apart points are", "distance over the mean distance", "density")
    canvas.legend(axes)
    return canvas.finish()


def _distances(points: Numbers) -> Numbers:
    """The distance of each two points."""
    squares = (points**2).sum(axis=1)
    table = squares[:, None] + squares[None, :] - 2 * points @ points.T
    distances: Numbers = np.sqrt(np.clip(table[np.triu_indices(len(points), 1)], 0, None))
    return distances


def plot_space(
    vectors: WordVectors,
    path: str | os.PathLike[str] | None = None,
    *,
    sample: int = 5_000,
    neighbors: int = 10,
    seed: int = 1,
    style: Literal["light", "dark"] = "light",
    size: tuple[float, float] = (11.0, 8.0),
) -> Figure:
    """Draw how vectors fill their space: the picture to :meth:`WordVectors.describe`.

    Four panels: the variance along the principal axes, the cosines of random pairs of words, the length of
    vectors by the rank of their words, and how often words are neighbors of others.

    Parameters
    ----------
    vectors : WordVectors
        What is drawn.
    path, style, size
        As for :func:`plot_loss`.
    sample : int
        The first so many words.
    neighbors : int
        How many neighbors of each word count.
    seed : int
        For the pairs.

    Raises
    ------
    ParameterError
        Fewer than three words have a vector that is not zero.
    """
    norms = vectors._native.norms.astype(np.float64)
    rows = np.flatnonzero(norms > 0)[:sample]
    if len(rows) < 3:
        message = f"`vectors` must hold at least 3 vectors that are not zero, got {len(rows)}"
        raise ParameterError(message, "vectors")
    chosen = vectors._rows(rows).astype(np.float64)
    unit = chosen / norms[rows, None]
    canvas = _Canvas(path, style, size, (2, 2))
    variance, cosines, lengths, hubs = canvas.panels
    _draw_variance(canvas, variance, chosen)
    _draw_cosines(canvas, cosines, unit, seed)
    lengths.scatter(rows + 1, norms[rows], s=6, color=canvas.style.colors[0], alpha=0.4, linewidths=0)
    lengths.set_xscale("log")
    canvas.label(lengths, "Lengths", "rank of the word", "length of its vector")
    words = vectors._all_words()
    names = [words[row] for row in rows.tolist()]
    found = vectors.most_similar_batch(names, n=neighbors, restrict=names).rows
    hits = np.sort(np.bincount(found[found >= 0], minlength=len(words))[rows])[::-1]
    hubs.plot(np.arange(1, len(hits) + 1), hits, color=canvas.style.colors[2], linewidth=1.8)
    hubs.axhline(found.shape[1], color=canvas.style.ink, linewidth=0.8, linestyle=":")
    hubs.set_xscale("log")
    hubs.set_yscale("symlog", linthresh=1)
    hubs.set_ylim(bottom=0)
    canvas.label(
        hubs, "Hubs", "words, the most frequent neighbors first", f"times among {found.shape[1]} nearest"
    )
    return canvas.finish()


def _draw_variance(canvas: _Canvas, axes: Axes, points: Numbers) -> None:
    centered = points - points.mean(axis=0)
    values = np.clip(np.linalg.eigvalsh(centered.T @ centered)[::-1], 0, None)
    shares = np.concatenate([[0.0], np.cumsum(values) / (values.sum() or 1.0)])
    axes.plot(np.arange(len(shares)), 100 * shares, color=canvas.style.colors[0], linewidth=1.8)
    axes.plot([0, len(values)], [0, 100], color=canvas.style.ink, linewidth=0.8, linestyle=":")
    axes.set_ylim(0, 102)
    canvas.label(axes, "Dimensions used", "principal components", "% of the variance")


def _draw_cosines(canvas: _Canvas, axes: Axes, unit: Numbers, seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = random.integers(0, len(unit), (2, 50_000))
    different = first != second
    products = np.einsum("ij,ij->i", unit[first[different]], unit[second[different]])
    share, edges = np.histogram(products, np.linspace(-1, 1, 101), density=True)
    axes.fill_between(
        (edges[1:] + edges[:-1]) / 2, share, color=canvas.style.colors[1], alpha=0.35, linewidth=0
    )
    axes.axvline(0, color=canvas.style.ink, linewidth=0.8, linestyle=":")
    axes.set_xlim(-1, 1)
    axes.set_ylim(bottom=0)
    canvas.label(axes, "Cosines of random pairs", "cosine", "density")

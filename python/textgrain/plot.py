"""A map of words: near on the picture means alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from textgrain._figures import MARKS, Style, checked_path, new_figure, soften, style_named
from textgrain.exceptions import ParameterError
from textgrain.projection import project

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from textgrain.projection import Projection
    from textgrain.vectors import WordVectors

__all__ = ["plot_words"]

# Where a label may stand: how far from its mark, in points, and in which direction; best first.
_GAPS = np.array([6.0, 8.0, 11.0, 15.0, 20.0, 26.0, 33.0, 41.0, 50.0, 60.0])
_ANGLES = np.deg2rad(
    [0, 180, 90, 270, 30, 150, 330, 210, 60, 120, 300, 240, 15, 165, 345, 195, 75, 105, 285, 255]
)

# Pixels that stay free around a label.
_CLEAR = 3.0

# A label within so many points of its mark needs no line to it.
_NEAR = 9.0


def plot_words(
    vectors: WordVectors,
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
    """Draw words as a map, with labels that keep clear of each other.

    Parameters
    ----------
    vectors : WordVectors
        Where the words have their vectors.
    words : iterable of str, or mapping of str to iterables of str, optional
        Words, or words by the name of their group, which gets a color and a place in the legend. The most
        frequent 100 where none are given.
    path : path, optional
        Where to write the picture; the suffix says how: ``.png``, ``.svg`` or ``.pdf``.
    neighbors_of : str or iterable of str, optional
        Draw these words, each with its nearest ones in a color of its own, instead of ``words``.
    neighbors : int
        How many nearest ones.
    method : {"pca", "tsne", "umap", "pacmap"}
        Principal components, whose axes say how much they show; or a map that keeps near words near, by a
        library that must be installed. Distances between its clusters mean nothing.
    seed : int
        For the methods that draw at random.
    title : str, optional
        Text above the picture.
    style : {"light", "dark"}
        Dark on white, or light on dark.
    size : (float, float)
        Width and height in inches.
    unit : bool
        Divide each vector by its length first, so that nearness on the map is nearness by cosine.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; notebooks show it.

    Raises
    ------
    UnknownWordError
        A word has no vector.
    ParameterError
        Fewer than two words, or a setting outside its range.
    ImportError
        Matplotlib is not installed.
    """
    colors = style_named(style)
    target = None if path is None else checked_path(path)
    make_figure = new_figure()
    groups = _groups(words if neighbors_of is None else _around(vectors, words, neighbors_of, neighbors))
    chosen = None if groups is None else [word for group in groups.values() for word in group]
    projection = project(vectors, chosen, unit=unit, method=method, seed=seed)
    figure = make_figure(figsize=size, layout="constrained", facecolor=colors.paper)
    axes = figure.add_subplot(facecolor=colors.paper)
    if groups is None:
        groups = {"": projection.words}
    places = dict(zip(projection.words, projection.coordinates, strict=True))
    label_colors = _draw_points(axes, groups, places, colors)
    _decorate(axes, _axis_names(projection), title, colors, legend=len(groups) > 1 or "" not in groups)
    if projection.explained is None:
        # Only nearness means something there: no numbers, and the room that there is.
        axes.tick_params(labelbottom=False, labelleft=False)
    else:
        # As far on the picture as in the numbers, whatever the direction.
        axes.set_aspect("equal", adjustable="datalim")
    _draw_labels(figure, axes, projection.words, projection.coordinates, label_colors, colors)
    if target is not None:
        figure.savefig(target, dpi=200, facecolor=colors.paper)
    return figure


def _groups(words: Iterable[str] | Mapping[str, Iterable[str]] | None) -> dict[str, list[str]] | None:
    """Words by group, each word once, in the first group that names it."""
    if words is None:
        return None
    if isinstance(words, str):
        raise ParameterError(f"`words` must be a list of words, got the single word {words!r}", "words")
    named = words if isinstance(words, Mapping) else {"": words}
    seen: set[str] = set()
    groups: dict[str, list[str]] = {}
    for name, members in named.items():
        fresh = [word for word in dict.fromkeys(members) if word not in seen]
        seen.update(fresh)
        if fresh:
            groups[name] = fresh
    return groups


def _around(
    vectors: WordVectors, words: object, centers: str | Iterable[str], count: int
) -> dict[str, list[str]]:
    """Each word with its nearest ones."""
    if words is not None:
        raise ParameterError("`neighbors_of` must not be given together with `words`", "neighbors_of")
    if count < 1:
        raise ParameterError(f"`neighbors` must be at least 1, got {count}", "neighbors")
    listed = [centers] if isinstance(centers, str) else list(dict.fromkeys(centers))
    found = vectors.most_similar_batch(listed, n=count).words
    # The words themselves first, so that none is drawn as a neighbor of another.
    groups = {word: [word] for word in listed}
    for word, near in zip(listed, found, strict=True):
        groups[word] += [other for other in near if other not in groups]
    return groups


def _draw_points(
    axes: Axes, groups: dict[str, list[str]], places: dict[str, npt.NDArray[np.float64]], style: Style
) -> dict[str, str]:
    """Draw a mark for each word; return the color of each word's group."""
    colors = {}
    crowd = max(0.35, min(1.0, 60 / max(1, len(places))))
    for index, (name, members) in enumerate(groups.items()):
        points = np.stack([places[word] for word in members])
        color = style.colors[index % len(style.colors)]
        axes.scatter(
            points[:, 0],
            points[:, 1],
            s=70 * crowd,
            color=color,
            marker=MARKS[index % len(MARKS)],
            edgecolors=style.edge,
            linewidths=0.8,
            label=name,
            zorder=3,
        )
        colors.update(dict.fromkeys(members, color))
    return colors


def _axis_names(projection: Projection) -> list[str]:
    if projection.explained is None:
        name = {"tsne": "t-SNE", "umap": "UMAP", "pacmap": "PaCMAP"}[projection.method]
        return [f"{name}, {place} dimension" for place in ("first", "second")]
    shares = [f"{100 * part:.0f} % of the variance" for part in projection.explained]
    return [
        f"{place} principal component ({share})"
        for place, share in zip(("first", "second"), shares, strict=True)
    ]


def _decorate(axes: Axes, names: list[str], title: str | None, style: Style, *, legend: bool) -> None:
    axes.set_xlabel(names[0], color=style.ink, labelpad=8)
    axes.set_ylabel(names[1], color=style.ink, labelpad=8)
    soften(axes, style)
    axes.margins(0.10)
    if title:
        axes.set_title(title, color=style.ink, loc="left", fontsize=14, fontweight="bold", pad=12)
    if legend:
        handles, names = axes.get_legend_handles_labels()
        box = axes.legend(
            handles,
            names,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.09),
            ncols=min(6, len(names)),
            frameon=False,
            labelcolor=style.ink,
            handletextpad=0.2,
            columnspacing=1.6,
        )
        for handle in box.legend_handles:
            handle.set_sizes([60])  # type: ignore[union-attr]


def _draw_labels(
    figure: Figure,
    axes: Axes,
    words: list[str],
    coordinates: npt.NDArray[np.float64],
    colors: dict[str, str],
    style: Style,
) -> None:
    """Write each word beside its mark, at the nearest place that is free; far ones get a thin line.

    Words are placed one after the other from the outside in, and stay where they were placed.
    """
    font = 10.0 if len(words) <= 60 else 8.0 if len(words) <= 150 else 6.5
    texts = [
        axes.annotate(
            _plain(word),
            (x, y),
            xytext=(0, 0),
            textcoords="offset points",
            fontsize=font,
            color=style.ink,
            horizontalalignment="left",
            verticalalignment="bottom",
            zorder=4,
            # Labels are placed once the layout is settled; asking each for its size would be slow.
            in_layout=False,
        )
        for word, (x, y) in zip(words, coordinates, strict=True)
    ]
    # The layout is settled before boxes are measured.
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    marks = axes.transData.transform(coordinates)
    sizes = np.array(
        [[box.width, box.height] for box in (text.get_window_extent(renderer) for text in texts)]
    )
    bounds = axes.get_window_extent(renderer)
    scale = figure.dpi / 72
    taken = _Taken(marks, radius=4.0 * scale)
    center = marks.mean(axis=0)
    for index in np.argsort(-np.linalg.norm(marks - center, axis=1), kind="stable"):
        place, distance = taken.find(
            marks[index], sizes[index], (bounds.x0, bounds.y0, bounds.x1, bounds.y1), scale
        )
        # In points, so that a picture saved at another resolution looks the same.
        offset = (place - marks[index]) / scale
        texts[index].set_position((float(offset[0]), float(offset[1])))
        if distance > _NEAR * scale:
            _draw_leader(axes, marks[index], place, sizes[index], colors.get(words[index], style.ink))


def _plain(word: str) -> str:
    """Keep dollar signs as they are, which matplotlib would read as formulas, and show line breaks."""
    return word.replace("$", r"\$").replace("\n", "⏎").replace("\t", "⇥")


def _draw_leader(
    axes: Axes,
    mark: npt.NDArray[np.float64],
    corner: npt.NDArray[np.float64],
    size: npt.NDArray[np.float64],
    color: str,
) -> None:
    nearest = np.clip(mark, corner, corner + size)
    ends = axes.transData.inverted().transform(np.stack([mark, nearest]))
    look: dict[str, Any] = {"color": color, "linewidth": 0.7, "alpha": 0.6, "zorder": 2, "in_layout": False}
    axes.plot(ends[:, 0], ends[:, 1], scalex=False, scaley=False, **look)


class _Taken:
    """Rectangles on the picture, in pixels, that no further label may cover."""

    def __init__(self, marks: npt.NDArray[np.float64], radius: float) -> None:
        self._boxes = np.concatenate([marks - radius, marks + radius], axis=1)
        self._marks = len(marks)

    def find(
        self,
        mark: npt.NDArray[np.float64],
        size: npt.NDArray[np.float64],
        bounds: tuple[float, float, float, float],
        scale: float,
    ) -> tuple[npt.NDArray[np.float64], float]:
        """Return the lower left corner of the best place for a label, and its distance from the mark.

        Places are tried from near to far, to the right first; one that is free and inside the axes wins,
        and otherwise the one that covers the least.
        """
        directions = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
        best = (np.inf, np.concatenate([mark, mark]), 0.0)
        for gap in _GAPS * scale:
            # The label's nearest edge lies at the gap, whatever the direction.
            corners = mark + gap * directions + size * (directions - 1) / 2
            boxes = np.concatenate([corners, corners + size], axis=1)
            covered = self._covered(boxes) + _outside(boxes, bounds)
            # The dearer question is only asked about places that may still win.
            hopeful = covered < best[0]
            covered[hopeful] += self._crossed(mark, boxes[hopeful])
            least = int(covered.argmin())
            if covered[least] < best[0]:
                best = (float(covered[least]), boxes[least], float(gap))
            if best[0] == 0:
                break
        _, box, gap = best
        self._boxes = np.vstack([self._boxes, box])
        return box[:2], gap

    def _covered(self, boxes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """How much of what is taken each box would cover, as an area."""
        low = np.maximum(self._boxes[None, :, :2], boxes[:, None, :2] - _CLEAR)
        high = np.minimum(self._boxes[None, :, 2:], boxes[:, None, 2:] + _CLEAR)
        area: npt.NDArray[np.float64] = np.clip(high - low, 0, None).prod(axis=2).sum(axis=1)
        return area

    def _crossed(
        self, mark: npt.NDArray[np.float64], boxes: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """How much of the line from a mark to each box runs through labels, as an area."""
        labels = self._boxes[self._marks :]
        nearest = np.clip(mark, boxes[:, :2], boxes[:, 2:])
        points = mark + np.linspace(0, 1, 9)[:, None, None] * (nearest - mark)
        above = (points[:, :, None] >= labels[:, :2]).all(axis=3)
        below = (points[:, :, None] <= labels[:, 2:]).all(axis=3)
        crossed: npt.NDArray[np.float64] = 10.0 * (above & below).sum(axis=(0, 2))
        return crossed


def _outside(
    boxes: npt.NDArray[np.float64], bounds: tuple[float, float, float, float]
) -> npt.NDArray[np.float64]:
    """How much of each box lies outside, as an area; counted three times, as it would be cut off."""
    low, high = np.maximum(boxes[:, :2], bounds[:2]), np.minimum(boxes[:, 2:], bounds[2:])
    inside = np.clip(high - low, 0, None).prod(axis=1)
    outside: npt.NDArray[np.float64] = 3 * ((boxes[:, 2:] - boxes[:, :2]).prod(axis=1) - inside)
    return np.where(outside > 1e-6, outside, 0)

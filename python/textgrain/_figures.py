"""What all pictures share: colors, light and dark, files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textgrain.exceptions import ParameterError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MARKS", "STYLES", "Style", "checked_path", "new_figure", "soften", "style_named"]

# Okabe and Ito (2008): distinct for all kinds of color vision; the marks differ too, for print. Their dark
# blue can hardly be seen on a dark ground, where the light one comes first.
_ON_LIGHT = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7F7F7F")
_ON_DARK = ("#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#F0E442", "#B08D4C", "#9A9A9A")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "p")


@dataclass(frozen=True, kw_only=True)
class Style:
    """The colors of a picture: its background, its text, its grid, the edges of marks, and its groups."""

    paper: str
    ink: str
    faint: str
    edge: str
    colors: tuple[str, ...]


STYLES = {
    "light": Style(paper="#FFFFFF", ink="#1F2328", faint="#E6E8EB", edge="#FFFFFF", colors=_ON_LIGHT),
    "dark": Style(paper="#14171C", ink="#E8EAED", faint="#2B3038", edge="#14171C", colors=_ON_DARK),
}


def style_named(name: str) -> Style:
    """The colors of this name."""
    if name not in STYLES:
        raise ParameterError(f'`style` must be "light" or "dark", got {name!r}', "style")
    return STYLES[name]


def new_figure() -> Callable[..., Figure]:
    """How a figure is made, or the way to what is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        message = "pictures need matplotlib, which is not installed: pip install 'textgrain[plot]'"
        raise ImportError(message, name="matplotlib") from error

    def make(**settings: object) -> Figure:
        # By itself: no window system, and no state shared with the caller's own pictures.
        figure = Figure(**settings)  # type: ignore[arg-type]
        FigureCanvasAgg(figure)
        return figure

    return make


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path, if its suffix says how a picture is written."""
    path = Path(path)
    if path.suffix.lower() not in {".png", ".svg", ".pdf"}:
        raise ParameterError(f"`path` must end in .png, .svg or .pdf, got {str(path)!r}", "path")
    return path


def soften(axes: Axes, style: Style) -> None:
    """Draw a faint grid behind the data and no frame."""
    axes.set_facecolor(style.paper)
    axes.tick_params(which="both", colors=style.ink, labelsize=8, length=0)
    axes.grid(visible=True, color=style.faint, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)

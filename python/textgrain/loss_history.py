"""The loss of each epoch of a training."""

from __future__ import annotations

import math
from typing import final

__all__ = ["LossHistory"]

# Epochs in the table of a notebook, half of them the first and half the last.
_SHOWN = 20

# Blue that can be seen on white as on black: a page of a notebook does not say which it is.
_LINE = "#2f86c9"
_WIDTH, _HEIGHT = 420, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 12, 28


@final
class LossHistory(list[float]):
    """The mean loss of each epoch, first to last: a list of floats that notebooks show as a curve.

    Examples
    --------
    >>> vectors = tg.Word2Vec(vector_size=10, epochs=3, lowercase=True).train(tg.sample_corpus(), threads=1)
    >>> len(vectors.history), vectors.history[0] > vectors.history[-1]
    (3, True)
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return a curve and a table for notebooks."""
        if not self:
            return "<div>no losses: these vectors were not trained here</div>"
        return (
            "<div style='display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start'>"
            f"{_curve(self)}{_table(self)}</div>"
        )


def _table(losses: list[float]) -> str:
    rows = [
        f"<tr><td>{number}</td><td>{loss:.4f}</td><td>{_change(losses, number - 1)}</td></tr>"
        for number, loss in enumerate(losses, 1)
    ]
    if len(rows) > _SHOWN:
        left_out = f"{len(rows) - _SHOWN:,} more"
        half = _SHOWN // 2
        rows = [*rows[:half], f"<tr><td colspan='3'>… {left_out} …</td></tr>", *rows[-half:]]
    style = "text-align:right;border-spacing:.8em 0;font-variant-numeric:tabular-nums"
    header = "<tr><th>epoch</th><th>mean loss</th><th>change</th></tr>"
    return f"<table style='{style}'>{header}{''.join(rows)}</table>"


def _change(losses: list[float], place: int) -> str:
    """How much lower or higher than one epoch before, in percent."""
    before = losses[place - 1] if place else 0.0
    if place == 0 or before == 0:
        return ""
    return f"{100 * (losses[place] - before) / abs(before):+.1f} %".replace("-", "−")


def _curve(losses: list[float]) -> str:
    """A picture that needs no script; points tell their numbers when they are pointed at."""
    known = [(number, loss) for number, loss in enumerate(losses, 1) if math.isfinite(loss)]
    if len(known) < 2:
        return ""
    low, high = min(loss for _, loss in known), max(loss for _, loss in known)
    span, last = (high - low) or 1.0, len(losses) - 1

    def place(number: int, loss: float) -> tuple[float, float]:
        across = _LEFT + (number - 1) / last * (_WIDTH - _LEFT - _RIGHT)
        return across, _TOP + (high - loss) / span * (_HEIGHT - _TOP - _BOTTOM)

    points = [place(*point) for point in known]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    # Many points would hide the line.
    radius = 3.5 if len(known) <= 40 else 1.5
    marks = "".join(
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius}'><title>epoch {number}: {loss:.4f}</title></circle>"
        for (x, y), (number, loss) in zip(points, known, strict=True)
    )
    return (
        f"<svg role='img' aria-label='mean loss of {len(losses)} epochs' viewBox='0 0 {_WIDTH} {_HEIGHT}' "
        f"width='{_WIDTH}' style='max-width:100%;height:auto' font-size='11' fill='currentColor'>"
        f"{_grid(low, high, len(losses))}"
        f"<polyline points='{path}' fill='none' stroke='{_LINE}' stroke-width='2'/>"
        f"<g fill='{_LINE}'>{marks}</g></svg>"
    )


def _grid(low: float, high: float, epochs: int) -> str:
    """A line and a number for the highest and the lowest loss; the first and the last epoch."""
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    levels = {_TOP: high, bottom: low} if high > low else {_TOP: high}
    lines = "".join(
        f"<line x1='{_LEFT}' y1='{y}' x2='{right}' y2='{y}' stroke='currentColor' stroke-opacity='.25'/>"
        f"<text x='{_LEFT - 8}' y='{y + 4}' text-anchor='end'>{loss:.3f}</text>"
        for y, loss in levels.items()
    )
    numbers = "".join(
        f"<text x='{x}' y='{_HEIGHT - 10}' text-anchor='middle'>{number:,}</text>"
        for x, number in ((_LEFT, 1), (right, epochs))
    )
    middle = (_LEFT + right) / 2
    return f"{lines}{numbers}<text x='{middle}' y='{_HEIGHT - 10}' text-anchor='middle'>epoch</text>"

"""Where a plot is drawn: on an axes of one's own, on a new one, or on several panels in the place of an
axes; and what is said of it in words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nlgauge.show.plots.canvas import bare, canvas, described

# Hues of marks on text, none of which is a system's: matched, information, and the two of edits.
AMBER, INDIGO, RED, PETROL = "#e0a100", "#4b4fbf", "#b3261e", "#00687a"


class Panels(np.ndarray):
    """Several axes; a notebook shows their figure if nlgauge created it."""

    def _repr_png_(self) -> bytes | None:
        show = getattr(next(self.flat, None), "_repr_png_", None)
        return None if show is None else show()


def one_axes(ax: Any, width: float, height: float, grid: str | None = None) -> Any:
    """The axes that was given, or that of a new figure of this size in inches; without a box."""
    return bare(canvas(None, width, height).subplots() if ax is None else ax, grid)


def part_at(ax: Any) -> Any:
    """A part of the figure in the place of an axes, which goes; None where no axes is given."""
    if ax is None:
        return None
    figure, place = ax.figure, ax.get_subplotspec()
    if place is None:
        grid = figure.add_gridspec(1, 1)
        place = grid[0, 0]
    ax.remove()
    return figure.add_subfigure(place)


def panels(ax: Any, down: int, across: int, width: float, height: float, **options: Any) -> Any:
    """(down, across) axes, on a new figure of this size or in the place of the axes that was given."""
    figure = canvas(part_at(ax), width, height)
    return figure.subplots(down, across, squeeze=False, **options).view(Panels)


def on_figure(plot: Callable[..., Any], ax: Any, *given: Any, said: str, **options: Any) -> Any:
    """Draws a plot that takes a figure in the place of an axes: the axes, or an array of them where it
    has several.
    """
    figure = plot(*given, figure=part_at(ax), **options)
    described(figure, said)
    return figure.axes[0] if len(figure.axes) == 1 else np.array(figure.axes).view(Panels)


def told(ax: Any, text: str) -> Any:
    """The axes, with what is seen in it noted for those who do not see it."""
    described(ax.figure, text)
    return ax


def mixed(colour: str, share: float) -> tuple[float, float, float]:
    """A colour between white (0) and itself (1)."""
    from matplotlib.colors import to_rgb

    strength = float(np.clip(np.nan_to_num(share), 0, 1))
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(colour))
    return red, green, blue

"""Presets: the width and the letters of a paper's or a slide's figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from nlgauge.errors import InputError, ParameterError, did_you_mean

# Points of text and of lines in print; a larger preset is the same figure, magnified.
_TEXT, _LINE = 8.0, 0.6
# Text of a plot from this size on gets the size of the preset.
_SMALLEST = 6.5
# A figure may be this much denser than it would be without a preset; more would put rows into each other.
_DENSER = 1.5


class Preset(NamedTuple):
    """The width and the greatest height of a figure in inches, and the size of its text in points."""

    name: str
    width: float
    height: float
    text: float = _TEXT

    @property
    def zoom(self) -> float:
        return self.text / _TEXT


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("acl", 3.03, 8.5),
        Preset("acl-wide", 6.30, 8.5),
        Preset("ieee", 3.5, 8.5),
        Preset("lncs", 4.8, 8.5),
        Preset("neurips", 5.5, 8.5),
        Preset("slide", 10.0, 5.6, 14.0),
    )
}
_active: ContextVar[Preset | None] = ContextVar("preset", default=None)


@contextmanager
def preset(name: str) -> Iterator[None]:
    """Draw the figures of a `with` block in the width of a paper or a slide.

    Parameters
    ----------
    name : {"acl", "acl-wide", "ieee", "lncs", "neurips", "slide"}
        Width of 3.03, 6.30, 3.5, 4.8, 5.5 or 10 inches, with text of 8 points (slide: 14) and lines of 0.6 points
        (slide: 1.05). The height is at most 8.5 inches (slide: 5.6). Plots with `ax` stay unchanged.

    Raises
    ------
    ParameterError
        If there is no such preset.

    Examples
    --------
    >>> with preset("acl"):
    ...     size = active().width
    >>> size
    3.03
    """
    if name not in PRESETS:
        raise ParameterError(
            f"unknown preset {name!r}{did_you_mean(name, PRESETS)}; choose one of {', '.join(PRESETS)}."
        )
    token = _active.set(PRESETS[name])
    try:
        yield
    finally:
        _active.reset(token)


def active() -> Preset | None:
    """Return the preset of the surrounding `with` block, if any."""
    return _active.get()


def layout_size(width: float, height: float) -> tuple[float, float]:
    """Return the size in which a figure of this natural size is laid out, before it is magnified."""
    chosen = active()
    if chosen is None:
        return width, height
    most = chosen.height / chosen.zoom
    if height > _DENSER * most:
        raise InputError(
            f"the figure needs a height of {height * chosen.zoom:.1f} inches, but the preset {chosen.name} has at most"
            f" {chosen.height:g}; select fewer metrics or systems, or another preset."
        )
    return chosen.width / chosen.zoom, min(height, most)


def page_width(width: float) -> float:
    """Return the width that panels side by side may take: of a page, or of the preset."""
    chosen = active()
    return width if chosen is None else chosen.width / chosen.zoom


def layout_text(size: float) -> float:
    """Return the size that text of this size has in the layout of the preset."""
    return _TEXT if active() is not None and size >= _SMALLEST else size


def page_height() -> float | None:
    """Return the greatest height of a figure in its layout; None without a preset."""
    chosen = active()
    return None if chosen is None else chosen.height / chosen.zoom


def fit_preset(figure: Any) -> None:
    """Set text and lines of a new figure to the sizes of the active preset, and magnify it to its width."""
    chosen = active()
    if chosen is None or getattr(figure, "_nlgauge_preset", None) is not None:
        return
    figure._nlgauge_preset = chosen
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    zoom = chosen.zoom
    for axes in figure.axes:
        axes.tick_params(labelsize=chosen.text)
    for text in figure.findobj(Text):
        # Numbers in the cells of a map are smaller, so that they fit.
        own = text.get_fontsize()
        text.set_fontsize(chosen.text if own >= _SMALLEST else own * zoom)
    for line in figure.findobj(Line2D):
        line.set_linewidth(min(line.get_linewidth(), _LINE) * zoom)
        line.set_markersize(line.get_markersize() * zoom)
        line.set_markeredgewidth(min(line.get_markeredgewidth(), _LINE) * zoom)
    for patch in figure.findobj(Patch):
        patch.set_linewidth(min(patch.get_linewidth(), _LINE) * zoom)
    for collection in figure.findobj(Collection):
        collection.set_linewidths([min(width, _LINE) * zoom for width in collection.get_linewidths()])
        if hasattr(collection, "get_sizes") and hasattr(collection, "set_sizes"):
            collection.set_sizes(collection.get_sizes() * zoom**2)
    figure.set_size_inches(*(size * zoom for size in figure.get_size_inches()))

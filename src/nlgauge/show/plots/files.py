"""Figures as files, and what they say to those who do not see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.show.plots import plotting
from nlgauge.show.plots.canvas import seen


def save(drawn: Any, path: str | Path) -> Path:
    """Writes the figure of one axes, of several, or a figure to a .pdf, .png or .svg file; the same
    figure makes the same file.
    """
    plotting.save(_figure(drawn), path)
    return Path(path)


def alt(drawn: Any) -> str:
    """What is seen on a figure, in words: for the alt attribute of a page, or below a figure."""
    return seen(_figure(drawn))


def _figure(drawn: Any) -> Any:
    first = np.asarray(drawn, dtype=object).flat[0] if isinstance(drawn, np.ndarray | list | tuple) else drawn
    figure = first if not hasattr(first, "axes") or hasattr(first, "savefig") else first.figure
    while not hasattr(figure, "savefig"):
        figure = figure.figure
    return figure

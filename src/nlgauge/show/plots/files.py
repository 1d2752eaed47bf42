"""Figures as files, and their descriptions in words."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.paths import replacing, require_folder
from nlgauge.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nlgauge.show.plots.canvas import Panels

_FORMS = (".pdf", ".png", ".svg")
_DOTS_PER_INCH = 200


def save(axes: Axes | Panels | Figure, path: str | Path) -> Path:
    """Write the figure of a plot to a file, reproducibly to the byte.

    Parameters
    ----------
    axes : matplotlib.axes.Axes, array of Axes or matplotlib.figure.Figure
        Return value of a plot, or any figure.
    path : str or Path
        File whose name ends with .pdf, .png or .svg.

    Returns
    -------
    Path
        Path of the file.

    Raises
    ------
    InputError
        If the name of the file has another ending.
    """
    check_file(path)
    from matplotlib import rc_context

    from nlgauge.show.plots.canvas import REPRODUCIBLE, seen, undated
    from nlgauge.show.plots.fonts import fit_fonts

    figure, form = _figure(axes), Path(path).suffix.lstrip(".").lower()
    fit_fonts(figure)
    with rc_context(REPRODUCIBLE), replacing(path) as stream:
        figure.savefig(stream, format=form, dpi=_DOTS_PER_INCH, metadata=undated(form, seen(figure)))
    return Path(path)


def alt(axes: Axes | Panels | Figure) -> str:
    """Describe a plot in words, for the alt attribute of a page or a caption.

    Parameters
    ----------
    axes : matplotlib.axes.Axes, array of Axes or matplotlib.figure.Figure
        Return value of a plot, or its figure.

    Returns
    -------
    str
        Description; empty if nlgauge drew nothing on the figure.
    """
    from nlgauge.show.plots.canvas import seen

    return seen(_figure(axes))


def check_file(path: str | Path) -> None:
    """Raise if a plot cannot be written to this path, so that long work is not done in vain."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "drawing")
    if Path(path).suffix.lower() not in _FORMS:
        raise InputError(f"the file name of a plot must end with .pdf, .png or .svg, got {str(path)!r}.")
    require_folder(Path(path))


def _figure(axes: Any) -> Any:
    figure = np.asarray(axes, dtype=object).flat[0]
    while not hasattr(figure, "savefig"):
        figure = figure.figure
    return figure

"""Plots on request: drawn by name, and written to files."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nlgauge._core.paths import replacing, require_folder
from nlgauge.errors import InputError, MissingExtraError

FORMS = (".pdf", ".png", ".svg")
_DOTS_PER_INCH = 200


def draw(name: str, *given: Any, path: str | Path | None = None, **options: Any) -> Any:
    """The figure of a plot of `nlgauge.show.plots.meta`, by name; it is written to the path if there is
    one.
    """
    if path is not None:
        check_file(path)
    from nlgauge.show.plots import meta as plots

    figure = getattr(plots, name)(*given, **options)
    if path is not None:
        save(figure, path)
    return figure


def save(figure: Any, path: str | Path) -> None:
    """Writes a figure to a file in the form that its name asks for."""
    check_file(path)
    from matplotlib import rc_context

    from nlgauge.show.plots.canvas import REPRODUCIBLE, seen, undated
    from nlgauge.show.plots.fonts import fit_fonts

    fit_fonts(figure)
    form = Path(path).suffix.lstrip(".").lower()
    with rc_context(REPRODUCIBLE), replacing(path) as stream:
        figure.savefig(stream, format=form, dpi=_DOTS_PER_INCH, metadata=undated(form, seen(figure)))


def check_file(path: str | Path) -> None:
    """Raises where a plot could not be written, so that long work need not be done in vain."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "drawing")
    if Path(path).suffix.lower() not in FORMS:
        raise InputError(f"a plot is written to a file that ends with {_any_of(FORMS)}, got {str(path)!r}.")
    require_folder(Path(path))


def _any_of(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"

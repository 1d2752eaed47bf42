"""The common parts of all plots: the figure and axes, sizes and colors that survive print and color
blindness, literal text, and a description in words.

matplotlib's global settings stay unchanged, and figures are not registered with pyplot: a notebook shows
the axes that a plot returns, and `nlgauge.plots.save` writes its figure.
"""

from __future__ import annotations

import io
import math
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings
from nlgauge.show.plots.fonts import fit_fonts
from nlgauge.show.plots.presets import fit_preset, layout_size, page_width

# Sizes in points; widths in inches are of one and of two columns of a printed page.
SMALL, TEXT, TITLE = 7.0, 8.0, 9.0
COLUMN, PAGE = 3.4, 7.0
LINE, THIN = 1.2, 0.6
# Stands behind a wide character while lines are filled.
_WIDE = "\ue000"
# The inches from one line of text to the next.
_SPACING = 0.14
GRAY, PALE = "#555555", "#dddddd"
# Every two differ in lightness, so that they are distinct without hue.
COLORS = ("#000000", "#004488", "#bb5566", "#44aa99", "#ddaa33", "#a8dcf5")
MARKERS = ("o", "s", "^", "D", "v", "X")
DASHES = ("-", "--", ":", "-.")
SEQUENTIAL, DIVERGING = "cividis", "PuOr_r"
# Hues of marks on text, none of which is a system's: matched, information, and the two of edits.
AMBER, INDIGO, RED, PETROL = "#e0a100", "#4b4fbf", "#b3261e", "#00687a"
# Settings that make two files of one figure the same, and store text as text.
REPRODUCIBLE: Any = {"svg.hashsalt": "nlgauge", "svg.fonttype": "none", "pdf.fonttype": 42}


_Drawn = TypeVar("_Drawn")


class Drawing(Figure):
    """A figure that notebooks show without pyplot, and whose files are reproducible."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure as matplotlib does: with its description as title, text as text, and no date."""
        form = options.get("format") or Path(str(fname)).suffix.lstrip(".")
        fit_fonts(self)
        with rc_context(REPRODUCIBLE):
            super().savefig(fname, **{"metadata": undated(form, seen(self)), **options})

    def _repr_png_(self) -> bytes:
        held = io.BytesIO()
        self.savefig(held, format="png", dpi=150)
        return held.getvalue()


def seen(figure: Any) -> str:
    """Return the description of a figure; empty if it has none."""
    return str(getattr(figure, "_nlgauge_alt", ""))


def undated(form: str, title: str) -> dict[str, Any]:
    """Return the metadata for a file of this format: a title, and no time."""
    said = {"Title": title} if title else {}
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "ps": {}, "eps": {}}
    return {**said, **dates.get(form.lower(), {})}


class Look(NamedTuple):
    """The style of one of several series."""

    color: str
    marker: str
    dashes: str


def looks(count: int) -> list[Look]:
    """Return one look for each series; every six of them the dashes change, and the markers go to other
    colors.
    """
    size = len(COLORS)
    return [
        Look(COLORS[i % size], MARKERS[(i + i // size) % size], DASHES[i // size % len(DASHES)])
        for i in range(count)
    ]


class Panels(np.ndarray):
    """An array of several axes; a notebook shows their figure if nlgauge created it."""

    def _repr_png_(self) -> bytes | None:
        figure = self.flat[0].figure.figure
        return figure._repr_png_() if isinstance(figure, Drawing) else None


def new_figure(width: float, height: float) -> Drawing:
    """Return a figure of this size in inches, laid out so that no text is cut off."""
    figure = Drawing(figsize=layout_size(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def page() -> float:
    """Return the width of a page, or of the preset, in inches."""
    return page_width(PAGE)


def one_axes(ax: Axes | None, width: float, height: float, grid: str | None = None) -> Axes:
    """Return `ax`, or the axes of a new figure of this size in inches; without a box."""
    return bare(new_figure(width, height).subplots() if ax is None else ax, grid)


def panels(ax: Axes | None, down: int, across: int, width: float, height: float, **options: Any) -> Panels:
    """Return (down, across) axes without boxes: of a new figure of this size, or instead of `ax`.

    A single panel is `ax` itself.
    """
    if ax is not None and down == across == 1:
        axes = np.array([[ax]])
    else:
        figure = new_figure(width, height) if ax is None else _part_at(ax)
        axes = figure.subplots(down, across, squeeze=False, **options)
    for panel in axes.flat:
        bare(panel)
    return axes.view(Panels)


def grid_of(ax: Axes | None, count: int, across: int, width: float, height: float, **options: Any) -> Panels:
    """Return `count` axes in rows of `across`, as `panels` does; places that are left over stay empty."""
    axes = panels(ax, math.ceil(count / across), across, width, height, **options).ravel()
    for panel in axes[count:]:
        panel.set_visible(False)
    return axes[:count].view(Panels)


def _part_at(ax: Axes) -> Any:
    """Replace an axes by a part of its figure."""
    figure, place = ax.figure, ax.get_subplotspec()
    if isinstance(figure, Figure) and figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    ax.remove()
    return figure.add_subfigure(figure.add_gridspec(1, 1)[0, 0] if place is None else place)


def unpacked(axes: Panels) -> Axes | Panels:
    """Return the axes of a single panel, or the array of several."""
    first: Axes = axes.flat[0]
    return first if axes.size == 1 else axes


def described(axes: _Drawn, text: str) -> _Drawn:
    """Return the axes, and note in words what their figure shows, for readers who do not see it."""
    figure: Any = first_of(axes).figure.figure
    if isinstance(figure, Drawing) and not isinstance(axes, Panels):
        vars(axes)["_repr_png_"] = figure._repr_png_
    if isinstance(figure, Drawing):
        fit_preset(figure)
    figure._nlgauge_alt = " ".join(filter(None, [seen(figure), " ".join(text.split())]))
    return axes


def first_of(axes: Any) -> Any:
    """Return an axes, or the first of several."""
    return np.atleast_1d(axes).flat[0]


def bare(ax: Axes, grid: str | None = None) -> Axes:
    """Return an axes without a box, with small ticks and, with `grid`, a pale grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    for spine in ax.spines.values():
        spine.set_linewidth(THIN)
    ax.tick_params(labelsize=SMALL, width=THIN, length=2.5)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis="x" if grid == "x" else "y", color=PALE, linewidth=THIN)
    return ax


def legend_below(axes: Any, handles: Sequence[Any], columns: int, loc: str = "left", **options: Any) -> None:
    """Put a legend below the panels; the legend of one axes of several stays inside it."""
    style = {"handles": handles, "frameon": False, "fontsize": SMALL, **options}
    figure = first_of(axes).figure
    alone = {*np.atleast_1d(axes).flat} >= {ax for ax in figure.axes if ax.get_visible()}
    if alone and figure.get_layout_engine() is not None:
        _plain_legend(figure.legend(loc=f"outside lower {loc}", ncols=columns, **style))
    else:
        _plain_legend(first_of(axes).legend(loc="best", **style))


def legend_beside(ax: Axes, *items: Any, **options: Any) -> None:
    """Put a legend to the right of an axes."""
    style: Any = {"bbox_to_anchor": (1.0, 1.0), "frameon": False, "fontsize": SMALL, **options}
    _plain_legend(ax.legend(*items, loc="upper left", **style))


def _plain_legend(legend: Any) -> None:
    for text in legend.get_texts():
        text.set(parse_math=False, usetex=False)


def color_bar(mappable: Any, axes: Any, shrink: float, label: str = "", **options: Any) -> None:
    """Put a thin bar of the colors next to the axes."""
    bar = first_of(axes).figure.colorbar(mappable, ax=axes, shrink=shrink, aspect=25, **options)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SMALL, length=2)
    bar.set_label(label, fontsize=SMALL)


def interval(ax: Axes, low: float, high: float, place: float, color: str) -> None:
    """Draw an interval as a horizontal line."""
    style: Any = {"linewidth": LINE, "solid_capstyle": "butt", "label": "interval"}
    ax.plot([low, high], [place, place], color=color, **style)


def not_available(ax: Axes, place: float) -> None:
    """Write n/a at the left end of a row."""
    ax.text(0.02, place, "n/a", transform=ax.get_yaxis_transform(), va="center", color=GRAY, **plain(SMALL))


def map_of(ax: Axes, values: Array, down: Sequence[object], across: Sequence[object], size: float) -> Any:
    """Draw correlations as a map with their values, and return its image."""
    image = ax.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
    # In a narrow figure numbers are as small as their cells; room is left for a bar of colors.
    cell = (ax.figure.figure.get_size_inches()[0] - room(down) - 1.0) / max(1, len(across))
    size = max(3.0, min(size, 72 * cell / 2.7))
    for (i, j), value in np.ndenumerate(values):
        color = "white" if abs(value) > 0.75 else "black"
        ax.text(j, i, short_decimals(value), ha="center", va="center", color=color, **plain(size))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    named_ticks(ax.yaxis, down)
    named_ticks(ax.xaxis, across, rotation=90)
    return image


def mixed(color: str, share: float) -> tuple[float, float, float]:
    """Return a color between white (0) and itself (1)."""
    strength = float(np.clip(np.nan_to_num(share), 0, 1))
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(color))
    return red, green, blue


def few_ticks(axis: Any, count: int = 5, whole: bool = False) -> None:
    """Set at most this number of intervals between ticks, at round (or whole) numbers."""
    axis.set_major_locator(
        MaxNLocator(count, steps=[1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10], integer=whole)
    )


def room(names: Iterable[object], size: float = SMALL) -> float:
    """Return the approximate width of the longest of these names in inches."""
    return max((_columns(shown(name)) for name in names), default=0) * size * 0.62 / 72


def _columns(text: str) -> float:
    """Return the width of a text in letters of usual width; a Chinese or Japanese character takes more than
    one.
    """
    return sum(1.6 if unicodedata.east_asian_width(sign) in "WF" else 1.0 for sign in text)


def larger_for(points: int) -> float:
    """Return the factor by which a figure grows that names this number of points."""
    return max(1.0, math.sqrt(points / 20))


def columns_for(titles: Sequence[object], beside: float) -> int:
    """Return the number of panels per row of a page: at most four, so that their titles have room next to
    names of this width.
    """
    return int(min(4, len(titles), max(1, (page() - beside) // max(1.35, room(titles, TITLE) + 0.1))))


def plain(size: float = TEXT, **further: Any) -> dict[str, Any]:
    """Return properties of a text that is shown literally: a name with $ or _ is not taken for a formula."""
    return {"fontsize": size, "parse_math": False, "usetex": False, **further}


def shown(name: object) -> str:
    """Return a name on one line."""
    return " ".join(str(name).split())


def named_ticks(
    axis: Any,
    names: Sequence[object],
    size: float = SMALL,
    places: Sequence[float] | None = None,
    **further: Any,
) -> None:
    """Return one tick per name, at 0, 1, 2, ... or at the places given."""
    axis.set_ticks(
        range(len(names)) if places is None else places,
        [shown(name) for name in names],
        **plain(size, **further),
    )


def titled(ax: Any, title: str = "", x: str = "", y: str = "", spare: float = 0.0) -> None:
    """Set the title, to the left, and the names of both axes, on as many lines as they need; call it after
    the ticks are named. `spare` is the width of what is to the right of the axes, in inches.
    """
    figure = ax.figure
    across, down = _share(ax)
    beside = max((room(label.get_text().split("\n")) for label in ax.get_yticklabels()), default=0.0)
    below = max(
        (room([label.get_text()]) for label in ax.get_xticklabels() if label.get_rotation()), default=0.1
    )
    width = (figure.bbox.width / figure.dpi - spare - max(0.6, beside + 0.2)) * across
    width -= 0.1 if across < 1 else 0
    # Further lines of the title and of the name below take from the height; further lines of the name at the
    # side take from the width.
    further = (_wrapped(title, width, TITLE) + _wrapped(x, width, TEXT)).count("\n")
    side = _wrapped(y, figure.bbox.height / figure.dpi * down - below - 0.6 - further * _SPACING, TEXT)
    width -= side.count("\n") * _SPACING
    ax.set_title(_wrapped(title, width, TITLE), loc="left", **plain(TITLE))
    ax.set_xlabel(_wrapped(x, width, TEXT), **plain())
    ax.set_ylabel(side, **plain())


def _share(ax: Any) -> tuple[float, float]:
    """Return the share of its figure that an axes may take, across and down."""
    place = ax.get_subplotspec()
    if place is None:
        inside = ax.get_position()
        return inside.width, inside.height
    grid = place.get_gridspec()
    return len(place.colspan) / grid.ncols, len(place.rowspan) / grid.nrows


def _wrapped(text: str, inches: float, size: float) -> str:
    count = max(12, int(inches * 72 / (size * 0.6)))
    # A wide character, such as a Chinese one, takes the place of two letters.
    wide = "".join(f"{sign}{_WIDE}" if unicodedata.east_asian_width(sign) in "WF" else sign for sign in text)
    lines = (textwrap.fill(line, count, break_on_hyphens=False) for line in wide.split("\n"))
    return "\n".join(lines).replace(_WIDE, "")


def decimals(value: float, places: int = 2) -> str:
    """Return a number as a label; an unknown number is n/a.

    >>> decimals(0.128), decimals(-0.001), decimals(float("nan"))
    ('0.13', '0.00', 'n/a')
    """
    text = f"{value:.{places}f}"
    return "n/a" if math.isnan(value) else text.removeprefix("-") if float(text) == 0 else text


def short_decimals(value: float) -> str:
    """Return a number of two decimals without its leading 0.

    >>> short_decimals(0.128), short_decimals(-1.0)
    ('.13', '-1.00')
    """
    return decimals(value).replace("0.", ".")


def the_only(rows: Findings, *columns: str) -> None:
    """Raise if the rows differ in any of these columns, whose differences the plot cannot show."""
    for column in columns:
        values = distinct(rows.rows, column)
        if len(values) > 1:
            listed = ", ".join(map(repr, values[:5]))
            raise InputError(
                f"the rows have {len(values)} values of {column!r} ({listed}), but the plot shows one;"
                f" select it with .where({column}={values[0]!r})."
            )


def distinct(rows: Sequence[Mapping[str, Any]], column: str) -> list[Any]:
    """Return the values of a column, each once, in the order of the rows; rows without it have none."""
    return list(dict.fromkeys(row[column] for row in rows if column in row))


def needed(rows: Findings, plot: str, *columns: str) -> None:
    """Raise if there are no rows, or if they lack what the plot shows."""
    if not rows.rows:
        raise InputError(f"{plot} needs rows, but the findings have none.")
    if missing := [column for column in columns if column not in rows.names]:
        raise InputError(
            f"{plot} needs the columns {', '.join(columns)}, but {', '.join(missing)} is missing;"
            f" the table has {', '.join(rows.names)}."
        )

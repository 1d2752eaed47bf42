"""What all plots share: the figure they draw on, sizes and colours that survive print and colour blindness,
and text that is shown as it is.

Nothing of matplotlib's global settings is changed, and figures are not registered with pyplot:
`figure.savefig("name.pdf")` saves one, and a notebook shows it.
"""

from __future__ import annotations

import io
import math
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nlgauge.errors import InputError, MissingExtraError
from nlgauge.meta.findings import Findings

try:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from nlgauge.show.plots.fonts import fit_fonts
except ImportError:
    raise MissingExtraError("matplotlib", "plot", "drawing") from None

# Sizes in points; widths in inches are of one and of two columns of a printed page.
SMALL, TEXT, TITLE = 7.0, 8.0, 9.0
COLUMN, PAGE = 3.4, 7.0
LINE, THIN = 1.2, 0.6
# The inches from one line of text to the next.
_SPACING = 0.14
GREY, PALE = "#555555", "#dddddd"
# Every two differ in lightness, so that they can be told apart without hue.
COLOURS = ("#000000", "#004488", "#bb5566", "#44aa99", "#ddaa33", "#a8dcf5")
MARKERS = ("o", "s", "^", "D", "v", "X")
DASHES = ("-", "--", ":", "-.")
SEQUENTIAL, DIVERGING = "cividis", "PuOr_r"
# What makes two files of one figure the same, and keeps text as text.
REPRODUCIBLE: Any = {"svg.hashsalt": "nlgauge", "svg.fonttype": "none", "pdf.fonttype": 42}


class Drawing(Figure):
    """A figure that notebooks show without pyplot, as they do each of its axes, and whose files are the
    same whenever they are written.
    """

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        return self._showing(super().add_subplot(*args, **kwargs))

    def add_axes(self, *args: Any, **kwargs: Any) -> Any:
        return self._showing(super().add_axes(*args, **kwargs))

    def _showing(self, ax: Any) -> Any:
        ax._repr_png_ = self._repr_png_
        return ax

    def savefig(self, fname: Any, **options: Any) -> None:
        """As of any figure; a file has what is seen as its title (`described`), text as text, and no date."""
        form = options.get("format") or Path(str(fname)).suffix.lstrip(".")
        fit_fonts(self)
        with rc_context(REPRODUCIBLE):
            super().savefig(fname, **{"metadata": undated(form, seen(self)), **options})

    def _repr_png_(self) -> bytes:
        held = io.BytesIO()
        self.savefig(held, format="png", dpi=150)
        return held.getvalue()


def described(figure: Any, text: str) -> None:
    """Notes what is seen in a figure, in words: what files have for those who do not see it."""
    figure.figure._nlgauge_alt = " ".join(filter(None, [seen(figure.figure), " ".join(text.split())]))


def seen(figure: Any) -> str:
    """What `described` noted; nothing where it was not called."""
    return str(getattr(figure, "_nlgauge_alt", ""))


def undated(form: str, title: str) -> dict[str, Any]:
    """What a file of this form says of itself: a title, and no time."""
    said = {"Title": title} if title else {}
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "ps": {}, "eps": {}}
    return {**said, **dates.get(form.lower(), {})}


class Look(NamedTuple):
    """How one of several series is drawn."""

    colour: str
    marker: str
    dashes: str


def looks(count: int) -> list[Look]:
    """One look for each series; every six of them the dashes change, and the markers go to other colours."""
    size = len(COLOURS)
    return [
        Look(COLOURS[i % size], MARKERS[(i + i // size) % size], DASHES[i // size % len(DASHES)])
        for i in range(count)
    ]


def canvas(figure: Any, width: float, height: float) -> Any:
    """The figure to draw on: a new one of this size in inches, or the one (or part of one) that was
    given, laid out so that no text is cut off.
    """
    if figure is not None:
        if isinstance(figure, Figure) and figure.get_layout_engine() is None:
            figure.set_layout_engine("constrained")
        return figure
    found = Drawing(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(found)
    return found


def bare(ax: Any, grid: str | None = None) -> Any:
    """An axes without a box, with small ticks and, if asked for, pale lines of a grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    for spine in ax.spines.values():
        spine.set_linewidth(THIN)
    ax.tick_params(labelsize=SMALL, width=THIN, length=2.5)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=PALE, linewidth=THIN)
    return ax


def few_ticks(axis: Any, count: int = 5, whole: bool = False) -> None:
    """At most so many intervals between ticks, at round (or whole) numbers."""
    axis.set_major_locator(
        MaxNLocator(count, steps=[1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10], integer=whole)
    )


def room(names: Iterable[object], size: float = SMALL) -> float:
    """The inches that the longest of these names takes, nearly."""
    return max((_columns(shown(name)) for name in names), default=0) * size * 0.62 / 72


def _columns(text: str) -> float:
    """How many letters of usual width a text is wide: a Chinese or Japanese character takes more than one."""
    return sum(1.6 if unicodedata.east_asian_width(sign) in "WF" else 1.0 for sign in text)


def larger_for(points: int) -> float:
    """How much larger a figure is that names so many points."""
    return max(1.0, math.sqrt(points / 20))


def columns_for(titles: Sequence[object], beside: float) -> int:
    """How many panels stand side by side on a page: at most four, so many that their titles have room
    next to names of this width.
    """
    return int(min(4, len(titles), max(1, (PAGE - beside) // max(1.35, room(titles, TITLE) + 0.1))))


def plain(size: float = TEXT, **further: Any) -> dict[str, Any]:
    """Properties of a text that is shown as it is: a name with $ or _ is not taken for a formula."""
    return {"fontsize": size, "parse_math": False, "usetex": False, **further}


def shown(name: object) -> str:
    """A name on one line."""
    return " ".join(str(name).split())


def named_ticks(
    axis: Any,
    names: Sequence[object],
    size: float = SMALL,
    places: Sequence[float] | None = None,
    **further: Any,
) -> None:
    """One tick per name, at 0, 1, 2, ... or at the places given."""
    axis.set_ticks(
        range(len(names)) if places is None else places,
        [shown(name) for name in names],
        **plain(size, **further),
    )


def titled(ax: Any, title: str = "", x: str = "", y: str = "") -> None:
    """The title, to the left, and the names of both axes, on as many lines as they need; call it when the
    ticks are named.
    """
    figure = ax.figure
    across, down = _share(ax)
    beside = max((room(label.get_text().split("\n")) for label in ax.get_yticklabels()), default=0.0)
    below = max(
        (room([label.get_text()]) for label in ax.get_xticklabels() if label.get_rotation()), default=0.1
    )
    width = (figure.bbox.width / figure.dpi - max(0.6, beside + 0.2)) * across - (0.1 if across < 1 else 0)
    # Further lines of the title and of the name below take from the height; those of the name beside take
    # from the width.
    further = (_wrapped(title, width, TITLE) + _wrapped(x, width, TEXT)).count("\n")
    side = _wrapped(y, figure.bbox.height / figure.dpi * down - below - 0.6 - further * _SPACING, TEXT)
    width -= side.count("\n") * _SPACING
    ax.set_title(_wrapped(title, width, TITLE), loc="left", **plain(TITLE))
    ax.set_xlabel(_wrapped(x, width, TEXT), **plain())
    ax.set_ylabel(side, **plain())


def _share(ax: Any) -> tuple[float, float]:
    """How much of its figure an axes may take, across and down."""
    place = ax.get_subplotspec()
    if place is None:
        inside = ax.get_position()
        return inside.width, inside.height
    grid = place.get_gridspec()
    return len(place.colspan) / grid.ncols, len(place.rowspan) / grid.nrows


def _wrapped(text: str, inches: float, size: float) -> str:
    count = max(12, int(inches * 72 / (size * 0.6)))
    return "\n".join(textwrap.fill(line, count, break_on_hyphens=False) for line in text.split("\n"))


def decimals(value: float, places: int = 2) -> str:
    """A number as a label; an unknown one is n/a.

    >>> decimals(0.128), decimals(-0.001), decimals(float("nan"))
    ('0.13', '0.00', 'n/a')
    """
    text = f"{value:.{places}f}"
    return "n/a" if math.isnan(value) else text.removeprefix("-") if float(text) == 0 else text


def the_only(found: Findings, *columns: str) -> None:
    """Raises where the rows differ in any of these columns, in which the plot has no room for differences."""
    for column in columns:
        values = distinct(found.rows, column)
        if len(values) > 1:
            listed = ", ".join(map(repr, values[:5]))
            raise InputError(
                f"these rows are of {len(values)} values of {column!r}: {listed}; choose with"
                f" .where({column}={values[0]!r})."
            )


def distinct(rows: Sequence[Mapping[str, Any]], column: str) -> list[Any]:
    """The values of a column, each once, in the order of the rows; rows without it have none."""
    return list(dict.fromkeys(row[column] for row in rows if column in row))


def needed(found: Findings, plot: str, *columns: str) -> None:
    """Raises where there are no rows, or they lack what the plot shows."""
    if not found.rows:
        raise InputError(f"{plot} needs rows, there are none.")
    if missing := [column for column in columns if column not in found.names]:
        raise InputError(
            f"{plot} needs the columns {', '.join(columns)}; {', '.join(missing)} is missing, there are"
            f" {', '.join(found.names)}."
        )

"""sweep: how agreement with people changes with a parameter of a metric."""

from __future__ import annotations

from typing import Any

from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings
from nlgauge.show.plots.canvas import distinct, needed, the_only, titled
from nlgauge.show.plots.meta.lines import draw_lines, name_lines


def sweep(
    found: Findings, parameter: str, *, by: str = "metric", log: bool = False, figure: Any = None
) -> Any:
    """Rows of `correlate` with a further column, the parameter (temperature, number of references): one line,
    with its band, for each `by`.

    >>> from nlgauge.meta.findings import Found
    >>> rows = [{"metric": "chrf", "references": n, "value": value} for n, value in ((1, 0.4), (2, 0.5))]
    >>> sweep(Found(rows), "references").axes[0].get_lines()[0].get_ydata().tolist()
    [0.4, 0.5]
    """
    needed(found, "sweep", parameter, by, "value")
    the_only(
        found, *(name for name in ("human", "group", "level", "coefficient") if name not in (parameter, by))
    )
    series = {str(name): [row for row in found.rows if row[by] == name] for name in distinct(found.rows, by)}
    for name, rows in series.items():
        if len({row[parameter] for row in rows}) < len(rows):
            raise InputError(
                f"sweep needs one row for each value of {parameter!r}, {name} has several for one."
            )
    figure, ax = draw_lines(figure, series, parameter, "value")
    if log:
        ax.set_xscale("log")
    first = found.rows[0]
    what = ", ".join(
        str(first[name]) for name in ("coefficient", "level", "human") if name in first and name != by
    )
    titled(
        ax,
        next(iter(series)) if len(series) == 1 else f"Agreement by {parameter}",
        parameter,
        what or "value",
    )
    name_lines(ax, series, parameter, "value")
    return figure

"""topk: agreement among the best k systems alone."""

from __future__ import annotations

from typing import Any

from nlgauge.meta.findings import Findings
from nlgauge.show.plots.canvas import GREY, THIN, distinct, needed, the_only, titled
from nlgauge.show.plots.meta.lines import draw_lines, name_lines


def topk(found: Findings, *, figure: Any = None) -> Any:
    """The rows of `top_systems`: one line per metric over the number of best systems among which it is
    compared with people.
    """
    needed(found, "topk", "k", "metric", "value")
    the_only(found, "human", "level", "coefficient")
    series = {
        str(name): [row for row in found.rows if row["metric"] == name]
        for name in distinct(found.rows, "metric")
    }
    figure, ax = draw_lines(figure, series, "k", "value")
    ax.axhline(0, color=GREY, linewidth=THIN, label="zero")
    first = found.rows[0]
    what = ", ".join(str(first[name]) for name in ("coefficient", "level", "human") if name in first)
    titled(
        ax,
        next(iter(series)) if len(series) == 1 else "Agreement among the best k systems",
        "k best systems by people",
        what,
    )
    name_lines(ax, series, "k", "value")
    return figure

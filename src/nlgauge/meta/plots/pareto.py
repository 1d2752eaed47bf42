"""pareto: what agreement with people costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from nlgauge.corpus.columns import Array
from nlgauge.errors import InputError
from nlgauge.meta.found import Found
from nlgauge.meta.plots.canvas import COLOURS, COLUMN, GREY, LINE, THIN, bare, canvas, distinct, few_ticks, needed, titled
from nlgauge.meta.plots.labels import name_points


def pareto(found: Found, seconds: Mapping[str, float], *, figure: Any = None) -> Any:
    """The rows of `correlate` against the seconds that each metric takes for 1,000 texts, on a logarithmic axis, and the frontier.

    On the frontier are metrics than which no other is both faster and better; they are filled, the others hollow. A metric with several rows (levels,
    human dimensions) stands at their mean, without an interval, since the bounds of a mean are not the mean of bounds.
    """
    needed(found, "pareto", "metric", "value")
    names = distinct(found.rows, "metric")
    if missing := [name for name in names if not seconds.get(name, 0) > 0]:
        raise InputError(f"pareto needs the seconds of every metric, above 0; {', '.join(map(str, missing))} has none.")
    rows = {name: [row for row in found.rows if row["metric"] == name] for name in names}
    values = np.array([np.mean([row["value"] for row in rows[name]]) for name in names], dtype=np.float64)
    times = np.array([seconds[name] for name in names], dtype=np.float64)
    figure = canvas(figure, COLUMN * 1.5, COLUMN * 1.1)
    ax = bare(figure.subplots(), "y")
    ax.set_xscale("log")
    best = frontier(times, values)
    several = max(map(len, rows.values())) > 1
    lines: list[Array] = [np.column_stack([np.repeat(times[best], 2)[1:], np.repeat(values[best], 2)[:-1]])] if best else []
    for place, name in enumerate(names):
        if math.isnan(values[place]):
            continue
        if not several and not math.isnan(rows[name][0].get("low", math.nan)):
            bounds = rows[name][0]["low"], rows[name][0]["high"]
            ax.vlines(times[place], *bounds, color=GREY, linewidth=THIN)
            lines.append(np.array([[times[place], bound] for bound in bounds]))
        face = COLOURS[1] if place in best else "white"
        ax.plot(times[place], values[place], "o", color=COLOURS[1], markerfacecolor=face, markersize=4.5, label=name)
    steps = {"color": COLOURS[2], "linewidth": LINE, "drawstyle": "steps-post", "zorder": 1, "label": "frontier"}
    ax.plot([*times[best], times.max()] if best else [], [*values[best], values[best[-1]]] if best else [], **steps)
    few_ticks(ax.yaxis)
    if times.max() / times.min() < 10:
        ax.set_xlim(times.min() / 3, times.max() * 3)
    ax.margins(x=0.12, y=0.1)
    ax.xaxis.set_major_locator(LogLocator(numticks=7))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    shared = [str(found.rows[0][column]) for column in ("level", "coefficient", "human") if len(distinct(found.rows, column)) == 1]
    what = f"mean of {max(map(len, rows.values()))} values" if several else "agreement"
    titled(ax, "Agreement and cost", "seconds per 1,000 texts", ", ".join([what, *shared]))
    unknown = [name for name, value in zip(names, values, strict=True) if math.isnan(value)]
    if unknown:
        ax.set_xlabel(f"seconds per 1,000 texts\n(without a value: {', '.join(unknown)})")
    name_points(ax, times.tolist(), values.tolist(), names, lines)
    return figure


def frontier(times: Any, values: Any) -> list[int]:
    """The places of what nothing else beats in both, the fastest first.

    >>> frontier([1, 2, 3], [0.5, 0.4, 0.6])
    [0, 2]
    """
    best, found = -math.inf, []
    for place in sorted(range(len(times)), key=lambda i: (times[i], -values[i])):
        if values[place] > best:
            best = values[place]
            found.append(place)
    return found

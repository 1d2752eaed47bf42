"""pareto: what agreement with people costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.diagnostics.costs import cost
from nlgauge.meta.findings import Findings
from nlgauge.show.plots.canvas import (
    COLOURS,
    COLUMN,
    GREY,
    LINE,
    THIN,
    bare,
    canvas,
    few_ticks,
    larger_for,
    needed,
    titled,
)
from nlgauge.show.plots.meta.labels import name_points

_AXES = (
    ("seconds_per_1000", "seconds per 1,000 texts"),
    ("co2_grams_per_1000", "grams of CO2-equivalents per 1,000 texts"),
)


def pareto(
    found: Findings,
    seconds: Mapping[str, float] | None = None,
    co2: Mapping[str, float] | None = None,
    *,
    figure: Any = None,
) -> Any:
    """The rows of `cost` (or of `correlate`, with the seconds that each metric takes for 1,000 texts) on a
    logarithmic axis, and the frontier.

    On the frontier are metrics than which no other is both faster and better; they are filled, the others
    hollow. A metric with several rows (levels, human dimensions) stands at their mean, without an interval.
    With `co2`, or rows of `cost` that have it, the axis is the grams of CO2-equivalents that each metric
    emits for 1,000 texts.
    """
    needed(found, "pareto", "metric", "value")
    if seconds is None and (co2 is not None or "seconds_per_1000" not in found.names):
        raise InputError(
            "pareto needs the seconds that each metric takes for 1,000 texts: give seconds, or the rows of"
            " nlgauge.meta.cost."
        )
    rows = (found if seconds is None else cost(found, seconds, co2)).rows
    names = [row["metric"] for row in rows]
    spent, axis = _AXES[1] if "co2_grams_per_1000" in rows[0] else _AXES[0]
    values, times = (np.array([row[name] for row in rows], dtype=np.float64) for name in ("value", spent))
    if not (times > 0).any():
        raise InputError(
            "pareto needs the cost of one metric at least, and none is known; score again with --no-cache."
        )
    figure = canvas(figure, COLUMN * 1.5 * larger_for(len(names)), COLUMN * 1.1 * larger_for(len(names)))
    ax = bare(figure.subplots(), "y")
    ax.set_xscale("log")
    best = [place for place, row in enumerate(rows) if row["frontier"]]
    several = max(row["n_values"] for row in rows)
    lines: list[Array] = (
        [np.column_stack([np.repeat(times[best], 2)[1:], np.repeat(values[best], 2)[:-1]])] if best else []
    )
    for place, name in enumerate(names):
        if math.isnan(values[place] + times[place]):
            continue
        if not math.isnan(rows[place]["low"]):
            bounds = rows[place]["low"], rows[place]["high"]
            ax.vlines(times[place], *bounds, color=GREY, linewidth=THIN)
            lines.append(np.array([[times[place], bound] for bound in bounds]))
        face = COLOURS[1] if place in best else "white"
        ax.plot(
            times[place],
            values[place],
            "o",
            color=COLOURS[1],
            markerfacecolor=face,
            markersize=4.5,
            label=name,
        )
    steps = {
        "color": COLOURS[2],
        "linewidth": LINE,
        "drawstyle": "steps-post",
        "zorder": 1,
        "label": "frontier",
    }
    known = times[times > 0]
    ax.plot(
        [*times[best], known.max()] if best else [],
        [*values[best], values[best[-1]]] if best else [],
        **steps,
    )
    few_ticks(ax.yaxis)
    if known.max() / known.min() < 10:
        ax.set_xlim(known.min() / 3, known.max() * 3)
    ax.margins(x=0.12, y=0.1)
    ax.xaxis.set_major_locator(LogLocator(numticks=7))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    shared = [str(rows[0][column]) for column in ("level", "coefficient", "human") if column in rows[0]]
    what = f"mean of {several} values" if several > 1 else "agreement"
    titled(ax, "Agreement and cost", axis, ", ".join([what, *shared]))
    unknown = {
        "without a value": [name for name, value in zip(names, values, strict=True) if math.isnan(value)],
        "cost not known": [name for name, time in zip(names, times, strict=True) if math.isnan(time)],
    }
    ax.set_xlabel("\n".join([axis, *(f"({what}: {', '.join(of)})" for what, of in unknown.items() if of)]))
    here = [place for place in range(len(names)) if not math.isnan(times[place])]
    name_points(ax, times[here].tolist(), values[here].tolist(), [names[place] for place in here], lines)
    return figure

"""pareto: what agreement with people costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.diagnostics.costs import cost
from nlgauge.meta.findings import Findings
from nlgauge.show.plots import canvas
from nlgauge.show.plots.labels import name_points

_AXES = (
    ("seconds_per_1000", "seconds per 1,000 texts"),
    ("co2_grams_per_1000", "grams of CO2-equivalents per 1,000 texts"),
)


def pareto(
    findings: Findings,
    seconds: Mapping[str, float] | None = None,
    co2: Mapping[str, float] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw agreement against the cost of metrics, with the Pareto frontier.

    Parameters
    ----------
    findings : Findings
        Rows of `nlgauge.meta.cost`, or rows of `nlgauge.meta.correlate` together with `seconds`.
    seconds : mapping of str to float, optional
        Seconds per 1,000 texts by metric.
    co2 : mapping of str to float, optional
        Grams of CO2-equivalents per 1,000 texts by metric. With it, or with rows that contain it, the cost axis is CO2.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    A metric is on the frontier if no other metric is both cheaper and better; its point is filled. A metric with several rows
    (levels, human dimensions) is drawn at their mean, without an interval (Figure 4.1 of the NLG-Metricverse thesis).
    """
    canvas.needed(findings, "pareto", "metric", "value")
    if seconds is None and (co2 is not None or "seconds_per_1000" not in findings.names):
        raise InputError(
            "pareto needs the seconds that each metric takes for 1,000 texts; pass seconds, or the rows of"
            " nlgauge.meta.cost."
        )
    rows = (findings if seconds is None else cost(findings, seconds, co2)).rows
    names = [row["metric"] for row in rows]
    spent, axis = _AXES[1] if "co2_grams_per_1000" in rows[0] else _AXES[0]
    values, times = (np.array([row[name] for row in rows], dtype=np.float64) for name in ("value", spent))
    if not (times > 0).any():
        raise InputError(
            "pareto needs the cost of at least one metric, but none is known",
            python="score again with cache=False, in a new directory",
            cli="score again with --no-cache, in a new directory",
        )
    larger = canvas.larger_for(len(names))
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.5 * larger, canvas.COLUMN * 1.1 * larger, "y")
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
            ax.vlines(times[place], *bounds, color=canvas.GRAY, linewidth=canvas.THIN)
            lines.append(np.array([[times[place], bound] for bound in bounds]))
        face = canvas.COLORS[1] if place in best else "white"
        dot: Any = {"markerfacecolor": face, "markersize": 4.5, "label": name}
        ax.plot(times[place], values[place], "o", color=canvas.COLORS[1], **dot)
    known = times[times > 0]
    steps: Any = {"linewidth": canvas.LINE, "drawstyle": "steps-post", "zorder": 1, "label": "frontier"}
    ends = ([*times[best], known.max()], [*values[best], values[best[-1]]]) if best else ([], [])
    ax.plot(*ends, color=canvas.COLORS[2], **steps)
    canvas.few_ticks(ax.yaxis)
    if known.max() / known.min() < 10:
        ax.set_xlim(known.min() / 3, known.max() * 3)
    ax.margins(x=0.12, y=0.1)
    ax.xaxis.set_major_locator(LogLocator(numticks=7))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    shared = [str(rows[0][column]) for column in ("level", "coefficient", "human") if column in rows[0]]
    what = f"mean of {several} values" if several > 1 else "agreement"
    canvas.titled(ax, "Agreement and cost", axis, ", ".join([what, *shared]))
    unknown = {
        "without a value": [name for name, value in zip(names, values, strict=True) if math.isnan(value)],
        "cost not known": [name for name, time in zip(names, times, strict=True) if math.isnan(time)],
    }
    ax.set_xlabel("\n".join([axis, *(f"({what}: {', '.join(of)})" for what, of in unknown.items() if of)]))
    here = [place for place in range(len(names)) if not math.isnan(times[place])]
    name_points(ax, times[here].tolist(), values[here].tolist(), [names[place] for place in here], lines)
    return canvas.described(ax, f"Agreement and cost of {', '.join(map(str, names))}.")

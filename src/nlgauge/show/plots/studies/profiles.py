"""profiles: a metric's correlations over tasks and data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.findings import Findings
from nlgauge.show.plots import canvas


def profiles(
    findings: Findings,
    over: str = "group",
    *,
    by: str = "metric",
    highlight: Sequence[str] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw the correlations of each metric over tasks or datasets as a line (COSMIC 4).

    Parameters
    ----------
    findings : Findings
        Rows with the columns `over`, `by` and value, such as rows of `nlgauge.meta.correlate`.
    over : str, default "group"
        Column of the tasks or datasets.
    by : str, default "metric"
        Column that has one line per value.
    highlight : sequence of str
        Emphasized lines. Default: all.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.
    """
    if not findings.rows or any(name not in findings.names for name in (over, by, "value")):
        raise InputError(
            f"profiles needs rows with the columns {over}, {by} and value; the table has"
            f" {', '.join(findings.names) or 'none'}."
        )
    places = [str(value) for value in canvas.distinct(findings.rows, over)]
    names = [str(value) for value in canvas.distinct(findings.rows, by)]
    for name in highlight:
        if name not in names:
            raise ParameterError(f"unknown {by} {name!r}; choose one of {', '.join(names)}.")
    ax = canvas.one_axes(
        ax, max(canvas.COLUMN, 0.5 * len(places) + 1.2), 2.6 + canvas.room(places) * 0.7, "y"
    )
    descriptions = []
    for name, look in zip(names, canvas.looks(len(names)), strict=True):
        rows = {str(row[over]): row["value"] for row in findings.rows if str(row[by]) == name}
        values = np.array([rows.get(place, np.nan) for place in places], dtype=np.float64)
        strong = not highlight or name in highlight
        width = canvas.LINE * (1.4 if strong and highlight else 1.0)
        style: Any = {
            "color": look.color if strong else canvas.GRAY,
            "linestyle": look.dashes,
            "marker": look.marker,
            "linewidth": width if strong else canvas.THIN,
        }
        ax.plot(range(len(places)), values, markersize=3, label=name, **style)
        descriptions.append(
            f"{name} from {canvas.decimals(float(np.nanmin(values)))} to {canvas.decimals(float(np.nanmax(values)))}"
            if np.isfinite(values).any()
            else name
        )
    ax.axhline(0, color=canvas.GRAY, linewidth=canvas.THIN, label="_zero")
    canvas.named_ticks(ax.xaxis, places, rotation=90)
    canvas.few_ticks(ax.yaxis)
    first = findings.rows[0]
    canvas.titled(ax, f"Correlations over {over}", "", str(first.get("coefficient", "correlation")))
    canvas.legend_beside(ax)
    return canvas.described(ax, f"Correlations over {len(places)} of {over}: {'; '.join(descriptions)}.")

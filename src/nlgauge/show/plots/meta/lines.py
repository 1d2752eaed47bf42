"""Lines with bands, each named at its right end: what sweep, topk and power share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.show.plots.canvas import COLUMN, LINE, bare, canvas, few_ticks, looks
from nlgauge.show.plots.meta.labels import name_ends

Series = Mapping[str, Sequence[Mapping[str, Any]]]


def draw_lines(
    figure: Any, series: Series, x: str, y: str, low: str = "low", high: str = "high", least: float = 2.5
) -> tuple[Any, Any]:
    """The figure and its axes with one line per series through its rows, in the order of x; NaN leaves a
    gap; the band is where bounds are known.
    """
    figure = canvas(figure, COLUMN * 1.5, max(least, 0.14 * len(series) + 0.8))
    ax = bare(figure.subplots(), "y")
    for (name, rows), look in zip(series.items(), looks(len(series)), strict=True):
        ordered = sorted(rows, key=lambda row: row[x])
        at, values, lower, upper = (_column(ordered, column) for column in (x, y, low, high))
        ax.fill_between(at, lower, upper, color=look.colour, alpha=0.1, linewidth=0.5, label=f"band {name}")
        marks = {"marker": look.marker, "markersize": 3, "markevery": max(1, len(at) // 12)}
        ax.plot(at, values, color=look.colour, linestyle=look.dashes, linewidth=LINE, label=name, **marks)
    few_ticks(ax.xaxis, 6, whole=all(float(row[x]).is_integer() for rows in series.values() for row in rows))
    few_ticks(ax.yaxis)
    return figure, ax


def name_lines(ax: Any, series: Series, x: str, y: str) -> None:
    """The names of lines, at their last known points; nothing for a single line, whose name is in the
    title.
    """
    ends = []
    for rows in series.values():
        known = [(row[x], row[y]) for row in sorted(rows, key=lambda row: row[x]) if np.isfinite(row[y])]
        ends.append(known[-1] if known else (np.nan, np.nan))
    if len(series) > 1:
        name_ends(ax, ends, list(series), looks(len(series)))


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> Array:
    return np.array([row.get(name, np.nan) for row in rows], dtype=np.float64)

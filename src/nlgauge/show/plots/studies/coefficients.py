"""forest: how well each metric agrees with people, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from nlgauge.meta.findings import Findings
from nlgauge.show.plots import canvas

# The columns in which panels differ; those that vary are in the titles.
_PANEL = ("human", "group", "level", "coefficient")


def draw_coefficients(findings: Findings, ax: Axes | None) -> Axes | canvas.Panels:
    """Draw the rows of `correlate` for `nlgauge.plots.forest`."""
    canvas.needed(findings, "forest", "metric", "value", "low", "high")
    panels = list(dict.fromkeys(tuple(row.get(name) for name in _PANEL) for row in findings.rows))
    parts = [
        {row["metric"]: row for row in findings.rows if tuple(row.get(name) for name in _PANEL) == panel}
        for panel in panels
    ]
    names = sorted(
        canvas.distinct(findings.rows, "metric"), key=lambda name: _best_first(parts[0].get(name, {}))
    )
    varying = [i for i in range(len(_PANEL)) if len({panel[i] for panel in panels}) > 1]
    titles = [
        ", ".join(str(panel[i]) for i in (varying or range(len(_PANEL))) if panel[i] is not None)
        for panel in panels
    ]
    across = canvas.columns_for(titles, canvas.room(names))
    width = min(
        canvas.page(), canvas.room(names) + max(1.8, canvas.room(titles, canvas.TITLE) + 0.2) * across
    )
    height = (0.17 * len(names) + 0.75) * math.ceil(len(panels) / across) + 0.25
    axes = canvas.grid_of(ax, len(panels), across, width, height, sharey=True)
    for panel_ax, panel, title, rows in zip(axes, panels, titles, parts, strict=True):
        _panel(panel_ax, names, rows)
        canvas.titled(panel_ax, title, str(panel[3] or ""))
    handles = {line.get_label(): line for panel_ax in axes for line in panel_ax.get_lines()}
    if known := [handles[name] for name in ("ceiling", "floor") if name in handles]:
        canvas.legend_below(axes, known, 2, "right")
    listed = [f"{row['metric']} {canvas.decimals(row['value'])}" for row in findings.rows[:12]]
    more = " and more" if len(findings.rows) > 12 else ""
    return canvas.described(canvas.unpacked(axes), f"Coefficients with intervals: {', '.join(listed)}{more}.")


def _panel(ax: Axes, names: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    canvas.bare(ax, "x")
    ax.axvline(0, color=canvas.GRAY, linewidth=canvas.THIN, label="zero")
    for place, name in enumerate(names):
        row = rows.get(name, {})
        if math.isnan(row.get("value", math.nan)):
            canvas.not_available(ax, place)
            continue
        canvas.interval(ax, row["low"], row["high"], place, canvas.COLORS[1])
        ax.plot(row["value"], place, "o", color=canvas.COLORS[1], markersize=3.5, label=name)
    for column, dashes in (("ceiling", "--"), ("floor", ":")):
        values = {row[column] for row in rows.values() if not math.isnan(row.get(column, math.nan))}
        style: Any = {"color": "black", "linewidth": canvas.LINE * 0.8, "linestyle": dashes, "label": column}
        if len(values) == 1:
            ax.axvline(values.pop(), **style)
        for place, name in enumerate(names):
            if (value := rows.get(name, {}).get(column, math.nan)) in values:
                ax.plot([value, value], [place - 0.4, place + 0.4], **style)
    canvas.named_ticks(ax.yaxis, names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    canvas.few_ticks(ax.xaxis, 4)


def _best_first(row: Mapping[str, Any]) -> tuple[bool, float]:
    value = row.get("value", math.nan)
    return math.isnan(value), -value

"""forest: how well each metric agrees with people, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.meta.findings import Findings
from nlgauge.show.plots.canvas import (
    COLOURS,
    GREY,
    LINE,
    PAGE,
    SMALL,
    THIN,
    TITLE,
    bare,
    canvas,
    columns_for,
    distinct,
    few_ticks,
    named_ticks,
    needed,
    plain,
    room,
    titled,
)

# What a panel is of, and what is in its title where panels differ in it.
_PANEL = ("human", "group", "level", "coefficient")


def forest(found: Findings, *, figure: Any = None) -> Any:
    """The rows of `correlate`: one line per metric, the best of the first panel on top, one panel per level
    (human dimension, coefficient, group).

    A dashed line is the ceiling (one annotator against the others), a dotted one the floor that a constant
    metric reaches, a thin one zero.
    """
    needed(found, "forest", "metric", "value", "low", "high")
    panels = list(dict.fromkeys(tuple(row.get(name) for name in _PANEL) for row in found.rows))
    parts = [
        {row["metric"]: row for row in found.rows if tuple(row.get(name) for name in _PANEL) == panel}
        for panel in panels
    ]
    names = sorted(distinct(found.rows, "metric"), key=lambda name: _best_first(parts[0].get(name, {})))
    varying = [i for i in range(len(_PANEL)) if len({panel[i] for panel in panels}) > 1]
    titles = [
        ", ".join(str(panel[i]) for i in (varying or range(len(_PANEL))) if panel[i] is not None)
        for panel in panels
    ]
    across = columns_for(titles, room(names))
    down = math.ceil(len(panels) / across)
    figure = canvas(
        figure,
        min(PAGE, room(names) + max(1.8, room(titles, TITLE) + 0.2) * across),
        (0.17 * len(names) + 0.75) * down + 0.25,
    )
    axes = figure.subplots(down, across, sharey=True, squeeze=False)
    for ax, panel, title, rows in zip(axes.flat, panels, titles, parts, strict=False):
        _panel(ax, names, rows)
        titled(ax, title, str(panel[3] or ""))
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    handles = {
        handle.get_label(): handle
        for ax in axes.flat
        for handle in ax.get_lines()
        if handle.get_label() in ("ceiling", "floor")
    }
    if handles:
        figure.legend(
            handles=list(handles.values()), loc="outside lower right", ncols=2, frameon=False, fontsize=SMALL
        )
    return figure


def _panel(ax: Any, names: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    bare(ax, "x")
    ax.axvline(0, color=GREY, linewidth=THIN, label="zero")
    for place, name in enumerate(names):
        row = rows.get(name, {})
        if not math.isnan(row.get("value", math.nan)):
            ax.plot(
                [row["low"], row["high"]],
                [place, place],
                color=COLOURS[1],
                linewidth=LINE,
                solid_capstyle="butt",
                label="interval",
            )
            ax.plot(row["value"], place, "o", color=COLOURS[1], markersize=3.5, label=name)
        else:
            ax.text(
                0.02,
                place,
                "n/a",
                transform=ax.get_yaxis_transform(),
                va="center",
                color=GREY,
                **plain(SMALL),
            )
    for column, dashes in (("ceiling", "--"), ("floor", ":")):
        values = {row[column] for row in rows.values() if not math.isnan(row.get(column, math.nan))}
        if len(values) == 1:
            ax.axvline(values.pop(), color="black", linewidth=LINE * 0.8, linestyle=dashes, label=column)
        for value in values:
            for place in (
                place for place, name in enumerate(names) if rows.get(name, {}).get(column) == value
            ):
                ax.plot(
                    [value, value],
                    [place - 0.4, place + 0.4],
                    color="black",
                    linewidth=LINE * 0.8,
                    linestyle=dashes,
                    label=column,
                )
    named_ticks(ax.yaxis, names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    few_ticks(ax.xaxis, 4)


def _best_first(row: Mapping[str, Any]) -> tuple[bool, float]:
    value = row.get("value", math.nan)
    return math.isnan(value), -value

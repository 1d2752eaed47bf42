"""stress: which faults each metric notices."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    named_ticks,
    needed,
    plain,
    room,
    titled,
)

_PARTS = (
    ("detected", "detected", COLOURS[1], None),
    ("tied", "tied", "#e4e4e4", "////"),
    ("lost", "preferred the worse text", COLOURS[4], None),
)


def stress(found: Findings, *, figure: Any = None) -> Any:
    """The rows of `stress` or `contrast`: one panel per metric, one bar per phenomenon with the shares of
    pairs that were detected, tied and lost.

    A thin black line is the interval of the detected share; the dashed one is what random numbers reach.
    """
    from matplotlib.patches import Patch

    needed(found, "stress", "metric", "detected", "tied")
    kinds = list(dict.fromkeys(_kind(row) for row in found.rows))
    metrics = distinct(found.rows, "metric")
    across = columns_for(metrics, room(kinds))
    down = math.ceil(len(metrics) / across)
    # The legend of a single narrow panel needs as much as this.
    width = max(3.6, min(PAGE, room(kinds) + max(1.6, room(metrics, TITLE) + 0.2) * across))
    figure = canvas(figure, width, (0.19 * len(kinds) + 0.6) * down + 0.3)
    axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for ax, metric in zip(axes.flat, metrics, strict=False):
        _panel(bare(ax), kinds, {_kind(row): row for row in found.rows if row["metric"] == metric})
        titled(ax, metric)
    for ax in axes.flat[len(metrics) :]:
        ax.set_visible(False)
    for ax in axes.flat[max(0, len(metrics) - across) : len(metrics)]:
        ax.tick_params(labelbottom=True)
    handles = [
        Patch(facecolor=colour, edgecolor=GREY, linewidth=0.3, hatch=hatch, label=label)
        for _, label, colour, hatch in _PARTS
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=SMALL)
    return figure


def _panel(ax: Any, kinds: list[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    for place, kind in enumerate(kinds):
        row = rows.get(kind, {})
        if math.isnan(row.get("detected", math.nan)):
            ax.text(0.02, place, "n/a", va="center", color=GREY, **plain(SMALL))
            continue
        left = 0.0
        shares = {
            "detected": row["detected"],
            "tied": row["tied"],
            "lost": max(0.0, 1 - row["detected"] - row["tied"]),
        }
        for part, _, colour, hatch in _PARTS:
            bar = {
                "height": 0.75,
                "color": colour,
                "hatch": hatch,
                "edgecolor": GREY if hatch else colour,
                "linewidth": 0,
            }
            ax.barh(place, shares[part], left=left, label=f"{part} {kind}", **bar)
            left += shares[part]
        if not math.isnan(row.get("low", math.nan)):
            ax.plot(
                [row["low"], row["high"]], [place, place], color="black", linewidth=LINE * 1.6, label="_halo"
            )
            ax.plot(
                [row["low"], row["high"]], [place, place], color="white", linewidth=THIN, label="interval"
            )
    ax.axvline(0.5, color="black", linewidth=THIN, linestyle="--", label="chance")
    named_ticks(ax.yaxis, kinds)
    named_ticks(ax.xaxis, ["0", ".5", "1"], places=[0, 0.5, 1])
    ax.set_xlim(0, 1)
    ax.set_ylim(len(kinds) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def _kind(row: Mapping[str, Any]) -> str:
    return ", ".join(str(row[name]) for name in ("phenomenon", "severity") if row.get(name)) or "all"

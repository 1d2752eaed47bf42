"""stress: which faults each metric notices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from nlgauge.meta.findings import Findings
from nlgauge.show.plots import canvas

_PARTS = (
    ("detected", "detected", canvas.COLORS[1], None),
    ("tied", "tied", "#e4e4e4", "////"),
    ("lost", "preferred the worse text", canvas.COLORS[4], None),
)


def stress(findings: Findings, *, ax: Axes | None = None) -> Axes | canvas.Panels:
    """Draw the errors that each metric detects: one panel per metric, one bar per phenomenon.

    Parameters
    ----------
    findings : Findings
        Rows of `nlgauge.meta.stress` or `nlgauge.meta.contrast`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; several panels replace them. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of Axes
        One axes per panel.

    Notes
    -----
    A bar shows the shares of pairs that were detected, tied and lost. A thin line is the interval of the detected share; the
    dashed line is the share of a random metric.
    """
    from matplotlib.patches import Patch

    canvas.needed(findings, "stress", "metric", "detected", "tied")
    kinds = list(dict.fromkeys(_kind(row) for row in findings.rows))
    metrics = canvas.distinct(findings.rows, "metric")
    across = canvas.columns_for(metrics, canvas.room(kinds))
    # The legend of a single narrow panel needs as much as this.
    width = max(
        3.6,
        min(canvas.page(), canvas.room(kinds) + max(1.6, canvas.room(metrics, canvas.TITLE) + 0.2) * across),
    )
    height = (0.19 * len(kinds) + 0.6) * math.ceil(len(metrics) / across) + 0.3
    axes = canvas.grid_of(ax, len(metrics), across, width, height, sharex=True, sharey=True)
    for panel, metric in zip(axes, metrics, strict=True):
        _panel(panel, kinds, {_kind(row): row for row in findings.rows if row["metric"] == metric})
        canvas.titled(panel, metric)
    for panel in axes[-across:]:
        panel.tick_params(labelbottom=True)
    handles = [
        Patch(facecolor=color, edgecolor=canvas.GRAY, linewidth=0.3, hatch=hatch, label=label)
        for _, label, color, hatch in _PARTS
    ]
    canvas.legend_below(axes, handles, 3, "center")
    listed = ", ".join(map(str, metrics))
    return canvas.described(canvas.unpacked(axes), f"Shares of faults that are noticed by {listed}.")


def _panel(ax: Axes, kinds: list[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    for place, kind in enumerate(kinds):
        row = rows.get(kind, {})
        if math.isnan(row.get("detected", math.nan)):
            ax.text(0.02, place, "n/a", va="center", color=canvas.GRAY, **canvas.plain(canvas.SMALL))
            continue
        left = 0.0
        shares = {
            "detected": row["detected"],
            "tied": row["tied"],
            "lost": max(0.0, 1 - row["detected"] - row["tied"]),
        }
        for part, _, color, hatch in _PARTS:
            edge = canvas.GRAY if hatch else color
            bar: Any = {"height": 0.75, "color": color, "hatch": hatch, "edgecolor": edge, "linewidth": 0}
            ax.barh(place, shares[part], left=left, label=f"{part} {kind}", **bar)
            left += shares[part]
        if not math.isnan(row.get("low", math.nan)):
            ends = [row["low"], row["high"]], [place, place]
            ax.plot(*ends, color="black", linewidth=canvas.LINE * 1.6, label="_halo")
            ax.plot(*ends, color="white", linewidth=canvas.THIN, label="interval")
    ax.axvline(0.5, color="black", linewidth=canvas.THIN, linestyle="--", label="chance")
    canvas.named_ticks(ax.yaxis, kinds)
    canvas.named_ticks(ax.xaxis, ["0", ".5", "1"], places=[0, 0.5, 1])
    ax.set_xlim(0, 1)
    ax.set_ylim(len(kinds) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def _kind(row: Mapping[str, Any]) -> str:
    return ", ".join(str(row[name]) for name in ("phenomenon", "severity") if row.get(name)) or "all"

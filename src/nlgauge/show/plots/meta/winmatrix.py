"""winmatrix: which metric is better than which, and whether that holds on other systems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nlgauge.meta.comparison import MetricComparison
from nlgauge.meta.findings import Findings
from nlgauge.show.plots.canvas import (
    GREY,
    LINE,
    SMALL,
    TITLE,
    canvas,
    decimals,
    named_ticks,
    needed,
    plain,
    room,
    shown,
)

# Bounds of p between which a shade is the same, and what stands for each in grey.
_BOUNDS = (0.0, 0.001, 0.01, 0.05, 1.0)
_SHADES = ("#004488", "#5580b0", "#aabfd8", "#f4f4f4")


def winmatrix(compared: MetricComparison, held_out: Findings | None = None, *, figure: Any = None) -> Any:
    """The adjusted p of each pair of metrics, the best metric first; brackets join metrics of one
    significance cluster.

    A cell is of its column's metric being better than its row's. It is hatched where the claim was reversed
    on held-out systems at least as often as it was kept (`held_out`, of `replicate`).
    """
    from matplotlib.patches import Patch, Rectangle

    needed(compared, "winmatrix", "metric", "other", "value", "other_value", "p_adjusted")
    matrix, clusters = compared.matrix("p_adjusted"), compared.clusters()
    names = matrix.column("metric")
    size = 0.3 * len(names)
    labels = [
        f"{shown(name)}  {decimals(value)}" for name, value in zip(names, matrix.column("value"), strict=True)
    ]
    figure = canvas(figure, max(3.8, size + room(labels) + 0.6), size + room(names) + 1.1)
    ax = figure.subplots()
    turned = _reversed(held_out)
    for i, row in enumerate(matrix.rows):
        for j, other in enumerate(names[:i]):
            p = row[other]
            hatch = "////" if frozenset((row["metric"], other)) in turned else None
            colour = "white" if math.isnan(p) else _shade(p)
            ax.add_patch(
                Rectangle(
                    (j - 0.5, i - 0.5),
                    1,
                    1,
                    facecolor=colour,
                    edgecolor=GREY if hatch else "white",
                    linewidth=0.5,
                    hatch=hatch,
                )
            )
            text = (
                "n/a"
                if math.isnan(p)
                else "<.001"
                if p < 0.001
                else decimals(p, 3 if p < 0.1 else 2).replace("0.", ".")
            )
            box = {"facecolor": colour, "edgecolor": "none", "pad": 0.5}
            ax.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                color="white" if p < 0.01 else "black",
                bbox=box,
                **plain(SMALL - 1.5),
            )
    ax.set_xlim(-0.6, len(names) + 0.6)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_aspect("equal")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    named_ticks(ax.yaxis, labels)
    named_ticks(ax.xaxis, names[:-1], rotation=90)
    _brackets(ax, clusters.column("cluster"))
    made = compared.made
    what = f"{made.get('test', 'test')}, claims of new {made.get('generalise_to', 'data')}"
    figure.suptitle(
        f"p of differences in {made.get('coefficient', 'agreement')}\n({what})",
        x=0.02,
        ha="left",
        **plain(TITLE),
    )
    bounds = ["p < .001", "p < .01", "p < .05", "p \u2265 .05"]
    handles = [
        Patch(facecolor=shade, edgecolor=GREY, linewidth=0.5, label=label)
        for shade, label in zip(_SHADES, bounds, strict=True)
    ]
    if held_out is not None:
        handles.append(
            Patch(facecolor="white", edgecolor=GREY, hatch="////", label="reversed on held-out systems")
        )
    figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=SMALL)
    return figure


def _shade(p: float) -> str:
    return _SHADES[min(len(_SHADES), int(np.searchsorted(_BOUNDS, p, side="right"))) - 1]


def _reversed(held_out: Findings | None) -> set[frozenset[str]]:
    rows = [] if held_out is None else held_out.rows
    return {
        frozenset((row["metric"], row["other"]))
        for row in rows
        if row["reversed"] > 0 and row["reversed"] >= row["kept"]
    }


def _brackets(ax: Any, clusters: list[Any]) -> None:
    """To the right of the diagonal, one bracket per cluster, with its number."""
    for cluster in dict.fromkeys(one for one in clusters if one is not None):
        places = [place for place, one in enumerate(clusters) if one == cluster]
        low, high = places[0] - 0.35, places[-1] + 0.35
        x = len(clusters) - 0.3
        ax.plot(
            [x - 0.15, x, x, x - 0.15],
            [low, low, high, high],
            color="black",
            linewidth=LINE * 0.7,
            label="cluster",
        )
        ax.text(x + 0.25, (low + high) / 2, str(cluster), ha="left", va="center", **plain(SMALL))

"""winmatrix: which metric is better than which, and whether that holds on other systems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge.meta.comparison import MetricComparison
from nlgauge.meta.findings import Findings
from nlgauge.show.plots import canvas

# Bounds of p between which a shade is the same, and the gray of each.
_BOUNDS = (0.0, 0.001, 0.01, 0.05, 1.0)
_SHADES = ("#004488", "#5580b0", "#aabfd8", "#f4f4f4")


def winmatrix(
    compared: MetricComparison, held_out: Findings | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the adjusted p-value of each pair of metrics, best first, with significance clusters.

    Parameters
    ----------
    compared : MetricComparison
        Result of `nlgauge.meta.compare`.
    held_out : Findings, optional
        Rows of `nlgauge.meta.replicate`. A cell is hatched if the claim was reversed on held-out systems at least as often as
        it was confirmed.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    A cell shows whether the metric of its column is better than the metric of its row. Brackets join the metrics of a cluster.
    """
    from matplotlib.patches import Patch, Rectangle

    canvas.needed(compared, "winmatrix", "metric", "other", "value", "other_value", "p_adjusted")
    matrix, clusters = compared.matrix("p_adjusted"), compared.clusters()
    names = matrix.column("metric")
    size = 0.3 * len(names)
    labels = [
        f"{canvas.shown(name)}  {canvas.decimals(value)}"
        for name, value in zip(names, matrix.column("value"), strict=True)
    ]
    ax = canvas.one_axes(ax, max(3.8, size + canvas.room(labels) + 0.6), size + canvas.room(names) + 1.1)
    turned = _reversed(held_out)
    for i, row in enumerate(matrix.rows):
        for j, other in enumerate(names[:i]):
            p = row[other]
            hatch = "////" if frozenset((row["metric"], other)) in turned else None
            color = "white" if math.isnan(p) else _shade(p)
            cell: Any = {"edgecolor": canvas.GRAY if hatch else "white", "linewidth": 0.5, "hatch": hatch}
            ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=color, **cell))
            text = "<.001" if p < 0.001 else canvas.decimals(p, 3 if p < 0.1 else 2).replace("0.", ".")
            box = {"facecolor": color, "edgecolor": "none", "pad": 0.5}
            style: Any = {"ha": "center", "va": "center", "bbox": box, **canvas.plain(canvas.SMALL - 1.5)}
            ax.text(j, i, text, color="white" if p < 0.01 else "black", **style)
    ax.set_xlim(-0.6, len(names) + 0.6)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_aspect("equal")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    canvas.named_ticks(ax.yaxis, labels)
    canvas.named_ticks(ax.xaxis, names[:-1], rotation=90)
    _brackets(ax, clusters.column("cluster"))
    made = compared.made
    what = f"{made.get('test', 'test')}, claims of new {made.get('generalize_to', 'data')}"
    canvas.titled(ax, f"p of differences in {made.get('coefficient', 'agreement')}\n({what})")
    bounds = ["p < .001", "p < .01", "p < .05", "p \u2265 .05"]
    handles = [
        Patch(facecolor=shade, edgecolor=canvas.GRAY, linewidth=0.5, label=label)
        for shade, label in zip(_SHADES, bounds, strict=True)
    ]
    if held_out is not None:
        hatched: Any = {"hatch": "////", "label": "reversed on held-out systems"}
        handles.append(Patch(facecolor="white", edgecolor=canvas.GRAY, **hatched))
    canvas.legend_below(ax, handles, 3)
    return canvas.described(
        ax, f"Adjusted p of pairs of metrics, from the best: {', '.join(map(str, names))}."
    )


def _shade(p: float) -> str:
    return _SHADES[min(len(_SHADES), int(np.searchsorted(_BOUNDS, p, side="right"))) - 1]


def _reversed(held_out: Findings | None) -> set[frozenset[str]]:
    rows = [] if held_out is None else held_out.rows
    return {
        frozenset((row["metric"], row["other"]))
        for row in rows
        if row["reversed"] > 0 and row["reversed"] >= row["kept"]
    }


def _brackets(ax: Axes, clusters: list[Any]) -> None:
    """Draw one bracket per cluster, with its number, to the right of the diagonal."""
    for cluster in dict.fromkeys(c for c in clusters if c is not None):
        places = [place for place, other in enumerate(clusters) if other == cluster]
        low, high = places[0] - 0.35, places[-1] + 0.35
        x = len(clusters) - 0.3
        corners = [x - 0.15, x, x, x - 0.15], [low, low, high, high]
        ax.plot(*corners, color="black", linewidth=canvas.LINE * 0.7, label="cluster")
        ax.text(
            x + 0.25, (low + high) / 2, str(cluster), ha="left", va="center", **canvas.plain(canvas.SMALL)
        )

"""heatmap: how much metrics agree with each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.meta.findings import Findings
from nlgauge.show.plots.canvas import (
    DIVERGING,
    LINE,
    SMALL,
    bare,
    canvas,
    decimals,
    distinct,
    named_ticks,
    needed,
    plain,
    room,
    the_only,
    titled,
)


def heatmap(found: Findings, *, figure: Any = None) -> Any:
    """The correlations of `between_metrics` as a matrix with their values, alike metrics side by side, and
    the tree of how alike they are.

    The order is that of average linkage on the distance 1 - |r|; a correlation that is not defined counts as
    0 for the order and is shown as n/a.
    """
    needed(found, "heatmap", "metric", "other", "value")
    the_only(found, "level", "coefficient")
    names = list(dict.fromkeys([*distinct(found.rows, "metric"), *distinct(found.rows, "other")]))
    values = np.eye(len(names))
    for row in found.rows:
        i, j = names.index(row["metric"]), names.index(row["other"])
        values[i, j] = values[j, i] = row["value"]
    tree = linkage(values)
    order = tree["leaves"]
    size = 0.34 * len(names)
    beside = room(names)
    figure = canvas(figure, max(3.0, size + beside + 1.0), size + beside + 1.3)
    above, ax = figure.subplots(2, 1, height_ratios=[0.7, max(size, 0.7)], sharex=True)
    for x, y in zip(tree["icoord"], tree["dcoord"], strict=True):
        # The tree's leaves are at 5, 15, 25, ...
        above.plot((np.asarray(x) - 5) / 10, y, color="black", linewidth=LINE * 0.7)
    bare(above)
    above.spines["bottom"].set_visible(False)
    above.tick_params(bottom=False, labelbottom=False)
    above.set_ylim(0, max(1e-3, np.max(tree["dcoord"], initial=0.0)) * 1.05)
    shown = values[np.ix_(order, order)]
    image = ax.imshow(shown, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(shown):
        colour = "white" if abs(value) > 0.75 else "black"
        ax.text(
            j,
            i,
            decimals(value).replace("0.", "."),
            ha="center",
            va="center",
            color=colour,
            **plain(SMALL - 1),
        )
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    named_ticks(ax.xaxis, [names[i] for i in order], rotation=90)
    named_ticks(ax.yaxis, [names[i] for i in order])
    bar = figure.colorbar(image, ax=[above, ax], shrink=0.5, aspect=25, ticks=[-1, -0.5, 0, 0.5, 1])
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SMALL, length=2)
    first = found.rows[0]
    titled(
        above,
        f"{first.get('coefficient', 'correlation').capitalize()} between metrics, {first.get('level', 'all')}"
        " level",
        y="1 - |r|",
    )
    return figure


def linkage(values: Array) -> dict[str, Any]:
    """The tree of average linkage on 1 - |r|: the order of its leaves and the coordinates of its lines."""
    from scipy.cluster.hierarchy import average, dendrogram
    from scipy.spatial.distance import squareform

    if len(values) < 2:
        return {"leaves": list(range(len(values))), "icoord": [], "dcoord": []}
    distance = 1 - np.abs(np.nan_to_num(values))
    np.fill_diagonal(distance, 0.0)
    found: dict[str, Any] = dendrogram(
        average(squareform(np.clip(distance, 0, 1), checks=False)), no_plot=True
    )
    return found

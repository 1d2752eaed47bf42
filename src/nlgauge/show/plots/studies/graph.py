"""information_graph: the information of systems' outputs about each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import counted, part_of
from nlgauge.meta.diagnostics.downstream import hierarchy as strongest
from nlgauge.show.plots import canvas

if TYPE_CHECKING:
    from nlgauge.meta.papers.cosmic import InformationGraph


_ARROW = {
    "arrowstyle": "-|>",
    "mutation_scale": 7,
    "shrinkA": 9,
    "shrinkB": 9,
    "connectionstyle": "arc3,rad=0.12",
}


def information_graph(graph: InformationGraph, *, quantile: float = 0.5, ax: Axes | None = None) -> Axes:
    """Draw the information of systems about each other as a graph, in a circle (COSMIC 10).

    Parameters
    ----------
    graph : InformationGraph
        Result of `nlgauge.meta.papers.cosmic.information_graph`.
    quantile : float, default 0.5
        Quantile of information above which edges are drawn.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    The most informative system is on top, the others follow clockwise. A wider line has more information. A line is an
    arrow, toward the system that is predicted better, only if the difference of both directions is above twice its
    deviation over seeds. The center of a node shows the mean information of the system about others, its border the mean
    information of others about the system.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    edges = strongest(graph, quantile)
    outgoing, incoming = graph.outgoing, graph.incoming
    names = sorted(graph.systems, key=lambda name: (math.isnan(outgoing[name]), -outgoing[name]))
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    places = dict(zip(names, np.column_stack([np.cos(angles), np.sin(angles)]), strict=True))
    known = [value for value in (*outgoing.values(), *incoming.values()) if not math.isnan(value)]
    least, most = min(known, default=0.0), max(known, default=0.0)
    scale = ScalarMappable(Normalize(least, most if most > least else least + 1), canvas.SEQUENTIAL)
    radius = 1.0 + 0.045 * len(names)
    # Ends of the names, in inches from the center; a name points away from it, so that neighbors have room
    # however many there are.
    tips = np.array([places[name] * (radius + 0.25 + canvas.room([name])) for name in names])
    low, high = np.minimum(tips.min(axis=0), -radius) - 0.1, np.maximum(tips.max(axis=0), radius) + 0.1
    ax = canvas.one_axes(ax, high[0] - low[0] + 1.2, high[1] - low[1] + 0.4)
    strengths = edges.column("information")
    lowest, width = min(strengths), (max(strengths) - min(strengths)) or 1.0
    # The stronger direction of a pair comes first and represents it.
    pairs: dict[frozenset[str], Mapping[str, Any]] = {}
    for edge in edges:
        pairs.setdefault(frozenset((edge["predicting"], edge["predicted"])), edge)
    for edge in reversed(pairs.values()):
        share = (edge["information"] - lowest) / width
        line = {"color": str(0.75 - 0.65 * share), "linewidth": 0.4 + 1.6 * share}
        ends = places[edge["predicted"]], places[edge["predicting"]]
        style = _ARROW if edge["directed"] else {**_ARROW, "arrowstyle": "-"}
        ax.annotate("", *ends, arrowprops={**style, **line}, zorder=1 + share)
    for name, place in places.items():
        center, border = (
            canvas.GRAY if math.isnan(of[name]) else scale.to_rgba(np.array(of[name]))
            for of in (outgoing, incoming)
        )
        node: Any = {"markersize": 13, "markeredgewidth": 3.5, "zorder": 3, "label": name}
        ax.plot(*place, "o", markerfacecolor=center, markeredgecolor=border, **node)
        right = place[0] > -1e-9
        turn = math.degrees(math.atan2(place[1], place[0])) + (0 if right else 180)
        side = "left" if right else "right"
        slope: Any = {"rotation": turn, "rotation_mode": "anchor", "ha": side, "va": "center"}
        ax.annotate(
            canvas.shown(name),
            place,
            place * 12,
            textcoords="offset points",
            **slope,
            **canvas.plain(canvas.SMALL),
        )
    ax.set_xlim(low[0] / radius, high[0] / radius)
    ax.set_ylim(low[1] / radius, high[1] / radius)
    ax.set_aspect("equal")
    ax.set_axis_off()
    canvas.color_bar(scale, ax, 0.6, "mean information (nats)\ncenter: about others, border: from others")
    arrows = sum(edge["directed"] for edge in pairs.values())
    canvas.titled(ax, f"{counted(len(pairs), 'strongest pair')} of systems, {arrows} with a direction")
    listed = ", ".join(f"{system} {canvas.decimals(value)}" for system, value in outgoing.items())
    return canvas.described(
        ax,
        f"Mean information of each system about the others: {listed}; {part_of(arrows, len(pairs), 'line', 'are directed')} (directed: the"
        " directions differ by more than twice the deviation over seeds).",
    )

"""hierarchy: which systems' outputs tell about which others'."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge.meta.diagnostics.downstream import hierarchy as strongest
from nlgauge.show.plots.canvas import GREY, SEQUENTIAL, SMALL, canvas, plain, room, shown, titled

if TYPE_CHECKING:
    from nlgauge.meta.papers.cosmic import InformationGraph


def hierarchy(graph: InformationGraph, *, quantile: float = 0.5, figure: Any = None) -> Any:
    """A graph of systems in a circle, the most informative on top and then clockwise; arrows are edges above
    the quantile, wide where they tell much.

    The centre of a node is the mean of what the system tells about others, its border of what others tell
    about it.
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
    scale = ScalarMappable(Normalize(least, most if most > least else least + 1), SEQUENTIAL)
    radius = 1.0 + 0.045 * len(names)
    # Where names end, in inches from the centre; a name points away from it, so that neighbours have room
    # however many there are.
    tips = np.array([places[name] * (radius + 0.25 + room([name])) for name in names])
    low, high = np.minimum(tips.min(axis=0), -radius) - 0.1, np.maximum(tips.max(axis=0), radius) + 0.1
    figure = canvas(figure, high[0] - low[0] + 1.2, high[1] - low[1] + 0.4)
    ax = figure.subplots()
    strengths = edges.column("information")
    lowest, width = min(strengths), (max(strengths) - min(strengths)) or 1.0
    for edge in reversed(edges.rows):
        share = (edge["information"] - lowest) / width
        arrow = {
            "arrowstyle": "-|>",
            "mutation_scale": 7,
            "shrinkA": 9,
            "shrinkB": 9,
            "connectionstyle": "arc3,rad=0.12",
        }
        line = {"color": str(0.75 - 0.65 * share), "linewidth": 0.4 + 1.6 * share}
        ax.annotate(
            "",
            places[edge["predicted"]],
            places[edge["predicting"]],
            arrowprops={**arrow, **line},
            zorder=1 + share,
        )
    for name, place in places.items():
        centre, border = (
            GREY if math.isnan(of[name]) else scale.to_rgba(np.array(of[name])) for of in (outgoing, incoming)
        )
        ax.plot(
            *place,
            "o",
            markersize=13,
            markerfacecolor=centre,
            markeredgecolor=border,
            markeredgewidth=3.5,
            zorder=3,
            label=name,
        )
        right = place[0] > -1e-9
        turn = math.degrees(math.atan2(place[1], place[0])) + (0 if right else 180)
        slope = {
            "rotation": turn,
            "rotation_mode": "anchor",
            "ha": "left" if right else "right",
            "va": "center",
        }
        ax.annotate(shown(name), place, place * 12, textcoords="offset points", **slope, **plain(SMALL))
    ax.set_xlim(low[0] / radius, high[0] / radius)
    ax.set_ylim(low[1] / radius, high[1] / radius)
    ax.set_aspect("equal")
    ax.set_axis_off()
    bar = figure.colorbar(scale, ax=ax, shrink=0.6, aspect=25)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SMALL, length=2)
    bar.set_label("mean information (nats)\ncentre: tells, border: is told", fontsize=SMALL)
    titled(ax, f"{len(edges)} strongest of {edges.made['n_edges']} edges")
    return figure

"""landscape: what a metric gives to systems from the worst to the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge.errors import InputError
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots import canvas
from nlgauge.show.plots.labels import name_ends
from nlgauge.stats.levels import human_means


def landscape(
    judgments: Judgments,
    metric: str,
    human: str | None = None,
    *,
    extremes: Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the scores of every system by a metric (middle half, 5 to 95%, mean), worst system first.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    metric : str
        Metric; its scores are not oriented.
    human : str, optional
        Human dimension that orders the systems. Required if there are several.
    extremes : mapping of str to float, optional
        Scores to compare with, such as the score of empty texts or of copied sources: dashed lines.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    Systems without human scores, such as deliberately bad systems, come first, in their order.
    """
    dimension, scores = judgments.dimension(human), judgments.metrics.get(judgments.check_metric(metric))
    if scores is None:
        raise InputError(
            f"landscape needs segment scores, but {metric} scores only whole systems; choose another metric."
        )
    means = human_means(judgments.humans[dimension], judgments.weights)
    unjudged = np.flatnonzero(np.isnan(means)).tolist()
    order = [*unjudged, *(i for i in np.argsort(means, kind="stable").tolist() if i not in unjudged)]
    width = 2.0 + canvas.room(extremes or ()) + 0.22 * len(order)
    ax = canvas.one_axes(ax, width, 2.5 + canvas.room(judgments.systems), "y")
    for place, i in enumerate(order):
        known = scores[i][~np.isnan(scores[i])]
        if not len(known):
            below: Any = {"transform": ax.get_xaxis_transform(), "ha": "center", "rotation": 90}
            ax.text(place, 0.02, "n/a", color=canvas.GRAY, **below, **canvas.plain(canvas.SMALL))
            continue
        lowest, low, high, highest = np.quantile(known, [0.05, 0.25, 0.75, 0.95])
        face, shade = ("white", canvas.PALE) if i in unjudged else ("black", "#8fa9c9")
        ax.plot(
            [place, place],
            [lowest, highest],
            color=canvas.GRAY,
            linewidth=canvas.LINE * 0.7,
            label="5 to 95%",
        )
        box: Any = {"linewidth": 5, "solid_capstyle": "butt", "label": "middle half"}
        ax.plot([place, place], [low, high], color=shade, **box)
        dot: Any = {"markerfacecolor": face, "markersize": 3.5, "zorder": 3, "label": judgments.systems[i]}
        ax.plot(place, known.mean(), "o", color="black", **dot)
    if unjudged and len(unjudged) < len(order):
        ax.axvline(len(unjudged) - 0.5, color=canvas.GRAY, linewidth=canvas.LINE * 0.5, label="judged")
    ax.set_xlim(-0.7, len(order) - 0.3)
    canvas.named_ticks(ax.xaxis, [judgments.systems[i] for i in order], rotation=90)
    canvas.few_ticks(ax.yaxis)
    direction = "lower is better" if judgments.sign(metric) < 0 else "higher is better"
    first = "not judged, then " if unjudged else ""
    canvas.titled(ax, metric, f"systems ({first}worst to best by {dimension})", f"{metric} ({direction})")
    ends = {name: float(value) for name, value in (extremes or {}).items()}
    for value in ends.values():
        ax.axhline(value, color=canvas.COLORS[2], linewidth=canvas.THIN, linestyle="--", label="extreme")
    places = [(len(order) - 0.3, value) for value in ends.values()]
    name_ends(ax, places, list(ends), [canvas.Look(canvas.COLORS[2], "", "--")] * len(ends))
    return canvas.described(ax, f"Scores of {metric} from the worst to the best system.")

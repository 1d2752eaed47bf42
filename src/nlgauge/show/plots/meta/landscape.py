"""landscape: what a metric gives to systems from the worst to the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots.canvas import (
    COLOURS,
    GREY,
    LINE,
    PALE,
    SMALL,
    THIN,
    Look,
    bare,
    canvas,
    few_ticks,
    named_ticks,
    plain,
    room,
    titled,
)
from nlgauge.show.plots.meta.labels import name_ends
from nlgauge.stats.levels import human_means


def landscape(
    judgments: Judgments,
    metric: str,
    human: str | None = None,
    *,
    extremes: Mapping[str, float] | None = None,
    figure: Any = None,
) -> Any:
    """Scores of every system's outputs (middle half, 5 to 95 %, mean), from the worst to the best by people.

    Systems that people did not judge, such as bad ones that were made on purpose, come first, in the order in
    which they are given. `extremes` names scores to compare with: of empty texts, of a copy of the source.
    They are dashed lines. Scores are as the metric gives them, not turned.
    """
    dimension, scores = judgments.dimension(human), judgments.metrics.get(judgments.check_metric(metric))
    if scores is None:
        raise InputError(f"landscape needs scores of segments; {metric} scores whole systems alone.")
    means = human_means(judgments.humans[dimension], judgments.weights)
    unjudged = np.flatnonzero(np.isnan(means)).tolist()
    order = [*unjudged, *(i for i in np.argsort(means, kind="stable").tolist() if i not in unjudged)]
    figure = canvas(figure, 2.0 + room(extremes or ()) + 0.22 * len(order), 2.5 + room(judgments.systems))
    ax = bare(figure.subplots(), "y")
    for place, i in enumerate(order):
        known = scores[i][~np.isnan(scores[i])]
        if not len(known):
            ax.text(
                place,
                0.02,
                "n/a",
                transform=ax.get_xaxis_transform(),
                ha="center",
                rotation=90,
                color=GREY,
                **plain(SMALL),
            )
            continue
        lowest, low, high, highest = np.quantile(known, [0.05, 0.25, 0.75, 0.95])
        face = "black" if i not in unjudged else "white"
        ax.plot([place, place], [lowest, highest], color=GREY, linewidth=LINE * 0.7, label="5 to 95 %")
        ax.plot(
            [place, place],
            [low, high],
            color="#8fa9c9" if i not in unjudged else PALE,
            linewidth=5,
            solid_capstyle="butt",
            label="middle half",
        )
        ax.plot(
            place,
            known.mean(),
            "o",
            color="black",
            markerfacecolor=face,
            markersize=3.5,
            zorder=3,
            label=judgments.systems[i],
        )
    if unjudged and len(unjudged) < len(order):
        ax.axvline(len(unjudged) - 0.5, color=GREY, linewidth=LINE * 0.5, label="judged")
    ax.set_xlim(-0.7, len(order) - 0.3)
    named_ticks(ax.xaxis, [judgments.systems[i] for i in order], rotation=90)
    few_ticks(ax.yaxis)
    direction = "lower is better" if judgments.sign(metric) < 0 else "higher is better"
    first = "not judged, then " if unjudged else ""
    titled(ax, metric, f"systems ({first}worst to best by {dimension})", f"{metric} ({direction})")
    ends = {name: float(value) for name, value in (extremes or {}).items()}
    for value in ends.values():
        ax.axhline(value, color=COLOURS[2], linewidth=THIN, linestyle="--", label="extreme")
    name_ends(
        ax,
        [(len(order) - 0.3, value) for value in ends.values()],
        list(ends),
        [Look(COLOURS[2], "", "--")] * len(ends),
    )
    return figure

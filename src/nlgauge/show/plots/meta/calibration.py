"""calibration: how often people agree with a difference of a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge.meta.diagnostics.convert import agreement_curve, compared_systems
from nlgauge.meta.diagnostics.curves import binned
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots.canvas import COLOURS, COLUMN, GREY, LINE, PALE, THIN, bare, canvas, few_ticks, titled


def calibration(
    judgments: Judgments,
    metric: str,
    human: str | None = None,
    *,
    accuracies: Sequence[float] = (0.8, 0.9, 0.95),
    bins: int = 10,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    figure: Any = None,
) -> Any:
    """The share of pairs of systems that people order as the metric does, by how far the metric has them
    apart.

    Points are bins of equal mass, as large as they have pairs; the curve is `agreement_curve`'s, its band
    comes from draws of systems. Lines show the differences with which these shares of people agree; what the
    ceiling does not reach is said in the legend.
    """
    dimension = judgments.dimension(human)
    pairs = compared_systems(judgments, metric, dimension, 0, seed)
    curve = agreement_curve(judgments, metric, dimension, bins=bins, resamples=resamples, seed=seed)
    figure = canvas(figure, COLUMN * 1.3, COLUMN + 0.13 * len(accuracies))
    ax = bare(figure.subplots(), "y")
    places = binned(pairs.delta, bins)
    here = [places == place for place in np.unique(places)]
    sizes = np.array([float(inside.sum()) for inside in here])
    ax.scatter(
        [pairs.delta[inside].mean() for inside in here],
        [pairs.agrees[inside].mean() for inside in here],
        s=8 + 40 * sizes / sizes.max(initial=1.0),
        facecolor="white",
        edgecolor=COLOURS[1],
        linewidth=LINE * 0.8,
        zorder=3,
        label="bins",
    )
    widest = float(pairs.delta.max(initial=0.0)) or 1.0
    at = np.linspace(0, widest, 120)
    if not math.isnan(curve.ceiling):
        bounds = np.array([curve.accuracy_interval(float(delta), confidence) for delta in at])
        ax.fill_between(at, *bounds.T, color=PALE, linewidth=0, zorder=0, label="band")
        ax.plot(
            at,
            [curve.accuracy(float(delta)) for delta in at],
            color=COLOURS[2],
            linewidth=LINE,
            label="curve",
        )
    said = []
    for accuracy in accuracies:
        delta = curve.delta(accuracy)
        if not math.isnan(delta):
            said.append(
                f"{accuracy:.0%} agree from {delta:.3g}" + (" (beyond these pairs)" if delta > widest else "")
            )
            if delta <= widest:
                ax.plot(
                    [0, delta, delta],
                    [accuracy, accuracy, 0],
                    color=GREY,
                    linewidth=THIN,
                    linestyle="--",
                    label=f"{accuracy:g}",
                )
        else:
            said.append(
                f"{accuracy:.0%}: above the ceiling"
                if not math.isnan(curve.ceiling)
                else f"{accuracy:.0%}: n/a, too few pairs"
            )
    ax.set_xlim(0, widest * 1.03)
    ax.set_ylim(0, 1.03)
    few_ticks(ax.xaxis)
    few_ticks(ax.yaxis)
    below = "\n".join([f"difference of {metric} between two systems", *said])
    titled(ax, metric, below, f"share of pairs where people agree ({dimension})")
    return figure

"""calibration: how often people agree with a difference of a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from nlgauge.meta.diagnostics.convert import agreement_curve, compared_systems
from nlgauge.meta.diagnostics.curves import binned
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots import canvas


def calibration(
    judgments: Judgments,
    metric: str,
    human: str | None = None,
    *,
    accuracies: Sequence[float] = (0.8, 0.9, 0.95),
    bins: int = 10,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    ax: Axes | None = None,
) -> Axes:
    """Draw the rate at which human scores confirm a difference between two systems.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    metric : str
        Metric.
    human : str, optional
        Human dimension. Required if there are several.
    accuracies : sequence of float
        Agreement rates whose differences are marked. The label below the plot names rates that are not reached.
    bins : int, default 10
        Number of bins of equal mass.
    confidence : float, default 0.95
        Confidence of the band.
    resamples : int, default 1000
        Number of resamples B of systems, for the band.
    seed : int, default 12345
        Seed of the resamples.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    A point is the share of pairs of systems that metric and human scores order alike, in a bin of differences; its size is the
    number of pairs. The curve is the result of `nlgauge.meta.agreement_curve`.
    """
    dimension = judgments.dimension(human)
    pairs = compared_systems(judgments, metric, dimension, 0, seed)
    curve = agreement_curve(judgments, metric, dimension, bins=bins, resamples=resamples, seed=seed)
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.3, canvas.COLUMN + 0.13 * len(accuracies), "y")
    places = binned(pairs.delta, bins)
    here = [places == place for place in np.unique(places)]
    sizes = np.array([float(inside.sum()) for inside in here])
    ax.scatter(
        [pairs.delta[inside].mean() for inside in here],
        [pairs.agrees[inside].mean() for inside in here],
        s=8 + 40 * sizes / sizes.max(initial=1.0),
        facecolor="white",
        edgecolor=canvas.COLORS[1],
        linewidth=canvas.LINE * 0.8,
        zorder=3,
        label="bins",
    )
    widest = float(pairs.delta.max(initial=0.0)) or 1.0
    at = np.linspace(0, widest, 120)
    if not math.isnan(curve.ceiling):
        bounds = np.array([curve.accuracy_interval(float(delta), confidence) for delta in at])
        ax.fill_between(at, *bounds.T, color=canvas.PALE, linewidth=0, zorder=0, label="band")
        curved = [curve.accuracy(float(delta)) for delta in at]
        ax.plot(at, curved, color=canvas.COLORS[2], linewidth=canvas.LINE, label="curve")
    legend = []
    for accuracy in accuracies:
        delta = curve.delta(accuracy)
        if math.isnan(delta):
            why = "n/a, too few pairs" if math.isnan(curve.ceiling) else "above the ceiling"
            legend.append(f"{accuracy:.0%}: {why}")
            continue
        beyond = " (beyond these pairs)" if delta > widest else ""
        legend.append(f"{accuracy:.0%} agree from {delta:.3g}{beyond}")
        if not beyond:
            corner = [0, delta, delta], [accuracy, accuracy, 0]
            ax.plot(*corner, color=canvas.GRAY, linewidth=canvas.THIN, linestyle="--", label=f"{accuracy:g}")
    ax.set_xlim(0, widest * 1.03)
    ax.set_ylim(0, 1.03)
    canvas.few_ticks(ax.xaxis)
    canvas.few_ticks(ax.yaxis)
    below = "\n".join([f"difference of {metric} between two systems", *legend])
    canvas.titled(ax, metric, below, f"share of pairs on which people agree ({dimension})")
    return canvas.described(ax, f"How often people agree with a difference in {metric}.")

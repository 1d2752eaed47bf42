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
    """Draw how often people agree with a difference of a metric between two systems.

    Parameters
    ----------
    judgments : Judgments
        The scores of metrics and people.
    metric : str
        The metric.
    human : str, optional
        The human dimension; it may be left out if there is only one.
    accuracies : sequence of float
        The shares of agreement whose differences are marked; the label below names those that are not
        reached.
    bins : int
        The number of bins, of equal mass.
    confidence : float
        The confidence of the band.
    resamples : int
        The number of resamples of systems that the band comes from.
    seed : int
        The seed of the resamples.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; by default that of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Notes
    -----
    A point is the share of pairs of systems that people order as the metric does, in a bin of differences; it
    is as large as the bin has pairs. The curve is that of `nlgauge.meta.agreement_curve`.
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
    canvas.titled(ax, metric, below, f"share of pairs where people agree ({dimension})")
    return canvas.described(ax, f"How often people agree with a difference in {metric}.")

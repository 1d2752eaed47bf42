"""distributions: how far the scores of good and of bad outputs, or of systems, lie apart."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.papers.shannon import Separation
from nlgauge.results.result import Result
from nlgauge.show.plots import canvas
from nlgauge.show.plots.results.columns import columns, need_segments
from nlgauge.stats.arrays import mid_ranks


def distributions(
    data: Result | Judgments | Separation | Mapping[str, Any],
    metric: str | None = None,
    human: str | None = None,
    *,
    edges: Sequence[float] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the density of a score in each group of outputs, the first group on top.

    Parameters
    ----------
    data : Result, Judgments, Separation or mapping
        Groups: the systems of a result; the outputs of judgments by human score, best first; original, shuffled and wrong
        summaries of a `Separation` (Shannon 2); or scores by name.
    metric : str, optional
        Metric or output of a result (default: the first) or of judgments, or the name of the scores.
    human : str, optional
        Human dimension, for judgments.
    edges : sequence of float, optional
        Human scores that separate the groups, for judgments; an edge belongs to the group above it. Default: thirds of equal
        mass (InfoLM 3).
    title : str, optional
        Title. Default: an explanation of the AUC.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    Each group after the first has its AUC: the chance that an output of the first group scores above an output of this group,
    ties counted half. Scores of a `Separation` and of judgments are oriented so that higher is better.
    """
    name, groups = _groups(data, metric, human, edges)
    values = {group: _finite(scores) for group, scores in groups.items()}
    if not values:
        raise InputError("distributions needs the scores of at least one group, got none.")
    names = list(values)
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.3, 0.55 * len(names) + 0.9)
    known = np.concatenate(list(values.values()))
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.5
    grid = np.linspace(low - room, high + room, 400)
    medians = []
    for place, (group, scores) in enumerate(values.items()):
        height = _density(scores, grid)
        top = -place + 0.85 * height / (height.max(initial=0.0) or 1.0)
        ax.fill_between(grid, -place, top, color=canvas.COLORS[1], alpha=0.35, linewidth=0, label=group)
        ax.plot(grid, top, color=canvas.COLORS[1], linewidth=canvas.LINE * 0.8, label="_density")
        middle = float(np.median(scores)) if len(scores) else np.nan
        if len(scores):
            ends = [-place, -place + 0.5]
            ax.plot([middle, middle], ends, color="black", linewidth=canvas.LINE, label=f"median {group}")
        ax.axhline(-place, color=canvas.GRAY, linewidth=canvas.THIN / 2)
        medians.append(f"{group} {canvas.decimals(middle, 3)}")
    aucs = ["", *(f", AUC {canvas.decimals(auc(values[names[0]], values[group]), 3)}" for group in names[1:])]
    beside = [
        f"{canvas.shown(group)}\nn = {len(values[group]):,}{area}"
        for group, area in zip(names, aucs, strict=True)
    ]
    ax.set_yticks([-place + 0.25 for place in range(len(names))], beside, **canvas.plain(canvas.SMALL))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    canvas.few_ticks(ax.xaxis)
    canvas.titled(ax, title or "AUC: the first group scores higher", name)
    return canvas.described(ax, f"Densities of {name}; medians: {', '.join(medians)}.")


def _groups(
    data: Result | Judgments | Separation | Mapping[str, Any],
    metric: str | None,
    human: str | None,
    edges: Sequence[float] | None,
) -> tuple[str, Mapping[str, Any]]:
    """Return the name of the scores, and the scores of each group."""
    if isinstance(data, Result):
        column = columns(data, metric)[0]
        scores = need_segments(data, column, "distributions")
        return column.name, dict(zip(data.systems, scores, strict=True))
    if isinstance(data, Judgments):
        name = metric or data.labels[0]
        return name, quality_groups(data, name, human, edges)
    if isinstance(data, Separation):
        # If lower is better, the AUC is computed for the negated score.
        sign = 1 if data.higher_is_better else -1
        return metric or "score", {kind: values * sign for kind, values in data.values.items()}
    return metric or "score", data


def quality_groups(
    judgments: Judgments, metric: str, human: str | None = None, edges: Sequence[float] | None = None
) -> dict[str, Array]:
    """Return a metric's oriented scores of the outputs whose human score lies between edges, the best first."""
    dimension = judgments.dimension(human)
    people, scores = judgments.humans[dimension].ravel(), judgments.oriented(metric).ravel()
    known = ~np.isnan(people) & ~np.isnan(scores)
    if not known.any():
        raise InputError(
            f"no output has both a score of {metric} and a human score of {dimension!r}; choose another metric or"
            " dimension."
        )
    people, scores = people[known], scores[known]
    cuts = (
        np.unique(np.quantile(people, [1 / 3, 2 / 3]))
        if edges is None
        else np.asarray(edges, dtype=np.float64)
    )
    if (np.diff(cuts) <= 0).any():
        raise ParameterError(f"edges must be in ascending order, got {list(cuts)}.")
    places = np.searchsorted(cuts, people, side="right")
    bounds = [f"{cut:.3g}" for cut in cuts]
    names = [
        f"below {bounds[0]}",
        *(f"{a} to {b}" for a, b in itertools.pairwise(bounds)),
        f"from {bounds[-1]}",
    ]
    return {
        f"{dimension} {names[place]}": scores[places == place]
        for place in reversed(range(len(names)))
        if (places == place).any()
    }


def auc(good: Any, bad: Any) -> float:
    """Return the chance that a good score is above a bad one, ties counted half; NaN if either has none.

    >>> auc([2, 3], [1, 2])
    0.875
    """
    first, second = _finite(good), _finite(bad)
    if not len(first) or not len(second):
        return float("nan")
    n, m = len(first), len(second)
    ranks = mid_ranks(np.concatenate([first, second]))
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))


def _density(values: Array, grid: Array) -> Array:
    """Return a normal kernel density of Silverman's width; a spike if all values are the same."""
    if not len(values):
        return np.zeros(len(grid))
    quarter = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349
    spread = min(float(values.std()), float(quarter) or np.inf) if np.ptp(values) > 0 else 0.0
    width = max(0.9 * spread * len(values) ** -0.2, (grid[-1] - grid[0]) / 200)
    density: Array = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2).mean(axis=1)
    return density


def _finite(values: Any) -> Array:
    flat = np.asarray(values, dtype=np.float64).ravel()
    return flat[np.isfinite(flat)]

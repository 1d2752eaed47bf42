"""scatter: what a metric says of systems, against what people say."""

from __future__ import annotations

from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.correlation import correlate
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots.canvas import (
    COLOURS,
    COLUMN,
    GREY,
    LINE,
    PALE,
    SMALL,
    THIN,
    bare,
    canvas,
    decimals,
    few_ticks,
    larger_for,
    looks,
    titled,
)
from nlgauge.show.plots.meta.labels import name_points
from nlgauge.stats.intervals import percentile
from nlgauge.stats.levels import human_means, system_means
from nlgauge.stats.resampling import bootstrap


def scatter(
    judgments: Judgments,
    metric: str,
    human: str | None = None,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    figure: Any = None,
) -> Any:
    """One point per system, with a cross that spans its intervals over draws of inputs; the title has the
    coefficient with its interval over systems.

    The line is that of least squares, its band what it does in draws of systems. The metric is turned so that
    higher is better. level="global" has one point per output instead, in the look of its group.
    """
    if level not in ("system", "global"):
        raise ParameterError(f"a scatter plot is of level 'system' or 'global', got {level!r:.60}.")
    if level == "global":
        return _outputs(
            judgments,
            metric,
            judgments.dimension(human),
            correlate(judgments, level, coefficient, human, metric, None),
            figure,
        )
    if judgments.groups is not None:
        raise InputError("a scatter plot is of one group: give one of judgments.by_group().")
    dimension, scores, people = (
        judgments.dimension(human),
        judgments.oriented(metric),
        judgments.human(human),
    )
    whole = judgments.oriented_system_scores(metric)
    x, y = (
        system_means(scores, people, judgments.weights)
        if whole is None
        else (whole, human_means(people, judgments.weights))
    )
    known = ~np.isnan(x) & ~np.isnan(y)
    figure = canvas(figure, COLUMN * 1.3 * larger_for(len(x)), COLUMN * 1.2 * larger_for(len(x)))
    ax = bare(figure.subplots())
    inputs = bootstrap(len(people), people.shape[1], "inputs", resamples, seed).inputs * (
        1.0 if judgments.weights is None else judgments.weights
    )
    both = np.isnan(people) if whole is not None else np.isnan(scores) | np.isnan(people)
    sides = [x[None] if whole is not None else _means(scores, both, inputs), _means(people, both, inputs)]
    crosses: list[Array] = []
    for values, place, lines in ((sides[0], y, ax.hlines), (sides[1], x, ax.vlines)):
        low, high = (
            np.array(side)
            for side in zip(*(percentile(column, confidence)[:2] for column in values.T), strict=True)
        )
        lines(place[known], low[known], high[known], color=GREY, linewidth=THIN)
        across = lines == ax.hlines
        ends = [
            [[a, at], [b, at]] if across else [[at, a], [at, b]]
            for a, b, at in zip(low[known], high[known], place[known], strict=True)
        ]
        crosses += [np.array(pair) for pair in ends]
    ax.plot(x[known], y[known], "o", color=COLOURS[1], markersize=3.5, label="systems")
    few_ticks(ax.xaxis)
    few_ticks(ax.yaxis)
    if known.sum() >= 2 and np.ptp(x[known]) > 0:
        _line(ax, x[known], y[known], resamples, confidence, seed)
    row = correlate(
        judgments,
        "system",
        coefficient,
        dimension,
        metric,
        interval="systems",
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    ).rows[0]
    value = (
        f"{row['coefficient'].capitalize()} {decimals(row['value'])} [{decimals(row['low'])},"
        f" {decimals(row['high'])}]"
    )
    titled(ax, value, _named(judgments, metric), dimension)
    name_points(
        ax,
        x[known].tolist(),
        y[known].tolist(),
        [judgments.systems[i] for i in np.flatnonzero(known)],
        crosses,
    )
    return figure


def _outputs(judgments: Judgments, metric: str, dimension: str, found: Findings, figure: Any) -> Any:
    """One point per output that both have scored; the title has the coefficient, of several groups its
    average.
    """
    parts = judgments.by_group()
    figure = canvas(figure, COLUMN * 1.3, COLUMN * 1.2)
    ax = bare(figure.subplots())
    size, alpha = (2, 0.4) if judgments.human(dimension).size > 500 else (3.5, 0.8)
    for (group, part), look in zip(parts.items(), looks(len(parts)), strict=True):
        x, y = (side.ravel() for side in (part.oriented(metric), part.human(dimension)))
        colour, label = (COLOURS[1], "outputs") if group is None else (look.colour, str(group))
        ax.plot(x, y, look.marker, color=colour, markersize=size, alpha=alpha, markeredgewidth=0, label=label)
    few_ticks(ax.xaxis)
    few_ticks(ax.yaxis)
    what = found.rows[-1]["coefficient"].capitalize()
    titled(
        ax,
        f"{what} {decimals(found.rows[-1]['value'])}{' (average)' if len(parts) > 1 else ''}",
        _named(judgments, metric),
        dimension,
    )
    if len(parts) > 1:
        figure.legend(loc="outside lower left", ncols=4, frameon=False, fontsize=SMALL, markerscale=2)
    return figure


def _named(judgments: Judgments, metric: str) -> str:
    return f"{metric} (lower is better; negated)" if judgments.sign(metric) < 0 else metric


def _means(values: Array, missing: Array, inputs: Array) -> Array:
    """(B, S) the means of systems in draws of inputs; NaN where a draw has nothing of a system."""
    total = inputs @ (~missing).T.astype(np.float64)
    return np.asarray(inputs @ np.where(missing, 0.0, values).T / np.where(total == 0, np.nan, total))


def _line(ax: Any, x: Array, y: Array, resamples: int, confidence: float, seed: int) -> None:
    at = np.linspace(x.min(), x.max(), 50)
    ax.plot(at, np.polyval(np.polyfit(x, y, 1), at), color=COLOURS[2], linewidth=LINE, label="line")
    systems = bootstrap(len(x), 1, "systems", resamples, seed).systems
    n = len(x)
    centre_x, centre_y = systems @ x / n, systems @ y / n
    spread = systems @ x**2 / n - centre_x**2
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(
            spread > 1e-12 * np.abs(x).max() ** 2,
            (systems @ (x * y) / n - centre_x * centre_y) / spread,
            np.nan,
        )
    lines = centre_y[:, None] + slope[:, None] * (at - centre_x[:, None])
    low, high = (
        np.array(side)
        for side in zip(*(percentile(column, confidence)[:2] for column in lines.T), strict=True)
    )
    ax.fill_between(at, low, high, color=PALE, alpha=0.6, linewidth=0, zorder=0, label="band")
    # A band that is wide at its ends must not squeeze the points.
    room = 0.6 * np.ptp(y)
    ax.set_ylim(max(ax.get_ylim()[0], y.min() - room), min(ax.get_ylim()[1], y.max() + room))

"""scatter: the scores of a metric against human scores."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.correlation import correlate
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots import canvas
from nlgauge.show.plots.labels import name_points
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
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric against human scores, one point per system or output.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension.
    metric : str
        Metric; its scores are oriented so that higher is better.
    human : str, optional
        Human dimension. Required if there are several.
    level : {"system", "global"}
        A point is a system, or an output in the style of its group.
    coefficient : str, default "kendall"
        Coefficient in the title.
    confidence : float, default 0.95
        Confidence of the intervals.
    resamples : int, default 1000
        Number of resamples B.
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
    The cross of a system spans its intervals over resampled segments. The title has the coefficient with its interval over
    resampled systems. The line is a least-squares fit, with its band over resampled systems (Figure 3.7 of the NLG-Metricverse
    thesis).
    """
    if level not in ("system", "global"):
        raise ParameterError(f"level must be 'system' or 'global' for a scatter plot, got {level!r:.60}.")
    description = f"{metric} against {judgments.dimension(human)}."
    if level == "global":
        return canvas.described(
            _outputs(judgments, metric, judgments.dimension(human), coefficient, ax), description
        )
    if judgments.groups is not None:
        raise InputError(
            "a scatter plot of systems needs one group; pass one of judgments.by_group().values()."
        )
    dimension, people = judgments.dimension(human), judgments.human(human)
    scores = judgments.oriented(metric)
    whole = judgments.oriented_system_scores(metric)
    x, y = (
        system_means(scores, people, judgments.weights)
        if whole is None
        else (whole, human_means(people, judgments.weights))
    )
    known = ~np.isnan(x) & ~np.isnan(y)
    ax = canvas.one_axes(
        ax, canvas.COLUMN * 1.3 * canvas.larger_for(len(x)), canvas.COLUMN * 1.2 * canvas.larger_for(len(x))
    )
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
        lines(place[known], low[known], high[known], color=canvas.GRAY, linewidth=canvas.THIN)
        across = lines == ax.hlines
        ends = [
            [[a, at], [b, at]] if across else [[at, a], [at, b]]
            for a, b, at in zip(low[known], high[known], place[known], strict=True)
        ]
        crosses += [np.array(pair) for pair in ends]
    ax.plot(x[known], y[known], "o", color=canvas.COLORS[1], markersize=3.5, label="systems")
    canvas.few_ticks(ax.xaxis)
    canvas.few_ticks(ax.yaxis)
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
    title = (
        f"{row['coefficient'].capitalize()} {canvas.decimals(row['value'])}"
        f" [{canvas.decimals(row['low'])}, {canvas.decimals(row['high'])}]"
    )
    canvas.titled(ax, title, _named(judgments, metric), dimension)
    names = [judgments.systems[i] for i in np.flatnonzero(known)]
    name_points(ax, x[known].tolist(), y[known].tolist(), names, crosses)
    return canvas.described(ax, description)


def _outputs(judgments: Judgments, metric: str, human: str, coefficient: str, ax: Axes | None) -> Axes:
    """Draw one point per output that both scored; the title has the coefficient, of several groups its
    average.
    """
    row = correlate(judgments, "global", coefficient, human, metric, None).rows[-1]
    parts = judgments.by_group()
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.3, canvas.COLUMN * 1.2)
    size, alpha = (2, 0.4) if judgments.human(human).size > 500 else (3.5, 0.8)
    for (group, part), look in zip(parts.items(), canvas.looks(len(parts)), strict=True):
        x, y = (side.ravel() for side in (part.oriented(metric), part.human(human)))
        color, label = (canvas.COLORS[1], "outputs") if group is None else (look.color, str(group))
        ax.plot(x, y, look.marker, color=color, markersize=size, alpha=alpha, markeredgewidth=0, label=label)
    canvas.few_ticks(ax.xaxis)
    canvas.few_ticks(ax.yaxis)
    average = " (average)" if len(parts) > 1 else ""
    title = f"{row['coefficient'].capitalize()} {canvas.decimals(row['value'])}{average}"
    canvas.titled(ax, title, _named(judgments, metric), human)
    if len(parts) > 1:
        canvas.legend_below(ax, ax.get_lines(), 4, markerscale=2)
    return ax


def _named(judgments: Judgments, metric: str) -> str:
    return f"{metric} (lower is better; negated)" if judgments.sign(metric) < 0 else metric


def _means(values: Array, missing: Array, inputs: Array) -> Array:
    """Return the (B, S) means of systems over resampled inputs; NaN if a resample has nothing of a system."""
    total = inputs @ (~missing).T.astype(np.float64)
    return np.asarray(inputs @ np.where(missing, 0.0, values).T / np.where(total == 0, np.nan, total))


def _line(ax: Axes, x: Array, y: Array, resamples: int, confidence: float, seed: int) -> None:
    at = np.linspace(x.min(), x.max(), 50)
    ax.plot(
        at, np.polyval(np.polyfit(x, y, 1), at), color=canvas.COLORS[2], linewidth=canvas.LINE, label="line"
    )
    systems = bootstrap(len(x), 1, "systems", resamples, seed).systems
    n = len(x)
    center_x, center_y = systems @ x / n, systems @ y / n
    spread = systems @ x**2 / n - center_x**2
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(
            spread > 1e-12 * np.abs(x).max() ** 2,
            (systems @ (x * y) / n - center_x * center_y) / spread,
            np.nan,
        )
    lines = center_y[:, None] + slope[:, None] * (at - center_x[:, None])
    low, high = (
        np.array(side)
        for side in zip(*(percentile(column, confidence)[:2] for column in lines.T), strict=True)
    )
    ax.fill_between(at, low, high, color=canvas.PALE, alpha=0.6, linewidth=0, zorder=0, label="band")
    # A band that is wide at its ends must not squeeze the points.
    room = 0.6 * np.ptp(y)
    ax.set_ylim(max(ax.get_ylim()[0], y.min() - room), min(ax.get_ylim()[1], y.max() + room))

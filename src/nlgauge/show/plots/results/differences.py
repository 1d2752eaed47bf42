"""forest and waterfall: by how much one system is better than another, on every metric and on every
segment.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import bounds, counted, number, ties
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings
from nlgauge.results.comparison import Compared, Comparison
from nlgauge.results.labels import output_name, short_names
from nlgauge.results.result import Result
from nlgauge.show.plots import canvas
from nlgauge.show.plots.presets import active
from nlgauge.show.plots.results.columns import PlottedOutput, columns, direction, need_segments
from nlgauge.show.plots.studies.coefficients import draw_coefficients


def forest(
    data: Result | Comparison | Findings,
    first: str | None = None,
    second: str | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int | None = None,
    ax: Axes | None = None,
) -> Axes | canvas.Panels:
    """Draw the differences of two systems on every metric, or coefficients, with intervals.

    Parameters
    ----------
    data : Result, Comparison or Findings
        A result is compared first. Rows of `nlgauge.meta.correlate`, or other rows with the columns metric, value, low and
        high, are drawn as coefficients: one line per metric, the best metric of the first panel on top, one panel per level,
        human dimension, coefficient and group.
    first : str, optional
        Baseline. Default: the first system.
    second : str, optional
        System whose gain over the baseline is drawn; points on the right are better for it. Default: the second system.
    confidence : float, default 0.95
        Confidence of the intervals of a result. A point is filled if the corrected p is at most 1 - confidence.
    resamples : int, default 1000
        Number of resamples B, for a result.
    seed : int, optional
        Seed of the resamples, for a result. Default: the seed of the run.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; several panels replace them. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of Axes
        Axes of the differences, or of each panel of coefficients.

    Notes
    -----
    The gain of each metric has its own scale; the numbers are next to it. A filled point is significant by the corrected p. A
    gray point belongs to a metric without a direction. For coefficients, a dashed line is the ceiling (one annotator against
    the others) and a dotted line is the floor (a constant metric) (InfoLM 1, COSMIC 2, 8 and 9).
    """
    if isinstance(data, Findings):
        return draw_coefficients(data, ax)
    if isinstance(data, Result):
        first, second = _pair(data, first, second)
        data = data.compare(first, second, confidence=confidence, resamples=resamples, seed=seed)
    first, second = first or data.rows[0].first, second or data.rows[0].second
    rows = [(row, data.corrected(row)) for row in data.rows if {row.first, row.second} == {first, second}]
    if not rows:
        raise InputError(
            f"the comparison does not contain {first!r} and {second!r}; choose two of its systems."
        )
    return _gains(rows, first, second, 1 - data.confidence, ax)


def _pair(result: Result, first: str | None, second: str | None) -> tuple[str, str]:
    if len(result.systems) < 2:
        raise InputError(
            f"this plot needs two systems, but the result has only {result.systems[0]!r}; add another."
        )
    first = first or next(system for system in result.systems if system != second)
    second = second or next(system for system in result.systems if system != first)
    for system in (first, second):
        result._check_system(system)
    if first == second:
        raise InputError(f"the plot needs two systems, got {first!r} twice; choose another.")
    return first, second


def _gains(
    rows: list[tuple[Compared, float]], first: str, second: str, alpha: float, ax: Axes | None
) -> Axes:
    short = short_names(row.label for row, _ in rows)
    names = [output_name(short[row.label], row.output.name) for row, _ in rows]
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.3 + canvas.room(names) * 0.5, 0.2 * len(rows) + 0.9)
    ax.axvline(0, color=canvas.GRAY, linewidth=canvas.THIN, label="zero")
    descriptions = []
    for place, (name, (row, corrected_p)) in enumerate(zip(names, rows, strict=True)):
        value, low, high = _gain(row, second)
        reach = np.nanmax(np.abs([value, low, high])) if np.isfinite(value) else np.nan
        if not np.isfinite(reach):
            ax.text(0, place, " n/a", va="center", color=canvas.GRAY, **canvas.plain(canvas.SMALL))
            continue
        scale = reach or 1.0
        color = canvas.GRAY if row.output.higher_is_better is None else canvas.COLORS[1]
        significant = corrected_p <= alpha
        canvas.interval(ax, low / scale, high / scale, place, color)
        face = color if significant else "white"
        ax.plot(value / scale, place, "o", color=color, markerfacecolor=face, markersize=4.5, label=name)
        shown = number(value, row.output, sign=True)
        numbers = f"{shown} {bounds(low, high, row.output, sign=True)}"
        beside: Any = {"transform": ax.get_yaxis_transform(), "va": "center"}
        ax.text(1.03, place, numbers, color=canvas.GRAY, **beside, **canvas.plain(canvas.SMALL))
        descriptions.append(f"{name} {shown}{', significant' if significant else ''}")
    canvas.named_ticks(ax.yaxis, names)
    ax.set_ylim(len(rows) - 0.5, -0.6)
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    canvas.titled(
        ax,
        f"{second} against {first}",
        f"better: {first} \u2190 | \u2192 {second}\n(each metric on its own scale; filled: significant)",
    )
    if active():
        # In a narrow figure the numbers leave little room to the axes: the names start at its left side.
        ax.xaxis.label.set(x=0.0, horizontalalignment="left")
    return canvas.described(
        ax, f"{second} against {first}, positive if {second} is better: {'; '.join(descriptions)}."
    )


def _gain(row: Compared, system: str) -> tuple[float, float, float]:
    """Return the gain of a system of the row over the other with its bounds; adding 0.0 removes the sign of a
    zero.
    """
    if row.second == system:
        return row.gain, row.gain_low, row.gain_high
    return -row.gain + 0.0, -row.gain_high + 0.0, -row.gain_low + 0.0


def waterfall(
    result: Result,
    metric: str | None = None,
    first: str | None = None,
    second: str | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the gain of the second system over the first, its baseline, on every segment, sorted.

    Parameters
    ----------
    result : Result
        Scores of at least two systems.
    metric : str, optional
        Metric ("chrf") or one of its outputs ("rouge.rouge2"). Default: the first with segment scores.
    first : str, optional
        Baseline. Default: the first system.
    second : str, optional
        System to compare with the baseline. Default: the second system.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Axes of the plot.

    Notes
    -----
    The title counts wins, ties and losses. Two scores tie if they are equal when printed with the decimals of the metric.
    """
    first, second = _pair(result, first, second)
    column = _first_with_segments(result, metric)
    scores = need_segments(result, column, "waterfall")
    sign = -1 if column.output.higher_is_better is False else 1
    ours, theirs = scores[result.systems.index(first)], scores[result.systems.index(second)]
    gains = np.where(ties(ours, theirs, column.output), 0.0, sign * (theirs - ours))
    known = np.sort(gains[~np.isnan(gains)])[::-1]
    ax = canvas.one_axes(ax, canvas.COLUMN * 1.4, 2.3, "y")
    places = np.arange(1, len(known) + 1)
    for inside, color, hatch, label in (
        (known > 0, canvas.COLORS[1], None, second),
        (known < 0, canvas.COLORS[4], "////", first),
    ):
        edge = canvas.GRAY if hatch else color
        style: Any = {"color": color, "step": "mid", "linewidth": 0, "hatch": hatch, "edgecolor": edge}
        ax.fill_between(places, 0, np.where(inside, known, 0.0), label=f"better: {label}", **style)
    ax.axhline(0, color="black", linewidth=canvas.THIN, label="zero")
    ax.set_xlim(0.5, max(1.5, len(known) + 0.5))
    canvas.few_ticks(ax.xaxis, whole=True)
    canvas.few_ticks(ax.yaxis)
    wins, losses = int((known > 0).sum()), int((known < 0).sum())
    counts = (
        f"{second} better on {wins:,}, tie on {len(known) - wins - losses:,}, {first} better on {losses:,}"
    )
    unknown = len(gains) - len(known)
    canvas.titled(
        ax,
        counts,
        "segments, sorted" + (f" ({unknown:,} unknown)" if unknown else ""),
        f"gain in {column.name}\n(positive: {second} is better)",
    )
    return canvas.described(
        ax,
        f"Gains in {column.name} ({direction(column.output)}) of {counted(len(known), 'segment')}: {counts}.",
    )


def _first_with_segments(result: Result, metric: str | None) -> PlottedOutput:
    chosen = columns(result, metric)
    first = result.systems[0]
    known = (c for c in chosen if c.output.name in result._tables[first, c.label].segments())
    return next(known, chosen[0])

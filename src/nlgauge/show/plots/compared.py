"""forest and waterfall: by how much one system is better than another, on every metric and on every
segment.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nlgauge._core.numbers import bounds, number, ties
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings
from nlgauge.results.comparison import Compared, Comparison
from nlgauge.results.result import Result
from nlgauge.show.plots.canvas import (
    COLOURS,
    COLUMN,
    GREY,
    LINE,
    SMALL,
    THIN,
    few_ticks,
    named_ticks,
    plain,
    room,
    titled,
)
from nlgauge.show.plots.columns import columns, direction, need_segments, short_names
from nlgauge.show.plots.place import on_figure, one_axes, told


def forest(
    given: Result | Comparison | Findings,
    first: str | None = None,
    second: str | None = None,
    *,
    ax: Any = None,
    **options: Any,
) -> Any:
    """Differences of two systems on every metric, or, of the rows of `nlgauge.meta.correlation`, coefficients
    with intervals, ceiling and floor.

    A result is compared first (the options are those of `Result.compare`); the systems are the first two
    unless they are named. What is drawn is the gain of the second system over the first, its baseline: right
    is better for the second. Each stands on its own scale: the numbers are beside it. A filled point is
    significant by the corrected p, a grey one is of a metric without a direction. Rows with the columns metric, value, low and
    high draw InfoLM 1 and COSMIC 2, 8 and 9.
    """
    if isinstance(given, Findings):
        from nlgauge.show.plots import meta as plots

        return on_figure(plots.forest, ax, given, said=_coefficients(given), **options)
    if isinstance(given, Result):
        first, second = _pair(given, first, second)
        given = given.compare(first, second, **options)
    first, second = first or given.rows[0].first, second or given.rows[0].second
    rows = [(row, given.corrected(row)) for row in given.rows if {row.first, row.second} == {first, second}]
    if not rows:
        raise InputError(f"there is no comparison of {first!r} and {second!r}.")
    return _gains(rows, first, second, 1 - given.confidence, ax)


def _pair(result: Result, first: str | None, second: str | None) -> tuple[str, str]:
    if len(result.systems) < 2:
        raise InputError(f"this needs two systems, the result has {result.systems[0]!r} alone.")
    first = first or next(system for system in result.systems if system != second)
    second = second or next(system for system in result.systems if system != first)
    for system in (first, second):
        result.check_system(system)
    if first == second:
        raise InputError(f"this needs two systems, got {first!r} twice.")
    return first, second


def _gains(rows: list[tuple[Compared, float]], first: str, second: str, alpha: float, ax: Any) -> Any:
    names = short_names(
        [(row.label, row.output.name) for row, _ in rows], list(dict.fromkeys(row.label for row, _ in rows))
    )
    ax = one_axes(ax, COLUMN * 1.3 + room(names) * 0.5, 0.2 * len(rows) + 0.9)
    ax.axvline(0, color=GREY, linewidth=THIN, label="zero")
    said = []
    for place, (name, (row, corrected_p)) in enumerate(zip(names, rows, strict=True)):
        value, low, high = _gain(row, second)
        reach = np.nanmax(np.abs([value, low, high])) if np.isfinite(value) else np.nan
        if not np.isfinite(reach):
            ax.text(0, place, " n/a", va="center", color=GREY, **plain(SMALL))
            continue
        scale = reach or 1.0
        colour = GREY if row.output.higher_is_better is None else COLOURS[1]
        significant = corrected_p <= alpha
        ax.plot(
            [low / scale, high / scale],
            [place, place],
            color=colour,
            linewidth=LINE,
            solid_capstyle="butt",
            label="interval",
        )
        ax.plot(
            value / scale,
            place,
            "o",
            color=colour,
            markerfacecolor=colour if significant else "white",
            markersize=4.5,
            label=name,
        )
        shown = number(value, row.output, sign=True)
        ax.text(
            1.03,
            place,
            f"{shown} {bounds(low, high, row.output, sign=True)}",
            transform=ax.get_yaxis_transform(),
            va="center",
            color=GREY,
            **plain(SMALL),
        )
        said.append(f"{name} {shown}{', significant' if significant else ''}")
    named_ticks(ax.yaxis, names)
    ax.set_ylim(len(rows) - 0.5, -0.6)
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    titled(
        ax,
        f"{second} against {first}",
        f"better: {first} \u2190 | \u2192 {second}\n(each metric on its own scale; filled: significant)",
    )
    return told(ax, f"{second} against {first}, plus if {second} is better: {'; '.join(said)}.")


def _gain(row: Compared, system: str) -> tuple[float, float, float]:
    """Return the gain of a system of the row over the other with its bounds; adding 0.0 removes the sign of a
    zero.
    """
    if row.second == system:
        return row.gain, row.gain_low, row.gain_high
    return -row.gain + 0.0, -row.gain_high + 0.0, -row.gain_low + 0.0


def _coefficients(found: Findings) -> str:
    listed = [f"{row.get('metric')} {row.get('value', float('nan')):.2f}" for row in found.rows[:12]]
    return f"Coefficients with intervals: {', '.join(listed)}{' and more' if len(found.rows) > 12 else ''}."


def waterfall(
    result: Result,
    metric: str | None = None,
    first: str | None = None,
    second: str | None = None,
    *,
    ax: Any = None,
) -> Any:
    """The gain of the second system over the first, its baseline, on every segment, sorted; plus is better.

    The title counts wins, ties and losses; two scores tie if they print the same with the decimals of their
    metric (`nlgauge._core.numbers.ties`).
    """
    first, second = _pair(result, first, second)
    column = _first_with_segments(result, metric)
    scores = need_segments(result, column, "waterfall")
    sign = -1 if column.output.higher_is_better is False else 1
    ours, theirs = scores[result.systems.index(first)], scores[result.systems.index(second)]
    gains = np.where(ties(ours, theirs, column.output), 0.0, sign * (theirs - ours))
    known = np.sort(gains[~np.isnan(gains)])[::-1]
    ax = one_axes(ax, COLUMN * 1.4, 2.3, "y")
    places = np.arange(1, len(known) + 1)
    for inside, colour, hatch, label in (
        (known > 0, COLOURS[1], None, second),
        (known < 0, COLOURS[4], "////", first),
    ):
        drawn = np.where(inside, known, 0.0)
        style = {
            "color": colour,
            "step": "mid",
            "linewidth": 0,
            "hatch": hatch,
            "edgecolor": GREY if hatch else colour,
        }
        ax.fill_between(places, 0, drawn, label=f"better: {label}", **style)
    ax.axhline(0, color="black", linewidth=THIN, label="zero")
    ax.set_xlim(0.5, max(1.5, len(known) + 0.5))
    few_ticks(ax.xaxis, whole=True)
    few_ticks(ax.yaxis)
    wins, losses = int((known > 0).sum()), int((known < 0).sum())
    counts = (
        f"{second} better on {wins:,}, tie on {len(known) - wins - losses:,}, {first} better on {losses:,}"
    )
    unknown = len(gains) - len(known)
    titled(
        ax,
        counts,
        "segments, sorted" + (f" ({unknown:,} unknown)" if unknown else ""),
        f"gain in {column.name}\n(plus: {second} is better)",
    )
    return told(
        ax, f"Gains in {column.name} ({direction(column.output)}) of {len(known)} segments: {counts}."
    )


def _first_with_segments(result: Result, metric: str | None) -> Any:
    chosen = columns(result, metric)
    return next(
        (one for one in chosen if one.output.name in result.tables[result.systems[0], one.label].segments()),
        chosen[0],
    )

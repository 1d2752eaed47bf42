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
from nlgauge.results.labels import output_name, short_names
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
from nlgauge.show.plots.columns import columns, direction, need_segments
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
    unless they are named. Differences are turned so that right is better for the first system, and each
    stands on its own scale: the numbers are beside it. A filled point is beyond chance after Holm's
    correction, a grey one is of a metric without a direction. Rows with the columns metric, value, low and
    high draw InfoLM 1 and COSMIC 2, 8 and 9.
    """
    if isinstance(given, Findings):
        from nlgauge.show.plots import meta as plots

        return on_figure(plots.forest, ax, given, said=_coefficients(given), **options)
    if isinstance(given, Result):
        first, second = _pair(given, first, second)
        given = given.compare(first, second, **options)
    first, second = first or given.rows[0].first, second or given.rows[0].second
    rows = [row for row in given.rows if {row.first, row.second} == {first, second}]
    if not rows:
        raise InputError(f"there is no comparison of {first!r} and {second!r}.")
    return _differences(rows, first, second, 1 - given.confidence, ax)


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


def _differences(rows: list[Compared], first: str, second: str, alpha: float, ax: Any) -> Any:
    short = short_names(row.label for row in rows)
    names = [output_name(short[row.label], row.output.name) for row in rows]
    ax = one_axes(ax, COLUMN * 1.3 + room(names) * 0.5, 0.2 * len(rows) + 0.9)
    ax.axvline(0, color=GREY, linewidth=THIN, label="zero")
    said = []
    for place, (name, row) in enumerate(zip(names, rows, strict=True)):
        value, low, high = _turned(row, first)
        reach = np.nanmax(np.abs([value, low, high])) if np.isfinite(value) else np.nan
        if not np.isfinite(reach):
            ax.text(0, place, " n/a", va="center", color=GREY, **plain(SMALL))
            continue
        scale = reach or 1.0
        colour = GREY if row.output.higher_is_better is None else COLOURS[1]
        beyond = row.p_holm <= alpha
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
            markerfacecolor=colour if beyond else "white",
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
        said.append(f"{name} {shown}{', beyond chance' if beyond else ''}")
    named_ticks(ax.yaxis, names)
    ax.set_ylim(len(rows) - 0.5, -0.6)
    ax.set_xlim(-1.08, 1.08)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    titled(
        ax,
        f"{first} against {second}",
        f"better: {second} \u2190 | \u2192 {first}\n(each metric on its own scale; filled: beyond chance)",
    )
    return told(ax, f"{first} against {second}, plus where {first} is better: {'; '.join(said)}.")


def _turned(row: Compared, first: str) -> tuple[float, float, float]:
    """Return the difference with its bounds, plus if the first system is better; adding 0.0 removes the
    sign of a zero.
    """
    sign = (1 if row.first == first else -1) * (-1 if row.output.higher_is_better is False else 1)
    low, high = sorted((sign * row.low + 0.0, sign * row.high + 0.0))
    return sign * row.difference + 0.0, low, high


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
    """The difference of two systems on every segment, sorted; plus is better for the first.

    The title counts wins, ties and losses; two scores tie if they print the same with the decimals of their
    metric (`nlgauge._core.numbers.ties`).
    """
    first, second = _pair(result, first, second)
    column = _first_with_segments(result, metric)
    scores = need_segments(result, column, "waterfall")
    sign = -1 if column.output.higher_is_better is False else 1
    ours, theirs = scores[result.systems.index(first)], scores[result.systems.index(second)]
    gains = np.where(ties(ours, theirs, column.output), 0.0, sign * (ours - theirs))
    known = np.sort(gains[~np.isnan(gains)])[::-1]
    ax = one_axes(ax, COLUMN * 1.4, 2.3, "y")
    places = np.arange(1, len(known) + 1)
    for inside, colour, hatch, label in (
        (known > 0, COLOURS[1], None, first),
        (known < 0, COLOURS[4], "////", second),
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
        f"{first} better on {wins:,}, tie on {len(known) - wins - losses:,}, {second} better on {losses:,}"
    )
    unknown = len(gains) - len(known)
    titled(
        ax,
        counts,
        "segments, sorted" + (f" ({unknown:,} unknown)" if unknown else ""),
        f"difference in {column.name}\n(plus: {first} is better)",
    )
    return told(
        ax, f"Differences in {column.name} ({direction(column.output)}) of {len(known)} segments: {counts}."
    )


def _first_with_segments(result: Result, metric: str | None) -> Any:
    chosen = columns(result, metric)
    return next(
        (one for one in chosen if one.output.name in result.tables[result.systems[0], one.label].segments()),
        chosen[0],
    )

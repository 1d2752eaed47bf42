"""intervals: the score of every system with its interval, one panel per score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from nlgauge._core.numbers import counted
from nlgauge.show.plots import canvas
from nlgauge.show.plots.presets import page_height
from nlgauge.show.plots.results.columns import PlottedOutput, columns, direction

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def intervals(
    result: Result,
    metrics: str | Iterable[str] | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int | None = None,
    ax: Axes | None = None,
) -> Axes | canvas.Panels:
    """Draw the score of every system with its interval, one panel per score.

    Parameters
    ----------
    result : Result
        Scores of S systems.
    metrics : str or iterable of str, optional
        Metrics ("chrf") or outputs ("rouge.rouge2"). Default: the leading outputs of every metric.
    confidence : float, default 0.95
        Confidence of the intervals.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, optional
        Seed of the resamples. Default: the seed of the run.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; several panels replace them. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes or array of Axes
        One axes per score.

    Notes
    -----
    The band is the interval of the best system (Figure 4.3 of the NLG-Metricverse thesis). Each system is followed by the
    letters of `Result.ranks` (systems that share a letter are not significantly different); from nine systems on, by the range
    of its ranks.
    """
    chosen = columns(result, metrics)
    systems = result.systems
    bounds = result.intervals(confidence, resamples, seed)
    by_system = bounds if len(systems) > 1 else {systems[0]: bounds}
    ranked = (
        {}
        if len(systems) < 2
        else {
            (row.label, row.output.name): row
            for row in result.ranks(confidence=confidence, resamples=resamples, seed=seed)
        }
    )
    beside = canvas.room(systems)
    across = _across(chosen, beside)
    height = _row_height(systems) * math.ceil(len(chosen) / across)
    axes = canvas.grid_of(
        ax, len(chosen), across, min(canvas.page(), beside + 0.3 + 1.9 * across), height, sharey=True
    )
    descriptions = []
    for panel, column in zip(axes, chosen, strict=True):
        key = (column.label, column.output.name)
        scores = [by_system[system][key[0]][key[1]] for system in systems]
        _panel(canvas.bare(panel, "x"), column, systems, scores, ranked.get(key))
        known = ", ".join(
            f"{system} {canvas.decimals(score.score, 3)}"
            for system, score in zip(systems, scores, strict=True)
        )
        descriptions.append(f"{column.name} ({direction(column.output)}): {known}")
    return canvas.described(
        canvas.unpacked(axes),
        f"Scores with {100 * confidence:g}% intervals of {counted(len(systems), 'system')}. {'. '.join(descriptions)}.",
    )


def interval_pages(result: Result, metrics: str | Sequence[str] | None = None) -> list[list[str]]:
    """Return the names of the scores on each page of `intervals`, as many as the height of the active preset
    allows; one page without a preset.
    """
    chosen = columns(result, metrics)
    names = [column.name for column in chosen]
    most = page_height()
    if most is None:
        return [names]
    across = _across(chosen, canvas.room(result.systems))
    count = max(1, int(most // _row_height(result.systems))) * across
    return [names[start : start + count] for start in range(0, len(names), count)]


def _across(chosen: Sequence[PlottedOutput], beside: float) -> int:
    """Return the number of panels side by side."""
    widest = max(1.45, canvas.room([column.name for column in chosen], 9) + 0.2)
    return int(min(len(chosen), 4, max(1, (canvas.page() - beside) // widest)))


def _row_height(systems: Sequence[str]) -> float:
    """Return the height of a row of panels in inches."""
    return 0.19 * len(systems) + 0.85


def _panel(ax: Axes, column: PlottedOutput, systems: tuple[str, ...], bounds: list[Any], ranked: Any) -> None:
    better = column.output.higher_is_better
    scores = np.array([bound.score for bound in bounds], dtype=np.float64)
    if better is not None and np.isfinite(scores).any() and len(systems) > 1:
        best = bounds[int(np.nanargmax(scores if better else -scores))]
        if np.isfinite([best.low, best.high]).all():
            ax.axvspan(best.low, best.high, color=canvas.PALE, alpha=0.6, linewidth=0, zorder=0, label="best")
    for place, (system, bound) in enumerate(zip(systems, bounds, strict=True)):
        if not math.isfinite(bound.score):
            canvas.not_available(ax, place)
            continue
        canvas.interval(ax, bound.low, bound.high, place, canvas.COLORS[1])
        ax.plot(bound.score, place, "o", color=canvas.COLORS[1], markersize=3.5, label=system)
        if (mark := _mark(ranked, place, len(systems))) is not None:
            beside: Any = {"transform": ax.get_yaxis_transform(), "va": "center", "ha": "left"}
            ax.text(1.01, place, mark, color=canvas.GRAY, **beside, **canvas.plain(canvas.SMALL))
    canvas.named_ticks(ax.yaxis, systems)
    ax.set_ylim(len(systems) - 0.5, -0.5)
    canvas.few_ticks(ax.xaxis, 3)
    arrow = {True: " \u2191", False: " \u2193", None: ""}[better]
    canvas.titled(ax, f"{column.name}{arrow}")


def _mark(ranked: Any, place: int, count: int) -> str | None:
    """Return the letters of few systems, the ranks of many."""
    if ranked is None:
        return None
    if count < 9:
        return None if ranked.letters[place] is None else str(ranked.letters[place])
    rank = ranked.ranks[place]
    return None if rank is None else str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}\u2013{rank[1]}"

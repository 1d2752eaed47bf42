"""intervals: the score of every system with its interval, one panel per score."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge.show.plots.canvas import (
    COLOURS,
    GREY,
    LINE,
    PAGE,
    PALE,
    SMALL,
    bare,
    decimals,
    few_ticks,
    named_ticks,
    plain,
    room,
    titled,
)
from nlgauge.show.plots.columns import PlottedOutput, columns, direction
from nlgauge.show.plots.place import panels, told

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def intervals(
    result: Result,
    metrics: str | Iterable[str] | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int | None = None,
    ax: Any = None,
) -> Any:
    """A dot and an interval per system, one panel per score; the band is the interval of the best system
    (Figure 4.3 of the NLG-Metricverse thesis).

    Behind a system stand the letters of `Result.ranks` (systems that share one cannot be told apart), from
    nine systems on the ranks that it may have. The axes are an array, one for each score.
    """
    chosen = columns(result, metrics)
    systems = result.systems
    found = result.intervals(confidence, resamples, seed)
    by_system = found if len(systems) > 1 else {systems[0]: found}
    ranked = (
        {}
        if len(systems) < 2
        else {
            (row.label, row.output.name): row
            for row in result.ranks(confidence=confidence, resamples=resamples, seed=seed)
        }
    )
    beside = room(systems)
    across = int(
        min(len(chosen), 4, max(1, (PAGE - beside) // max(1.45, room([one.name for one in chosen], 9) + 0.2)))
    )
    down = math.ceil(len(chosen) / across)
    height = (0.19 * len(systems) + 0.85) * down
    axes = panels(ax, down, across, min(PAGE, beside + 0.3 + 1.9 * across), height, sharey=True)
    said = []
    for panel, column in zip(axes.flat, chosen, strict=False):
        bounds = [by_system[system][column.label][column.output.name] for system in systems]
        _panel(bare(panel, "x"), column, systems, bounds, ranked.get((column.label, column.output.name)))
        known = ", ".join(
            f"{system} {decimals(bound.score, 3)}" for system, bound in zip(systems, bounds, strict=True)
        )
        said.append(f"{column.name} ({direction(column.output)}): {known}")
    for panel in axes.flat[len(chosen) :]:
        panel.set_visible(False)
    told(
        axes.flat[0],
        f"Scores with {100 * confidence:g} % intervals of {len(systems)} systems. " + ". ".join(said) + ".",
    )
    return axes.ravel()[: len(chosen)] if len(chosen) > 1 else axes.flat[0]


def _panel(ax: Any, column: PlottedOutput, systems: tuple[str, ...], bounds: list[Any], ranked: Any) -> None:
    better = column.output.higher_is_better
    scores = np.array([bound.score for bound in bounds], dtype=np.float64)
    if better is not None and np.isfinite(scores).any() and len(systems) > 1:
        best = bounds[int(np.nanargmax(scores if better else -scores))]
        if np.isfinite([best.low, best.high]).all():
            ax.axvspan(best.low, best.high, color=PALE, alpha=0.6, linewidth=0, zorder=0, label="best")
    for place, (system, bound) in enumerate(zip(systems, bounds, strict=True)):
        if not math.isfinite(bound.score):
            ax.text(
                0.02,
                place,
                "n/a",
                transform=ax.get_yaxis_transform(),
                va="center",
                color=GREY,
                **plain(SMALL),
            )
            continue
        ax.plot(
            [bound.low, bound.high],
            [place, place],
            color=COLOURS[1],
            linewidth=LINE,
            solid_capstyle="butt",
            label="interval",
        )
        ax.plot(bound.score, place, "o", color=COLOURS[1], markersize=3.5, label=system)
        if (mark := _mark(ranked, place, len(systems))) is not None:
            ax.text(
                1.01,
                place,
                mark,
                transform=ax.get_yaxis_transform(),
                va="center",
                ha="left",
                color=GREY,
                **plain(SMALL),
            )
    named_ticks(ax.yaxis, systems)
    ax.set_ylim(len(systems) - 0.5, -0.5)
    few_ticks(ax.xaxis, 3)
    arrow = {True: " \u2191", False: " \u2193", None: ""}[better]
    titled(ax, f"{column.name}{arrow}")


def _mark(ranked: Any, place: int, count: int) -> str | None:
    """Letters of few systems, ranks of many."""
    if ranked is None:
        return None
    if count < 9:
        return None if ranked.letters[place] is None else str(ranked.letters[place])
    rank = ranked.ranks[place]
    return None if rank is None else str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}\u2013{rank[1]}"

"""bins: how far a metric's scores of good and of bad outputs lie apart."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.judgments import Judgments
from nlgauge.show.plots.canvas import (
    COLOURS,
    COLUMN,
    GREY,
    LINE,
    SMALL,
    THIN,
    bare,
    canvas,
    decimals,
    few_ticks,
    plain,
    shown,
    titled,
)
from nlgauge.stats.arrays import mid_ranks


def bins(scores: Mapping[str, Any], *, metric: str = "score", title: str = "", figure: Any = None) -> Any:
    """The density of a metric's scores in each group of outputs (of human quality, `quality_bins`; or
    original, shuffled, wrong), the first on top.

    Beside each other group stands its AUC: the chance that an output of the first group scores above one of
    this, ties counted half.
    """
    values = {name: _finite(of) for name, of in scores.items()}
    if not values:
        raise InputError("bins needs the scores of a group, there are none.")
    names = list(values)
    figure = canvas(figure, COLUMN * 1.3, 0.55 * len(names) + 0.9)
    ax = bare(figure.subplots())
    known = np.concatenate(list(values.values()))
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.5
    grid = np.linspace(low - room, high + room, 400)
    for place, name in enumerate(names):
        height = _density(values[name], grid)
        top = height.max(initial=0.0) or 1.0
        ax.fill_between(
            grid, -place, -place + 0.85 * height / top, color=COLOURS[1], alpha=0.35, linewidth=0, label=name
        )
        ax.plot(grid, -place + 0.85 * height / top, color=COLOURS[1], linewidth=LINE * 0.8, label="_density")
        if len(values[name]):
            middle = float(np.median(values[name]))
            ax.plot(
                [middle, middle],
                [-place, -place + 0.5],
                color="black",
                linewidth=LINE,
                label=f"median {name}",
            )
        ax.axhline(-place, color=GREY, linewidth=THIN / 2)
    beside = [
        f"{shown(name)}\nn = {len(values[name]):,}" + _auc_text(values, names[0], name) for name in names
    ]
    ax.set_yticks([-place + 0.25 for place in range(len(names))], beside, **plain(SMALL))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    few_ticks(ax.xaxis)
    titled(ax, title or "AUC: the first group scores higher", metric)
    return figure


def quality_bins(
    judgments: Judgments, metric: str, human: str | None = None, edges: Sequence[float] | None = None
) -> dict[str, Array]:
    """A metric's scores (higher is better) of outputs whose human score lies between edges, the best first;
    by default in thirds of equal mass.

    An edge belongs to the bin above it.
    """
    dimension = judgments.dimension(human)
    people, scores = judgments.humans[dimension].ravel(), judgments.oriented(metric).ravel()
    known = ~np.isnan(people) & ~np.isnan(scores)
    if not known.any():
        raise InputError(f"no output has both a score of {metric} and a human score of {dimension!r}.")
    people, scores = people[known], scores[known]
    cuts = (
        np.unique(np.quantile(people, [1 / 3, 2 / 3]))
        if edges is None
        else np.asarray(edges, dtype=np.float64)
    )
    if (np.diff(cuts) <= 0).any():
        raise ParameterError(f"edges must rise, got {list(cuts)}.")
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
    """The chance that one of the good scores is above one of the bad ones, ties counted half; NaN where
    either has none.

    >>> auc([2, 3], [1, 2])
    0.875
    """
    one, other = _finite(good), _finite(bad)
    if not len(one) or not len(other):
        return float("nan")
    ranks = mid_ranks(np.concatenate([one, other]))
    return float((ranks[: len(one)].sum() - len(one) * (len(one) + 1) / 2) / (len(one) * len(other)))


def _auc_text(values: Mapping[str, Array], first: str, name: str) -> str:
    return "" if name == first else f", AUC {decimals(auc(values[first], values[name]), 3)}"


def _density(values: Array, grid: Array) -> Array:
    """A normal kernel density of Silverman's width; a spike where all values are the same."""
    if not len(values):
        return np.zeros(len(grid))
    quarter = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349
    spread = (
        min(one for one in (float(values.std()), float(quarter) or np.inf)) if np.ptp(values) > 0 else 0.0
    )
    width = max(0.9 * spread * len(values) ** -0.2, (grid[-1] - grid[0]) / 200)
    found: Array = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2).mean(axis=1)
    return found


def _finite(values: Any) -> Array:
    flat = np.asarray(values, dtype=np.float64).ravel()
    return flat[np.isfinite(flat)]

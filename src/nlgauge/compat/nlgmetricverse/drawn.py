"""Results of the meta-evaluation functions of NLG-Metricverse, with a method `plot` each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nlgauge.meta.judgments import Judgments
    from nlgauge.show.plots.canvas import Panels

_Drawn = TypeVar("_Drawn", "Axes", "Panels", "Axes | Panels")


@dataclass(frozen=True, eq=False, repr=False)
class HumanCorrelations(Findings):
    """Rows of `metric_human_correlation`, with the judgments from which they were computed."""

    judgments: Judgments | None = field(default=None)

    def plot(self, path: str | Path | None = None, *, ax: Axes | None = None) -> Axes | Panels:
        """Draw a scatterplot of each metric with human scores, and write it to the path if set.

        The plot has one point per prediction (Figure 3.7 of the thesis). Better/worse pairs get a forest plot.
        """
        from nlgauge import plots

        if self.judgments is None or not self.judgments.humans:
            return _saved(plots.forest(self, ax=ax), path)
        measures = [name for name in dict.fromkeys(self.column("coefficient")) if name != "darr"]
        pairs = list(product(measures or ["pearson"], dict.fromkeys(self.column("metric"))))
        axes = _side_by_side(ax, len(pairs), 3.4, 3.2)
        for panel, (measure, label) in zip(axes, pairs, strict=True):
            plots.scatter(self.judgments, label, level="global", coefficient=measure, ax=panel)
        return _saved(axes, path)


class MetricCorrelations(tuple[list[Array], list[Array]]):
    """Two lists of `metrics_correlation`: matrices of correlations and of p-values, one per measure."""

    labels: Sequence[str]
    measures: Sequence[str]

    def __new__(
        cls, results: list[Array], p_values: list[Array], labels: Sequence[str], measures: Sequence[str]
    ) -> MetricCorrelations:
        """Create the pair of lists, with the names of the metrics and of the measures."""
        pair = super().__new__(cls, (results, p_values))
        pair.labels, pair.measures = labels, measures
        return pair

    def plot(self, path: str | Path | None = None, *, ax: Axes | None = None) -> Panels:
        """Draw a heatmap of each measure (Figure 4.2 of the thesis), and write it to the path if set.

        daRR is not symmetric; the heatmap shows the value for which the second metric of a pair replaces the human scores.
        """
        from nlgauge import plots
        from nlgauge.show.plots.canvas import Panels

        size = 0.4 * len(self.labels)
        axes = []
        for panel, measure, matrix in zip(
            _side_by_side(ax, len(self.measures), 2.2 + size, 2.4 + size), self.measures, self[0], strict=True
        ):
            rows = [
                {"metric": a, "other": b, "level": "segment", "coefficient": measure, "value": matrix[i, j]}
                for (i, a), (j, b) in combinations(enumerate(self.labels), 2)
            ]
            axes.append(plots.heatmap(Findings(rows), ax=panel))
        return _saved(np.array(axes).view(Panels), path)


class Seconds(dict[str, float]):
    """Seconds of `times_correlation`, by metric.

    `texts` is the number of predictions that were scored. `co2` has the kilograms of CO2-equivalents of each metric; it is
    empty if they were not tracked.
    """

    def __init__(
        self, seconds: Mapping[str, float], texts: int, co2: Mapping[str, float] | None = None
    ) -> None:
        super().__init__(seconds)
        self.texts = texts
        self.co2 = dict(co2 or {})

    def plot(
        self,
        path: str | Path | None = None,
        correlations: Findings | None = None,
        *,
        co2: bool = False,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw bars of the seconds or, with `correlations`, time against agreement with human scores.

        `correlations` are the rows of `metric_human_correlation` (Figure 4.1 of the thesis). With co2=True, the plot shows
        CO2 instead of time.
        """
        if co2 and not self.co2:
            raise InputError(
                "CO2 was not tracked; pass the code of a country to times_correlation, such as carbon='DEU'."
            )
        if correlations is None:
            drawn = (
                (self.co2, "CO2 of each metric", "kilograms of CO2-equivalents")
                if co2
                else (self, "Time of each metric", "seconds")
            )
            return _saved(_bars(*drawn, ax), path)
        from nlgauge import plots

        seconds, kilograms = (
            {name: 1000 * amount / self.texts for name, amount in spent.items()} for spent in (self, self.co2)
        )
        grams = {name: 1000 * amount for name, amount in kilograms.items()} if co2 else None
        return _saved(plots.pareto(correlations, seconds, grams, ax=ax), path)


def _side_by_side(ax: Axes | None, count: int, width: float, height: float) -> Panels:
    """Return `count` axes of this size in inches, at most two per row."""
    from nlgauge.show.plots.canvas import grid_of

    across = min(count, 2)
    return grid_of(ax, count, across, width * across, height * -(-count // across))


def _saved(axes: _Drawn, path: str | Path | None) -> _Drawn:
    """Write the figure of the axes to the path if set, and return the axes."""
    from nlgauge import plots

    if path is not None:
        plots.save(axes, path)
    return axes


def _bars(spent: Mapping[str, float], title: str, unit: str, ax: Axes | None) -> Axes:
    from nlgauge.show.plots.canvas import (
        COLORS,
        COLUMN,
        described,
        few_ticks,
        named_ticks,
        one_axes,
        titled,
    )

    names = sorted(spent, key=lambda name: spent[name])
    ax = one_axes(ax, COLUMN * 1.2, 0.2 * len(names) + 0.8, "x")
    ax.barh(range(len(names)), [spent[name] for name in names], height=0.6, color=COLORS[1])
    named_ticks(ax.yaxis, names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    few_ticks(ax.xaxis)
    titled(ax, title, unit)
    return described(ax, f"{title} in {unit}: {', '.join(f'{name} {spent[name]:.3g}' for name in names)}.")

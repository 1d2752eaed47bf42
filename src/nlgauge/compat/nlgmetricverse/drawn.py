"""What the calls of NLG-Metricverse's meta-evaluation return: numbers as they have them, which draw
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments


@dataclass(frozen=True, eq=False, repr=False)
class HumanCorrelations(Findings):
    """The rows of `metric_human_correlation`, and the judgments that they were made of."""

    judgments: Judgments | None = field(default=None)

    def plot(self, path: str | Path | None = None, *, figure: Any = None, **options: Any) -> Any:
        """A scatterplot of each metric with human scores, one point per output (Figure 3.7 of the thesis);
        written to the path if there is one.

        Of better/worse pairs there is a forest plot.
        """
        from nlgauge.show.plots.meta import forest, scatter

        judged = self.judgments
        if judged is None or not judged.humans:
            return saved(forest(self, figure=figure), path)
        measures = [name for name in dict.fromkeys(self.column("coefficient")) if name != "darr"] or [
            "pearson"
        ]
        panels = [(label, measure) for measure in measures for label in dict.fromkeys(self.column("metric"))]

        def draw(place: int, part: Any) -> None:
            scatter(
                judged, panels[place][0], level="global", coefficient=panels[place][1], figure=part, **options
            )

        return saved(side_by_side(draw, len(panels), figure, 3.4, 3.2), path)


class MetricCorrelations(tuple[list[Array], list[Array]]):
    """The two lists of `metrics_correlation`: for each measure the matrix of correlations, and that of
    p-values.
    """

    labels: Sequence[str]
    measures: Sequence[str]

    def __new__(
        cls, results: list[Array], p_values: list[Array], labels: Sequence[str], measures: Sequence[str]
    ) -> MetricCorrelations:
        """The lists, with the names of the metrics and of the measures."""
        made = super().__new__(cls, (results, p_values))
        made.labels, made.measures = labels, measures
        return made

    def plot(self, path: str | Path | None = None, *, figure: Any = None) -> Any:
        """A heatmap of each measure (Figure 4.2 of the thesis); written to the path if there is one.

        daRR is not symmetric: of each pair the value with the second metric as people is shown.
        """
        from nlgauge.show.plots.meta import heatmap

        def draw(place: int, part: Any) -> None:
            rows = [
                {
                    "metric": one,
                    "other": other,
                    "level": "segment",
                    "coefficient": self.measures[place],
                    "value": float(self[0][place][i, j]),
                }
                for i, one in enumerate(self.labels)
                for j, other in enumerate(self.labels[i + 1 :], i + 1)
            ]
            heatmap(Findings(rows), figure=part)

        return saved(
            side_by_side(
                draw, len(self.measures), figure, 2.2 + 0.4 * len(self.labels), 2.4 + 0.4 * len(self.labels)
            ),
            path,
        )


class Seconds(dict[str, float]):
    """The seconds of `times_correlation`, by metric; `texts` is the number of predictions that they were
    measured on.

    `co2` has the kilograms of CO2-equivalents of each metric, where they were tracked.
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
        figure: Any = None,
    ) -> Any:
        """Bars of the seconds; with the rows of `metric_human_correlation`, time against agreement with
        people (Figure 4.1 of the thesis).

        With co2=True it is CO2 in the place of time.
        """
        if co2 and not self.co2:
            raise InputError(
                "CO2 was not tracked: give times_correlation the code of a country, carbon='DEU'."
            )
        if correlations is None:
            drawn = (
                (self.co2, "CO2 of each metric", "kilograms of CO2-equivalents")
                if co2
                else (self, "Time of each metric", "seconds")
            )
            return saved(_bars(*drawn, figure), path)
        from nlgauge.show.plots.meta import pareto

        seconds, kilograms = (
            {name: 1000 * amount / self.texts for name, amount in spent.items()} for spent in (self, self.co2)
        )
        grams = {name: 1000 * amount for name, amount in kilograms.items()} if co2 else None
        return saved(pareto(correlations, seconds, grams, figure=figure), path)


def side_by_side(
    draw: Callable[[int, Any], None], count: int, figure: Any, width: float, height: float
) -> Any:
    """The figure with so many plots, two in a row; `draw` draws one of them, given its number, on a part
    of the figure.
    """
    from nlgauge.show.plots.canvas import canvas

    across = min(count, 2)
    down = -(-count // across)
    figure = canvas(figure, width * across, height * down)
    parts = figure.subfigures(down, across, squeeze=False).ravel()
    for place in range(count):
        draw(place, parts[place])
    return figure


def saved(figure: Any, path: str | Path | None) -> Any:
    """The figure, which is also written to the path if there is one."""
    from nlgauge.show.plots.plotting import save

    if path is not None:
        save(figure, path)
    return figure


def _bars(spent: Mapping[str, float], title: str, unit: str, figure: Any) -> Any:
    from nlgauge.show.plots.canvas import COLOURS, COLUMN, bare, canvas, few_ticks, named_ticks, titled

    names = sorted(spent, key=lambda name: spent[name])
    figure = canvas(figure, COLUMN * 1.2, 0.2 * len(names) + 0.8)
    ax = bare(figure.subplots(), "x")
    ax.barh(range(len(names)), [spent[name] for name in names], height=0.6, color=COLOURS[1])
    named_ticks(ax.yaxis, names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    few_ticks(ax.xaxis)
    titled(ax, title, unit)
    return figure

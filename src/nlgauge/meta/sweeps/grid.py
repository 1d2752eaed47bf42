"""Points of a grid of a metric's parameters, and the metrics that score several of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from nlgauge.errors import ParameterError
from nlgauge.meta.judgments import Judgments
from nlgauge.metric import AnyMetric
from nlgauge.metric.registry import make

MOST_POINTS = 2000


@dataclass(frozen=True)
class Grid:
    """Points of a grid, each with its metric; `default` is the metric with none of the grid's parameters, or None
    if it cannot be made, with the reason.
    """

    parameters: tuple[str, ...]
    points: Sequence[Mapping[str, Any]]
    metrics: Sequence[AnyMetric]
    default: AnyMetric | None
    reason: str = ""

    @property
    def labels(self) -> list[str]:
        """Printed metric of each point."""
        return [str(metric) for metric in self.metrics]


def grid_of(name: str, values: Mapping[str, Sequence[Any]], fixed: Mapping[str, Any]) -> Grid:
    """Return all combinations of the values, in the order of the grid; check them."""
    for parameter, given in values.items():
        if isinstance(given, str) or not isinstance(given, Sequence) or not given:
            raise ParameterError(
                f"the grid needs a list of values of {parameter}, got {given!r:.60}; pass"
                f" {parameter}=[{given!r:.60}, ...]."
            )
        if any(given.count(value) > 1 for value in given):
            raise ParameterError(f"the values of {parameter} must differ, got {given!r:.100}.")
        if parameter in fixed:
            raise ParameterError(f"{parameter} is in the grid and fixed; pass it once.")
    count = 1
    for given in values.values():
        count *= len(given)
    if count < 2:
        raise ParameterError("the grid has one point and nothing to choose; pass several values.")
    if count > MOST_POINTS:
        raise ParameterError(f"the grid has {count} points; it may have {MOST_POINTS}: pass fewer values.")
    points = [dict(zip(values, combination, strict=True)) for combination in product(*values.values())]
    metrics = [make(name, {**fixed, **point}) for point in points]
    try:
        default, reason = make(name, dict(fixed)), ""
    except ParameterError as error:
        default, reason = None, str(error)
    return Grid(tuple(values), points, metrics, default, reason)


def joined(metrics: Sequence[AnyMetric]) -> list[tuple[AnyMetric, dict[int, str]]]:
    """Return the metrics to score, each with the column of every point (by number) that it scores.

    The first output of a metric has the metric's label, others have LABEL.OUTPUT.
    """
    found = []
    plan: list[tuple[AnyMetric, dict[int, str]]] = type(metrics[0]).joined(metrics)  # type: ignore[arg-type]
    for metric, outputs in plan:
        (first, *_), *_ = metric.outputs().values()
        label = str(metric)
        found.append(
            (
                metric,
                {
                    number: label if output in ("", first.name) else f"{label}.{output}"
                    for number, output in outputs.items()
                },
            )
        )
    return found


def of_points(judged: Judgments, columns: Mapping[int, str], names: Mapping[int, str]) -> Judgments:
    """Return the judgments with one metric per point, named as `names`, from columns by number of the point."""
    return Judgments(
        judged.systems,
        judged.segments,
        judged.humans,
        {names[number]: judged.metrics[columns[number]] for number in sorted(columns)},
        {names[number]: judged.higher_is_better.get(columns[number]) for number in sorted(columns)},
        weights=judged.weights,
    )

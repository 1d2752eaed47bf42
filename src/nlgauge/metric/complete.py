"""Check that a metric defines everything that it must, so that its author learns of a gap before anything is
scored.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, get_args

from nlgauge.errors import MetricError
from nlgauge.metric import AnyMetric, CorpusMetric, Metric, Output, Takes


def check_class(metric: Any) -> None:
    """Raise MetricError if a class lacks something that every metric needs."""
    if not isinstance(metric, type) or not issubclass(metric, Metric | CorpusMetric):
        raise MetricError(
            f"{metric!r:.60} is not a class of metrics; a metric is a subclass of nlgauge.Metric or"
            " nlgauge.CorpusMetric."
        )
    base, needed = (
        (Metric, ("outputs", "statistics", "score"))
        if issubclass(metric, Metric)
        else (CorpusMetric, ("outputs", "whole"))
    )
    missing = [method for method in needed if getattr(metric, method) is getattr(base, method)]
    if missing:
        raise MetricError(
            f"{metric.__name__} must define {' and '.join(missing)}; nlgauge.metrics.exact_match and"
            " .distinct are short examples."
        )
    if not isinstance(getattr(metric, "name", None), str | property) or not metric.name:
        raise MetricError(f'{metric.__name__} must have a name: name: ClassVar[str] = "...".')
    if not is_dataclass(metric) and metric.__str__ is Metric.__str__:
        raise MetricError(
            f"{metric.__name__} must be a dataclass, whose fields are its parameters: put"
            " @dataclass(frozen=True) above it."
        )


def check_value(metric: AnyMetric) -> None:
    """Raise MetricError if a metric is incomplete, reads unknown rows, or has invalid names of outputs."""
    check_class(type(metric))
    if metric.takes not in get_args(Takes):
        raise MetricError(
            f"{metric.name}: takes must be one of {', '.join(map(repr, get_args(Takes)))}, got"
            f" {metric.takes!r:.60}."
        )
    parts: Any = metric.outputs()
    if not isinstance(parts, dict) or not all(
        isinstance(outputs, tuple | list) and outputs for outputs in parts.values()
    ):
        raise MetricError(
            f"{metric.name}: outputs() must return a dictionary from each part to a tuple of its outputs, but"
            f" returned {parts!r:.100}."
        )
    outputs = [output for part in parts.values() for output in part]
    odd = [output for output in outputs if not isinstance(output, Output)]
    if odd or (not outputs and isinstance(metric, Metric)):
        raise MetricError(
            f"{metric.name}: outputs() must return at least one Output value, and no other values, but returned"
            f" {odd or parts!r:.100}."
        )
    names = [output.name for output in outputs]
    if len(set(names)) < len(names):
        raise MetricError(f"{metric.name}: outputs() must return different names, but returned {names}.")

"""What a metric class must have, checked where it is registered, and what its statistics must be, checked where they are made."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from nlgauge.errors import ParameterError
from nlgauge.metric import Metric, WholeMetric
from nlgauge.metric.mean import MeanMetric

_METHODS = {Metric: ("outputs", "statistics", "score"), MeanMetric: ("outputs", "values"), WholeMetric: ("outputs", "whole")}


def check_definition(metric: Any) -> None:
    """Raises, saying what is missing, unless a class can be registered as a metric."""
    if not inspect.isclass(metric) or not issubclass(metric, Metric | WholeMetric):
        raise ParameterError(f"cannot register {metric!r:.80}: it must be a class made from nlgauge.Metric or nlgauge.WholeMetric.")
    who = f"cannot register {metric.__qualname__}:"
    if not is_dataclass(metric) or not metric.__dataclass_params__.frozen:
        raise ParameterError(f"{who} it must be a frozen dataclass; write @dataclass(frozen=True) above the class and below @register.")
    name = getattr(metric, "name", None)
    if not isinstance(name, str) or not name or name != name.strip().lower().replace("-", "_"):
        raise ParameterError(f'{who} it needs a name in lower case without "-", name: ClassVar[str] = "..."; its name is {name!r}.')
    base = next(base for base in (MeanMetric, Metric, WholeMetric) if issubclass(metric, base))
    missing = [method for method in _METHODS[base] if getattr(metric, method) is getattr(base, method)]
    if missing:
        raise ParameterError(f"{who} a {base.__name__} must define {', '.join(_METHODS[base])}; {' and '.join(missing)} {_verb(missing)} missing.")


def check_statistics(metric: Metric, statistics: Mapping[str, Any], rows: int) -> None:
    """Raises unless statistics have the parts that the metric's outputs have, and one row of numbers for each row that was given."""
    parts = list(metric.outputs())
    if set(statistics) != set(parts):
        raise ParameterError(f"{metric.name}: statistics() gave the parts {', '.join(statistics) or 'none'}, outputs() has {', '.join(parts)}.")
    for part, values in statistics.items():
        shape = np.shape(values)
        if len(shape) != 2 or shape[0] != rows:
            raise ParameterError(f"{metric.name}: statistics() gave an array of shape {shape} for {part!r}; it must have {rows} rows and two axes.")


def _verb(missing: list[str]) -> str:
    return "is" if len(missing) == 1 else "are"

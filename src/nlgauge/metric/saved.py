"""Metrics written down and read again: by name with every parameter, so that a changed default never changes
a saved result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from nlgauge.errors import NlgaugeError
from nlgauge.features.tokens.functions import is_function
from nlgauge.metric import AnyMetric, Metric, Output
from nlgauge.metric.registry import home_of, is_importable, make


def describe(metric: AnyMetric) -> dict[str, Any]:
    """Name and all parameters of a metric, as plain data; the user's own objects are only named."""
    own = metric.unwrapped
    parameters: dict[str, Any] = (
        {f.name: _plain(getattr(own, f.name)) for f in fields(own)} if is_dataclass(own) else {}
    )
    return {
        "name": metric.name,
        "package": _package(metric),
        "revision": metric.revision,
        "parameters": parameters,
    }


def restore(name: str, package: str, revision: int, parameters: dict[str, Any]) -> AnyMetric | None:
    """Return the described metric; None if its class is not installed, belongs to another package, or has
    another revision or other parameters now.
    """
    try:
        metric = make(name, {key: _value(value) for key, value in parameters.items()})
    except NlgaugeError:
        return None
    return metric if (_package(metric), metric.revision) == (package, revision) else None


def can_be_made_again(metric: AnyMetric) -> bool:
    """Return True if another process can make the same metric from its description."""
    if is_function(getattr(metric, "tokenizer", None)):
        return False
    return is_importable(metric) and restore(**describe(metric)) == metric


def can_run_remotely(metric: AnyMetric) -> bool:
    """Return True if another process can make the same metric from its description, without data of a whole
    system.
    """
    if (
        not isinstance(metric, Metric)
        or not metric.may_leave()
        or ((fit := metric.fit()) is not None and fit.over == "system")
    ):
        return False
    return can_be_made_again(metric)


def describe_outputs(parts: Mapping[str, tuple[Output, ...]]) -> dict[str, list[dict[str, Any]]]:
    """Return the outputs of a metric by part, as plain data."""
    return {
        part: [{f.name: _plain(getattr(output, f.name)) for f in fields(output)} for output in outputs]
        for part, outputs in parts.items()
    }


def restore_outputs(parts: dict[str, list[dict[str, Any]]]) -> dict[str, tuple[Output, ...]]:
    """Return the described outputs."""
    known = {f.name for f in fields(Output)}
    return {
        part: tuple(
            Output(**{key: _value(value) for key, value in output.items() if key in known})
            for output in outputs
        )
        for part, outputs in parts.items()
    }


def _package(metric: AnyMetric) -> str:
    """Return the package that defines the metric; within one, names are unique."""
    return home_of(metric).partition(".")[0]


def _plain(value: Any) -> Any:
    """Return a value for JSON, which has no infinity and no tuple; other values become their printed form."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value).strip("'")


def _value(plain: Any) -> Any:
    if isinstance(plain, dict) and set(plain) == {"float"}:
        return float(plain["float"])
    return tuple(_value(item) for item in plain) if isinstance(plain, list) else plain

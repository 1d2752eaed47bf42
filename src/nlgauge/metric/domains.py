"""The domains of parameters: the values that a metric accepts, and the messages for other values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from nlgauge.features.tokens.functions import is_function
from nlgauge.metric import AbstractMetric

# Each order adds outputs or columns of statistics, so there is a limit; longer n-grams are not used in
# practice.
HIGHEST_ORDER = 100


def require_whole(
    metric: AbstractMetric, parameter: str, least: int = 1, most: int | None = None, *, optional: bool = False
) -> None:
    """Raise an error unless a parameter is a whole number in its bounds, or None if that is allowed."""
    value = getattr(metric, parameter)
    holds = (
        isinstance(value, int)
        and not isinstance(value, bool)
        and value >= least
        and (most is None or value <= most)
    )
    bounds = f"from {least}" if most is None else f"from {least} to {most}"
    metric.require(
        holds or (optional and value is None),
        parameter,
        f"{'None or ' if optional else ''}a whole number {bounds}",
    )


def require_order(metric: AbstractMetric, parameter: str = "max_order", least: int = 1) -> None:
    """Raise an error unless a parameter is an order of n-grams."""
    require_whole(metric, parameter, least, HIGHEST_ORDER)


def require_number(
    metric: AbstractMetric,
    parameter: str,
    least: float = 0.0,
    most: float = math.inf,
    *,
    above: bool = False,
    optional: bool = False,
) -> None:
    """Raise an error unless a parameter is a finite number in its bounds (with `above`, excluding the least),
    or None if that is allowed.
    """
    value = getattr(metric, parameter)
    holds = _is_finite(value) and (least < value if above else least <= value) and value <= most
    bounds = f"{'above' if above else 'from'} {least:g}" + (
        f" {'and ' if above else ''}up to {most:,.0f}" if most < math.inf else ""
    )
    metric.require(
        holds or (optional and value is None), parameter, f"{'None or ' if optional else ''}a number {bounds}"
    )


def require_choice(metric: AbstractMetric, parameter: str, choices: Iterable[object]) -> None:
    """Raise unless a parameter is one of these values; a tokenizer may also be a function."""
    *others, last = choices
    listed = f"{', '.join(map(repr, others))} or {last!r}"
    value = getattr(metric, parameter)
    holds = value in (*others, last) or (parameter == "tokenizer" and is_function(value))
    metric.require(holds, parameter, listed)


def require_model(metric: AbstractMetric, parameter: str = "model", *, optional: bool = False) -> None:
    """Raise an error unless a parameter is a model, or None if that is allowed."""
    value = getattr(metric, parameter)
    domain = "a name, a directory or nlgauge.Model(model, tokenizer)"
    from nlgauge.models import is_model_spec

    metric.require(is_model_spec(value) or (optional and value is None), parameter, domain)


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond any float
        return False

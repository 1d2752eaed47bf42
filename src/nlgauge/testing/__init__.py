"""The contract of metrics: `check_metric`, for the tests of this package and of others.

    from nlgauge.testing import check_metric

    def test_my_metric_keeps_the_contract():
        check_metric(MyMetric(order=3))

It scores small texts of its own and raises AssertionError (MetricError where the engine itself finds it) with
what is broken. The metric may be of any class, registered or not, with or without references, sources, fits
or a model; nothing is downloaded. Each property is a function of its own, in `CHECKS`, for those who want one
test for each:

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_metric(check):
        check(MyMetric(order=3), Terms(not_best_when_equal={"empty"}))

>>> from nlgauge.metrics.exact_match import ExactMatch
>>> check_metric(ExactMatch())
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any

from nlgauge.metric import AnyMetric
from nlgauge.testing import of_numbers, of_texts, of_values
from nlgauge.testing.comparing import Terms
from nlgauge.testing.texts import ODD

__all__ = ["CHECKS", "ODD", "Terms", "check_metric"]

Check = Callable[[AnyMetric, Terms], None]

# The functions of these modules that are called check_..., in their order.
CHECKS: tuple[Check, ...] = tuple(
    function
    for module in (of_values, of_numbers, of_texts)
    for name, function in vars(module).items()
    if name.startswith("check_")
)


def check_metric(
    metric: AnyMetric,
    *,
    exact: bool | None = None,
    not_best_when_equal: Collection[str] = (),
    other_values: Mapping[str, Any] | None = None,
    judged: bool = False,
) -> None:
    """Raises AssertionError or MetricError where a metric breaks the contract; see `Terms` for the
    options (exact: unless it has a model).
    """
    terms = Terms(
        not of_values.has_model(metric) if exact is None else exact,
        not_best_when_equal,
        other_values or {},
        judged=judged,
    )
    with warnings.catch_warnings():
        # A metric may warn that it was given little; arithmetic may not.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        for check in CHECKS:
            check(metric, terms)

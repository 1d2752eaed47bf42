"""Contract tests of metrics: `check_metric`, for the tests of this package and of others.

    from nlgauge.testing import check_metric

    def test_my_metric_keeps_the_contract():
        check_metric(MyMetric(order=3))

`check_metric` scores small built-in texts and raises AssertionError (MetricError if the engine itself detects
the problem) with a description of the problem. The metric may be of any class, registered or not, with or
without references, sources, fits or a model; nothing is downloaded. If the metric has a compiled form, its numbers must be
the numbers of the ordinary way. The form needs a `score` that works over the last axis, arithmetic that does not
branch on values, assign to elements or index by values, and rows that are read with `view.rows(feature)`. `CHECKS`
has a separate function for each property. To have one test per property:

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

# The functions of these modules whose names start with check_, in order of definition.
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
    """Raise AssertionError or MetricError if a metric breaks the contract.

    Parameters
    ----------
    metric : Metric or CorpusMetric
        Metric to check.
    exact : bool, optional
        True if numbers must be equal bit for bit. Default: True unless the metric has a model.
    not_best_when_equal : collection of str
        Names of `ODD` texts that do not get the best score although prediction and reference are equal.
    other_values : mapping, optional
        Valid values of parameters, as in `Terms`.
    judged : bool
        True if a model judges the prediction, as in `Terms`.
    """
    terms = Terms(
        not of_values.has_model(metric) if exact is None else exact,
        not_best_when_equal,
        other_values or {},
        judged=judged,
    )
    with warnings.catch_warnings():
        # A metric may warn that it has few texts, but its arithmetic must not warn.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        for check in CHECKS:
            check(metric, terms)

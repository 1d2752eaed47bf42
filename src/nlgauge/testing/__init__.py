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
from nlgauge.testing.comparing import Terms
from nlgauge.testing.of_numbers import (
    check_a_segment_alone_scores_as_among_others,
    check_a_system_scores_the_same_in_any_company,
    check_chunks_do_not_matter,
    check_explanations_have_the_statistics_of_the_rows,
    check_nothing_is_mutated,
    check_numbers_repeat_and_random_state_is_left_alone,
    check_one_reference_may_come_in_a_list,
    check_scores_work_over_the_last_axis,
    check_the_batch_size_does_not_matter,
    check_the_corpus_score_is_the_score_of_the_sum,
    check_the_order_of_segments_does_not_matter,
)
from nlgauge.testing.of_texts import (
    check_an_empty_prediction_is_never_best,
    check_an_odd_text_alone_is_scored,
    check_bounds_hold_on_odd_texts,
    check_equal_odd_texts_get_the_best_score,
    check_equal_texts_get_the_best_score,
    check_the_direction,
)
from nlgauge.testing.of_values import (
    check_it_is_a_frozen_value,
    check_it_prints_as_it_parses,
    check_outputs_have_names_and_bounds,
    check_the_signature_tells_parameters_apart,
    has_model,
)
from nlgauge.testing.texts import ODD

__all__ = ["CHECKS", "ODD", "Terms", "check_metric"]

Check = Callable[[AnyMetric, Terms], None]

CHECKS: tuple[Check, ...] = (
    check_it_is_a_frozen_value,
    check_outputs_have_names_and_bounds,
    check_it_prints_as_it_parses,
    check_the_signature_tells_parameters_apart,
    check_nothing_is_mutated,
    check_numbers_repeat_and_random_state_is_left_alone,
    check_scores_work_over_the_last_axis,
    check_the_corpus_score_is_the_score_of_the_sum,
    check_a_segment_alone_scores_as_among_others,
    check_the_order_of_segments_does_not_matter,
    check_chunks_do_not_matter,
    check_the_batch_size_does_not_matter,
    check_a_system_scores_the_same_in_any_company,
    check_one_reference_may_come_in_a_list,
    check_explanations_have_the_statistics_of_the_rows,
    check_the_direction,
    check_bounds_hold_on_odd_texts,
    check_an_odd_text_alone_is_scored,
    check_an_empty_prediction_is_never_best,
    check_equal_texts_get_the_best_score,
    check_equal_odd_texts_get_the_best_score,
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
        not has_model(metric) if exact is None else exact,
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

"""Linear and logistic regression: statsmodels' numbers, clusters, and data without a solution."""

from __future__ import annotations

import numpy as np
import pytest
from audit_data import JUDGES, column, expected

from nlgauge.stats.regression import linear, logistic


def _design(judge: str) -> np.ndarray:
    labels, ratios = column(judge, "human"), column(judge, "log_length_ratio")
    return np.stack([np.ones(len(labels)), labels - 0.5, ratios], axis=1)


@pytest.mark.parametrize("judge", JUDGES)
def test_logistic_has_the_vector(judge):
    numbers = expected(judge)["length"]
    fit = logistic(column(judge, "judge"), _design(judge))
    assert fit.coefficients == pytest.approx(numbers["coefficients"], rel=1e-7)
    assert fit.standard_errors == pytest.approx(numbers["se"], rel=1e-7)
    assert fit.p == pytest.approx(numbers["p"], rel=1e-5)


@pytest.mark.parametrize("regression", [logistic, linear])
def test_copies_of_a_unit_in_its_cluster_add_nothing(regression):
    judge = JUDGES[0]
    outcomes, columns = column(judge, "judge"), _design(judge)
    each = np.arange(len(outcomes))
    once = regression(outcomes, columns, each)
    twice = regression(np.tile(outcomes, 2), np.tile(columns, (2, 1)), np.tile(each, 2))
    assert twice.coefficients == pytest.approx(once.coefficients, abs=1e-9)
    assert twice.standard_errors == pytest.approx(once.standard_errors, rel=1e-9)
    # Both kinds of standard errors estimate the same numbers if the model is right.
    assert once.standard_errors == pytest.approx(regression(outcomes, columns).standard_errors, rel=0.25)


def test_linear_is_least_squares():
    rng = np.random.default_rng(0)
    columns = np.stack([np.ones(50), rng.normal(size=50)], axis=1)
    outcomes = columns @ [1.0, 2.0] + rng.normal(size=50)
    fit = linear(outcomes, columns)
    coefficients, squares, *_ = np.linalg.lstsq(columns, outcomes, rcond=None)
    covariance = np.linalg.inv(columns.T @ columns) * squares[0] / 48
    assert fit.coefficients == pytest.approx(coefficients, abs=1e-12)
    assert fit.standard_errors == pytest.approx(np.sqrt(np.diag(covariance)), abs=1e-12)


def test_reasons():
    ones, x = np.ones(6), np.arange(6.0)
    outcomes = (x > 2).astype(float)
    for fit, reason in (
        (logistic(outcomes, np.stack([ones, x], axis=1)), "the predictors separate the outcomes"),
        (logistic(ones, np.stack([ones, x], axis=1)), "all outcomes are equal"),
        (linear(outcomes, np.stack([ones, 2 * ones], axis=1)), "a predictor is constant, or a sum of others"),
        (linear(outcomes[:2], np.stack([ones, x], axis=1)[:2]), "too few units"),
    ):
        assert fit.reason == reason
        assert np.isnan(fit.coefficients).all()

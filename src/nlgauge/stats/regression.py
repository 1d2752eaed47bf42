"""Linear and logistic regression with standard errors that hold for units in clusters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.intervals import normal_below, normal_quantile

_STEPS = 50
_PRECISE = 1e-10
# A linear predictor beyond this is a probability of 0 or 1: the classes are separated, and no maximum exists.
_SEPARATED = 30.0
# A matrix whose smallest singular value is below this share of the largest is singular.
_SINGULAR = 1e-10


class Regression(NamedTuple):
    """Coefficients with their standard errors and two-sided p-values; NaN with a reason if they are not defined.

    Intervals and p-values are normal without clusters, and Student's with `freedom` degrees of freedom with clusters.
    """

    coefficients: Array
    standard_errors: Array
    p: Array
    freedom: float = math.inf
    reason: str = ""

    def reach(self, confidence: float) -> Array:
        """Return half the widths of the intervals."""
        return np.asarray(self.standard_errors * _quantile((1 + confidence) / 2, self.freedom))


def logistic(outcomes: Array, columns: Array, clusters: Array | None = None) -> Regression:
    """Return the logistic regression of outcomes on columns, by Newton's method.

    Parameters
    ----------
    outcomes : ndarray of shape (n,)
        Outcomes, 0 or 1.
    columns : ndarray of shape (n, k)
        Predictors; a column of ones is the intercept.
    clusters : ndarray of shape (n,), optional
        Number of the cluster of each unit. With clusters, standard errors are from the estimates without one
        cluster each (a jackknife, by one Newton step); without clusters, from the information matrix.

    Returns
    -------
    Regression
        Coefficients on the scale of log odds.
    """
    if reason := _why_not(columns) or ("all outcomes are equal" if np.ptp(outcomes) == 0 else ""):
        return _undefined(columns.shape[1], reason)
    coefficients = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        predictor = columns @ coefficients
        if np.abs(predictor).max() > _SEPARATED:
            break
        chances = 1 / (1 + np.exp(-predictor))
        weights = chances * (1 - chances)
        information = columns.T @ (columns * weights[:, None])
        step = np.linalg.solve(information, columns.T @ (outcomes - chances))
        coefficients = coefficients + step
        if np.abs(step).max() < _PRECISE:
            if clusters is None:
                return _finished(coefficients, np.linalg.inv(information))
            return _clustered(coefficients, columns, outcomes - chances, weights, clusters)
    return _undefined(columns.shape[1], "the predictors separate the outcomes")


def linear(outcomes: Array, columns: Array, clusters: Array | None = None) -> Regression:
    """Return the least-squares regression of outcomes on columns.

    Parameters
    ----------
    outcomes : ndarray of shape (n,)
        Outcomes.
    columns : ndarray of shape (n, k)
        Predictors; a column of ones is the intercept.
    clusters : ndarray of shape (n,), optional
        Number of the cluster of each unit. With clusters, standard errors are from the estimates without one
        cluster each (a jackknife); without clusters, from the residual variance.

    Returns
    -------
    Regression
        Coefficients.
    """
    if reason := _why_not(columns):
        return _undefined(columns.shape[1], reason)
    squares = columns.T @ columns
    coefficients = np.linalg.solve(squares, columns.T @ outcomes)
    residuals = outcomes - columns @ coefficients
    if clusters is not None:
        return _clustered(coefficients, columns, residuals, np.ones(len(outcomes)), clusters)
    variance = float(residuals @ residuals) / (len(outcomes) - columns.shape[1])
    return _finished(coefficients, np.linalg.inv(squares) * variance)


def _clustered(
    coefficients: Array, columns: Array, residuals: Array, weights: Array, clusters: Array
) -> Regression:
    """Return the regression with standard errors by the jackknife of clusters.

    Without cluster g, coefficients change by (M - M_g)^-1 s_g, where M is the information, M_g its part from g, and s_g
    the sum of scores in g. The usual sandwich finds too many effects in 40 clusters (7.6% of 1,000 runs at 5%).
    """
    names, places = np.unique(clusters, return_inverse=True)
    count, width = len(names), columns.shape[1]
    scores = np.zeros((count, width))
    np.add.at(scores, places, columns * residuals[:, None])
    parts = np.zeros((count, width, width))
    np.add.at(parts, places, weights[:, None, None] * columns[:, :, None] * columns[:, None, :])
    rest = parts.sum(axis=0) - parts
    if count <= width or (np.linalg.cond(rest) > 1 / _SINGULAR).any():
        return _undefined(width, "too few clusters")
    changes = np.linalg.solve(rest, scores[:, :, None])[:, :, 0]
    return _finished(coefficients, changes.T @ changes * (count - 1) / count, count - 1)


def _finished(coefficients: Array, covariance: Array, freedom: float = math.inf) -> Regression:
    errors = np.sqrt(np.diag(covariance))
    p = [
        _p(value, error, freedom) for value, error in zip(coefficients.tolist(), errors.tolist(), strict=True)
    ]
    return Regression(coefficients, errors, np.array(p), freedom)


def _p(value: float, error: float, freedom: float) -> float:
    from scipy.special import stdtr

    if not error > 0:
        return math.nan
    ratio = -abs(value / error)
    return 2 * (normal_below(ratio) if math.isinf(freedom) else float(stdtr(freedom, ratio)))


def _quantile(share: float, freedom: float) -> float:
    from scipy.special import stdtrit

    return normal_quantile(share) if math.isinf(freedom) else float(stdtrit(freedom, share))


def _why_not(columns: Array) -> str:
    """Return why a regression on these columns is not defined, or ""."""
    if len(columns) <= columns.shape[1]:
        return "too few units"
    sizes = np.linalg.svd(columns / np.maximum(np.abs(columns).max(axis=0), 1e-300), compute_uv=False)
    return "a predictor is constant, or a sum of others" if sizes[-1] < _SINGULAR * sizes[0] else ""


def _undefined(count: int, reason: str) -> Regression:
    unknown = np.full(count, np.nan)
    return Regression(unknown, unknown, unknown, reason=reason)

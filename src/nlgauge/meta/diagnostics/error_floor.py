"""The lowest error of a task that information allows (the COSMIC paper, Proposition 1).

    0-1 loss, m equally likely classes    R(D) = log m - H(D) - D log(m - 1)  (Fano's inequality)
    any loss l and prior p                R(D) = min I(C; C') over p(c'|c) with E l(C, C') <= D  (rate-distortion)

The floor is the inverse of R at the information. The second has no closed form: `error_floor` follows the curve with
Blahut's and Arimoto's iteration and returns the height of its tangent at the information, which is below the convex
curve at every step.

The upper bound of the paper, 1 - exp(-H(T|S)), contains a differential entropy, which may be negative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError

_ROUNDS, _CLOSE, _HALVINGS = 5000, 1e-13, 60


def fano_floor(information: float, classes: int) -> float:
    """Return the lowest error probability P_e that Fano's inequality allows.

    Parameters
    ----------
    information : float
        Information about the class in nats.
    classes : int
        Number of equally likely classes.

    Returns
    -------
    float
        Lower bound of P_e.

    Raises
    ------
    ParameterError
        If `classes` is not an integer of at least 2.

    Notes
    -----
    The bound D solves log m - H(D) - D log(m - 1) = I, where m is the number of classes, I the information and H(D) the
    entropy of D and 1 - D.

    Examples
    --------
    >>> round(fano_floor(0.5, 4), 6)
    0.273074
    """
    if not isinstance(classes, int) or classes < 2:
        raise ParameterError(f"classes must be a whole number from 2, got {classes!r}.")
    if math.isnan(information):
        return math.nan
    if information >= math.log(classes):
        return 0.0
    low, high = 0.0, 1 - 1 / classes
    if information <= 0:
        return high
    for _ in range(100):
        middle = (low + high) / 2
        entropy = -middle * math.log(middle) - (1 - middle) * math.log(1 - middle)
        low, high = (
            (middle, high)
            if math.log(classes) - entropy - middle * math.log(classes - 1) > information
            else (low, middle)
        )
    return (low + high) / 2


def error_floor(information: float, loss: Any, prior: Any = None, *, bound: str = "lower") -> float:
    """Return the lowest mean loss of any prediction of a class that information about the class allows.

    Parameters
    ----------
    information : float
        Information about the class in nats.
    loss : array_like of shape (C, P)
        Loss of each of P predictions for each of C classes.
    prior : array_like of shape (C,), optional
        Probability of each class. Default: all equal.
    bound : {"lower"}
        Bound of the mean loss. The upper bound of the COSMIC paper is refused.

    Returns
    -------
    float
        Lower bound of the mean loss.

    Raises
    ------
    InputError
        If the loss is not a matrix of finite numbers, or the prior is not a distribution over its rows.
    ParameterError
        If `bound` is not "lower".

    Notes
    -----
    The bound is the distortion-rate function: the least mean loss of a channel from class to prediction whose mutual
    information is `information`.

    Examples
    --------
    >>> round(error_floor(0.5, [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]), 6)
    0.273074
    >>> round(error_floor(0.0, [[0, 1, 2], [1, 0, 1], [2, 1, 0]]), 6)
    0.666667
    """
    if bound != "lower":
        raise ParameterError(
            f"bound must be 'lower', got {bound!r:.40}: the upper bound 1 - exp(-H(T|S)) contains a differential"
            " entropy, which may be negative; with the printed H(T|S) = -14.6 it limits the error to at most -2.2 million."
        )
    losses, shares = _checked(loss, prior)
    if math.isnan(information):
        return math.nan
    least = float(shares @ losses.min(axis=1))
    if information <= 0:
        return float((shares @ losses).min())
    # The slope of the curve is -b; the tangent at b reaches the information at this height.
    low, high = -30.0, 30.0
    scale = float(np.ptp(losses)) or 1.0
    best = least
    start = np.full(losses.shape[1], 1 / losses.shape[1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        slope = math.exp(middle) / scale
        rate, mean = _point(losses, shares, slope, start)
        best = max(best, mean + (rate - information) / slope)
        low, high = (middle, high) if rate < information else (low, middle)
    return best


def _checked(loss: Any, prior: Any) -> tuple[Array, Array]:
    losses = np.asarray(loss, dtype=np.float64)
    if losses.ndim != 2 or not losses.size or not np.isfinite(losses).all():
        raise InputError("loss must be a matrix (classes, predictions) of finite numbers.")
    shares = np.full(len(losses), 1 / len(losses)) if prior is None else np.asarray(prior, dtype=np.float64)
    if (
        shares.shape != losses.shape[:1]
        or (shares < 0).any()
        or not math.isclose(shares.sum(), 1, abs_tol=1e-6)
    ):
        raise InputError(f"prior must be {len(losses)} probabilities with the sum 1.")
    known = shares > 0
    return losses[known], shares[known] / shares[known].sum()


def _point(losses: Array, shares: Array, slope: float, start: Array) -> tuple[float, float]:
    """Return rate and mean loss of the channel that minimizes rate + slope * loss; the rate is a lower bound."""
    lowest = losses.min(axis=1, keepdims=True)
    weights = np.exp(-slope * (losses - lowest))
    marginal = start
    for _ in range(_ROUNDS):
        totals = weights @ marginal
        factors = (shares / totals) @ weights
        marginal = marginal * factors
        # At the optimum no factor exceeds 1; its logarithm bounds the distance to it.
        if math.log(factors.max()) < _CLOSE:
            break
    totals = weights @ marginal
    joint = shares[:, None] * weights * marginal / totals[:, None]
    mean = float((joint * losses).sum())
    gap = math.log(((shares / totals) @ weights).max())
    rate = -slope * (mean - float(shares @ lowest[:, 0])) - float(shares @ np.log(totals)) - max(gap, 0.0)
    return rate, mean

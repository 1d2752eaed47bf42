"""Anytime-valid tests: differences of unknown number, one unit after another, with a look after each of them.

An e-process E_t is a product of bets on the sign of the mean difference. If the mean is 0, the probability that
it ever reaches 1 / alpha is at most alpha, so the test may stop at any time. For differences d_i from -1 to 1,

    E_t(m) = mean over g of [prod(1 + g (d_i - m) / (1 + m)) + prod(1 - g (d_i - m) / (1 - m))] / 2

tests the mean m, with twelve bets g from 0.02 to 0.98. p_t = min(1, 1 / max_{s <= t} E_s(0)), and the interval
has all m with max_{s <= t} E_s(m) < 1 / alpha. E_s is convex in m, so that this is an interval.

Other forms: `log_e_signs` for wins, ties and losses (a mixture over Beta(1/2, 1/2), in closed form),
`log_e_of_set` for the mean of the units of one finite set (drawn without replacement), and `robbins` for
differences without bounds, or documents (asymptotic: it may be too short with few units).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.stats.intervals import check_confidence

BETS = np.geomspace(0.02, 0.98, 12)
# Bisections of the interval from -1 to 1: its bounds are exact to 1e-12.
_HALVINGS = 42
_EDGE = 1e-12


class Anytime(NamedTuple):
    """The outcome of an anytime-valid test after t units.

    `p` and the interval of the mean difference are valid at every t. `sign` is the sign of the mean if p <= alpha,
    otherwise 0, and `at` the number of units at which p first reached alpha, 0 if it did not. `method` names
    the form of the test: "mixture", "signs" (whose interval is the interval of the mixture, which is a little
    wider than p), "set" (no interval) or "asymptotic".
    """

    units: int
    mean: float
    p: float
    low: float
    high: float
    sign: int
    at: int
    method: str


def anytime(
    differences: ArrayLike, *, scale: float | None = None, alpha: float = 0.05, total: int | None = None
) -> Anytime:
    """Test whether the mean of differences is 0, at every number of units.

    Parameters
    ----------
    differences : array (t,)
        Differences of two systems in the order of their arrival; weighted differences are multiplied by their
        weights. NaN are missing and are left out.
    scale : float, optional
        Largest possible absolute difference: the range of the output, times the largest weight. Default: none,
        which uses the asymptotic form.
    alpha : float, default 0.05
        Significance level.
    total : int, optional
        Number of units of a finite set. The claim is then about the mean of this set and not about new units.

    Returns
    -------
    Anytime
        p-value, interval and decision.

    Raises
    ------
    ParameterError
        If a difference exceeds the scale, or more units arrive than the set has.
    """
    check_confidence(alpha, "alpha")
    values = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)]
    if not len(values):
        return Anytime(0, math.nan, 1.0, math.nan, math.nan, 0, 0, "none")
    if scale is None:
        if total is not None:
            raise ParameterError("a test of a finite set needs bounds; set scale, or omit total.")
        lower, upper = robbins(values, alpha)
        low, high = float(lower.max()), float(upper.min())
        bounds = (low, high) if low <= high else (math.nan, math.nan)
        return _outcome(values, log_e_robbins(values, alpha), bounds, alpha, "asymptotic")
    if not math.isfinite(scale) or scale <= 0 or np.abs(values).max(initial=0.0) > scale * (1 + 1e-9):
        raise ParameterError(f"scale is {scale!r:.60}, which is not a bound of the absolute differences.")
    bounded = np.clip(values / scale, -1.0, 1.0)
    if total is None:
        method = "signs" if np.isin(bounded, (-1.0, 0.0, 1.0)).all() else "mixture"
        log_e = log_e_signs(bounded) if method == "signs" else log_e_mixture(bounded)
        low, high = interval_mixture(bounded, alpha)
    else:
        if len(bounded) > total:
            raise ParameterError(f"total is {total}, but there are {len(bounded)} differences.")
        method, log_e = "set", log_e_of_set(bounded, total)
        low = high = math.nan
    return _outcome(values, log_e, (low * scale, high * scale), alpha, method)


def log_e_mixture(differences: Array, mean: float = 0.0) -> Array:
    """Return log E_t of this mean after each unit, of differences from -1 to 1."""
    up = np.log1p(np.outer(differences - mean, BETS / (1 + mean)))
    down = np.log1p(np.outer(differences - mean, -BETS / (1 - mean)))
    return _mixed(np.cumsum(np.hstack([up, down]), axis=0))


def log_e_signs(differences: Array) -> Array:
    """Return log E_t of equally many wins and losses after each unit; ties are 0 and change nothing."""
    return log_e_counts(np.cumsum(differences > 0), np.cumsum(differences < 0))


def log_e_counts(wins: ArrayLike, losses: ArrayLike) -> Array:
    """Return log E of these numbers of wins and losses.

    >>> round(float(np.exp(log_e_counts(8, 1))), 4), round(float(np.exp(log_e_counts(15, 4))), 4)
    (5.5859, 5.3432)
    """
    from scipy.special import betaln

    won, lost = np.asarray(wins, float), np.asarray(losses, float)
    return np.asarray(betaln(0.5 + won, 0.5 + lost) - betaln(0.5, 0.5) + (won + lost) * math.log(2))


def log_e_of_set(differences: Array, total: int) -> Array:
    """Return log E_t of a mean of 0 over `total` units, if these differences are a random part of them;
    infinity as soon as no values of the other units can make the mean 0.
    """
    before = np.cumsum(differences) - differences
    # The mean that the other units must have if the mean of all is 0.
    needed = -before / (total - np.arange(len(differences)))
    impossible = np.logical_or.accumulate(np.abs(needed) > 1 + _EDGE)
    bets = np.concatenate([BETS, -BETS])[None, :] / (1 + np.abs(needed))[:, None]
    factors = np.where(impossible[:, None], 0.0, bets * (differences - needed)[:, None])
    return np.where(impossible, np.inf, _mixed(np.cumsum(np.log1p(factors), axis=0)))


def _mixed(logs: Array) -> Array:
    """Return the logarithm of the mean of each row's exponentials."""
    if not len(logs):
        return np.zeros(0)
    largest = logs.max(axis=1)
    return np.asarray(largest + np.log(np.exp(logs - largest[:, None]).mean(axis=1)))


def interval_mixture(differences: Array, alpha: float = 0.05) -> tuple[float, float]:
    """Return the interval of the mean of differences from -1 to 1 that agrees with p at every unit; NaN if
    no mean is left, which means that the mean changes over time.
    """
    return convex_interval(
        lambda mean: float(log_e_mixture(differences, mean).max(initial=0.0)), -math.log(alpha)
    )


def convex_interval(function: Callable[[float], float], limit: float) -> tuple[float, float]:
    """Return the bounds, within -1 and 1, between which a convex function is below a limit."""
    low, high = -1 + _EDGE, 1 - _EDGE
    left, right = low, high
    for _ in range(2 * _HALVINGS):
        one, other = left + (right - left) / 3, right - (right - left) / 3
        if function(one) < limit or function(other) < limit:
            inside = one if function(one) < limit else other
            break
        left, right = (left, other) if function(one) < function(other) else (one, right)
    else:
        return math.nan, math.nan
    return _edge(function, limit, inside, low), _edge(function, limit, inside, high)


def _edge(function: Callable[[float], float], limit: float, inside: float, outside: float) -> float:
    """Return the point between two points at which a function reaches the limit."""
    if function(outside) < limit:
        return float(np.sign(outside))
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if function(middle) < limit else (inside, middle)
    return outside


def robbins(values: Array, alpha: float = 0.05, tuned: int = 100, start: int = 20) -> tuple[Array, Array]:
    """Return the bounds of the mean after each unit by Robbins' normal mixture, in its asymptotic form.

    `tuned` is the number of units at which the interval is nearly as short as possible. Bounds before unit
    `start` are infinite.
    """
    count, mean, variance = _moments(values)
    rho = robbins_rho(alpha, tuned)
    factor = 2 * (count * rho + 1) / (count**2 * rho) * np.log(np.sqrt(count * rho + 1) / alpha)
    half = np.where(count < start, np.inf, np.sqrt(variance * factor))
    return mean - half, mean + half


def log_e_robbins(values: Array, alpha: float = 0.05, tuned: int = 100, start: int = 20) -> Array:
    """Return log E_t of a mean of 0 after each unit by Robbins' mixture; minus infinity before `start`."""
    count, mean, variance = _moments(values)
    rho = robbins_rho(alpha, tuned)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(mean == 0, 0.0, mean**2 / variance)
    log_e = ratio * count**2 * rho / (2 * (count * rho + 1)) - 0.5 * np.log(count * rho + 1)
    return np.where(count < start, -np.inf, log_e)


def _moments(values: Array) -> tuple[Array, Array, Array]:
    """Return the number of values, their mean and their variance, after each value."""
    count = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / count
    return count, mean, np.maximum(np.cumsum(values * values) / count - mean**2, 0.0)


def robbins_rho(alpha: float, tuned: int) -> float:
    """Return the rho squared that tunes Robbins' mixture for this number of units."""
    return (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / tuned


def _outcome(values: Array, log_e: Array, bounds: tuple[float, float], alpha: float, method: str) -> Anytime:
    """Return the outcome of an e-process."""
    largest = float(log_e.max(initial=0.0))
    reached = np.flatnonzero(log_e >= -math.log(alpha))
    at = int(reached[0]) + 1 if len(reached) else 0
    sign = int(np.sign(values[:at].sum())) if at else 0
    mean = float(values.mean()) if len(values) else math.nan
    return Anytime(len(values), mean, min(1.0, math.exp(-largest)), *bounds, sign, at, method)

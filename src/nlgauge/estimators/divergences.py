"""Divergences between two discrete distributions p and q: at least 0, and 0 if p equals q.

All functions take natural log-probabilities over the last axis (minus infinity: no mass) and compute in log
space. S(.) is the sum over that axis, a and b are alpha and beta.

    kl                S(p log(p/q))                                            jeffreys   (kl(p, q) + kl(q, p)) / 2
    jensen_shannon    (kl(p, m) + kl(q, m)) / 2, m = (p + q) / 2               renyi      log S(p^a q^(1-a)) / (a-1)
    alpha             (S(p^a q^(1-a)) - 1) / (a (a-1))                         fisher_rao 2 arccos S(sqrt(p q))
    ab                log S(p^(a+b)) / (b(a+b)) + log S(q^(a+b)) / (a(a+b)) - log S(p^a q^b) / (ab)
    gamma             ab with a = 1                                            l1, l2, l_infinity   norms of p - q

Near the limits (a -> 0 or 1, b -> 0, a + b -> 0) these formulas subtract large numbers that are nearly equal.
With c = a + b, P = p^c / S(p^c) and Q = q^c / S(q^c), the first two terms of `ab` cancel against parts of the
third, and the rest is -log S(P^(a/c) Q^(b/c)) / (ab), which is computed instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError

# If |alpha + beta| is smaller than this, p^(alpha + beta) is nearly uniform, and its logarithm would lose the
# difference to rounding.
_NEARLY_UNIFORM = 1e-3


def kl(log_p: Array, log_q: Array) -> Array:
    """Return the Kullback-Leibler divergence of q from p in nats.

    It is infinite if p has mass in an entry in which q has none.

    >>> float(kl(np.log([0.5, 0.5]), np.log([0.5, 0.5])))
    0.0
    """
    with np.errstate(invalid="ignore"):
        terms = np.where(np.isneginf(log_p), 0.0, np.exp(log_p) * (log_p - log_q))
    return _not_negative(terms.sum(axis=-1))


def jeffreys(log_p: Array, log_q: Array) -> Array:
    """Return the mean of both directions of the Kullback-Leibler divergence."""
    mean: Array = (kl(log_p, log_q) + kl(log_q, log_p)) / 2
    return mean


def jensen_shannon(log_p: Array, log_q: Array) -> Array:
    """Return the Jensen-Shannon divergence in nats, from 0 to log 2."""
    middle = np.logaddexp(log_p, log_q) - math.log(2)
    mean: Array = (kl(log_p, middle) + kl(log_q, middle)) / 2
    return mean


def alpha(log_p: Array, log_q: Array, alpha: float) -> Array:
    """Return the alpha-divergence; alpha is not 0 or 1, its limits are kl(q, p) at 0, kl(p, q) at 1."""
    return _not_negative(_affinity_less_one(log_p, log_q, alpha, 1 - alpha) / (alpha * (alpha - 1)))


def renyi(log_p: Array, log_q: Array, alpha: float) -> Array:
    """Return the Rényi divergence; alpha is above 0 and not 1, and the limit at 1 is kl(p, q)."""
    return _not_negative(_log_affinity(log_p, log_q, alpha, 1 - alpha) / (alpha - 1))


def gamma(log_p: Array, log_q: Array, beta: float) -> Array:
    """Return the gamma-divergence, which InfoLM's code calls beta.

    beta is not 0 or -1, and the limit at 0 is kl(p, q).
    """
    return ab(log_p, log_q, 1.0, beta)


def ab(log_p: Array, log_q: Array, alpha: float, beta: float) -> Array:
    """Return the scale-invariant AB-divergence; alpha, beta and their sum are not 0."""
    total = alpha + beta
    if abs(total) < _NEARLY_UNIFORM:
        tilted = alpha * (log_p - _power_mean(log_p, total)) + beta * (log_q - _power_mean(log_q, total))
        return _not_negative(-_power_mean(tilted, 1.0)[..., 0] / (alpha * beta))
    log_affinity = _log_affinity(_escort(log_p, total), _escort(log_q, total), alpha / total, beta / total)
    return _not_negative(-log_affinity / (alpha * beta))


def ab_as_printed(log_p: Array, log_q: Array, alpha: float, beta: float) -> Array:
    """Return the AB-divergence as printed in Table 1 of InfoLM, without 1/alpha in two terms.

    It is not a divergence, because it is not 0 for equal distributions.
    """
    total = alpha + beta
    values: Array = (
        _log_sum(total * log_p) / (beta * total)
        + _log_sum(total * log_q) / total
        - _log_sum(alpha * log_p + beta * log_q) / beta
    )
    return values


def l1(log_p: Array, log_q: Array) -> Array:
    """Return the sum of absolute differences, from 0 to 2."""
    distance: Array = np.abs(np.exp(log_p) - np.exp(log_q)).sum(axis=-1)
    return distance


def l2(log_p: Array, log_q: Array) -> Array:
    """Return the Euclidean distance, from 0 to the square root of 2."""
    distance: Array = np.sqrt(((np.exp(log_p) - np.exp(log_q)) ** 2).sum(axis=-1))
    return distance


def l_infinity(log_p: Array, log_q: Array) -> Array:
    """Return the largest absolute difference, from 0 to 1."""
    distance: Array = np.abs(np.exp(log_p) - np.exp(log_q)).max(axis=-1)
    return distance


def fisher_rao(log_p: Array, log_q: Array) -> Array:
    """Return the geodesic distance on the simplex, from 0 to pi."""
    # Near 0, 2 arccos loses half of the digits, and 4 arcsin of half the chord is exact.
    chord = np.sqrt(((np.exp(log_p / 2) - np.exp(log_q / 2)) ** 2).sum(axis=-1))
    return np.asarray(np.minimum(4 * np.arcsin(np.minimum(chord / 2, 1.0)), math.pi))


@dataclass(frozen=True)
class Divergence:
    """A measure: its function, its parameters with their domain, its largest value, and its symmetry.

    `valid` returns True for allowed parameters, and `domain` describes them for messages. `symmetric` is True
    if p and q can be exchanged.
    """

    compute: Callable[..., Array]
    parameters: tuple[str, ...] = ()
    valid: Callable[..., bool] = lambda: True
    domain: str = ""
    high: Callable[..., float] = lambda *_: math.inf
    symmetric: bool = False

    def arguments(self, name: str, alpha: float | None, beta: float | None) -> tuple[float, ...]:
        """Return the parameters of this measure; raise ParameterError if they are not in its domain."""
        values = {"alpha": alpha, "beta": beta}
        taken = tuple(value for key in self.parameters if (value := values[key]) is not None)
        if len(taken) < len(self.parameters) or not all(map(math.isfinite, taken)) or not self.valid(*taken):
            received = ", ".join(f"{key} {values[key]}" for key in self.parameters)
            raise ParameterError(f"the measure {name!r} needs {self.domain}; got {received}.")
        return taken


MEASURES = {
    "fisher_rao": Divergence(fisher_rao, high=lambda: math.pi, symmetric=True),
    "kl": Divergence(kl),
    "jeffreys": Divergence(jeffreys, symmetric=True),
    "jensen_shannon": Divergence(jensen_shannon, high=lambda: math.log(2), symmetric=True),
    "alpha": Divergence(
        alpha,
        ("alpha",),
        lambda a: a not in (0, 1),
        "a number alpha other than 0 and 1 (for its limits there, use the measure 'kl')",
        lambda a: 1 / (a * (1 - a)) if 0 < a < 1 else math.inf,
    ),
    "gamma": Divergence(
        gamma,
        ("beta",),
        lambda b: b not in (0, -1),
        "a number beta other than -1 and 0 (for its limit at 0, use the measure 'kl')",
    ),
    "ab": Divergence(
        ab,
        ("alpha", "beta"),
        lambda a, b: 0 not in (a, b, a + b),
        "numbers alpha and beta other than 0 whose sum is not 0",
    ),
    "renyi": Divergence(
        renyi,
        ("alpha",),
        lambda a: a > 0 and a != 1,
        "a number alpha above 0 other than 1 (for its limit at 1, use the measure 'kl')",
    ),
    "l1": Divergence(l1, high=lambda: 2.0, symmetric=True),
    "l2": Divergence(l2, high=lambda: math.sqrt(2), symmetric=True),
    "l_infinity": Divergence(l_infinity, high=lambda: 1.0, symmetric=True),
}


def _affinity_less_one(log_p: Array, log_q: Array, power: float, rest: float) -> Array:
    """Return S(p^power q^rest) - 1 for power + rest = 1, without cancellation.

    The terms are p^power q^rest - p if |rest| < |power|, otherwise p^power q^rest - q.
    """
    base, other, base_power, other_power = (
        (log_p, log_q, power, rest) if abs(rest) < abs(power) else (log_q, log_p, rest, power)
    )
    with np.errstate(invalid="ignore", over="ignore"):
        exponents = other_power * (other - base)
        near = np.exp(base) * np.expm1(exponents)
        far = np.exp(base_power * base + other_power * other) - np.exp(base)
    terms = np.where(_lacking(log_p, log_q), 0.0, np.where(np.abs(exponents) < 1, near, far))
    total: Array = terms.sum(axis=-1)
    return total


def _log_affinity(log_p: Array, log_q: Array, power: float, rest: float) -> Array:
    """Return log S(p^power q^rest), exact also if the sum is near 1, or if it underflows or overflows."""
    less_one = _affinity_less_one(log_p, log_q, power, rest)
    near = np.abs(less_one) < 0.5
    if near.all():
        return np.asarray(np.log1p(less_one))
    with np.errstate(invalid="ignore"):
        exponents = np.where(_lacking(log_p, log_q), -np.inf, power * log_p + rest * log_q)
    logs: Array = np.where(near, np.log1p(np.where(near, less_one, 0.0)), _log_sum(exponents))
    return logs


def _lacking(log_p: Array, log_q: Array) -> Array:
    """Return True for entries in which neither p nor q has mass: they add 0 for every power."""
    lacking: Array = np.isneginf(log_p) & np.isneginf(log_q)
    return lacking


def _escort(log_p: Array, power: float) -> Array:
    """Return the log of p^power / S(p^power)."""
    logs: Array = power * log_p - _log_sum(power * log_p)[..., None]
    return logs


def _power_mean(log_p: Array, power: float) -> Array:
    """Return the log of the power mean of p, (mean of p^power)^(1/power); the last axis has length 1.

    It tends to the mean of log p as the power tends to 0.
    """
    if abs(power) < 1e-12:
        return np.asarray(log_p.mean(axis=-1, keepdims=True))
    if abs(power) < _NEARLY_UNIFORM:
        return np.asarray(np.log1p(np.expm1(power * log_p).mean(axis=-1, keepdims=True)) / power)
    return np.asarray((_log_sum(power * log_p)[..., None] - math.log(log_p.shape[-1])) / power)


def _log_sum(exponents: Array) -> Array:
    """Return the log of the sum of exponentials over the last axis."""
    highest = exponents.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        logs: Array = np.log(np.exp(exponents - shift).sum(axis=-1)) + shift[..., 0]
    return logs


def _not_negative(values: Array) -> Array:
    """Replace values below 0, which are rounding errors, by 0."""
    return np.maximum(values, 0.0)

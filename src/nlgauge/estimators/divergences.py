"""How far two discrete distributions p and q are apart: every measure is at least 0, and 0 where they are
equal.

All take natural log-probabilities over the last axis (minus infinity: no mass) and work in log space. S(.) is
the sum over that axis, a and b are alpha and beta.

    kl                S(p log(p/q))                                            jeffreys   (kl(p, q) + kl(q, p)) / 2
    jensen_shannon    (kl(p, m) + kl(q, m)) / 2, m = (p + q) / 2               renyi      log S(p^a q^(1-a)) / (a-1)
    alpha             (S(p^a q^(1-a)) - 1) / (a (a-1))                         fisher_rao 2 arccos S(sqrt(p q))
    ab                log S(p^(a+b)) / (b(a+b)) + log S(q^(a+b)) / (a(a+b)) - log S(p^a q^b) / (ab)
    gamma             ab with a = 1                                            l1, l2, l_infinity   norms of p - q

Near the limits (a -> 0 or 1, b -> 0, a + b -> 0) these forms subtract large numbers that are nearly equal.
With c = a + b, P = p^c / S(p^c) and Q = q^c / S(q^c), the first two terms of `ab` cancel against parts of the
third, and what is left is -log S(P^(a/c) Q^(b/c)) / (ab).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError

# Below this sum of alpha and beta, p^(alpha + beta) is so nearly uniform that its own logarithm would hide
# the difference.
_NEARLY_UNIFORM = 1e-3


def kl(log_p: Array, log_q: Array) -> Array:
    """The Kullback-Leibler divergence of q from p, in nats; infinite where q lacks what p has.

    >>> float(kl(np.log([0.5, 0.5]), np.log([0.5, 0.5])))
    0.0
    """
    with np.errstate(invalid="ignore"):
        terms = np.where(np.isneginf(log_p), 0.0, np.exp(log_p) * (log_p - log_q))
    return _not_negative(terms.sum(axis=-1))


def jeffreys(log_p: Array, log_q: Array) -> Array:
    """The mean of both directions of the Kullback-Leibler divergence."""
    found: Array = (kl(log_p, log_q) + kl(log_q, log_p)) / 2
    return found


def jensen_shannon(log_p: Array, log_q: Array) -> Array:
    """The Jensen-Shannon divergence, in nats: at most log 2."""
    middle = np.logaddexp(log_p, log_q) - math.log(2)
    found: Array = (kl(log_p, middle) + kl(log_q, middle)) / 2
    return found


def alpha(log_p: Array, log_q: Array, alpha: float) -> Array:
    """The alpha-divergence; alpha is neither 0 nor 1, where it tends to kl(q, p) and kl(p, q)."""
    return _not_negative(_affinity_less_one(log_p, log_q, alpha, 1 - alpha) / (alpha * (alpha - 1)))


def renyi(log_p: Array, log_q: Array, alpha: float) -> Array:
    """The Rényi divergence; alpha is above 0 and not 1, where it tends to kl(p, q)."""
    return _not_negative(_log_affinity(log_p, log_q, alpha, 1 - alpha) / (alpha - 1))


def gamma(log_p: Array, log_q: Array, beta: float) -> Array:
    """The gamma-divergence, which InfoLM's code calls beta; beta is neither 0, where it tends to kl(p,
    q), nor -1.
    """
    return ab(log_p, log_q, 1.0, beta)


def ab(log_p: Array, log_q: Array, alpha: float, beta: float) -> Array:
    """The scale-invariant AB-divergence; neither alpha, beta nor their sum is 0."""
    total = alpha + beta
    if abs(total) < _NEARLY_UNIFORM:
        tilted = alpha * (log_p - _power_mean(log_p, total)) + beta * (log_q - _power_mean(log_q, total))
        return _not_negative(-_power_mean(tilted, 1.0)[..., 0] / (alpha * beta))
    log_affinity = _log_affinity(_escort(log_p, total), _escort(log_q, total), alpha / total, beta / total)
    return _not_negative(-log_affinity / (alpha * beta))


def ab_as_printed(log_p: Array, log_q: Array, alpha: float, beta: float) -> Array:
    """What InfoLM's Table 1 prints for the AB-divergence, without 1/alpha in two terms: no divergence,
    not 0 for equal distributions.
    """
    total = alpha + beta
    found: Array = (
        _log_sum(total * log_p) / (beta * total)
        + _log_sum(total * log_q) / total
        - _log_sum(alpha * log_p + beta * log_q) / beta
    )
    return found


def l1(log_p: Array, log_q: Array) -> Array:
    """The sum of absolute differences, from 0 to 2."""
    found: Array = np.abs(np.exp(log_p) - np.exp(log_q)).sum(axis=-1)
    return found


def l2(log_p: Array, log_q: Array) -> Array:
    """The Euclidean distance, from 0 to the square root of 2."""
    found: Array = np.sqrt(((np.exp(log_p) - np.exp(log_q)) ** 2).sum(axis=-1))
    return found


def l_infinity(log_p: Array, log_q: Array) -> Array:
    """The largest absolute difference, from 0 to 1."""
    found: Array = np.abs(np.exp(log_p) - np.exp(log_q)).max(axis=-1)
    return found


def fisher_rao(log_p: Array, log_q: Array) -> Array:
    """The geodesic distance on the simplex, from 0 to pi."""
    # 2 arccos loses half of the digits near 0, where 4 arcsin of half the chord is exact.
    chord = np.sqrt(((np.exp(log_p / 2) - np.exp(log_q / 2)) ** 2).sum(axis=-1))
    return np.asarray(np.minimum(4 * np.arcsin(np.minimum(chord / 2, 1.0)), math.pi))


@dataclass(frozen=True)
class Divergence:
    """A measure, the parameters that it takes and where they may lie, its largest value, and whether p
    and q may change places.
    """

    compute: Callable[..., Array]
    parameters: tuple[str, ...] = ()
    valid: Callable[..., bool] = lambda: True
    domain: str = ""
    high: Callable[..., float] = lambda *_: math.inf
    symmetric: bool = False

    def arguments(self, name: str, alpha: float | None, beta: float | None) -> tuple[float, ...]:
        """The parameters that this measure takes, or an error that names their domain."""
        given = {"alpha": alpha, "beta": beta}
        taken = tuple(value for key in self.parameters if (value := given[key]) is not None)
        if len(taken) < len(self.parameters) or not all(map(math.isfinite, taken)) or not self.valid(*taken):
            said = ", ".join(f"{key} {given[key]}" for key in self.parameters)
            raise ParameterError(f"the measure {name!r} needs {self.domain}; got {said}.")
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
        "a number alpha other than 0 and 1 (its limits there are kl of q from p and of p from q: use the"
        " measure 'kl')",
        lambda a: 1 / (a * (1 - a)) if 0 < a < 1 else math.inf,
    ),
    "gamma": Divergence(
        gamma,
        ("beta",),
        lambda b: b not in (0, -1),
        "a number beta other than 0 (its limit there is the measure 'kl') and -1",
    ),
    "ab": Divergence(
        ab,
        ("alpha", "beta"),
        lambda a, b: 0 not in (a, b, a + b),
        "numbers alpha and beta, neither of them 0 nor their sum",
    ),
    "renyi": Divergence(
        renyi,
        ("alpha",),
        lambda a: a > 0 and a != 1,
        "a number alpha above 0 other than 1 (its limit there is the measure 'kl')",
    ),
    "l1": Divergence(l1, high=lambda: 2.0, symmetric=True),
    "l2": Divergence(l2, high=lambda: math.sqrt(2), symmetric=True),
    "l_infinity": Divergence(l_infinity, high=lambda: 1.0, symmetric=True),
}


def _affinity_less_one(log_p: Array, log_q: Array, power: float, rest: float) -> Array:
    """S(p^power q^rest) - 1, where power + rest = 1, without its cancellation: what each entry has above
    p, or above q where that is nearer.
    """
    base, other, kept, moved = (
        (log_p, log_q, power, rest) if abs(rest) < abs(power) else (log_q, log_p, rest, power)
    )
    with np.errstate(invalid="ignore", over="ignore"):
        exponents = moved * (other - base)
        near = np.exp(base) * np.expm1(exponents)
        far = np.exp(kept * base + moved * other) - np.exp(base)
    terms = np.where(_lacking(log_p, log_q), 0.0, np.where(np.abs(exponents) < 1, near, far))
    found: Array = terms.sum(axis=-1)
    return found


def _log_affinity(log_p: Array, log_q: Array, power: float, rest: float) -> Array:
    """log S(p^power q^rest), exact for sums near 1 and for those too small or too large to be numbers."""
    less_one = _affinity_less_one(log_p, log_q, power, rest)
    with np.errstate(invalid="ignore"):
        exponents = np.where(_lacking(log_p, log_q), -np.inf, power * log_p + rest * log_q)
    near = np.abs(less_one) < 0.5
    found: Array = np.where(near, np.log1p(np.where(near, less_one, 0.0)), _log_sum(exponents))
    return found


def _lacking(log_p: Array, log_q: Array) -> Array:
    """The entries that neither has: they count nothing, whatever the power."""
    found: Array = np.isneginf(log_p) & np.isneginf(log_q)
    return found


def _escort(log_p: Array, power: float) -> Array:
    """log of p^power / S(p^power)."""
    found: Array = power * log_p - _log_sum(power * log_p)[..., None]
    return found


def _power_mean(log_p: Array, power: float) -> Array:
    """log of the power mean of p, (mean of p^power)^(1/power), which tends to the mean of log p as the
    power tends to 0; the last axis is kept.
    """
    if abs(power) < 1e-12:
        return np.asarray(log_p.mean(axis=-1, keepdims=True))
    if abs(power) < _NEARLY_UNIFORM:
        return np.asarray(np.log1p(np.expm1(power * log_p).mean(axis=-1, keepdims=True)) / power)
    return np.asarray((_log_sum(power * log_p)[..., None] - math.log(log_p.shape[-1])) / power)


def _log_sum(exponents: Array) -> Array:
    """log of the sum of exponentials, over the last axis."""
    highest = exponents.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        found: Array = np.log(np.exp(exponents - shift).sum(axis=-1)) + shift[..., 0]
    return found


def _not_negative(values: Array) -> Array:
    """The values without the last digit's noise below 0."""
    return np.maximum(values, 0.0)

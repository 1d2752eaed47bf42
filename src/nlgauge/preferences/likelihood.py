"""Bradley-Terry and Davidson models by Newton's method, for many resamples at once.

    d = t_i - t_j + sum_c w_c x_c        weights exp(d / 2) : nu : exp(-d / 2) of a win, a tie and a loss of i

Bradley-Terry's model has nu = 0. Parameters are the strengths t, which add up to 0, the effects w, and log nu. The
log likelihood is concave, so a stationary point is its maximum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.preferences.design import Design

# A step below this is the last: the next step would be about its square.
_LAST_STEP = 1e-7
_MOST_STEPS = 60
# A log odds that no sample can show: the likelihood has no maximum.
_UNBOUNDED = 30.0
# Added to the diagonal of the information so that resamples without information on an effect can be solved; it
# changes steps, but no maximum.
_RIDGE = 1e-9


class Totals(NamedTuple):
    """Counts (B, C) of B samples by cell: half the wins minus half the losses, ties, and comparisons."""

    margin: Array
    ties: Array
    games: Array

    @classmethod
    def of(cls, counts: Array) -> Totals:
        """Return the totals of counts (B, 3 C) of wins, ties and losses."""
        wins, ties, losses = np.split(counts, 3, axis=1)
        return cls((wins - losses) / 2, ties, wins + ties + losses)


class Odds(NamedTuple):
    """The model in each cell: the mean margin, its variance, and the probability of a tie."""

    margin: Array
    variance: Array
    tie: Array | float


def log_odds(design: Design, parameters: Array) -> Array:
    """Return (B, C) the difference d of the two systems of each cell, with covariates."""
    first, second = design.pairs
    strengths = parameters[:, : design.systems]
    odds = strengths[:, first] - strengths[:, second]
    if len(design.pair) != odds.shape[1]:
        odds = odds[:, design.pair]
    effects = parameters[:, design.systems : design.systems + design.x.shape[1]]
    return np.asarray(odds + effects @ design.x.T) if effects.shape[1] else odds


def odds_of(difference: Array, nu: Array | float) -> Odds:
    """Return the model at log odds `difference`; nu is 0 without ties."""
    root = np.exp(-np.abs(difference) / 2)
    lower = root * root
    total = 1 + lower + nu * root
    margin = np.copysign((1 - lower) / (2 * total), difference)
    return Odds(margin, (1 + lower) / (4 * total) - margin * margin, nu * root / total)


def nu_of(design: Design, parameters: Array) -> Array | float:
    """Return nu of each sample as a column; 0 in Bradley-Terry's model."""
    return np.exp(parameters[:, -1:]) if design.has_ties else 0.0


def derivatives(design: Design, parameters: Array, totals: Totals) -> tuple[Array, Array]:
    """Return the gradient (B, p) of the log likelihood, and the information (B, p, p)."""
    odds = odds_of(log_odds(design, parameters), nu_of(design, parameters))
    systems, x = design.systems, design.x
    effects = slice(systems, systems + x.shape[1])
    slope = totals.margin - totals.games * odds.margin
    curve = totals.games * odds.variance
    gradient = np.empty((len(parameters), design.width))
    information = np.zeros((len(parameters), design.width, design.width))
    gradient[:, :systems] = design.by_pair(slope) @ design.incidence
    gradient[:, effects] = slope @ x
    information[:, :systems, :systems] = _laplacian(design, design.by_pair(curve))
    for column in range(x.shape[1]):
        weighted = curve * x[:, column]
        information[:, :systems, systems + column] = design.by_pair(weighted) @ design.incidence
        information[:, effects, systems + column] = weighted @ x
    if design.has_ties:
        mixed = -totals.games * odds.margin * odds.tie
        gradient[:, -1] = (totals.ties - totals.games * odds.tie).sum(axis=1)
        information[:, :systems, -1] = design.by_pair(mixed) @ design.incidence
        information[:, effects, -1] = mixed @ x
        information[:, -1, -1] = (totals.games * odds.tie * (1 - odds.tie)).sum(axis=1)
    # The blocks below the diagonal.
    information[:, systems:, :systems] = information[:, :systems, systems:].transpose(0, 2, 1)
    if design.has_ties:
        information[:, -1, effects] = information[:, effects, -1]
    # Strengths that add up to 0 are the only solution.
    information[:, :systems, :systems] += 1.0
    return gradient, information


def _laplacian(design: Design, weights: Array) -> Array:
    first, second = design.pairs
    matrix = np.zeros((len(weights), design.systems, design.systems))
    matrix[:, first, second] = matrix[:, second, first] = -weights
    places = np.arange(design.systems)
    matrix[:, places, places] = -matrix.sum(axis=2)
    return matrix


def fitted(design: Design, counts: Array, start: Array) -> Array:
    """Return (B, p) the parameters of maximum likelihood of each sample; NaN if there is no maximum.

    A step after which the slope along it is steeper than before went too far, and is halved.
    """
    totals = Totals.of(counts)
    parameters = np.repeat(start[None], len(counts), axis=0)
    step, slope = np.zeros_like(parameters), np.full(len(counts), np.inf)
    ridge = _RIDGE * np.eye(design.width)
    for _ in range(_MOST_STEPS):
        gradient, information = derivatives(design, parameters, totals)
        too_far = np.abs((gradient * step).sum(axis=1)) > slope
        newton = np.linalg.solve(information + ridge, gradient[..., None])[..., 0]
        parameters = np.where(too_far[:, None], parameters - step / 2, parameters + newton)
        slope = np.where(too_far, slope / 2, (gradient * newton).sum(axis=1))
        step = np.where(too_far[:, None], step / 2, newton)
        if np.abs(step).max(initial=0.0) < _LAST_STEP:
            break
    odds = np.abs(np.where(totals.games > 0, log_odds(design, parameters), 0.0)).max(axis=1)
    steady = (np.abs(step).max(axis=1) < _LAST_STEP) & (odds < _UNBOUNDED)
    return np.where(steady[:, None], parameters, np.nan)


def clustered_errors(
    design: Design, parameters: Array, counts: Array, by_unit: object
) -> tuple[Array, Array]:
    """Return the covariance of the parameters if all comparisons were independent, and if only units are (the
    sandwich estimator, without a correction for few units).

    `counts` (3 C) have the prior; `by_unit` is `Design.by_unit`.
    """
    odds = odds_of(log_odds(design, parameters[None])[0], float(np.max(nu_of(design, parameters[None]))))
    _, information = derivatives(design, parameters[None], Totals.of(counts[None]))
    inverse = np.linalg.inv(information[0] + _RIDGE * np.eye(design.width))
    rows = np.hstack([design.incidence[design.pair], design.x])
    scores = np.vstack([rows * (won - odds.margin)[:, None] for won in (0.5, 0.0, -0.5)])
    if design.has_ties:
        tied = np.concatenate([won - odds.tie * np.ones(len(design.pair)) for won in (0.0, 1.0, 0.0)])
        scores = np.column_stack([scores, tied])
    of_units = by_unit @ scores  # type: ignore[operator]
    # The mean of the strengths is fixed, not estimated.
    inverse[: design.systems, : design.systems] -= 1 / design.systems**2
    return inverse, inverse @ (of_units.T @ of_units) @ inverse

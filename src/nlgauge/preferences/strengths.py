"""Strengths with intervals, letters and ranks, from the parameters of a model and of its resamples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.preferences.elo import random_elo
from nlgauge.preferences.likelihood import clustered_errors, nu_of, odds_of
from nlgauge.preferences.model import Model
from nlgauge.preferences.resamples import Replicates
from nlgauge.preferences.table import Effect, Strength
from nlgauge.stats.corrections import bootstrap_max_t
from nlgauge.stats.intervals import few_units_factor, normal_below, percentile, quantile
from nlgauge.stats.letters import letters, rank_ranges


class Fit(NamedTuple):
    """A fitted model: parameters (p), counts (3 C) with the prior, the unit of each comparison, and the resamples,
    None without resamples.
    """

    model: Model
    parameters: Array
    counts: Array
    units: Array
    replicates: Replicates | None
    confidence: float

    @property
    def unit_count(self) -> int:
        """Number of segments or documents."""
        return int(self.units.max()) + 1

    @property
    def effective_units(self) -> float:
        """Number of equally large segments or documents whose sums would vary as much."""
        sizes = np.bincount(self.units).astype(float)
        return float(sizes.sum() ** 2 / (sizes**2).sum())

    @property
    def nu(self) -> float:
        """Parameter of ties; 0 in Bradley-Terry's model."""
        return float(np.max(nu_of(self.model.design, self.parameters[None])))

    def errors(self) -> tuple[Array, Array]:
        """Return the standard errors of the strengths if all comparisons were independent, and if only units are."""
        design = self.model.design
        independent, clustered = clustered_errors(
            design, self.parameters, self.counts, design.by_unit(self.units)
        )
        return self._errors(independent), self._errors(clustered)

    def _errors(self, covariance: Array) -> Array:
        baseline, systems = self.model.baseline, self.model.design.systems
        part = covariance[:systems, :systems]
        variance = np.diagonal(part)
        if baseline is not None:
            variance = variance + variance[baseline] - 2 * part[:, baseline]
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def bounds(self, values: Array) -> tuple[Array, Array]:
        """Return the lower and upper bounds of each column of replicates."""
        share = expanded(self.confidence, self.effective_units)
        ends = np.array([percentile(column, share)[:2] for column in values.T]).reshape(-1, 2)
        return ends[:, 0], ends[:, 1]


def expanded(confidence: float, units: float) -> float:
    """Return the confidence of percentiles whose interval has the width of Student's distribution.

    >>> round(expanded(0.95, 20), 3), round(expanded(0.95, 1000), 3)
    (0.968, 0.95)
    """
    reach = few_units_factor(confidence, units) * quantile(confidence)
    return min(2 * normal_below(reach) - 1, 1 - 1e-12)


def rows_of(fit: Fit, elo_seed: int | None) -> tuple[tuple[Strength, ...], Array, list[int]]:
    """Return the rows, the strongest system first, the p-values of all pairs, and the order of the systems."""
    model, verdicts = fit.model, fit.model.verdicts
    systems = verdicts.systems
    strengths, rates = model.strengths(fit.parameters[None])[0], model.rates(fit.parameters[None])[0]
    unknown = np.full(len(systems), np.nan)
    low = high = rate_low = rate_high = unknown
    p = np.full((len(systems), len(systems)), np.nan)
    shown: list[str | None] = [None] * len(systems)
    ranks: list[tuple[int, int] | None] = [None] * len(systems)
    if fit.replicates is not None:
        drawn = model.strengths(fit.replicates.parameters)
        low, high = fit.bounds(drawn)
        rate_low, rate_high = fit.bounds(model.rates(fit.replicates.parameters))
        p = _p_values(strengths, drawn[~np.isnan(drawn[:, 0])], fit.effective_units)
        alpha = 1 - fit.confidence
        shown, ranks = letters(strengths, p, alpha), rank_ranges(strengths, p, alpha)
    _, errors = fit.errors()
    ratings, spread = (unknown, unknown) if elo_seed is None else random_elo(verdicts, elo_seed)
    played = np.bincount(np.append(verdicts.first, verdicts.second), minlength=len(systems))
    won = verdicts.win_rates()
    order: list[int] = np.argsort(-strengths, kind="stable").tolist()
    rows = tuple(
        Strength(
            system=systems[i],
            strength=float(strengths[i]),
            low=float(low[i]),
            high=float(high[i]),
            error=float(errors[i]),
            comparisons=int(played[i]),
            win_rate=float(won[i]),
            rate=float(rates[i]),
            rate_low=float(rate_low[i]),
            rate_high=float(rate_high[i]),
            best_rank=None if (places := ranks[i]) is None else places[0],
            worst_rank=None if places is None else places[1],
            letters=shown[i],
            elo=float(ratings[i]),
            elo_spread=float(spread[i]),
        )
        for i in order
    )
    return rows, p, order


def _p_values(strengths: Array, drawn: Array, units: float) -> Array:
    """Return the p-value of every pair, corrected by max-T for all pairs."""
    first, second = np.triu_indices(len(strengths), 1)
    p = np.eye(len(strengths))
    if not len(drawn):
        return np.asarray(np.full_like(p, np.nan))
    null = drawn[:, first] - drawn[:, second]
    values = bootstrap_max_t(
        strengths[first] - strengths[second], null - null.mean(axis=0), np.full(len(first), units)
    )
    p[first, second] = p[second, first] = values
    return p


def matrix_of(fit: Fit) -> Array:
    """Return (S, S) the predicted share of wins of rows against columns, a tie as half."""
    strengths = fit.parameters[: fit.model.design.systems]
    return np.asarray(0.5 + odds_of(strengths[:, None] - strengths, fit.nu).margin)


def effects_of(fit: Fit) -> tuple[Effect, ...]:
    """Return the effects of the covariates."""
    names, systems = fit.model.names, fit.model.design.systems
    places = slice(systems, systems + len(names))
    low = high = np.full(len(names), np.nan)
    if fit.replicates is not None and names:
        low, high = fit.bounds(fit.replicates.parameters[:, places])
    return tuple(
        Effect(name, float(value), float(least), float(most))
        for name, value, least, most in zip(names, fit.parameters[places], low, high, strict=True)
    )

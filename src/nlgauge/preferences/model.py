"""Model: verdicts with their design, the treatment of ties, and the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, UnknownNameError, no_such
from nlgauge.preferences import alpaca
from nlgauge.preferences.bounds import check_bounded
from nlgauge.preferences.design import Design, covariates, design_of
from nlgauge.preferences.likelihood import fitted, nu_of, odds_of
from nlgauge.preferences.verdicts import Verdicts

TIES = ("davidson", "half", "drop")


class Model(NamedTuple):
    """Verdicts with their model: the covariates' names, and for AlpacaEval the difficulty of each comparison."""

    verdicts: Verdicts
    design: Design
    names: Sequence[str]
    ties: str
    baseline: int | None
    preset: str | None = None
    difficulty: Array | None = None

    def strengths(self, parameters: Array) -> Array:
        """Return (B, S) strengths that add up to 0, or are 0 for the baseline."""
        values = parameters[:, : self.design.systems]
        if self.baseline is None:
            return np.asarray(values - values.mean(axis=1, keepdims=True))
        return np.asarray(values - values[:, [self.baseline]])

    def rates(self, parameters: Array) -> Array:
        """Return (B, S) the win rates against the baseline; NaN without a baseline."""
        systems = self.verdicts.systems
        if self.baseline is None:
            return np.full((len(parameters), len(systems)), np.nan)
        if self.preset is not None:
            return alpaca.rates_of(parameters, systems, self.baseline, self.difficulty, self.verdicts)
        return np.asarray(0.5 + odds_of(self.strengths(parameters), nu_of(self.design, parameters)).margin)


def model_of(
    verdicts: Verdicts,
    ties: str | None,
    control: tuple[str, ...],
    length: str,
    baseline: str | None,
    preset: str | None,
    difficulty: Mapping[Any, float] | None,
) -> Model:
    """Return the model of verdicts; raise an error if they do not fit the settings."""
    if len(verdicts.systems) < 2:
        raise InputError(f"a ranking needs at least two systems, got only {verdicts.systems[0]!r}.")
    if baseline is not None and baseline not in verdicts.systems:
        raise UnknownNameError(no_such("baseline", baseline, verdicts.systems))
    if ties is None:
        soft = verdicts.has_soft or preset is not None
        ties = "davidson" if verdicts.has_ties and not soft else "half"
    elif ties == "drop":
        verdicts = _decided(verdicts)
    if ties == "davidson" and not verdicts.has_ties:
        ties = "half"
    number = None if baseline is None else verdicts.systems.index(baseline)
    if preset is None:
        x = covariates(verdicts, control, length)
        return Model(verdicts, design_of(verdicts, x, _kind(ties)), control, ties, number)
    if control:
        raise ParameterError("preset 'alpaca_eval' controls for length; leave control out.")
    number = alpaca.baseline_of(verdicts, baseline)
    values = alpaca.difficulties(verdicts, difficulty)
    x, names = alpaca.covariates(verdicts, number, values)
    return Model(verdicts, design_of(verdicts, x, _kind(ties)), names, ties, number, preset, values)


def _kind(ties: str) -> str:
    return "davidson" if ties == "davidson" else "half"


def _decided(verdicts: Verdicts) -> Verdicts:
    """Return the verdicts without ties."""
    decided = verdicts.take(np.flatnonzero(verdicts.outcomes[:, 1] == 0))
    if not len(decided):
        raise InputError(
            f"all {len(verdicts)} comparisons are ties, so none is left",
            python="leave out ties='drop'",
            cli="leave out --ties drop",
        )
    return decided


def fit(model: Model, prior: float) -> tuple[Array, Array]:
    """Return the parameters, and the counts (3 C) with the prior."""
    design = model.design
    units = np.zeros(len(model.verdicts), dtype=np.int64)
    counts = design.by_unit(units).toarray()[0] + design.prior(prior)
    check_bounded(design, counts, model.verdicts.systems)
    parameters = fitted(design, counts[None], np.zeros(design.width))[0]
    if np.isnan(parameters).any():
        raise InputError(
            f"the effect of {' and '.join(dict.fromkeys(model.names))} has no bound: it predicts every decision; leave"
            " this control out."
        )
    return parameters, counts

"""The length-controlled win rate of AlpacaEval 2.

    P(system wins on segment i) = 1 / (1 + exp(-(constant + length tanh(difference / sd) + slope difficulty_i)))

Each system has its own three coefficients against the baseline; the rate is the mean over segments without the term of
the length. AlpacaEval fits the coefficients with a regularization whose data are not public here; `rank` fits them by
maximum likelihood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge._core.numbers import part_of
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.preferences.design import length_covariate
from nlgauge.preferences.verdicts import Verdicts
from nlgauge.stats.arrays import numbers

PRESET = "alpaca_eval"


def length_controlled_rate(constant: float, slope: float = 0.0, difficulty: Any = (0.0,)) -> float:
    """Return the length-controlled win rate of AlpacaEval from the coefficients of a system.

    Parameters
    ----------
    constant : float
        Coefficient of the system itself; column `not_gamed_baseline.astype(float)` of AlpacaEval's file of weights.
    slope : float, default 0
        Coefficient of the difficulty; column `instruction_difficulty`.
    difficulty : sequence of float, optional
        Difficulty of each of the N segments. Default: no difficulties.

    Returns
    -------
    float
        Win rate from 0 to 1.

    Examples
    --------
    >>> length_controlled_rate(0.0)
    0.5
    >>> round(length_controlled_rate(-1.0, 2.0, [0.0, 0.5, 1.0]), 4)
    0.5
    """
    values = numbers("difficulty", difficulty)
    return float(mean_rates(np.array([constant]), np.array([slope]), values)[0])


def mean_rates(constants: Array, slopes: Array, difficulty: Array) -> Array:
    """Return the mean probability of a win over all segments, for each constant and slope."""
    return np.array(
        [
            float(np.mean(1 / (1 + np.exp(-(constant + slope * difficulty)))))
            for constant, slope in zip(constants, slopes, strict=True)
        ]
    )


def baseline_of(verdicts: Verdicts, baseline: str | None) -> int:
    """Return the number of the system that all others were compared with."""
    opponents = [
        number
        for number, name in enumerate(verdicts.systems)
        if ((verdicts.first == number) | (verdicts.second == number)).all() and baseline in (None, name)
    ]
    if not opponents:
        raise InputError(
            f"preset 'alpaca_eval' needs comparisons of all systems with one baseline"
            f"{'' if baseline is None else f' ({baseline})'}; leave out the preset to rank systems that met each"
            " other."
        )
    # AlpacaEval writes the baseline as generator_1.
    return next((number for number in opponents if (verdicts.first == number).all()), opponents[0])


def difficulties(verdicts: Verdicts, difficulty: Mapping[Any, float] | None) -> Array | None:
    """Return the difficulty of each comparison; None without difficulties."""
    if difficulty is None:
        return None
    if verdicts.segments is None:
        raise InputError("difficulties need a field 'instruction' or 'item' in the records.")
    known = {str(name): float(value) for name, value in difficulty.items()}
    used = [verdicts.segment_names[number] for number in np.unique(verdicts.segments).tolist()]
    absent = [name for name in used if name not in known]
    if absent:
        raise InputError(
            f"{part_of(len(absent), len(used), 'segment', 'have no difficulty')}, such as {absent[0]!r:.60}; pass the"
            " difficulty of every segment."
        )
    return np.array([known.get(name, np.nan) for name in verdicts.segment_names])[verdicts.segments]


def covariates(verdicts: Verdicts, baseline: int, difficulty: Array | None) -> tuple[Array, list[str]]:
    """Return the covariates (N, K) and their names: each system has its own effects of length and difficulty."""
    sign = np.where(verdicts.second == baseline, 1.0, -1.0)
    system = np.where(verdicts.second == baseline, verdicts.first, verdicts.second)
    columns, names = [], []
    for number in _others(verdicts.systems, baseline):
        rows = np.flatnonzero(system == number)
        parts = {"length": length_covariate(verdicts.take(rows), "tanh")}
        if difficulty is not None:
            parts["difficulty"] = sign[rows] * difficulty[rows]
        for name, values in parts.items():
            column = np.zeros(len(verdicts))
            column[rows] = values
            columns.append(column)
            names.append(f"{name} of {verdicts.systems[number]}")
    return np.column_stack(columns), names


def rates_of(
    parameters: Array, systems: Sequence[str], baseline: int, difficulty: Array | None, verdicts: Verdicts
) -> Array:
    """Return (B, S) the length-controlled win rate of each system against the baseline, whose rate is one half."""
    rates = np.full((len(parameters), len(systems)), 0.5)
    per_system = 1 if difficulty is None else 2
    # One difficulty per segment, as in AlpacaEval.
    values = np.zeros(1) if difficulty is None else _per_segment(verdicts, difficulty)
    for place, number in enumerate(_others(systems, baseline)):
        slope = (
            np.zeros(len(parameters))
            if difficulty is None
            else parameters[:, len(systems) + per_system * place + 1]
        )
        rates[:, number] = mean_rates(parameters[:, number] - parameters[:, baseline], slope, values)
    return rates


def _others(systems: Sequence[str], baseline: int) -> list[int]:
    return [number for number in range(len(systems)) if number != baseline]


def _per_segment(verdicts: Verdicts, difficulty: Array) -> Array:
    assert verdicts.segments is not None
    return np.asarray(difficulty[np.unique(verdicts.segments, return_index=True)[1]])

"""Variance components of a panel: every judge scores every system on every item.

    y = mean + system + item + judge + system x item + system x judge + item x judge + rest

All effects are random, with one score per cell. The estimators come from the analysis of variance; a negative
estimate is 0. With one system, the effects of systems do not exist, and item x judge is the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError

FACTORS = ("system", "item", "judge")
REST = "rest"


class PanelComponents(NamedTuple):
    """Variances by effect, such as "item" or "system x judge", and the effects whose estimate was negative."""

    variances: Mapping[str, float]
    negative: tuple[str, ...]

    def of_difference(self) -> dict[str, float]:
        """Return the variances of a difference between two systems on one item by one judge; effects without
        systems cancel.
        """
        return {
            effect: 2 * value
            for effect, value in self.variances.items()
            if effect == REST or (effect.startswith("system") and effect != "system")
        }


def panel_components(scores: Array) -> PanelComponents:
    """Return the variance components of (systems, items, judges) scores without missing scores.

    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(1, 200, 1)) + 0.1 * rng.normal(size=(1, 200, 3))
    >>> variances = panel_components(scores).variances
    >>> round(variances["item"]), round(variances["rest"], 2)
    (1, 0.01)
    """
    used = [axis for axis in range(3) if scores.shape[axis] > 1]
    if scores.ndim != 3 or not {1, 2} <= set(used):
        raise InputError(
            f"a panel needs two or more items and judges, got scores of the shape {scores.shape}."
        )
    effects = [effect for size in range(1, len(used) + 1) for effect in combinations(used, size)]
    squares = {effect: _mean_square(scores, effect) for effect in effects}
    whole = effects[-1]
    values: dict[tuple[int, ...], float] = {whole: squares[whole]}
    # The expected mean square of an effect is the sum of all components that contain it, each times the number of
    # scores that share it.
    for effect in reversed(effects[:-1]):
        inside = sum(
            values[other] * _shared(scores, other)
            for other in values
            if other != effect and set(effect) < set(other)
        )
        values[effect] = (squares[effect] - inside) / _shared(scores, effect)
    named = {
        REST if effect == whole else " x ".join(FACTORS[axis] for axis in effect): values[effect]
        for effect in effects
    }
    return PanelComponents(
        {name: max(0.0, value) for name, value in named.items()},
        tuple(name for name, value in named.items() if value < 0),
    )


def _shared(scores: Array, effect: tuple[int, ...]) -> int:
    """Return the number of scores that share a level of an effect."""
    return int(np.prod([scores.shape[axis] for axis in range(3) if axis not in effect]))


def _mean_square(scores: Array, effect: tuple[int, ...]) -> float:
    """Return the mean square of an effect: of cell means, minus the effects inside it."""
    others = tuple(axis for axis in range(3) if axis not in effect)
    deviations = scores.mean(axis=others, keepdims=True)
    for axis in effect:
        deviations = deviations - deviations.mean(axis=axis, keepdims=True)
    freedom = np.prod([scores.shape[axis] - 1 for axis in effect])
    return float((deviations**2).sum()) * _shared(scores, effect) / float(freedom)

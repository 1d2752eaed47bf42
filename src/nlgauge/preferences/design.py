"""Design: comparisons of the same pair with the same covariates form a cell, and a fit sees only cells.

Every pair of systems has a cell with covariates of 0, which contains the prior; the cells of a pair are neighbors.
A comparison is turned so that the system with the lower number is first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.preferences.verdicts import Verdicts

CONTROLS = ("length", "position")
LENGTHS = ("log", "tanh")


@dataclass(frozen=True, eq=False)
class Design:
    """P pairs of S systems, and C cells with K covariates, in the order of their pairs.

    `origin` is the cell of each pair whose covariates are 0, and `cells` the cell of each comparison. `outcomes`
    are turned to the system with the lower number. `has_ties` is True in Davidson's model.
    """

    systems: int
    pair: Array
    x: Array
    origin: Array
    cells: Array
    outcomes: Array
    has_ties: bool

    @lazy
    def pairs(self) -> tuple[Array, Array]:
        """The two systems of each pair."""
        first, second = np.triu_indices(self.systems, 1)
        return first, second

    @lazy
    def starts(self) -> Array:
        """The first cell of each pair."""
        return np.searchsorted(self.pair, np.arange(len(self.pairs[0])))

    @lazy
    def incidence(self) -> Array:
        """(P, S): 1 for the first system of a pair, -1 for the second."""
        first, second = self.pairs
        rows = np.arange(len(first))
        signs = np.zeros((len(first), self.systems))
        signs[rows, first], signs[rows, second] = 1.0, -1.0
        return signs

    @property
    def width(self) -> int:
        """Number of parameters: strengths, effects of covariates, and the logarithm of nu."""
        return self.systems + int(self.x.shape[1]) + self.has_ties

    def by_pair(self, values: Array) -> Array:
        """Return the sums over the cells of each pair, along the last axis."""
        return values if len(self.starts) == len(self.pair) else np.add.reduceat(values, self.starts, axis=-1)

    def by_unit(self, units: Array) -> Any:
        """Return a sparse matrix (units, 3 C) of wins, ties and losses in each cell."""
        from scipy.sparse import coo_array

        count, cells = int(units.max()) + 1, len(self.pair)
        columns = (self.cells[:, None] + cells * np.arange(3)).reshape(-1)
        return coo_array(
            (self.outcomes.reshape(-1), (np.repeat(units, 3), columns)), shape=(count, 3 * cells)
        ).tocsr()

    def prior(self, wins: float) -> Array:
        """Return (3 C) counts in which each system has this many wins and losses, spread over the others."""
        counts = np.zeros((3, len(self.pair)))
        counts[::2, self.origin] = wins / (self.systems - 1)
        return counts.reshape(-1)

    def prior_tie(self, ties: float) -> Array:
        """Return (3 C) counts with this many ties, spread over all pairs."""
        counts = np.zeros((3, len(self.pair)))
        counts[1, self.origin] = ties / len(self.origin)
        return counts.reshape(-1)


def design_of(verdicts: Verdicts, x: Array, ties: str) -> Design:
    """Return the design of verdicts whose covariates are `x` (N, K); `ties` are "davidson" or "half"."""
    first, second = verdicts.first, verdicts.second
    turned = first > second
    low, high = np.minimum(first, second), np.maximum(first, second)
    systems = len(verdicts.systems)
    pair = low * systems - low * (low + 1) // 2 + high - low - 1
    outcomes = np.where(turned[:, None], verdicts.outcomes[:, ::-1], verdicts.outcomes)
    if ties == "half":
        outcomes = outcomes + outcomes[:, 1:2] * [0.5, -1.0, 0.5]
    x = np.where(turned[:, None], -x, x) + 0.0
    pairs = systems * (systems - 1) // 2
    if not x.shape[1]:
        cells = np.arange(pairs)
        return Design(systems, cells, np.empty((pairs, 0)), cells, pair, outcomes, ties == "davidson")
    rows = np.column_stack([np.append(np.arange(pairs), pair), np.vstack([np.zeros((pairs, x.shape[1])), x])])
    distinct, cells = np.unique(rows, axis=0, return_inverse=True)
    return Design(
        systems,
        distinct[:, 0].astype(np.int64),
        distinct[:, 1:],
        cells.reshape(-1)[:pairs],
        cells.reshape(-1)[pairs:],
        outcomes,
        ties == "davidson",
    )


def checked_control(control: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the covariates; raise ParameterError if there is no such covariate."""
    names = (control,) if isinstance(control, str) else tuple(dict.fromkeys(control))
    for name in names:
        if name not in CONTROLS:
            raise ParameterError(no_such("control", name, CONTROLS))
    return names


def covariates(verdicts: Verdicts, control: Sequence[str], length: str = "log") -> Array:
    """Return (N, K) the covariates of each comparison, first system minus second system."""
    columns = [
        _length_difference(verdicts, length) if name == "length" else _position(verdicts) for name in control
    ]
    return np.column_stack(columns) if columns else np.empty((len(verdicts), 0))


def _length_difference(verdicts: Verdicts, length: str) -> Array:
    difference = length_covariate(verdicts, length)
    if not difference.any():
        raise InputError(
            "the predictions of each comparison have the same length, so length has no effect",
            python="leave out control='length'",
            cli="leave out --control length",
        )
    return difference


def length_covariate(verdicts: Verdicts, length: str) -> Array:
    """Return the log ratio of the lengths, or tanh of their difference in standard deviations.

    An empty prediction has length 1.
    """
    if verdicts.lengths is None:
        raise InputError(
            "the verdicts have no lengths; add the fields first_length and second_length, or first_text and"
            " second_text, or use a result that was saved with its texts."
        )
    first, second = verdicts.lengths.T
    if length == "log":
        return np.asarray(
            np.log(np.where(first == 0, 1.0, first)) - np.log(np.where(second == 0, 1.0, second))
        )
    difference = first - second
    spread = float(difference.std(ddof=1)) if len(difference) > 1 else 0.0
    return np.tanh(difference / spread) if spread > 0 and math.isfinite(spread) else np.zeros(len(difference))


def _position(verdicts: Verdicts) -> Array:
    both = set(zip(verdicts.first.tolist(), verdicts.second.tolist(), strict=True))
    if not any((second, first) in both for first, second in both):
        raise InputError(
            "no pair of systems was compared in both orders, so the effect of the position is unknown",
            python="leave out control='position'",
            cli="leave out --control position",
        )
    return np.ones(len(verdicts))

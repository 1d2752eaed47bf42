"""Planned looks: a paired test by swaps that may stop early, with alpha spending.

Units are seen in a random order. At look k, after n_k of N units, the difference D_k of two systems is compared
with the differences D_k^b after each of B swap vectors, the same at all looks:

    alive      swap vectors that crossed at no earlier look; used is the number of the others
    more       number of alive vectors with |D_k^b| >= |D_k|
    p          (used + more + 1) / (B + 1), at least used / (B + 1) + 2 ** (1 - n_k)
    stop       if p <= alpha(t_k), t_k = n_k / N
    otherwise  the floor(alpha(t_k) (B + 1)) - used largest |D_k^b| of the alive vectors cross; of vectors that
               are tied at the limit, none cross

If both systems are exchangeable within units, the probability of a stop at any look is at most alpha, for every
B: the data and the B vectors are B + 1 exchangeable vectors, at most alpha (B + 1) of them cross, and the data
stop the test only if they cross. With one look, p is the p-value of `Result.compare` with the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError, ResultError
from nlgauge.stats.corrections import SLACK, least_p
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.resampling import check_resampling
from nlgauge.stats.sequential.spending import checked_spending, look_sizes, spent
from nlgauge.stats.units import Clusters, resampled_sums

# Outputs (n,) of n sums of statistics (n, width).
Score = Callable[[Array], Array]
_OPTIONS = ("alpha", "spending", "resamples")
_DAMAGED = "the saved state of the sequential test is damaged; start the run again."
_UNKNOWN = "a score is undefined or infinite, so the difference is not known"


class Look(NamedTuple):
    """The outcome of a look.

    `number` counts looks from 1. `difference` is the output of the first system minus the output of the
    second. `sign` is its sign if the test stops here, otherwise 0. `alpha` is the level spent by this look, and
    `limit` the largest absolute difference that does not stop the test here; infinite if none would. `p` is NaN,
    with a reason, if the difference is not defined.
    """

    number: int
    units: int
    difference: float
    p: float
    alpha: float
    sign: int
    limit: float = math.nan
    reason: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the difference, which excludes 0 if and only if the test stops here.

        The intervals of all looks together contain the difference with the confidence of the whole test.
        """
        return self.difference - self.limit, self.difference + self.limit


class PlannedLooks:
    """A test of two systems at planned looks; see the module for the method.

    Parameters
    ----------
    clusters : Clusters
        Units: segments or documents.
    alpha : float
        Level of the whole test, two-sided.
    looks : int
        Largest number of looks; fewer than 40 units have fewer looks.
    spending : {"t2", "obf"}
        Spending function: alpha t^2, or O'Brien and Fleming's.
    resamples : int
        Number of swap vectors; 10,000 if alpha is below 0.01.
    seed : int
        Seed of order and swaps.
    """

    def __init__(
        self,
        clusters: Clusters,
        *,
        alpha: float = 0.05,
        looks: int = 20,
        spending: str = "t2",
        resamples: int = 5000,
        seed: int = 12345,
    ) -> None:
        check_resampling(resamples, seed)
        if not isinstance(looks, int) or isinstance(looks, bool) or looks < 1:
            raise ParameterError(f"looks must be a whole number from 1, got {looks!r:.60}.")
        self.clusters, self.seed, self.resamples = clusters, seed, resamples
        self.alpha, self.spending = float(check_confidence(alpha, "alpha")), checked_spending(spending)
        self.sizes = look_sizes(clusters.count, looks)
        self.at, self.sign = 0, 0
        # The swap vectors that crossed at each look so far.
        self._crossed: list[list[int]] = []

    @classmethod
    def resumed(cls, clusters: Clusters, state: Mapping[str, Any]) -> PlannedLooks:
        """Return the test of a saved state, with the plan of the state; raise ResultError if it is damaged."""
        sizes = state.get("looks")
        try:
            test = cls(
                clusters,
                seed=state["order_seed"],
                **{name: state[name] for name in _OPTIONS},
            )
        except (KeyError, TypeError, ParameterError):
            raise ResultError(_DAMAGED) from None
        if not _are_sizes(sizes, clusters.count):
            raise ResultError(_DAMAGED)
        test.sizes = list(sizes)
        test.resume(state)
        return test

    @property
    def is_open(self) -> bool:
        """True if another look is planned and no look has decided."""
        return not self.sign and self.at < len(self.sizes)

    @lazy
    def order(self) -> Array:
        """Unit numbers in the random order of looks."""
        # The stream differs from the stream of the swaps, which starts from the seed itself.
        return np.random.default_rng([self.seed, 1]).permutation(self.clusters.count)

    def seen(self, look: int | None = None) -> Array:
        """Return the mask of the units of the first `look` looks; by default of the looks that were made."""
        mask = np.zeros(self.clusters.count, dtype=bool)
        count = self.at if look is None else look
        mask[self.order[: self.sizes[count - 1] if count else 0]] = True
        return mask

    def segments(self, look: int | None = None) -> Array:
        """Return the numbers of the segments that a look adds, in the order of the corpus; by default of the
        next look.
        """
        number = self.at + 1 if look is None else look
        new = self.seen(number) & ~self.seen(number - 1)
        return np.flatnonzero(self.clusters.of_segments(new))

    def look(self, first: Array, second: Array, score: Score, units: Array | None = None) -> Look:
        """Make the next look.

        Parameters
        ----------
        first, second : array (units, width)
            Sums of the statistics of both systems over the segments of each unit.
        score : callable
            Outputs (n,) of sums of statistics (n, width).
        units : array of bool, optional
            Units that have scores of both systems. Default: all.

        Returns
        -------
        Look
            The outcome.
        """
        if not self.is_open:
            state = f"was decided at look {self.at}" if self.sign else "has made all its looks"
            raise ParameterError(f"the test {state}; further looks would change no verdict.")
        self.at += 1
        seen = self.seen() if units is None else self.seen() & units
        observed, null = self._differences(np.where(seen[:, None], [first, second], 0.0), score)
        alpha = spent(self.sizes[self.at - 1] / self.clusters.count, self.alpha, self.spending)
        outcome = Look(self.at, self.sizes[self.at - 1], observed, math.nan, alpha, 0)
        if not math.isfinite(observed) or not np.isfinite(null).all():
            self._crossed.append([])
            return outcome._replace(reason=_UNKNOWN)
        p, limit, crossing = self._compared(abs(observed), np.abs(null), alpha, int(seen.sum()))
        if p <= alpha:
            self.sign, crossing = int(np.sign(observed)), []
        self._crossed.append(crossing)
        return outcome._replace(p=p, sign=self.sign, limit=limit)

    def _differences(self, totals: Array, score: Score) -> tuple[float, Array]:
        """Return the difference of the outputs of two systems, and after each swap vector."""
        first, second = totals
        sums = first.sum(axis=0), second.sum(axis=0)
        moved = resampled_sums(self.clusters.swaps(self.resamples, self.seed), second - first)
        # The difference of two infinite scores is not known.
        with np.errstate(invalid="ignore"):
            null = score(sums[0] + moved) - score(sums[1] - moved)
            (observed,) = score(sums[0][None]) - score(sums[1][None])
        return float(observed), null

    def _compared(
        self, observed: float, null: Array, alpha: float, units: int
    ) -> tuple[float, float, list[int]]:
        """Return p, the limit of this look, and the vectors that cross if the test continues."""
        alive = np.ones(self.resamples, dtype=bool)
        alive[[vector for crossing in self._crossed for vector in crossing]] = False
        used = self.resamples - int(alive.sum())
        slack = SLACK * (max(observed, float(null.max(initial=0.0))) or 1.0)
        more = int((alive & (null >= observed - slack)).sum())
        # No difference of few units is rarer than `least_p`, whatever a sample of their swaps shows.
        floor = min(1.0, used / (self.resamples + 1) + float(least_p(units)))
        p = max((used + more + 1) / (self.resamples + 1), floor)
        quota = math.floor(alpha * (self.resamples + 1)) - used
        if quota <= 0:
            return p, math.inf, []
        limit = float(np.sort(null[alive])[-quota])
        crossing = alive & (null >= limit - slack)
        if crossing.sum() > quota:
            crossing = alive & (null > limit + slack)
        return p, math.inf if floor > alpha else limit, np.flatnonzero(crossing).tolist()

    def state(self) -> dict[str, Any]:
        """Return the state as plain data, for `resume`."""
        return {
            "order_seed": self.seed,
            "alpha": self.alpha,
            "spending": self.spending,
            "resamples": self.resamples,
            "looks": list(self.sizes),
            "spent": np.cumsum([len(crossing) for crossing in self._crossed], dtype=int).tolist(),
            "crossed": [list(crossing) for crossing in self._crossed],
            "at": self.at,
            "decided": self.sign,
        }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state; raise ParameterError if it has other settings, ResultError if it is
        damaged.
        """
        expected = {name: getattr(self, name) for name in _OPTIONS}
        expected |= {"order_seed": self.seed, "looks": list(self.sizes)}
        for name, value in expected.items():
            if state.get(name) != value:
                raise ParameterError(
                    f"the saved run has {name} {state.get(name)!r:.60} instead of {value!r:.60}; a test cannot"
                    " change after its first look."
                )
        crossed: Any = state.get("crossed")
        at: Any = state.get("at")
        sign: Any = state.get("decided")
        if not _is_count(at, len(self.sizes)) or sign not in (-1, 0, 1) or not self._are_vectors(crossed, at):
            raise ResultError(_DAMAGED)
        self.at, self.sign, self._crossed = at, sign, [list(crossing) for crossing in crossed]

    def _are_vectors(self, crossed: Any, looks: int) -> bool:
        """Return True if this has the numbers of different swap vectors for each of these looks."""
        if not isinstance(crossed, Sequence) or len(crossed) != looks:
            return False
        if not all(isinstance(crossing, Sequence) for crossing in crossed):
            return False
        every = [vector for crossing in crossed for vector in crossing]
        return all(_is_count(vector, self.resamples - 1) for vector in every) and len(set(every)) == len(
            every
        )


def _are_sizes(sizes: Any, units: int) -> TypeGuard[Sequence[int]]:
    """Return True if these are growing numbers of units, up to all of them."""
    return (
        isinstance(sizes, Sequence)
        and all(_is_count(size, units) for size in sizes)
        and all(before < after for before, after in pairwise([0, *sizes]))
        and bool(sizes)
        and sizes[-1] == units
    )


def _is_count(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most

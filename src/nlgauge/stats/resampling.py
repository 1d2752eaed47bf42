"""Resamples of systems and inputs, as counts: values stay in place, only their weights change, and all metrics
share the resamples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.errors import ParameterError
from nlgauge.kernels.resampling import draw_counts

OVER = ("systems", "inputs", "both")
# Three systems have three pairs. All are ordered alike by chance in a third of cases, and then in every resample.
LEAST_SYSTEMS = 4


def too_few_systems(over: str | None, systems: int) -> str:
    """Return the reason why a bootstrap over systems is not valid; "" if it is valid or resamples only inputs.

    >>> too_few_systems("both", 3), too_few_systems("both", 4)
    ('a bootstrap over systems needs at least 4 systems, got 3', '')
    """
    if over not in ("systems", "both") or systems >= LEAST_SYSTEMS:
        return ""
    return f"a bootstrap over systems needs at least {LEAST_SYSTEMS} systems, got {systems}"


@dataclass(frozen=True, eq=False)
class Resamples:
    """The count of each system (B, S) and of each input (B, N) in each of B resamples."""

    systems: Array
    inputs: Array
    over: str

    def __len__(self) -> int:
        return len(self.systems)

    @lazy
    def pairs(self) -> Array:
        """(B, pairs) counts of each pair of different systems in a resample; a system drawn twice is not
        paired with itself.

        In float32, which represents these whole numbers and their sums exactly below 2^24.
        """
        i, j = np.triu_indices(self.systems.shape[1], 1)
        counts = self.systems.astype(np.float32)
        return np.asarray(counts[:, i] * counts[:, j])


def bootstrap(
    systems: int, inputs: int, over: str = "both", resamples: int = 1000, seed: int = 12345
) -> Resamples:
    """Draw systems, inputs, or both with replacement."""
    check_over(over)
    check_resampling(resamples, seed)
    rng = np.random.default_rng(seed)
    found = []
    for count, name in ((systems, "systems"), (inputs, "inputs")):
        if over in (name, "both"):
            found.append(bootstrap_counts(rng, resamples, count))
        else:
            found.append(np.ones((resamples, count)))
    return Resamples(found[0], found[1], over)


def bootstrap_counts(rng: np.random.Generator, resamples: int, units: int) -> Array:
    """Return (resamples, units) how often each unit is drawn, with replacement."""
    return draw_counts(rng.integers(units, size=(resamples, units), dtype=np.int32), units)


def leave_one_out(systems: int, inputs: int, over: str = "both") -> Resamples:
    """Return resamples without one system each, then without one input each; `over` selects the kinds."""
    rows = [(1.0 - np.eye(systems), np.ones((systems, inputs)))] if over in ("systems", "both") else []
    rows += [(np.ones((inputs, systems)), 1.0 - np.eye(inputs))] if over in ("inputs", "both") else []
    return Resamples(
        np.concatenate([one for one, _ in rows]), np.concatenate([other for _, other in rows]), over
    )


def check_over(over: object, name: str = "over") -> None:
    """Raise an error if this is nothing that can be resampled."""
    if over not in OVER:
        raise ParameterError(f"{name} must be 'systems', 'inputs' or 'both', got {over!r:.60}.")


def check_resampling(resamples: object, seed: object, least: int = 1) -> None:
    """Raise an error if the number of resamples or the seed is outside its domain."""
    for name, value, lowest in (("resamples", resamples, least), ("seed", seed, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
            raise ParameterError(f"{name} must be a whole number from {lowest}, got {value!r:.60}.")


def folds_of(segments: int, folds: int, seed: int) -> list[Array]:
    """Return the numbers of the segments in each of `folds` random folds."""
    if not 2 <= folds <= segments:
        raise ParameterError(f"folds must be from 2 to the number of segments, {segments}; got {folds!r}.")
    return np.array_split(np.random.default_rng(seed).permutation(segments), folds)

"""Measures that are sums over pairs of points, under swaps: DARR, pairwise-difference Pearson, and soft
pairwise accuracy with swapped systems.

The contribution of a pair (i, j) depends on which metric scores each of its points. If f_uv is the contribution
with i scored by u and j by v, and s the signs, the metrics k and m have after the swaps

    1/4 [ f_kk + f_mm + f_km + f_mk + s_i s_j (f_kk + f_mm - f_km - f_mk) ± s_i (f_kk + f_km - f_mk - f_mm) ± s_j (f_kk - f_km + f_mk - f_mm) ]

so that products of the signs with tables of all pairs of metrics serve every draw.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.measures import Darr, Measure, Soft
from nlgauge.stats.soft import sign_flips, superiority_between
from nlgauge.stats.ties import darr_kinds

# Sums of squares below this share of their terms are rounding.
_CONSTANT = 1e-12


def swapped_sums(tables: Iterable[Array], signs: Array) -> tuple[Array, Array]:
    """Return the sums of all pairs of metrics after the swaps, for the first metric and for the second:
    (statistics, resamples, pairs of metrics).

    `tables` has f for each group of n points: (statistics, M, M, pairs of points). `signs` is (resamples, groups,
    n), or (resamples, 1, n) if all groups have the same signs.
    """
    if signs.shape[1] == 1:
        tables = [sum(tables)]  # type: ignore[list-item]
    even: Array | float = 0.0
    odd: Array | float = 0.0
    for group, table in enumerate(tables):
        k, m = np.triu_indices(table.shape[1], 1)
        own = signs[:, group].astype(np.float64)
        i, j = np.triu_indices(own.shape[1], 1)
        kk, mm, km, mk = table[:, k, k], table[:, m, m], table[:, k, m], table[:, m, k]
        places = np.zeros((len(i), own.shape[1]))
        first, second = (kk + km - mk - mm) / 4, (kk - km + mk - mm) / 4
        line = first @ _at(i, places) + second @ _at(j, places)
        even = (
            even
            + (kk + mm + km + mk).sum(axis=-1)[:, None, :] / 4
            + (own[:, i] * own[:, j]) @ ((kk + mm - km - mk) / 4).swapaxes(1, 2)
        )
        odd = odd + own @ line.swapaxes(1, 2)
    return np.asarray(even + odd), np.asarray(even - odd)


def _at(points: Array, zeros: Array) -> Array:
    indicators = zeros.copy()
    indicators[np.arange(len(points)), points] = 1.0
    return indicators


def darr_differences(measure: Darr, x: Array, z: Array, signs: Array) -> Array:
    """Return the differences of DARR, (resamples, pairs of metrics); x (M, groups, n), z (groups, n), NaN for
    missing scores.
    """

    def table(scores: Array, human: Array) -> Array:
        alike, against = darr_kinds(
            _differences(scores), _human_differences(human), measure.threshold, measure.ties
        )
        return np.stack([alike.astype(np.float64) - against, alike.astype(np.float64) + against])

    one, other = swapped_sums((table(x[:, g], z[g]) for g in range(len(z))), signs)
    return _share(*one) - _share(*other)


def difference_correlations(x: Array, z: Array, signs: Array) -> Array:
    """Return the differences of the pairwise-difference Pearson."""

    def table(scores: Array, human: Array) -> Array:
        dx, dz = _differences(scores), _human_differences(human)
        known = ~np.isnan(dx + dz)
        dx, dz = np.where(known, dx, 0.0), np.where(known, dz, 0.0)
        return np.stack([dx * dz, dx * dx])

    human = sum(float(np.nansum(_human_differences(row) ** 2)) for row in z)
    one, other = swapped_sums((table(x[:, g], z[g]) for g in range(len(z))), signs)
    scale = one[1] + other[1]
    first, second = (
        np.where(
            (side[1] > _CONSTANT * scale) & (human > 0),
            np.clip(side[0] / np.sqrt(np.where(side[1] > 0, side[1] * human, 1.0)), -1, 1),
            np.nan,
        )
        for side in (one, other)
    )
    return np.asarray(first - second)


def soft_differences(measure: Soft, x: Array, z: Array, signs: Array) -> Array:
    """Return the differences of soft pairwise accuracy with whole systems swapped; x (M, S, N), z (S, N),
    signs (resamples, S).
    """
    flips = sign_flips(z.shape[1], measure.resamples, measure.seed)
    upper = np.triu_indices(len(z), 1)
    human = superiority_between(z, z, flips, measure.rule)[upper]
    table = np.array(
        [
            [np.abs(superiority_between(one, other, flips, measure.rule)[upper] - human) for other in x]
            for one in x
        ]
    )
    known = ~np.isnan(table).any(axis=(0, 1))
    apart, against = swapped_sums([np.where(known, table, 0.0)[None]], signs[:, None, :])
    count = known.sum()
    return np.asarray((against - apart)[0] / (count if count else np.nan))


def _differences(scores: Array) -> Array:
    """Return (M, M, pairs) u_i - v_j of the scores (M, n) of one group."""
    i, j = np.triu_indices(scores.shape[1], 1)
    return np.asarray(scores[:, None, i] - scores[None, :, j])


def _human_differences(human: Array) -> Array:
    i, j = np.triu_indices(len(human), 1)
    return np.asarray(human[i] - human[j])


def _share(above: Array, below: Array) -> Array:
    # If no pair remains, the sum is a rounding error below one half.
    return np.asarray(above / np.where(below > 0.5, below, np.nan))


def in_pairs(measure: Measure, level: str, x: Array, z: Array, signs: Array, kind: str) -> Array | None:
    """Return the differences of a measure that is a sum over pairs; None for other measures.

    x (M, S, N) and z (S, N) have NaN for missing scores; signs are (resamples, S, N), with S or N possibly 1.
    """
    if isinstance(measure, Soft):
        return soft_differences(measure, x, z, signs[:, :, 0]) if kind == "systems" else None
    if level == "input":
        x, z, signs = x.swapaxes(1, 2), z.T, signs.swapaxes(1, 2)
    if isinstance(measure, Darr):
        return darr_differences(measure, x, z, _spread(signs, z))
    if measure.name == "pdp" and level in ("input", "by_system"):
        return difference_correlations(x, z, _spread(signs, z))
    return None


def _spread(signs: Array, z: Array) -> Array:
    """Return signs for each point; the groups share them if the signs have one group."""
    return np.broadcast_to(signs, (len(signs), signs.shape[1], z.shape[1]))

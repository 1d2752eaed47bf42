"""Replicates: a coefficient at a level in every draw of systems and inputs, for one metric x (S, N) and human
scores z (S, N).

    system      one product of the scores with the inputs' counts gives the means of all resamples; then weighted coefficients with counts of systems
    input       products of the systems' counts with x, x^2, x z, ... (Pearson), with indicators of order (Spearman), and of the pairs' counts with
                products of signs (Kendall and its kin); the mean over inputs is weighted with their counts
    global      weights are products of both counts
    by_system   one weighted vector per system; the mean is weighted with the systems' counts

What none of these can do (tau-c, calibrated and soft accuracies) is computed draw by draw.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats import weighted
from nlgauge.stats.arrays import paired, snapped
from nlgauge.stats.coefficients import Coefficient
from nlgauge.stats.kendall import Pairs
from nlgauge.stats.levels import Scores, at_level, check_level, human_means
from nlgauge.stats.permutation.orders import order_signs
from nlgauge.stats.resampling import Resamples

_BLOCK = 20_000_000
# Values that are read several times should stay in the processor's cache.
_NEAR = 16_000


def replicates(coefficient: Coefficient, level: str, scores: Scores, resamples: Resamples) -> Array:
    """Return the coefficient in each resample, (B,); NaN if it is undefined there."""
    check_level(level)
    x, z, weights, whole = scores
    judged = None if whole is None or level != "system" else (whole, human_means(z, weights))
    if coefficient.name not in _VECTORISED:
        return draw_by_draw(coefficient, level, scores, resamples)
    x, z = paired(x, z)
    inputs = resamples.inputs if weights is None else resamples.inputs * weights
    if level == "system":
        size = max(1, _NEAR // max(1, 2 * len(x)))
        parts = [slice(i, i + size) for i in range(0, len(resamples), size)]
        return np.concatenate(
            [_system(coefficient, x, z, resamples.systems[part], inputs[part], judged) for part in parts]
        )
    if coefficient.name == "pdp" and level != "global":
        return (
            _pooled_differences(x, z, resamples.systems, inputs)
            if level == "input"
            else _pooled_differences(x.T, z.T, resamples.inputs, resamples.systems)
        )
    if level == "input":
        return _averaged(_inputs(coefficient, x, z, resamples), inputs)
    if level == "by_system":
        return _averaged(
            np.stack(
                [_vector(coefficient, *both, resamples.inputs) for both in zip(x, z, strict=True)], axis=1
            ),
            resamples.systems,
        )
    size = max(1, _BLOCK // x.size)
    blocks = [slice(i, i + size) for i in range(0, len(resamples), size)]
    flat = (
        (resamples.systems[block, :, None] * resamples.inputs[block, None, :]).reshape(-1, x.size)
        for block in blocks
    )
    return np.concatenate([_vector(coefficient, x.ravel(), z.ravel(), part) for part in flat])


_VECTORISED = {"pearson", "spearman", "kendall", "kendall_a", "gamma", "somers", "acc_eq", "tau_eq", "pdp"}


def draw_by_draw(
    coefficient: Coefficient,
    level: str,
    scores: Scores,
    resamples: Resamples,
    average: str = "macro",
    undefined: str = "drop",
) -> Array:
    """Return the coefficient in each resample from its systems and inputs, which is slow and works for any
    coefficient.
    """
    x, z, weights, whole = scores
    found = []
    for systems, inputs in zip(
        resamples.systems.astype(np.int64), resamples.inputs.astype(np.int64), strict=True
    ):
        rows, columns = np.repeat(np.arange(len(x)), systems), np.repeat(np.arange(x.shape[1]), inputs)
        cells = np.ix_(rows, columns)
        drawn = Scores(
            x[cells],
            z[cells],
            None if weights is None else weights[columns],
            None if whole is None else whole[rows],
        )
        found.append(at_level(coefficient, level, drawn, average, undefined).value)
    return np.array(found)


def _vector(coefficient: Coefficient, x: Array, z: Array, weights: Array) -> Array:
    known = ~np.isnan(x)
    x, z = x[known], z[known]
    weights = weights if known.all() else weights[:, known]
    if coefficient.of_pairs is not None:
        return coefficient.of_pairs(weighted.fixed_pairs(x, z, weights))
    # With one group, the correlation of differences equals Pearson's.
    function: Callable[..., Array] = (
        weighted.fixed_spearman if coefficient.name == "spearman" else weighted.fixed_pearson
    )
    return function(x, z, weights)


def _system(
    coefficient: Coefficient,
    x: Array,
    z: Array,
    systems: Array,
    inputs: Array,
    whole: tuple[Array, Array] | None,
) -> Array:
    if whole is None:
        known = ~np.isnan(x)
        total = inputs @ known.T if not known.all() else inputs.sum(axis=1, keepdims=True)
        total = np.where(total == 0, np.nan, total)
        means = inputs @ np.where(known, np.stack([x, z]), 0.0).swapaxes(1, 2) / total
    else:
        means = np.stack([np.broadcast_to(side, systems.shape) for side in paired(*whole)])
    if coefficient.by_rank:
        # The grid is computed from the drawn systems only, as if they were taken one by one; the others have
        # weight 0.
        means = snapped(np.where(systems > 0, means, 0.0))
    if coefficient.of_pairs is not None:
        return coefficient.of_pairs(weighted.moving_pairs(means[0], means[1], systems))
    return (weighted.moving_spearman if coefficient.name == "spearman" else weighted.moving_pearson)(
        means[0], means[1], systems
    )


def _inputs(coefficient: Coefficient, x: Array, z: Array, resamples: Resamples) -> Array:
    """Return (B, N) the coefficient over systems within each input."""
    if coefficient.of_pairs is not None:
        kinds = _kinds_within(x, z)
        size = max(1, _NEAR // max(1, x.shape[1]))
        parts = [resamples.pairs[i : i + size] for i in range(0, len(resamples), size)]
        return np.concatenate(
            [
                np.broadcast_to(coefficient.of_pairs(_pairs_within(kinds, part)), (len(part), x.shape[1]))
                for part in parts
            ]
        )
    if coefficient.name == "spearman":
        return _ranked_within(x, z, resamples.systems)
    return weighted.correlation_of_sums(*_sums_within(x, z, resamples.systems))


def _sums_within(x: Array, z: Array, systems: Array) -> list[Array]:
    """Return (B, N) the weighted sums over systems of 1, x, z, x^2, z^2 and x z, both sides centered within
    inputs.
    """
    known = ~np.isnan(x)
    count = np.maximum(known.sum(axis=0), 1)
    x, z = (np.where(known, side - np.where(known, side, 0.0).sum(axis=0) / count, 0.0) for side in (x, z))
    return [systems @ side for side in (known.astype(np.float64), x, z, x * x, z * z, x * z)]


def _ranked_within(x: Array, z: Array, systems: Array) -> Array:
    size = max(1, _BLOCK // max(1, len(systems) * len(x)))
    blocks = []
    for i in range(0, x.shape[1], size):
        known = ~np.isnan(x[:, i : i + size])
        counts = systems[:, :, None] * known
        total = counts.sum(axis=1, keepdims=True)
        ranks = []
        for side in (x[:, i : i + size], z[:, i : i + size]):
            # below[k, (i, n)]: how much system k adds to the rank of system i on input n.
            below = (side[:, None, :] < side[None, :, :]) + 0.5 * (side[:, None, :] == side[None, :, :])
            ranks.append(
                (systems @ below.reshape(len(side), -1)).reshape(len(systems), *side.shape) - total / 2
            )
        sums = [
            np.einsum("bsn,bsn,bsn->bn", counts, one, other)
            for one, other in ((ranks[0], ranks[0]), (ranks[1], ranks[1]), (ranks[0], ranks[1]))
        ]
        zero = np.zeros_like(sums[0])
        blocks.append(weighted.correlation_of_sums(np.ones_like(zero), zero, zero, *sums))
    return np.concatenate(blocks, axis=1)


class _Kinds(NamedTuple):
    """(pairs, N) kinds of each pair of systems on each input, in float32: 1 if ordered alike, -1 if ordered
    the other way round, and masks of ties.

    Kinds that no pair is of are None: zeros cost as much as numbers.
    """

    difference: Array
    unknown: Array | None
    only_x: Array | None
    only_z: Array | None
    both: Array | None


def _kinds_within(x: Array, z: Array) -> _Kinds:
    i, j = np.triu_indices(len(x), 1)
    unknown = np.isnan(x[i]) | np.isnan(x[j])
    sx, sz = (order_signs(side[i], side[j]) for side in (x, z))
    tied_x, tied_z = (sx == 0) & ~unknown, (sz == 0) & ~unknown
    kinds = unknown, tied_x & ~tied_z, tied_z & ~tied_x, tied_x & tied_z
    return _Kinds(
        (sx * sz).astype(np.float32), *(kind.astype(np.float32) if kind.any() else None for kind in kinds)
    )


def _pairs_within(kinds: _Kinds, pair_weights: Array) -> Pairs:
    """Return (B, N) the pairs of systems within each input, or what broadcasts to it."""
    zero = np.zeros((1, 1))
    difference, unknown, only_x, only_z, both = (
        zero if kind is None else (pair_weights @ kind).astype(np.float64) for kind in kinds
    )
    ordered = pair_weights.sum(axis=1, dtype=np.float64)[:, None] - unknown - only_x - only_z - both
    return Pairs((ordered + difference) / 2, (ordered - difference) / 2, only_x, only_z, both)


def _averaged(values: Array, weights: Array) -> Array:
    known = ~np.isnan(values)
    total = np.where(known, weights, 0.0).sum(axis=1)
    return np.asarray(
        (weights * np.where(known, values, 0.0)).sum(axis=1) / np.where(total == 0, np.nan, total)
    )


def _pooled_differences(x: Array, z: Array, points: Array, groups: Array) -> Array:
    sums = _sums_within(x, z, points)
    between, squares_x, squares_z = (
        (groups * sums[0] * one).sum(axis=1) for one in weighted.centered_sums(*sums)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = between / np.sqrt(squares_x * squares_z)
    return np.asarray(np.clip(np.where((squares_x > 0) & (squares_z > 0), ratio, np.nan), -1, 1))

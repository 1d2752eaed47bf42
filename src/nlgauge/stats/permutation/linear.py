"""Permutation tests of the difference between two metrics' agreement with people: all pairs of metrics at
once, with the same swaps.

x (M, S, N) are scores of M metrics, z (S, N) human scores. Metrics are brought to one scale first
(`standardized`), so that their scores can be exchanged. With signs s (-1 if swapped) the two metrics k and m
become (x_k + x_m) / 2 ± s (x_k - x_m) / 2. The sums of a coefficient are linear in s, or quadratic at most: M
products with the signs serve all M (M - 1) / 2 pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.stats.arrays import CONSTANT, mean_of_known, snapped
from nlgauge.stats.coefficients import Coefficient
from nlgauge.stats.levels import Scores, check_level
from nlgauge.stats.measures import MEASURES, Measure, OfCoefficient
from nlgauge.stats.permutation.orders import RANKED, on_grid, rank_coefficients
from nlgauge.stats.permutation.pairs import in_pairs
from nlgauge.stats.permutation.ranks import rank_differences
from nlgauge.stats.permutation.swaps import Swaps

# Numbers in the largest array that is laid out at once.
_BLOCK = 4_000_000
# A sum of squares about the mean below this share of the squares it came from is rounding.
_CONSTANT = 1e-12
# Decimals of standardized scores.
_DECIMALS = 12


class Points(NamedTuple):
    """Standardized scores (M, S, N) and human scores (S, N), 0 for missing ones; `present` (S, N) is True if
    all are known.
    """

    x: Array
    z: Array
    present: Array

    def with_gaps(self) -> tuple[Array, Array]:
        """Return the scores and human scores with NaN for missing ones."""
        return np.where(self.present, self.x, np.nan), np.where(self.present, self.z, np.nan)

    def transposed(self) -> Points:
        """Return the points with inputs as rows."""
        return Points(self.x.swapaxes(1, 2), self.z.T, self.present.T)


def null_differences(x: Array, z: Array, level: str, measure: Measure, swaps: Swaps) -> Array:
    """Return the difference of every pair of metrics (in the order of `np.triu_indices(M, 1)`) in every
    resample, (resamples, pairs).

    A cell without a score of any metric or a human score is left out for all. A resample in which a coefficient
    is undefined is NaN for the pair. Measures that are neither a mean of coefficients of vectors nor a sum over
    pairs (calibrated accuracy; soft accuracy if inputs are swapped) are computed resample by resample, which is
    slow: `compare(stop=20)` helps.
    """
    points = standardized(x, z, level, measure)
    if not isinstance(measure, OfCoefficient) or measure.coefficient.pooled:
        if measure.name == "pdp" and level in ("system", "global"):
            # With one group, the correlation of differences equals Pearson's.
            return null_differences(x, z, level, MEASURES["pearson"], swaps)
        found = in_pairs(measure, level, *points.with_gaps(), swaps.of_cells(), swaps.kind)
        return _draw_by_draw(points, level, measure, swaps) if found is None else found
    coefficient = measure.coefficient
    if level == "system":
        return of_systems(points, coefficient, swaps)
    if level == "by_system":
        return _in_groups(points, coefficient, swaps)
    if level == "input":
        return _in_groups(points.transposed(), coefficient, swaps.transposed())
    check_level(level)
    return _of_one_group(points, coefficient, swaps)


def standardized(x: Array, z: Array, level: str, measure: Measure) -> Points:
    """Return scores with mean 0 and standard deviation 1 in the units of the measure at its level; constant
    scores become 0.

    Two metrics can exchange scores only if the values that the coefficient is computed from have one scale in
    both. At system level these are the means of systems (the spread of single cells reflects a metric's noise
    on segments, and must not count), at input level the scores of each input, at the level "by_system" the
    scores of each system, at global level all cells. Measures that compare differences across inputs
    (`one_scale`) retain the inputs' own spreads, and have one scale for all. Soft accuracy compares systems
    input by input at any level.
    """
    present = np.isfinite(z) & np.isfinite(x).all(axis=0)
    known, here = np.where(present, x, 0.0), np.broadcast_to(present, x.shape)
    of_means = level == "system" and measure.of_means
    if of_means:
        means, judged = known.sum(axis=2) / np.maximum(present.sum(axis=1), 1), np.asarray(here.any(axis=2))
        center, spread = (of[..., None] for of in _center_and_spread(means, judged, 1, 1))
    else:
        points: int | tuple[int, int] = (
            (1, 2) if check_level(level) == "global" else 2 if level == "by_system" else 1
        )
        center, spread = _center_and_spread(known, here, points, (1, 2) if measure.one_scale else points)
    scores = np.where(present & (spread > 0), (known - center) / np.where(spread > 0, spread, 1.0), 0.0)
    # Scores of two metrics that are equal up to rounding, such as -1 and 1 of any two systems, are tied.
    # Means are tied after they are computed (`_of_vectors`): means of rounded scores would differ by more.
    return Points(scores if of_means else np.round(scores, _DECIMALS), np.where(present, z, 0.0), present)


def _center_and_spread(
    values: Array, here: Array, points: int | tuple[int, int], scale: int | tuple[int, int]
) -> tuple[Array, Array]:
    """Return the means over some axes of the present values, and the standard deviations about them over
    others; 0 for deviations that are rounding.
    """
    count = np.maximum(here.sum(axis=points, keepdims=True), 1)
    center = values.sum(axis=points, keepdims=True, where=here) / count
    # Two passes, so that a large common offset costs nothing.
    center = center + (values - center).sum(axis=points, keepdims=True, where=here) / count
    squares, plain = (
        np.sum(of**2, axis=scale, keepdims=True, where=here) for of in (values - center, values)
    )
    spread = np.sqrt(squares / np.maximum(here.sum(axis=scale, keepdims=True), 1))
    return center, np.where(squares > CONSTANT * plain, spread, 0.0)


def of_systems(points: Points, coefficient: Coefficient, swaps: Swaps) -> Array:
    """Return differences at system level: swapped scores are averaged over inputs first."""
    judged = points.present.any(axis=1)
    k, m = np.triu_indices(len(points.x), 1)
    if not judged.any():
        return np.full((len(swaps), len(k)), np.nan)
    counts = np.maximum(points.present.sum(axis=1), 1)
    human = (points.z.sum(axis=1) / counts)[judged]
    means = (points.x.sum(axis=2) / counts)[:, judged]
    signed = _signed_means(points.x / counts[:, None], swaps)[..., judged]
    if coefficient.name == "pearson":
        return _pearson_of_systems(means, signed, human)
    human = snapped(human)
    found = np.empty((len(signed), len(k)))
    size = max(1, _BLOCK // max(1, signed[:, 0].size))
    for start in range(0, len(k), size):
        one, other = k[start : start + size], m[start : start + size]
        middle, half = (means[one] + means[other]) / 2, (signed[:, one] - signed[:, other]) / 2
        first, second = (_of_vectors(coefficient, middle + sign * half, human) for sign in (1, -1))
        found[:, start : start + size] = first - second
    return found


def _of_vectors(coefficient: Coefficient, values: Array, human: Array) -> Array:
    """Return the coefficient of system means (..., S) with the human means."""
    # The means of swapped scores may all be 0 up to rounding, so a relative tolerance cannot detect ties.
    values = np.round(values, 9)
    if coefficient.name in RANKED:
        rows = on_grid(values).reshape(-1, len(human))
        return rank_coefficients(rows, human, coefficient.name).reshape(values.shape[:-1])
    return coefficient(snapped(values), human)


def _signed_means(x: Array, swaps: Swaps) -> Array:
    """Return the sums over inputs of scores with their signs, (resamples, M, S)."""
    if swaps.cells is not None:
        return np.stack([swaps.cells[:, s].astype(float) @ x[:, s].T for s in range(x.shape[1])], axis=-1)
    metrics, systems, inputs = x.shape
    if swaps.inputs is None:
        assert swaps.systems is not None
        return np.asarray(swaps.systems[:, None, :] * x.sum(axis=2))
    found = (swaps.inputs.astype(float) @ x.reshape(-1, inputs).T).reshape(-1, metrics, systems)
    return np.asarray(found if swaps.systems is None else found * swaps.systems[:, None, :])


def _pearson_of_systems(means: Array, signed: Array, human: Array) -> Array:
    """Return Pearson's differences from products of means: |a ± d|² = a·a + d·d ± 2 a·d, a the mean of two
    metrics, d half their difference.
    """
    k, m = np.triu_indices(len(means), 1)
    means, signed, human = (values - values.mean(axis=-1, keepdims=True) for values in (means, signed, human))
    gram, moved, mixed = means @ means.T, signed @ signed.swapaxes(1, 2), means @ signed.swapaxes(1, 2)
    aa = (gram[k, k] + gram[m, m] + 2 * gram[k, m]) / 4
    dd = (moved[:, k, k] + moved[:, m, m] - 2 * moved[:, k, m]) / 4
    ad = (mixed[:, k, k] + mixed[:, m, k] - mixed[:, k, m] - mixed[:, m, m]) / 4
    az, dz = ((means[k] + means[m]) @ human) / 2, ((signed @ human)[:, k] - (signed @ human)[:, m]) / 2
    squares = human @ human
    # The scale before products cancel: the swapped means may all be equal, and then aa and dd are rounding.
    scale = (gram[k, k] + gram[m, m] + moved[:, k, k] + moved[:, m, m]) / 4
    first, second = (_ratio(az + sign * dz, aa + dd + sign * 2 * ad, squares, scale) for sign in (1, -1))
    return first - second


def _ratio(between: Array, squares_x: Array, squares_z: Array | float, scale: Array) -> Array:
    """Return between / sqrt(squares_x squares_z), NaN if a side is constant: squares_x is rounding relative to
    the `scale` of the terms that it was computed from.
    """
    defined = (squares_x > _CONSTANT * scale) & (np.asarray(squares_z) > 0)
    return np.where(
        defined, np.clip(between / np.sqrt(np.where(defined, squares_x * squares_z, 1.0)), -1, 1), np.nan
    )


def _of_one_group(points: Points, coefficient: Coefficient, swaps: Swaps) -> Array:
    """Return differences at global level: all cells are one group."""
    if coefficient.name in RANKED:
        inputs, systems = np.meshgrid(np.arange(points.z.shape[1]), np.arange(points.z.shape[0]))
        units, signs = _units(swaps, systems, inputs)
        return rank_differences(
            _flat(points.x),
            _flat(points.z),
            _flat(points.present),
            [(units.ravel(), signs)],
            coefficient.name,
        )
    flat = Points(*(_flat(values) for values in points))

    def signs_of(first: int, last: int) -> Array:
        return np.broadcast_to(swaps.of_cells(first, last), (last - first, *points.z.shape)).reshape(
            last - first, 1, -1
        )

    return _by_chunks(flat, coefficient, signs_of, len(swaps))


def _flat(values: Array) -> Array:
    return values.reshape(*values.shape[:-2], 1, -1)


def _in_groups(points: Points, coefficient: Coefficient, swaps: Swaps) -> Array:
    """Return differences of means over groups (rows) of the coefficient within each."""
    if swaps.kind in {"systems", "inputs"} and swaps.systems is not None:
        return _of_whole_groups(points, coefficient, swaps.systems)
    if coefficient.name in RANKED:
        columns = np.arange(points.z.shape[1])
        groups = [_units(swaps, np.full(len(columns), g), columns) for g in range(len(points.z))]
        return rank_differences(*points, groups, coefficient.name)

    def signs_of(first: int, last: int) -> Array:
        return np.broadcast_to(swaps.of_cells(first, last), (last - first, *points.z.shape))

    return _by_chunks(points, coefficient, signs_of, len(swaps))


def _units(swaps: Swaps, rows: Array, columns: Array) -> tuple[Array, Array]:
    """Return for each of some cells the number of the sign that it has, and those signs (resamples, units)."""
    if swaps.kind in {"systems", "inputs"}:
        return (rows, swaps.systems) if swaps.systems is not None else (columns, swaps.inputs)  # type: ignore[return-value]
    cells = swaps.of_cells()
    return np.arange(rows.size).reshape(rows.shape), cells[:, rows.ravel(), columns.ravel()]


def _of_whole_groups(points: Points, coefficient: Coefficient, signs: Array) -> Array:
    """Return the differences if whole groups are swapped: means over groups with a defined coefficient, as
    sums and counts are linear in the signs.
    """
    values = coefficient(*points.with_gaps())
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0.0), defined.astype(float)
    k, m = np.triu_indices(len(values), 1)
    signs = signs.astype(float)
    moved_sums, moved_counts = ((signs @ of.T)[:, k] - (signs @ of.T)[:, m] for of in (sums, counts))
    all_sums, all_counts = (of.sum(axis=1)[k] + of.sum(axis=1)[m] for of in (sums, counts))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = (all_sums + moved_sums) / (all_counts + moved_counts) - (all_sums - moved_sums) / (
            all_counts - moved_counts
        )
    return np.where(np.isfinite(found), found, np.nan)


def _by_chunks(
    points: Points, coefficient: Coefficient, signs_of: Callable[[int, int], Array], resamples: int
) -> Array:
    of = _pearson_in_groups if coefficient.name == "pearson" else _explicitly
    size = max(
        1,
        _BLOCK
        // max(
            1,
            3 * points.x[..., 0].size if coefficient.name == "pearson" else 2 * points.z.size,
            points.z.size,
        ),
    )
    return np.concatenate(
        [
            of(points, coefficient, signs_of(first, min(first + size, resamples)))
            for first in range(0, resamples, size)
        ]
    )


def _pearson_in_groups(points: Points, _: Coefficient, signs: Array) -> Array:
    """Return Pearson's differences from sums of x, x² and x z over each group, which are linear in the signs
    (resamples, groups, points).
    """
    x, z, present = points
    n = np.maximum(present.sum(axis=1), 1)
    z = np.where(present, z - z.sum(axis=1, keepdims=True) / n[:, None], 0.0)
    constant = np.array([len(np.unique(row[here])) < 2 for row, here in zip(points.z, present, strict=True)])
    squares_z = np.where(constant, 0.0, (z * z).sum(axis=1))
    # One shift for all metrics of a group changes nothing but the rounding.
    x = np.where(present, x - (x.sum(axis=(0, 2)) / n / len(x))[:, None], 0.0)
    features = np.stack([x, x * x, x * z])
    whole = features.sum(axis=-1)
    signed = np.matmul(
        signs.astype(float).swapaxes(0, 1), features.transpose(2, 3, 0, 1).reshape(len(z), z.shape[1], -1)
    )
    signed = signed.reshape(len(z), len(signs), 3, len(x)).transpose(2, 3, 1, 0)
    pairs = np.stack(np.triu_indices(len(x), 1), axis=1)
    found = np.empty((len(signs), len(pairs)))
    for at, (k, m) in enumerate(pairs):
        middle, half = (whole[:, k] + whole[:, m]) / 2, (signed[:, k] - signed[:, m]) / 2
        means = []
        for sign in (1, -1):
            sums, squares, products = middle[:, None] + sign * half
            means.append(mean_of_known(_ratio(products, squares - sums**2 / n, squares_z, middle[1])))
        found[:, at] = means[0] - means[1]
    return found


def _explicitly(points: Points, coefficient: Coefficient, signs: Array) -> Array:
    """Return differences of any coefficient, from the swapped scores themselves."""
    x, z = points.with_gaps()
    differences = []
    for k, m in zip(*np.triu_indices(len(x), 1), strict=True):
        one, other = np.where(signs > 0, x[k], x[m]), np.where(signs > 0, x[m], x[k])
        differences.append(mean_of_known(coefficient(one, z)) - mean_of_known(coefficient(other, z)))
    return np.stack(differences, axis=1) if differences else np.empty((len(signs), 0))


def _draw_by_draw(points: Points, level: str, measure: Measure, swaps: Swaps) -> Array:
    x, z = points.with_gaps()
    pairs = list(zip(*np.triu_indices(len(x), 1), strict=True))
    found = np.empty((len(swaps), len(pairs)))
    for draw in range(len(found)):
        kept = swaps.of_cells(draw, draw + 1)[0] > 0
        for at, (k, m) in enumerate(pairs):
            one, other = (
                measure.value(level, Scores(np.where(kept, x[a], x[b]), z)).value for a, b in ((k, m), (m, k))
            )
            found[draw, at] = one - other
    return found

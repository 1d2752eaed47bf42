"""Common parts of the coefficients: points with both sides, runs of equal values, mid-ranks, and snapping of
aggregated scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError

# Scores that differ by less than this share of the largest one are equal: sums of the same numbers in another
# order differ by rounding.
_GRID = 1e-9
# Centered squares below this share of the plain squares are rounding.
CONSTANT = 1e-28


def numbers(name: str, values: Any) -> Array:
    """Return the values as float64, or raise an error that names them."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers; use NaN for a missing value.") from None


def paired(x: Any, z: Any) -> tuple[Array, Array]:
    """Return both sides as float64 of one shape, NaN if either is missing."""
    try:
        x, z = (np.asarray(values, dtype=np.float64) for values in (x, z))
        x, z = np.broadcast_arrays(x, z)
    except (TypeError, ValueError) as error:
        raise InputError(f"the two sides must be numbers of shapes that can be broadcast: {error}.") from None
    if x.ndim == 0:
        raise InputError("a coefficient needs points along the last axis, got single numbers.")
    unknown = np.isnan(x) | np.isnan(z)
    if unknown.any():
        x, z = (np.where(unknown, np.nan, values) for values in (x, z))
    return x, z


def snapped(values: Array) -> Array:
    """Return values on a grid of 1e-9 of the largest along the last axis, so that means of the same scores
    are equal in whatever order they were summed.

    >>> len(set(snapped(np.array([0.1 + 0.2, 0.3, 1.0])).tolist()))
    2
    """
    largest = np.max(np.where(np.isnan(values), 0.0, np.abs(values)), axis=-1, keepdims=True, initial=0.0)
    scale = np.where(largest == 0, 1.0, largest)
    return np.asarray(np.round(values / scale / _GRID) * _GRID * scale)


class Runs(NamedTuple):
    """The first and the last place of each value in sorted order, along the last axis; NaN is last."""

    first: Array
    last: Array

    @property
    def size(self) -> Array:
        """Number of values equal to each value, itself included."""
        return self.last - self.first + 1


def runs(values: Array) -> Runs:
    """Return the runs of equal values."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    n = values.shape[-1]
    starts = np.ones(values.shape, dtype=bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(values.shape, dtype=bool)
    ends[..., :-1] = starts[..., 1:]
    places = np.arange(n)
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, n)[..., ::-1], axis=-1)[..., ::-1]
    found = np.empty((2, *values.shape), dtype=np.int64)
    for of, values_of in zip(found, (first, last), strict=True):
        np.put_along_axis(of, order, values_of, axis=-1)
    return Runs(found[0], found[1])


def mid_ranks(values: Array) -> Array:
    """Return ranks from 1 along the last axis, equal values at the mean of theirs; NaN stays NaN.

    >>> mid_ranks(np.array([3.0, 1.0, np.nan, 3.0])).tolist()
    [2.5, 1.0, nan, 2.5]
    """
    ends = runs(values)
    return np.where(np.isnan(values), np.nan, (ends.first + ends.last) / 2 + 1)


def mean_of_known(values: Array, axis: int = -1) -> Array:
    """Return the mean along an axis of the values that are not NaN; NaN if all are."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    return np.asarray(np.where(known, values, 0.0).sum(axis=axis) / np.where(count == 0, np.nan, count))

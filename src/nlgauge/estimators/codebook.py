"""Codebooks: vectors sorted into a few buckets, so that two sets of them can be compared as histograms.

Vectors are turned to their principal axes, of which those are kept that explain `variance` of the whole, and
put into the bucket of the nearest centre; centres are found by k-means: k-means++ starts, Lloyd's iterations,
the best of several.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array

_BLOCK = 4096
# Squared, in relation to the largest: models compute in single precision, so that what is nearer than this
# differs by rounding alone.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Codebook:
    """A mean, the axes that are kept (dimensions, kept), and a centre a bucket (buckets, kept)."""

    mean: Array
    axes: Array
    centres: Array

    def buckets(self, vectors: Array) -> Array:
        """The bucket of each vector."""
        return _nearest((vectors - self.mean) @ self.axes, self.centres)[0]

    def counts(self, vectors: Array) -> Array:
        """How many of the vectors are in each bucket."""
        return np.bincount(self.buckets(vectors), minlength=len(self.centres))


def fit_codebook(
    vectors: Array,
    weights: Array,
    buckets: int,
    variance: float = 0.9,
    restarts: int = 5,
    iterations: int = 500,
    seed: int = 0,
) -> Codebook:
    """The codebook of vectors that each count as often as their weight says; it has no more buckets than
    there are different vectors.
    """
    mean = weights @ vectors / weights.sum()
    centred = vectors - mean
    values, axes = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    values, axes = values[::-1].clip(0.0, None), axes[:, ::-1]
    explained = np.cumsum(values)
    # Where all vectors are equal nothing is to be explained, and rounding alone would choose the axes.
    spread = explained[-1] > _SAME * (weights.sum() * (mean @ mean) + explained[-1])
    kept = int(np.searchsorted(explained, variance * explained[-1])) + 1 if spread else 0
    axes = axes[:, :kept]
    points = centred @ axes
    generator = np.random.default_rng(seed)
    runs = [
        _lloyd(points, weights, _start(points, weights, buckets, generator), iterations)
        for _ in range(restarts)
    ]
    return Codebook(mean, axes, min(runs, key=lambda run: run[0])[1])


def _start(points: Array, weights: Array, buckets: int, generator: np.random.Generator) -> Array:
    """First centres by k-means++: each drawn with the chance of its weight times its squared distance to
    those before.
    """
    chosen = [int(generator.choice(len(points), p=weights / weights.sum()))]
    distances = _squared(points, points[chosen[0]])
    # A point that is a centre already, or equals one, is not drawn.
    same = _SAME * float(distances.max(initial=0.0))
    while len(chosen) < buckets:
        chances = np.where(distances > same, weights * distances, 0.0)
        if not chances.any():
            break
        chosen.append(int(generator.choice(len(points), p=chances / chances.sum())))
        distances = np.minimum(distances, _squared(points, points[chosen[-1]]))
    return points[chosen]


def _lloyd(points: Array, weights: Array, centres: Array, iterations: int) -> tuple[float, Array]:
    """The weighted sum of squared distances to the nearest centre, and the centres, after Lloyd's
    iterations.
    """
    buckets, distances = _nearest(points, centres)
    for _ in range(iterations):
        order = np.argsort(buckets, kind="stable")
        # A bucket that has lost its last point keeps its centre.
        filled, starts = np.unique(buckets[order], return_index=True)
        mass = np.add.reduceat(weights[order], starts)
        centres = centres.copy()
        centres[filled] = (
            np.add.reduceat(points[order] * weights[order, None], starts, axis=0) / mass[:, None]
        )
        again, distances = _nearest(points, centres)
        if (again == buckets).all():
            break
        buckets = again
    return float(weights @ distances), centres


def _nearest(points: Array, centres: Array) -> tuple[Array, Array]:
    """The nearest centre of each point and the squared distance to it, some points at a time."""
    buckets, distances = np.empty(len(points), dtype=np.int64), np.empty(len(points))
    norms = (centres**2).sum(axis=1)
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        scores = norms - 2 * block @ centres.T
        found = scores.argmin(axis=1)
        buckets[start : start + _BLOCK] = found
        distances[start : start + _BLOCK] = ((block - centres[found]) ** 2).sum(axis=1)
    return buckets, distances


def _squared(points: Array, point: Array) -> Array:
    found: Array = ((points - point) ** 2).sum(axis=1)
    return found

"""Codebooks: vectors are assigned to a few buckets, so that two sets can be compared as histograms.

Vectors are projected onto the first principal axes that explain the share `variance` of the total variance,
and assigned to the bucket of the nearest center. The centers are the best of several runs of k-means, each
with k-means++ starts and Lloyd's iterations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge._core.ragged import Array

_BLOCK = 4096
# Squared distance relative to the largest. Models compute in single precision, so points that are nearer than
# this differ only by rounding.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Codebook:
    """A codebook: a mean (d), principal axes (d, components), and centers (buckets, components)."""

    mean: Array
    axes: Array
    centers: Array

    def buckets(self, vectors: Array) -> Array:
        """Return the bucket of each vector."""
        return _nearest((vectors - self.mean) @ self.axes, self.centers)[0]

    def counts(self, vectors: Array) -> Array:
        """Return the number of vectors in each bucket."""
        return np.bincount(self.buckets(vectors), minlength=len(self.centers))


def fit_codebook(
    vectors: Array,
    weights: Array,
    buckets: int,
    variance: float = 0.9,
    restarts: int = 5,
    iterations: int = 500,
    seed: int = 0,
) -> Codebook:
    """Fit a codebook to weighted vectors; it has at most as many buckets as distinct vectors."""
    mean = weights @ vectors / weights.sum()
    centered = vectors - mean
    values, axes = np.linalg.eigh((centered * weights[:, None]).T @ centered)
    values, axes = values[::-1].clip(0.0, None), axes[:, ::-1]
    explained = np.cumsum(values)
    # If all vectors are equal, there is no variance to explain, and only rounding would determine the axes.
    spread = explained[-1] > _SAME * (weights.sum() * (mean @ mean) + explained[-1])
    components = int(np.searchsorted(explained, variance * explained[-1])) + 1 if spread else 0
    axes = axes[:, :components]
    points = centered @ axes
    generator = np.random.default_rng(seed)
    runs = [
        _lloyd(points, weights, _start(points, weights, buckets, generator), iterations)
        for _ in range(restarts)
    ]
    return Codebook(mean, axes, min(runs, key=lambda run: run[0])[1])


def _start(points: Array, weights: Array, buckets: int, generator: np.random.Generator) -> Array:
    """Draw starting centers with k-means++.

    The probability of a point is proportional to its weight times the squared distance to the nearest center.
    """
    chosen = [int(generator.choice(len(points), p=weights / weights.sum()))]
    distances = _squared(points, points[chosen[0]])
    # A point that is a center, or equal to a center, is not drawn.
    same = _SAME * float(distances.max(initial=0.0))
    while len(chosen) < buckets:
        chances = np.where(distances > same, weights * distances, 0.0)
        if not chances.any():
            break
        chosen.append(int(generator.choice(len(points), p=chances / chances.sum())))
        distances = np.minimum(distances, _squared(points, points[chosen[-1]]))
    return points[chosen]


def _lloyd(points: Array, weights: Array, centers: Array, iterations: int) -> tuple[float, Array]:
    """Run Lloyd's iterations; return the weighted sum of squared distances, and the centers."""
    buckets, distances = _nearest(points, centers)
    for _ in range(iterations):
        order = np.argsort(buckets, kind="stable")
        # The center of a bucket that has lost its last point does not change.
        filled, starts = np.unique(buckets[order], return_index=True)
        mass = np.add.reduceat(weights[order], starts)
        centers = centers.copy()
        centers[filled] = (
            np.add.reduceat(points[order] * weights[order, None], starts, axis=0) / mass[:, None]
        )
        again, distances = _nearest(points, centers)
        if (again == buckets).all():
            break
        buckets = again
    return float(weights @ distances), centers


def _nearest(points: Array, centers: Array) -> tuple[Array, Array]:
    """Return the nearest center of each point and the squared distance; computed block by block."""
    buckets, distances = np.empty(len(points), dtype=np.int64), np.empty(len(points))
    norms = (centers**2).sum(axis=1)
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        scores = norms - 2 * block @ centers.T
        nearest = scores.argmin(axis=1)
        buckets[start : start + _BLOCK] = nearest
        distances[start : start + _BLOCK] = ((block - centers[nearest]) ** 2).sum(axis=1)
    return buckets, distances


def _squared(points: Array, point: Array) -> Array:
    distances: Array = ((points - point) ** 2).sum(axis=1)
    return distances

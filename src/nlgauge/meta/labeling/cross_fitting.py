"""Human scores predicted from several metrics, each by a fit that has not seen the labels of its own segment.

Ridge regression on K folds of the labeled segments (cross-prediction, Zrnic and Candes 2024,
arXiv:2309.16598). The labeled segments of a fold get the fit of the other folds, all other segments the mean
of the fits. Only slopes are used: a constant added to all scores of a system does not change its estimate, and
an intercept that is fitted without a fold would only distinguish the folds.
"""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array

_PENALTIES = np.logspace(-6, 2, 17)


def out_of_fold(
    human: Array, metrics: Array, segments: Array, folds: int, seed: int, within_segments: bool
) -> Array:
    """Return predictions (systems, segments), up to a constant per system, from human scores with NaN and
    metrics (K, systems, segments).

    `segments` has a number per segment; segments with the same number (of a document) are in the same fold.
    `within_segments` fits the differences between systems on the same segment instead of the
    scores of each system over segments. A missing metric score counts as the mean of its system.
    """
    standard = standardized(metrics)
    labeled = ~np.isnan(human)
    named = np.unique(segments[labeled.any(axis=0)])
    fold_of = np.full(len(segments), -1)
    shuffled = np.random.default_rng(seed).permutation(named)
    folds = min(folds, len(named))
    for fold in range(folds):
        fold_of[np.isin(segments, shuffled[fold::folds])] = fold
    fits = [
        _slopes(np.where(fold_of == fold, np.nan, human), standard, within_segments) for fold in range(folds)
    ]
    slopes = np.array(fits).reshape(folds, len(metrics))
    sizes = np.array([len(shuffled[fold::folds]) for fold in range(folds)], dtype=float)
    mean = sizes @ slopes / sizes.sum() if folds else np.zeros(len(metrics))
    # The last row is for the segments of no fold, which have the number -1.
    return np.asarray(np.einsum("nk,ksn->sn", np.vstack([slopes, mean])[fold_of], standard))


def standardized(metrics: Array) -> Array:
    """Return each metric with mean 0 in every system and a pooled deviation of 1; 0 if it is missing or constant."""
    known = ~np.isnan(metrics)
    counts = np.maximum(known.sum(axis=2, keepdims=True), 1)
    centered = np.where(known, metrics - np.where(known, metrics, 0).sum(axis=2, keepdims=True) / counts, 0.0)
    deviations = np.sqrt(
        np.square(centered).sum(axis=(1, 2), keepdims=True)
        / np.maximum(known.sum(axis=(1, 2), keepdims=True), 1)
    )
    size = np.abs(np.where(known, metrics, 0)).max(axis=(1, 2), keepdims=True, initial=0)
    return np.asarray(
        np.divide(centered, deviations, out=np.zeros_like(centered), where=deviations > 1e-12 * size)
    )


def _slopes(human: Array, metrics: Array, within_segments: bool) -> Array:
    """Return one slope per metric, by ridge regression whose penalty has the smallest generalized
    cross-validation error.
    """
    labeled = ~np.isnan(human)
    if not labeled.any():
        return np.zeros(len(metrics))
    parts = np.concatenate([np.where(labeled, human, 0.0)[None], np.where(labeled, metrics, 0.0)])
    if within_segments:
        parts = _centered(parts, labeled, axis=1)
    cells = _centered(parts, labeled, axis=2)[:, labeled]
    y, x = cells[0], cells[1:].T
    left, lengths, right = np.linalg.svd(x, full_matrices=False)
    if lengths.size == 0 or lengths[0] == 0:
        return np.zeros(len(metrics))
    free = labeled.sum() - labeled.any(axis=1).sum() - within_segments * (labeled.any(axis=0).sum() - 1)
    penalties = _PENALTIES * lengths[0] ** 2
    shrunk = lengths**2 / (lengths**2 + penalties[:, None])
    projected = left.T @ y
    errors = y @ y - np.square(projected).sum() + ((1 - shrunk) ** 2) @ projected**2
    best = int(np.argmin(errors / np.maximum(1 - shrunk.sum(axis=1) / max(free, 1), 1e-3) ** 2))
    return np.asarray((shrunk[best] * projected / np.where(lengths > 0, lengths, 1.0)) @ right)


def _centered(parts: Array, labeled: Array, axis: int) -> Array:
    """Subtract the means over the labeled cells along an axis; other cells become 0."""
    counts = np.maximum(labeled.sum(axis=axis - 1), 1)
    return np.where(labeled, parts - np.expand_dims(parts.sum(axis=axis) / counts, axis), 0.0)

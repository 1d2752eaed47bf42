"""Common parts of the estimators of information: components, cross-fitting, and a Gaussian baseline.

    I(S -> T) = h(T) - h(T | S),   h(T) = -mean log q(t),   h(T | S) = -mean log q(t | s)

Every row is evaluated by densities that were fitted on other rows (cross-fitting), so memorized pairs do not
add information. Only the principal components and scales are computed from all rows. They depend on one side
at a time and never on a pair, so they cannot create information. If they were computed from training rows,
the estimate would be too high: the variance of a component is larger on the rows that determined it, so h(T)
would be measured on the wrong scale, but h(T | S), which learns its own scale, would not (4% too much
information on 5000 Gaussian pairs of 384 dimensions, with the first version of the mixtures).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array

_LEAST_SCALE = 1e-4


class Pointwise(NamedTuple):
    """Pointwise entropies in nats; their difference is the information of a row.

    `entropy` and `conditional` (seeds, rows) are -log q(t) and -log q(t|s); NaN if nothing could be fitted.
    `fold` (seeds, rows) is the fold in which each row is held out, and `width` the number of dimensions of t
    after the projection.

    The other fields describe the fits. `rounds`, `gained`, `learnt` and `held_out` (seeds, folds, 2) have a
    value for q(t) and a value for q(t|s): the weighted mean of the training round, the gain in nats at the
    end, and the mean of -log q on training rows and on held-out rows. `modes` (seeds, folds) is the weighted
    mean of the number of modes of q(t). `plain` (seeds, folds) is the mean of -log q on held-out rows for a
    mixture that was fitted from random rows, as a check of q(t).
    """

    entropy: Array
    conditional: Array
    fold: Array
    width: int
    rounds: Array
    gained: Array
    learnt: Array
    held_out: Array
    modes: Array
    plain: Array

    @classmethod
    def of(cls, entropy: Array, conditional: Array, fold: Array, width: int) -> Pointwise:
        """Return the entropies of an estimator without training rounds or values of training rows."""
        folds = int(fold.max(initial=-1)) + 1
        means = np.full((len(fold), folds, 2), np.nan)
        for seed, fold_of_row in enumerate(fold):
            for k in range(folds):
                means[seed, k] = [side[seed, fold_of_row == k].mean() for side in (entropy, conditional)]
        unknown = np.full_like(means, np.nan)
        return cls(
            entropy,
            conditional,
            fold,
            width,
            np.zeros(means.shape),
            np.zeros(means.shape),
            unknown,
            means,
            *unknown.T.swapaxes(1, 2),
        )

    def shortfall(self) -> Array:
        """Return (seeds, folds): the loss of information in nats because densities were fitted on few rows.

        -log q is larger on held-out rows than on training rows; about half of that difference is the distance
        of the density from the best density of its kind.
        """
        gaps = self.held_out - self.learnt
        lost: Array = (gaps[..., 1] - gaps[..., 0]) / 2
        return lost


def fold_of_rows(groups: Array, folds: int, seed: int, seeds: int) -> Array:
    """Return (seeds, rows): the fold in which each row is held out; rows of a group share a fold.

    All values are 0 if there is only one group.
    """
    names, group = np.unique(groups, return_inverse=True)
    count = max(1, min(folds, len(names)))
    return np.array(
        [
            np.random.default_rng([seed, k]).permutation(len(names))[group.reshape(-1)] % count
            for k in range(seeds)
        ]
    )


def standardized(values: Array, components: int | None) -> tuple[Array, float, Array]:
    """Return standardized principal components, the removed log volume, and the original deviations.

    The components have mean 0 and variance 1. If `components` is less than the number of dimensions, the
    components with the most variance are returned. Otherwise (or if it is None) all components are returned,
    and dimensions are scaled before the rotation, so that the scale of a dimension has no effect.
    """
    values = values.astype(np.float64)
    values = values - values.mean(axis=0)
    volume = 0.0
    if components is None or components >= values.shape[1]:
        values, spread = _scaled(values)
        volume = float(np.log(spread).sum())
        components = values.shape[1]
    turned, spread = _scaled(values @ principal_axes(values.T @ values, components))
    return turned, volume + float(np.log(spread).sum()), spread


def principal_axes(covariance: Array, components: int) -> Array:
    """Return (dimensions, components) eigenvectors, in order of decreasing variance.

    The signs of eigenvectors are arbitrary and depend on the processor, so each vector is flipped to the side
    of a fixed direction.
    """
    axes: Array = np.linalg.eigh(covariance)[1][:, ::-1][:, :components]
    side = np.random.default_rng(0).standard_normal(len(axes)) @ axes
    return axes * np.where(side < 0, -1.0, 1.0)


def _scaled(values: Array) -> tuple[Array, Array]:
    """Return centered dimensions scaled to variance 1, and their original deviations."""
    scale = values.std(axis=0)
    # A dimension whose deviation is smaller relative to the largest is constant or only has rounding errors.
    varies = scale > _LEAST_SCALE * scale.max(initial=0.0)
    return values[:, varies] / scale[varies], scale[varies]


def shrunk_covariance(values: Array) -> Array:
    """Return the covariance of centered rows, shrunk towards a multiple of the identity.

    The amount of shrinkage is the formula of Ledoit and Wolf (2004):

    S = X'X / n,  m = tr S / p,  share = min(1, sum_k |x_k x_k' - S|^2 / n^2 / |S - m I|^2)
    """
    n, p = values.shape
    covariance = values.T @ values / n
    identity = np.trace(covariance) / p * np.eye(p)
    distance = ((covariance - identity) ** 2).sum()
    error = (((values**2).sum(axis=1) ** 2).sum() / n - (covariance**2).sum()) / n
    share = min(1.0, error / distance) if distance > 0 else 1.0
    shrunk: Array = (1 - share) * covariance + share * identity
    return shrunk


def gaussian_information(target: Array, given: Array) -> float:
    """Return the plug-in information of jointly Gaussian vectors, (log|C_t| + log|C_s| - log|C|) / 2.

    The covariance is the shrunk covariance of the same rows.
    """
    joint = np.hstack([standardized(target, None)[0], standardized(given, None)[0]])
    covariance, d = shrunk_covariance(joint), target.shape[1]
    parts = [np.linalg.slogdet(block)[1] for block in (covariance[:d, :d], covariance[d:, d:], covariance)]
    return float(parts[0] + parts[1] - parts[2]) / 2


def gaussian(target: Array, given: Array, components: int | None, fold: Array) -> Pointwise:
    """Return held-out pointwise entropies under one joint Gaussian per fold with a shrunk covariance.

    The entropies are -log q(t) and -log q(t|s) = -log q(t, s) + log q(s).
    """
    entropy, conditional, folds = (
        np.full(fold.shape, np.nan),
        np.full(fold.shape, np.nan),
        int(fold.max(initial=0)) + 1,
    )
    if folds < 2:
        return Pointwise.of(entropy, conditional, fold, 0)
    (t, offset, _), (s, *_) = standardized(target, components), standardized(given, components)
    joint, d = np.hstack([t, s]), t.shape[1]
    for seed, fold_of_row in enumerate(fold):
        for k in range(folds):
            rest, learning = fold_of_row == k, joint[fold_of_row != k]
            mean = learning.mean(axis=0)
            covariance = shrunk_covariance(learning - mean)
            alone, other, both = (
                _surprise(joint[rest] - mean, covariance, part)
                for part in (slice(0, d), slice(d, None), slice(None))
            )
            entropy[seed, rest], conditional[seed, rest] = alone + offset, both - other + offset
    return Pointwise.of(entropy, conditional, fold, d)


def _surprise(values: Array, covariance: Array, part: slice) -> Array:
    """Return -log of the Gaussian density of centered rows in the dimensions `part`."""
    # In few rows a dimension may have only rounding errors; adding 1e-6 makes the matrix invertible.
    block = covariance[part, part] + 1e-6 * np.eye(len(covariance))[part, part]
    factor = np.linalg.cholesky(block)
    whitened = np.linalg.solve(factor, values[:, part].T)
    surprise: Array = (
        0.5 * (whitened**2).sum(axis=0) + np.log(np.diag(factor)).sum() + 0.5 * len(block) * np.log(2 * np.pi)
    )
    return surprise

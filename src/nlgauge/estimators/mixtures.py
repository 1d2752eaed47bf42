"""Mixtures of Gaussians with 1, 2, 4, ... modes, fitted by expectation maximization.

The modes of each level are split to get the modes of the next level. Every level is fitted until ten steps
gain less than `TOLERANCE`. Each mode has its own deviations in a common frame: the inverse factor of the
shrunk covariance within modes, so that dimensions may be correlated within modes. This module draws no random
numbers, and it makes no choice by comparing numbers that could be nearly equal: a mode is split along the
direction of its largest variance, computed by a fixed number of power iterations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.estimators.gaussian import shrunk_covariance

# The fit has converged if ten steps gain less than this, in nats per row.
TOLERANCE = 1e-3
_STEPS, _MOST_STEPS = 10, 300
_POWER_ITERATIONS = 8
_ROWS_PER_MODE = 20
_LEAST_VARIANCE = 1e-4
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class Mixture(NamedTuple):
    """A mixture: weights (K), means (K, d) and scales of its modes in the frame `rows @ frame.T`.

    `scales` are inverse deviations (K, d) or, if full, inverse factors of covariances (K, d, d). `gained` is
    the gain of the last ten steps of the fit, in nats per row.
    """

    frame: Array
    weights: Array
    means: Array
    scales: Array
    gained: float = 0.0

    @property
    def full(self) -> bool:
        """True if each mode has its own full covariance."""
        return self.scales.ndim == 3

    def framed(self, rows: Array) -> Array:
        """Return the rows in the frame of the modes."""
        turned: Array = rows @ self.frame.T
        return turned

    def surprise(self, rows: Array) -> Array:
        """Return -log q of each row."""
        logs = joint_logs(self.framed(rows), self)
        surprise: Array = -np.logaddexp.reduce(logs, axis=1) - self.volume
        return surprise

    @property
    def volume(self) -> float:
        """The log determinant of the frame."""
        return float(np.log(np.diag(self.frame)).sum())

    def shares(self, rows: Array) -> Array:
        """Return (rows, K): the probability that each row comes from each mode."""
        return _shares(joint_logs(self.framed(rows), self))[0]


def most_modes(rows: int, modes: int) -> int:
    """Return the largest power of two that is at most `modes` and has at least 20 rows per mode."""
    return int(2 ** math.floor(math.log2(max(1, min(modes, rows // _ROWS_PER_MODE)))))


def one_mode(rows: Array, full: bool) -> Mixture:
    """Fit one Gaussian."""
    d = rows.shape[1]
    frame = inverse_factor(rows - rows.mean(axis=0))
    turned = rows @ frame.T
    return maximized(turned, np.ones((len(rows), 1)), frame, np.ones((1, d)), full)


def split(rows: Array, mixture: Mixture, spread: Array, direction: Array) -> Mixture:
    """Fit a mixture of twice as many modes.

    `spread` (d) is the deviation of each dimension before the rows were standardized; a mode is split along
    its longest axis in those units. `direction` (d) is the start of the power iterations for that axis.
    """
    turned, shares = mixture.framed(rows), mixture.shares(rows)
    halves = (
        np.stack([_half(rows * spread, share, direction) for share in shares.T]) / spread @ mixture.frame.T
    )
    starts = np.stack([mixture.means - halves, mixture.means + halves], axis=1)
    doubled = mixture._replace(
        means=starts.reshape(-1, rows.shape[1]),
        weights=np.repeat(mixture.weights, 2) / 2,
        scales=np.repeat(mixture.scales, 2, axis=0),
    )
    fitted = fit(turned, doubled)
    if fitted.full:
        return fitted
    shares = _shares(joint_logs(turned, fitted))[0]
    turn = inverse_factor(turned - shares @ fitted.means)
    scales = 1 / np.sqrt(fitted.scales**-2 @ (turn**2).T)
    return fit(turned @ turn.T, Mixture(turn @ mixture.frame, fitted.weights, fitted.means @ turn.T, scales))


def fit(turned: Array, mixture: Mixture) -> Mixture:
    """Maximize the likelihood of rows in the frame, until ten steps gain less than `TOLERANCE`."""
    before = -np.inf
    for step in range(_MOST_STEPS + 1):
        shares, logs = _shares(joint_logs(turned, mixture))
        if step % _STEPS == 0:
            gained, before = float(logs.mean()) - before, float(logs.mean())
            if gained < TOLERANCE or step == _MOST_STEPS:
                return mixture._replace(gained=gained)
        counts = shares.sum(axis=0)[:, None].clip(1e-300)
        left = (turned**2).sum(axis=0) - ((shares.T @ turned) ** 2 / counts).sum(axis=0)
        mixture = maximized(turned, shares, mixture.frame, left[None] / len(turned), mixture.full)
    raise AssertionError("unreachable")


def maximized(turned: Array, shares: Array, frame: Array, pooled: Array, full: bool) -> Mixture:
    """Take the maximization step of expectation maximization.

    One row is added to each mode, at its mean and with the variances `pooled` over all modes, so that no mode
    vanishes.
    """
    counts = shares.sum(axis=0)[:, None]
    means = (shares.T @ turned) / counts.clip(1e-300)
    weights = (counts[:, 0] + 1) / (counts.sum() + len(counts))
    if full:
        centered = turned[None] - means[:, None]
        covariances = np.einsum("rk,kri,krj->kij", shares, centered, centered) + (
            pooled.clip(_LEAST_VARIANCE)[:, None] * np.eye(turned.shape[1])
        )
        factors = np.linalg.inv(np.linalg.cholesky(covariances / (counts + 1)[:, :, None]))
        return Mixture(frame, weights, means, factors)
    variances = (shares.T @ turned**2 - counts * means**2 + pooled) / (counts + 1)
    return Mixture(frame, weights, means, 1 / np.sqrt(variances.clip(0) + _LEAST_VARIANCE))


def joint_logs(turned: Array, mixture: Mixture) -> Array:
    """Return (rows, K): the log of weight times density, in the frame."""
    diagonal = np.diagonal(mixture.scales, axis1=1, axis2=2) if mixture.full else mixture.scales
    constants = np.log(mixture.weights) + np.log(diagonal).sum(axis=1) - turned.shape[1] * _HALF_LOG_TWO_PI
    logs: Array = constants - 0.5 * distances(turned, mixture)
    return logs


def distances(turned: Array, mixture: Mixture) -> Array:
    """Return (rows, K): squared distances from the modes, in units of their deviations."""
    if mixture.full:
        return np.stack(
            [
                (((turned - mean) @ factor.T) ** 2).sum(axis=1)
                for mean, factor in zip(mixture.means, mixture.scales, strict=True)
            ],
            axis=1,
        )
    precisions = mixture.scales**2
    squared: Array = (
        turned**2 @ precisions.T
        - 2 * turned @ (mixture.means * precisions).T
        + (mixture.means**2 * precisions).sum(axis=1)
    )
    return squared


def widened(mixture: Mixture, turned: Array, shares: Array) -> Mixture:
    """Scale the deviations of all modes to the distances of other rows, in the frame.

    The rows that the modes were fitted on are nearer to them. One row at a distance of one deviation is
    added.
    """
    rows, d = turned.shape
    wider = np.sqrt(((shares * distances(turned, mixture)).sum() / d + 1) / (rows + 1))
    return mixture._replace(scales=mixture.scales / wider)


def _shares(logs: Array) -> tuple[Array, Array]:
    total = np.logaddexp.reduce(logs, axis=1)
    # Smaller shares would lead to denormal numbers, with which processors are slow.
    return np.exp((logs - total[:, None]).clip(-60)), total


def _half(rows: Array, share: Array, direction: Array) -> Array:
    """Return the vector of one deviation along the longest axis of a mode."""
    weights = share / share.sum().clip(1e-300)
    centered = np.sqrt(weights)[:, None] * (rows - weights @ rows)
    for _ in range(_POWER_ITERATIONS):
        direction = centered.T @ (centered @ direction)
        direction = direction / np.linalg.norm(direction).clip(1e-12)
    half: Array = np.linalg.norm(centered @ direction) * direction
    return half


def inverse_factor(residuals: Array) -> Array:
    """Return the inverse Cholesky factor of the covariance of residuals, with shrunk correlations."""
    if not residuals.shape[1]:
        return np.zeros((0, 0))
    # One row with the variance of all rows is added: a few rows must not look like certainty.
    deviations = np.sqrt(((residuals**2).sum(axis=0) + 1) / (len(residuals) + 1))
    rows, d = residuals.shape
    shrunk = (rows * shrunk_covariance(residuals / deviations) + np.eye(d)) / (rows + 1)
    factor: Array = np.linalg.inv(np.linalg.cholesky(shrunk)) / deviations
    return factor

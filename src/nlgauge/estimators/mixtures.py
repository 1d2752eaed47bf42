"""Mixtures of Gaussians by expectation maximization, with ever more modes: 1, 2, 4, ..., each level by
splitting the modes of the level before.

Every level is fitted until ten steps gain less than `TOLERANCE`. Modes have deviations of their own in a
frame that all share: the factor of the shrunk covariance that the modes leave, so that dimensions may be
correlated within modes. Nothing is drawn or chosen by comparing numbers that could be nearly equal: a mode is
split along the direction of its largest variance, found by a fixed number of power iterations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.estimators.gaussian import shrunk_covariance

# Nats per row that ten steps must gain, else the fit has settled.
TOLERANCE = 1e-3
_STEPS, _MOST_STEPS = 10, 300
_POWER_ITERATIONS = 8
_ROWS_PER_MODE = 20
_LEAST_VARIANCE = 1e-4
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class Mixture(NamedTuple):
    """Weights (K), means (K, d) and scales of modes in a frame: rows @ frame.T; scales are inverse deviations
    (K, d) or, if full, factors (K, d, d).

    `gained`: nats per row that the last ten steps of its fit gained.
    """

    frame: Array
    weights: Array
    means: Array
    scales: Array
    gained: float = 0.0

    @property
    def full(self) -> bool:
        """Whether each mode has a covariance of its own."""
        return self.scales.ndim == 3

    def framed(self, rows: Array) -> Array:
        """Turn rows into the frame of the modes."""
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
        """Return (rows, K): how likely each row comes from each mode."""
        return _shares(joint_logs(self.framed(rows), self))[0]


def most_modes(rows: int, modes: int) -> int:
    """Return the largest power of two that is at most `modes` and leaves 20 rows per mode."""
    return int(2 ** math.floor(math.log2(max(1, min(modes, rows // _ROWS_PER_MODE)))))


def one_mode(rows: Array, full: bool) -> Mixture:
    """Fit one Gaussian."""
    d = rows.shape[1]
    frame = inverse_factor(rows - rows.mean(axis=0))
    turned = rows @ frame.T
    return maximized(turned, np.ones((len(rows), 1)), frame, np.ones((1, d)), full)


def split(rows: Array, mixture: Mixture, spread: Array, direction: Array) -> Mixture:
    """Fit a mixture of twice as many modes.

    `spread` (d) is the deviation of each dimension before rows were standardized: a mode is split along its
    longest axis in those units, and `direction` (d) is where the search for that axis starts.
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
    """Maximize the likelihood of rows that are in the frame already, until ten steps gain less than the
    tolerance.
    """
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
    """Take the step of maximization; one more row in each mode, at its mean and with the deviations of
    all modes, keeps it from vanishing.
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
    """Return (rows, K): log of weight times density, in the frame."""
    diagonal = np.diagonal(mixture.scales, axis1=1, axis2=2) if mixture.full else mixture.scales
    constants = np.log(mixture.weights) + np.log(diagonal).sum(axis=1) - turned.shape[1] * _HALF_LOG_TWO_PI
    logs: Array = constants - 0.5 * distances(turned, mixture)
    return logs


def distances(turned: Array, mixture: Mixture) -> Array:
    """Return (rows, K): squared distances from the modes, in their deviations."""
    if mixture.full:
        return np.stack(
            [
                (((turned - mean) @ factor.T) ** 2).sum(axis=1)
                for mean, factor in zip(mixture.means, mixture.scales, strict=True)
            ],
            axis=1,
        )
    precisions = mixture.scales**2
    found: Array = (
        turned**2 @ precisions.T
        - 2 * turned @ (mixture.means * precisions).T
        + (mixture.means**2 * precisions).sum(axis=1)
    )
    return found


def widened(mixture: Mixture, turned: Array, shares: Array) -> Mixture:
    """Scale the deviations of all modes to other rows, in the frame, and one more: the rows that modes
    were fitted to lie nearer to them.
    """
    rows, d = turned.shape
    wider = np.sqrt(((shares * distances(turned, mixture)).sum() / d + 1) / (rows + 1))
    return mixture._replace(scales=mixture.scales / wider)


def _shares(logs: Array) -> tuple[Array, Array]:
    total = np.logaddexp.reduce(logs, axis=1)
    # Smaller shares would be slow, because processors are slow at the smallest numbers.
    return np.exp((logs - total[:, None]).clip(-60)), total


def _half(rows: Array, share: Array, direction: Array) -> Array:
    """Return one deviation along the longest axis of a mode."""
    weights = share / share.sum().clip(1e-300)
    centered = np.sqrt(weights)[:, None] * (rows - weights @ rows)
    for _ in range(_POWER_ITERATIONS):
        direction = centered.T @ (centered @ direction)
        direction = direction / np.linalg.norm(direction).clip(1e-12)
    half: Array = np.linalg.norm(centered @ direction) * direction
    return half


def inverse_factor(residuals: Array) -> Array:
    """Return the inverse factor of the covariance of residuals; their correlations are shrunk."""
    if not residuals.shape[1]:
        return np.zeros((0, 0))
    # One more row with the variance of all: a handful of rows must not look like certainty.
    deviations = np.sqrt(((residuals**2).sum(axis=0) + 1) / (len(residuals) + 1))
    rows, d = residuals.shape
    shrunk = (rows * shrunk_covariance(residuals / deviations) + np.eye(d)) / (rows + 1)
    factor: Array = np.linalg.inv(np.linalg.cholesky(shrunk)) / deviations
    return factor

"""Densities q(t|s) in closed form, at which the training starts.

Each consists of a mixture of the targets, a linear map, and a linear guess of the mode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.estimators.mixtures import Mixture, inverse_factor, joint_logs, maximized, widened

# The smallest strength is not 0: directions that few rows leave undetermined would be divided by rounding
# errors.
_STRENGTHS = 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0
_TRUSTS = 0.0, 0.03, 0.1, 0.3, 1.0
_MOST_WEIGHING = 500
_LEAST_DEVIATION = 1e-2


def weighing(rows: int) -> int:
    """Return the number of rows n in a weight exp(-n * loss), at most `_MOST_WEIGHING`.

    With a larger n, the loss would have to be accurate to more digits.
    """
    return min(_MOST_WEIGHING, rows)


def weights_of(losses: Array, rows: int) -> Array:
    """Return weights that sum to 1 along the first axis, from mean losses of `rows` rows."""
    weights = np.exp(-weighing(rows) * (losses - losses.min(axis=0)))
    normalized: Array = weights / weights.sum(axis=0)
    return normalized


class Expert(NamedTuple):
    """A density q(t|s): a mixture of t - s @ slopes whose modes have the logits s @ gates + offsets."""

    mixture: Mixture
    slopes: Array
    gates: Array
    offsets: Array

    def surprise(self, target: Array, given: Array) -> Array:
        """Return -log q(t|s) of each row."""
        logs = joint_logs(self.mixture.framed(target - given @ self.slopes), self.mixture)
        surprise: Array = (
            -np.logaddexp.reduce(logs + log_softmax(given @ self.gates + self.offsets), axis=1)
            - self.mixture.volume
        )
        return surprise

    def repeated(self, modes: int) -> Expert:
        """Return the same density with every mode repeated, so that it has `modes` modes."""
        times = modes // len(self.offsets)
        mixture = self.mixture._replace(
            means=np.repeat(self.mixture.means, times, 0), scales=np.repeat(self.mixture.scales, times, 0)
        )
        return Expert(
            mixture,
            self.slopes,
            np.repeat(self.gates, times, 1),
            np.repeat(self.offsets, times) - np.log(times),
        )


def log_softmax(logits: Array) -> Array:
    """Return the log softmax of each row."""
    logs: Array = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    return logs


def expert(mixture: Mixture, target: Array, given: Array, wanted: Array, shown: Array) -> Expert:
    """Fit q(t|s) with the modes of a mixture of the targets.

    `target` and `given` are t and s of the rows to fit. `wanted` and `shown` are t and s of other rows, which
    determine the shrinkage and the widths of the modes.
    """
    shares, others = mixture.shares(target), mixture.shares(wanted)
    of_target, of_given = (_means(shares, side) for side in (target, given))
    sides = [
        target - shares @ of_target,
        given - shares @ of_given,
        wanted - others @ of_target,
        shown - others @ of_given,
    ]
    scales = [np.sqrt((side**2).mean(axis=0) + _LEAST_DEVIATION**2) for side in sides[:2]]
    slopes = ridge(*(side / scales[i % 2] for i, side in enumerate(sides))) * scales[0] / scales[1][:, None]
    frame = inverse_factor(sides[0] - sides[1] @ slopes)
    turned = (target - given @ slopes) @ frame.T
    modes = maximized(turned, shares, frame, np.ones((1, len(frame))), mixture.full)
    gates, offsets = _gates(shares, others, given, shown, of_given, sides[1])
    modes = widened(modes, (wanted - shown @ slopes) @ frame.T, others)
    return Expert(modes._replace(weights=np.ones(len(offsets))), slopes, gates, offsets)


def _means(shares: Array, rows: Array) -> Array:
    means: Array = shares.T @ rows / shares.sum(axis=0)[:, None].clip(1e-300)
    return means


def _gates(
    shares: Array, others: Array, given: Array, shown: Array, means: Array, residuals: Array
) -> tuple[Array, Array]:
    """Fit the linear discriminant of the modes, multiplied by a factor that other rows determine."""
    factor = inverse_factor(residuals)
    gates = factor.T @ (factor @ means.T)
    offsets, prior = (
        -0.5 * (means.T * gates).sum(axis=0),
        np.log((shares.sum(axis=0) + 1) / (len(shares) + len(means))),
    )
    losses = np.array(
        [
            -(others * log_softmax(trust * (shown @ gates + offsets) + prior)).sum(axis=1).mean()
            for trust in _TRUSTS
        ]
    )
    trust = weights_of(losses, len(shown)) @ np.array(_TRUSTS)
    return trust * gates, trust * offsets + prior


def ridge(target: Array, given: Array, wanted: Array, shown: Array) -> Array:
    """Return a linear map from `given` to `target`: a weighted mean of ridge regressions.

    The weights depend on the residuals of `wanted` when it is predicted from `shown`.
    """
    covariance, crossed = given.T @ given / len(given), given.T @ target / len(given)
    tried = [
        np.linalg.solve(covariance + strength * np.eye(len(covariance)), crossed) for strength in _STRENGTHS
    ]
    tried.append(np.zeros_like(crossed))
    # One row with the variance of all rows is added: a few rows must not look like certainty.
    left = [(((wanted - shown @ slopes) ** 2).sum(axis=0) + 1) / (len(wanted) + 1) for slopes in tried]
    weights = weights_of(0.5 * np.log(np.array(left)).sum(axis=1), len(wanted))
    mean: Array = np.tensordot(weights, np.array(tried), 1)
    return mean

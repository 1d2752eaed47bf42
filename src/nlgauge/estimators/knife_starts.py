"""Where the training of mixtures starts: clusters of rows, and the best linear map; both change little when the rows do."""

from __future__ import annotations

import numpy as np

from nlgauge.corpus.columns import Array

# More of them part modes further that lie close together, and rounding with them.
_MAXIMISATIONS = 10
# The least is not 0: what few rows leave undetermined would be divided by rounding.
_STRENGTHS = 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0
_MOST_WEIGHING = 500


def weighing(rows: int) -> int:
    """How many rows count where their mean loss becomes a weight, exp(-count * loss): with more, a loss would have to be known to more digits."""
    return min(_MOST_WEIGHING, rows)


def clusters(rows: Array, means: Array) -> tuple[Array, Array, Array]:
    """Means, variances and weights of a mixture by expectation maximisation; one more row with the variance of all keeps each mode from vanishing."""
    variances, weights = np.ones(means.shape), np.full(len(means), 1 / len(means))
    for _ in range(_MAXIMISATIONS):
        distances = rows**2 @ (1 / variances).T - 2 * rows @ (means / variances).T + (means**2 / variances).sum(axis=1)
        logs = np.log(weights) - 0.5 * (distances + np.log(variances).sum(axis=1))
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        counts = shares.sum(axis=0)[:, None] + 1
        means = shares.T @ rows / counts
        variances = (shares.T @ rows**2 + 1) / counts - means**2
        weights = counts[:, 0] / counts.sum()
    return means, variances, weights


def ridge(target: Array, given: Array, wanted: Array, shown: Array) -> tuple[Array, Array, Array]:
    """The linear map from `given` to `target`, what it leaves of `target`, and the covariance of what it leaves of `wanted`, given `shown`.

    A mean of ridge regressions, and of none, weighted by what they leave of `wanted`.
    """
    covariance, crossed = given.T @ given / len(given), given.T @ target / len(given)

    def left(slopes: Array) -> Array:
        missed = wanted - shown @ slopes
        # One more row with the variance of all: a handful of rows must not look like certainty.
        found: Array = (missed.T @ missed + np.eye(missed.shape[1])) / (len(wanted) + 1)
        return found

    tried = [np.linalg.solve(covariance + strength * np.eye(len(covariance)), crossed) for strength in _STRENGTHS]
    tried.append(np.zeros_like(crossed))
    losses = np.array([0.5 * np.log(np.diag(left(slopes))).sum() for slopes in tried])
    weights = np.exp(-weighing(len(wanted)) * (losses - losses.min()))
    slopes = np.tensordot(weights / weights.sum(), np.array(tried), 1)
    return slopes, target - given @ slopes, left(slopes)

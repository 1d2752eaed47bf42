"""python -m benchmarks.cosmic_truth [PART...]: COSMIC's estimate on data whose mutual information is known,
as the table of docs/results/cosmic.md.

Every row is one sample with a fixed seed, d components of both sides, three seeds of the estimator. "on this
sample" is the mean of the true pointwise information of the very pairs: the difference from the truth is
chance of the sample, which the interval of a score shows. An estimate is right if it is within 10% of that
mean (0.05 nats if the mean is below 0.5), and flagged if `likely_error` is above 0.1.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.estimators.gaussian import principal_axes
from nlgauge.metrics._shared.mutual_information import Estimator
from nlgauge.metrics.cosmic import checks

HEADER = (
    "| data | pairs | d | true I | on this sample | estimate | error | shortfall | entropy_excess |"
    " dispersion | likely_error | verdict | CPU s |"
)


class Case(NamedTuple):
    """Pairs, the information of their distribution, the pointwise information of each pair, and how many
    components of each side are kept.
    """

    name: str
    target: Array
    given: Array
    truth: float
    pointwise: Array
    components: int


def gaussians(count: int, d: int, correlation: float, seed: int = 1) -> Case:
    """Each dimension of one side is correlated with the same dimension of the other."""
    rng = np.random.default_rng(seed)
    given, noise = rng.standard_normal((2, count, d))
    target, left = correlation * given + math.sqrt(1 - correlation**2) * noise, 1 - correlation**2
    pointwise = (0.5 * (target**2 - noise**2) - 0.5 * math.log(left)).sum(axis=1)
    return Case(f"Gaussian, correlation {correlation}", target, given, -d / 2 * math.log(left), pointwise, d)


def clusters(count: int, d: int, number: int, seed: int = 5) -> Case:
    """Both sides are near a center of the same number; two centers are opposite, more are drawn."""
    rng = np.random.default_rng(seed)
    label = rng.integers(number, size=count)
    centers = (
        6 * rng.standard_normal((2, number, d)) if number > 2 else np.array([[[-6.0] * d, [6.0] * d]] * 2)
    )
    target, given = (center[label] + rng.standard_normal((count, d)) for center in centers)
    logs = [
        -0.5 * ((side[:, None] - center) ** 2).sum(axis=2) - math.log(number)
        for side, center in zip((target, given), centers, strict=True)
    ]
    alone = [np.logaddexp.reduce(one, axis=1) for one in logs]
    pointwise = np.logaddexp.reduce(logs[0] + logs[1] + math.log(number), axis=1) - alone[0] - alone[1]
    # Drawn centers may be near each other: then less than log(number) can be known.
    return Case(
        f"{number} clusters",
        target,
        given,
        float(pointwise.mean()) if number > 2 else math.log(number),
        pointwise,
        d,
    )


def embeddings(count: int, seed: int) -> Case:
    """Gaussians of 384 dimensions whose variances fall as those of embeddings do, with correlation 0.7,
    reduced to as many components as by default.

    The truth is that of the components, whose axes are found on the sample and differ between the sides.
    """
    d, components = 384, min(64, count // 20)
    variances, rng = 1 / np.arange(1, d + 1), np.random.default_rng(seed)
    given, noise = np.sqrt(variances) * rng.standard_normal((2, count, d))
    sides = 0.7 * given + math.sqrt(0.51) * noise, given
    axes = [principal_axes(np.cov(side.T), components) for side in sides]
    covariance = np.block(
        [[(1.0 if i == j else 0.7) * axes[i].T * variances @ axes[j] for j in range(2)] for i in range(2)]
    )
    rows = np.hstack([side @ axis for side, axis in zip(sides, axes, strict=True)])
    logs = [
        _log_normal(rows[:, part], covariance[part, part])
        for part in (slice(None), slice(components), slice(components, None))
    ]
    determinants = [
        np.linalg.slogdet(covariance[part, part])[1]
        for part in (slice(None), slice(components), slice(components, None))
    ]
    truth = 0.5 * (determinants[1] + determinants[2] - determinants[0])
    return Case(
        f"like embeddings, sample {seed}", *sides, float(truth), logs[0] - logs[1] - logs[2], components
    )


def _log_normal(rows: Array, covariance: Array) -> Array:
    """Return the log density of rows under a Gaussian with mean 0, without its constant."""
    logs: Array = -0.5 * (
        (rows * np.linalg.solve(covariance, rows.T).T).sum(axis=1) + np.linalg.slogdet(covariance)[1]
    )
    return logs


def mapped(case: Case) -> Case:
    """Each dimension mapped by a monotone function, which changes no information."""
    return case._replace(
        name=f"monotone maps of {case.name}",
        target=np.sign(case.target) * np.abs(case.target) ** 1.7,
        given=np.tanh(case.given),
    )


def shuffled(case: Case) -> Case:
    """Pairs of unrelated sides."""
    given = np.random.default_rng(9).permutation(case.given)
    return case._replace(name=f"shuffled {case.name}", given=given, truth=0.0, pointwise=np.zeros(len(given)))


def cases() -> Iterator[Case]:
    """Yield the whole grid."""
    for count in (500, 2000):
        for d in (4, 8, 16, 32, 64):
            for correlation in (0.5, 0.9):
                yield gaussians(count, d, correlation)
        for d in (3, 16, 64):
            for number in (2, 8):
                yield clusters(count, d, number)
        for correlation in (0.5, 0.9):
            yield mapped(gaussians(count, 4, correlation))
        for case in (gaussians(count, 4, 0.9), gaussians(count, 64, 0.9), clusters(count, 16, 8)):
            yield shuffled(case)
    for count in (100, 300, 1000):
        for seed in (1, 2, 3):
            yield embeddings(count, seed)
        yield shuffled(embeddings(count, 1))


def row(case: Case) -> str:
    """Estimate one case and return its line of the table."""
    started, count, d = time.process_time(), len(case.target), case.components
    found = Estimator(components=d)(case.target, case.given, np.arange(count), count, 1)
    spent, expected = time.process_time() - started, float(case.pointwise.mean())
    estimate = float((found.entropy - found.conditional).mean())
    excess = float((found.held_out[..., 0] - found.plain).mean())
    variance = (found.conditional**2).mean() - found.conditional.mean() ** 2
    said = checks(*(np.array(value) for value in (estimate, found.shortfall().mean(), excess, variance, d)))
    right = abs(estimate - expected) <= 0.1 * max(abs(expected), 0.5)
    verdict = ("right" if right else "wrong") + (", flagged" if said["likely_error"] > 0.1 else "")
    error = f"{estimate / expected - 1:+.0%}" if expected else f"{estimate:+.3f}"
    numbers = [f"{value:.3f}" for value in (case.truth, expected, estimate)]
    return (
        "| "
        + " | ".join(
            [
                case.name,
                str(count),
                str(d),
                *numbers,
                error,
                *(f"{value:.2f}" for value in said.values()),
                verdict,
                f"{spent:.1f}",
            ]
        )
        + " |"
    )


def main() -> None:
    """Print the table, or the rows whose name and pairs contain one of the arguments."""
    print(HEADER)
    print("|" + " --- |" * (HEADER.count("|") - 1))
    for case in cases():
        label = f"{case.name} {len(case.target)} d{case.components}"
        if len(sys.argv) == 1 or any(part in label for part in sys.argv[1:]):
            print(row(case), flush=True)


if __name__ == "__main__":
    main()

"""python -m benchmarks.cosmic_truth [PART...]: COSMIC's estimate on data whose mutual information is known, as the table of docs/results/cosmic.md.

Every row is one sample with a fixed seed, both sides with all of their dimensions, three seeds of the estimator. "on this sample" is the mean of the
true pointwise information of the very pairs: what is left between it and the truth is chance of the sample, which the interval of a score shows. It
is right if the estimate is within 10 % of that mean (0.05 nats if the truth is below 0.5) and flagged if `likely_error` is above 0.1.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nlgauge.corpus.columns import Array
from nlgauge.estimators.mutual_information import Estimator
from nlgauge.metrics.cosmic import checks

HEADER = (
    "| data | pairs | d | true I | on this sample | estimate | error | shortfall | entropy_excess | dispersion | likely_error | verdict | CPU s |"
)


class Case(NamedTuple):
    """Pairs, the information of their distribution, and the pointwise information of each pair."""

    name: str
    target: Array
    given: Array
    truth: float
    pointwise: Array


def gaussians(count: int, d: int, correlation: float, seed: int = 1) -> Case:
    """Each dimension of one side is correlated with the same dimension of the other."""
    rng = np.random.default_rng(seed)
    given, noise = rng.standard_normal((2, count, d))
    target, left = correlation * given + math.sqrt(1 - correlation**2) * noise, 1 - correlation**2
    pointwise = (0.5 * (target**2 - noise**2) - 0.5 * math.log(left)).sum(axis=1)
    return Case(f"Gaussian, correlation {correlation}", target, given, -d / 2 * math.log(left), pointwise)


def clusters(count: int, d: int, number: int, seed: int = 5) -> Case:
    """Both sides are near a center of the same number; two centers are opposite, more are drawn."""
    rng = np.random.default_rng(seed)
    label = rng.integers(number, size=count)
    centers = 6 * rng.standard_normal((2, number, d)) if number > 2 else np.array([[[-6.0] * d, [6.0] * d]] * 2)
    target, given = (center[label] + rng.standard_normal((count, d)) for center in centers)
    logs = [-0.5 * ((side[:, None] - center) ** 2).sum(axis=2) - math.log(number) for side, center in zip((target, given), centers, strict=True)]
    alone = [np.logaddexp.reduce(one, axis=1) for one in logs]
    pointwise = np.logaddexp.reduce(logs[0] + logs[1] + math.log(number), axis=1) - alone[0] - alone[1]
    # Drawn centers may be near each other: then less than log(number) can be known.
    return Case(f"{number} clusters", target, given, float(pointwise.mean()) if number > 2 else math.log(number), pointwise)


def mapped(case: Case) -> Case:
    """Each dimension mapped by a monotone function, which changes no information."""
    return case._replace(name=f"monotone maps of {case.name}", target=np.sign(case.target) * np.abs(case.target) ** 1.7, given=np.tanh(case.given))


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


def row(case: Case) -> str:
    """Estimate one case and return its line of the table."""
    started, (count, d) = time.process_time(), case.target.shape
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
        + " | ".join([case.name, str(count), str(d), *numbers, error, *(f"{value:.3f}" for value in said.values()), verdict, f"{spent:.1f}"])
        + " |"
    )


def main() -> None:
    """Print the table, or the rows whose name and pairs contain one of the arguments."""
    print(HEADER)
    print("|" + " --- |" * (HEADER.count("|") - 1))
    for case in cases():
        label = f"{case.name} {len(case.target)} d{case.target.shape[1]}"
        if len(sys.argv) == 1 or any(part in label for part in sys.argv[1:]):
            print(row(case), flush=True)


if __name__ == "__main__":
    main()

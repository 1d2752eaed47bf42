"""Error rates and coverage of what the other simulations do not have.

python -m benchmarks.nightly.simulated [--runs 300] [scores] [correlations] [annotators] [damage]

scores        the interval of a mean score, and both tests of two equal systems whose segments share their difficulty
correlations  p of Pearson, Spearman and Kendall of independent scores
annotators    Krippendorff's alpha: the interval over units, and the value for 20,000 units as the truth
damage        the share of damage that a metric notices, with texts that differ in how easily it is noticed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import nlgauge
from benchmarks.missing_scores import Grade
from benchmarks.nightly.printing import print_parts
from nlgauge.meta import Judgments
from nlgauge.meta.diagnostics.annotators import agreement
from nlgauge.stats.intervals import wilson_of_groups

SIZES = (100, 20)


def scores(runs: int) -> Iterator[str]:
    """Yield the rows of single scores and of two equal systems."""
    yield "| segments | interval of a score | randomization | bootstrap |"
    yield "|---|---|---|---|"
    for size in SIZES:
        rng = np.random.default_rng([1, size])
        covered = randomized = drawn = 0
        for seed in range(runs):
            difficulty = rng.normal(0, 0.2, size)
            sides = {name: 0.5 + difficulty + rng.exponential(0.15, size) for name in "AB"}
            texts = {name: [repr(float(value)) for value in values] for name, values in sides.items()}
            result = nlgauge.score(texts, metrics=[Grade()], seed=seed, show_progress=False)
            interval = _interval(result, "A")
            covered += interval[0] <= 0.65 <= interval[1]
            for test in ("randomization", "bootstrap"):
                (row,) = result.compare(test=test, resamples=500).rows
                if test == "randomization":
                    randomized += row.p <= 0.05
                else:
                    drawn += row.p <= 0.05
        yield f"| {size} segments | {covered / runs:.3f} | {randomized / runs:.3f} | {drawn / runs:.3f} |"


def correlations(runs: int) -> Iterator[str]:
    """Yield the rows of single correlations."""
    yield "| test | share |"
    yield "|---|---|"
    for systems in (8, 16, 30):
        rng = np.random.default_rng([2, systems])
        below = dict.fromkeys(("pearson", "spearman", "kendall"), 0)
        for _ in range(runs):
            judged = Judgments.from_arrays(
                rng.normal(size=(systems, 5)), {"m": rng.normal(size=(systems, 5))}
            )
            for row in judged.correlate("system", list(below), interval=None):
                below[row["coefficient"]] += row["p"] <= 0.05
        for name, count in below.items():
            yield f"| p of {name}, {systems} systems | {count / runs:.3f} |"


def annotators(runs: int) -> Iterator[str]:
    """Yield the rows of Krippendorff's alpha on an ordinal scale."""

    def ratings(rng: np.random.Generator, units: int) -> np.ndarray:
        quality = rng.normal(size=(units, 1))
        return np.clip(np.rint(3 + quality + 0.8 * rng.normal(size=(units, 3))), 1, 5)

    def alpha(values: np.ndarray, resamples: int, seed: int = 0) -> tuple[float, float, float]:
        found = agreement(values, "interval", resamples=resamples, seed=seed).rows
        row = next(row for row in found if row["coefficient"] == "krippendorff")
        return row["value"], row["low"], row["high"]

    truth = alpha(ratings(np.random.default_rng(3), 20_000), 0)[0]
    yield "| test | share |"
    yield "|---|---|"
    for units in (50, 150):
        rng = np.random.default_rng([3, units])
        inside = 0
        for seed in range(runs):
            _, low, high = alpha(ratings(rng, units), 200, seed)
            inside += low <= truth <= high
        yield f"| interval of alpha, 3 annotators, {units} units: annotators | {inside / runs:.3f} |"


def damage(runs: int) -> Iterator[str]:
    """Yield the rows of shares of damage; the chance of a text is a beta variable, so that pairs of a text are alike."""
    yield "| test | share |"
    yield "|---|---|"
    for texts, each in ((100, 10), (30, 5), (300, 1)):
        rng = np.random.default_rng([4, texts])
        inside = 0
        for _ in range(runs):
            chance = rng.beta(4.0, 1.0, texts)
            hits = rng.random((texts, each)) < chance[:, None]
            low, high = wilson_of_groups(hits.ravel(), np.repeat(np.arange(texts), each))
            inside += low <= 0.8 <= high
        yield f"| interval of damage, {texts} texts with {each} pairs | {inside / runs:.3f} |"


def _interval(result: nlgauge.Result, system: str) -> tuple[float, float]:
    (found,) = result.intervals(resamples=500)[system].values()
    one = next(iter(found.values())) if isinstance(found, dict) else found
    return float(one.low), float(one.high)


PARTS: dict[str, Callable[[int], Iterator[str]]] = {
    "scores": scores,
    "correlations": correlations,
    "annotators": annotators,
    "damage": damage,
}


def main() -> None:
    """Print the tables."""
    print_parts(__doc__, PARTS, 300)


if __name__ == "__main__":
    main()

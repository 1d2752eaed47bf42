"""Error rates and coverage of what nlgauge.meta prints besides correlations.

python -m benchmarks.nightly.simulated_meta [--runs 60] [measures] [pairs] [suite] [partial] [decisions] [curve] [task] [people]

measures   intervals of measures of agreement that are no correlation; the truth is their mean over 400 studies
pairs      the interval of DARR of ready-made pairs
suite      the ranking of four equal metrics over two tasks: do any two have different letters?
partial    the interval of a partial correlation (`bias`)
decisions  intervals of `detect` and `rerank`; the truth comes from 20,000 segments of the same systems
curve      the intervals of an agreement curve; the truth comes from 600 systems
task       the interval of a correlation with a downstream task, given a covariate
people     the interval of the agreement of two annotators on error spans; the truth comes from 20,000 inputs
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from benchmarks.nightly.printing import print_parts
from benchmarks.span_error_rates import errors_of, voice
from nlgauge.meta import (
    Judgments,
    RankingTask,
    agreement_curve,
    bias,
    correlate,
    detect,
    downstream,
    rank,
    rerank,
    span_agreement,
)

_HEAD = ("| test | share |", "|---|---|")
_STUDIES = 2000


def _row(name: str, count: float, runs: int) -> str:
    return f"| {name} | {count / runs:.3f} |"


def study(
    rng: np.random.Generator, systems: int, inputs: int, ties: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return human and metric scores of random systems on random inputs."""
    quality = rng.normal(size=(systems, 1)) + 0.7 * rng.normal(size=inputs)
    human = quality + rng.normal(size=(systems, inputs))
    metric = quality + 0.5 * rng.normal(size=(systems, 1)) + rng.normal(size=(systems, inputs))
    # DARR counts pairs whose human scores differ by 25 points.
    return (np.rint(human) * 25, np.rint(2 * metric) / 2) if ties else (human, metric)


def judgments(human: np.ndarray, metric: np.ndarray) -> Judgments:
    """Return the scores as judgments with one metric."""
    return Judgments.from_arrays(human, {"m": metric})


# Level, coefficient, the unit of the resamples, and whether scores have ties.
MEASURES = (
    ("system", "pairwise_accuracy", "both", False),
    ("system", "spa", "both", False),
    ("input", "acc_eq", "both", True),
    ("input", "darr", "both", True),
)


def measures(runs: int) -> Iterator[str]:
    """Yield the rows of accuracies."""
    yield from _HEAD
    for level, name, over, ties in MEASURES:

        def value(rng: np.random.Generator, interval: str | None, seed: int = 0) -> dict[str, float]:
            human, metric = study(rng, 14, 50, ties)  # noqa: B023
            (row,) = correlate(
                judgments(human, metric),
                level,  # noqa: B023
                name,  # noqa: B023
                interval=interval,
                resamples=200,
                seed=seed,
            ).rows
            return dict(row)

        rng = np.random.default_rng([21, len(name)])
        truth = np.mean([value(rng, None)["value"] for _ in range(_STUDIES // 5)])
        inside = 0
        for seed in range(runs):
            row = value(rng, over, seed)
            inside += row["low"] <= truth <= row["high"]
        yield _row(f"interval over {over} of {name}, {level} level", inside, runs)


def pairs(runs: int) -> Iterator[str]:
    """Yield the row of DARR of pairs that people chose: the better and the worse of two random systems of an input."""
    yield from _HEAD

    def chosen(rng: np.random.Generator, inputs: int) -> Judgments:
        human, metric = study(rng, 12, inputs)
        sides = rng.permuted(np.tile(np.arange(12), (inputs, 1)), axis=1)[:, :2]
        values = human[sides, np.arange(inputs)[:, None]]
        order = np.argsort(-values, axis=1)
        ready = np.column_stack([np.arange(inputs), np.take_along_axis(sides, order, axis=1)])
        systems = tuple(f"s{number}" for number in range(12))
        return Judgments(systems, tuple(range(inputs)), metrics={"m": metric}, pairs=ready)

    def value(judged: Judgments, interval: str | None, seed: int = 0) -> dict[str, float]:
        (row,) = correlate(judged, "input", "darr", interval=interval, resamples=200, seed=seed).rows
        return dict(row)

    rng = np.random.default_rng(22)
    truth = np.mean([value(chosen(rng, 200), None)["value"] for _ in range(_STUDIES)])
    inside = 0
    for seed in range(runs):
        row = value(chosen(rng, 200), "both", seed)
        inside += row["low"] <= truth <= row["high"]
    yield _row("interval over both of DARR of ready-made pairs", inside, runs)


def suite(runs: int) -> Iterator[str]:
    """Yield the row of letters over two tasks."""
    yield from _HEAD
    tasks = [RankingTask("pearson", "system"), RankingTask("kendall", "input")]
    rng = np.random.default_rng(23)
    apart = 0
    for seed in range(runs):
        quality = rng.normal(size=(14, 1)) + 0.7 * rng.normal(size=40)
        human = quality + rng.normal(size=(14, 40))
        metrics = {
            name: quality + 0.5 * rng.normal(size=(14, 1)) + rng.normal(size=(14, 40)) for name in "abcd"
        }
        found = rank(Judgments.from_arrays(human, metrics), tasks, resamples=200, seed=seed).rows
        apart += any(not set(one["letters"]) & set(two["letters"]) for one, two in combinations(found, 2))
    yield _row("different letters of equal metrics over two tasks", apart, runs)


def partial(runs: int) -> Iterator[str]:
    """Yield the row of Fisher's interval of a partial rank correlation."""
    yield from _HEAD

    def value(rng: np.random.Generator, size: int) -> dict[str, float]:
        length = rng.normal(size=(1, size))
        human, metric = (0.6 * length + rng.normal(size=(1, size)) for _ in range(2))
        metric = metric + 0.5 * human
        (row,) = bias(judgments(human, metric), {"length": length}).rows
        return dict(row)

    truth = value(np.random.default_rng(24), 100_000)["partial"]
    rng = np.random.default_rng(25)
    inside = 0
    for _ in range(runs):
        row = value(rng, 60)
        inside += row["low"] <= truth <= row["high"]
    yield _row("interval of a partial correlation, 60 segments", inside, runs)


def decisions(runs: int) -> Iterator[str]:
    """Yield the rows of kept outputs, and of the best of several outputs."""
    yield from _HEAD
    quality = np.random.default_rng(26).normal(size=(6, 1))

    def drawn(rng: np.random.Generator, inputs: int) -> Judgments:
        human = quality + rng.normal(size=inputs) + rng.normal(size=(6, inputs))
        return judgments(human, human + 1.2 * rng.normal(size=(6, inputs)))

    large = drawn(np.random.default_rng(27), 20_000)
    truth = {
        "detect": detect(large, 0.5, resamples=2).rows[0]["f"],
        "rerank": rerank(large, resamples=2).rows[0]["value"],
    }
    rng = np.random.default_rng(28)
    inside: Counter[str] = Counter()
    for seed in range(runs):
        judged = drawn(rng, 120)
        found = {
            "detect": detect(judged, 0.5, resamples=300, seed=seed).rows[0],
            "rerank": rerank(judged, resamples=300, seed=seed).rows[0],
        }
        for name, row in found.items():
            inside[name] += row["low"] <= truth[name] <= row["high"]
    for name, count in inside.items():
        yield _row(f"interval of {name}, 120 segments", count, runs)


def curve(runs: int) -> Iterator[str]:
    """Yield the rows of the curve of agreement by difference."""
    yield from _HEAD

    def drawn(rng: np.random.Generator, systems: int) -> Judgments:
        quality = rng.normal(size=(systems, 1))
        sides = (quality + spread * rng.normal(size=(systems, 1)) for spread in (0.4, 0.6))
        human, metric = (side + 0.1 * rng.normal(size=(systems, 20)) for side in sides)
        return judgments(human, metric)

    true = agreement_curve(drawn(np.random.default_rng(29), 600), "m", resamples=2)
    rng = np.random.default_rng(30)
    inside: Counter[str] = Counter()
    for seed in range(runs):
        found = agreement_curve(drawn(rng, 40), "m", resamples=200, seed=seed)
        low, high = found.accuracy_interval(1.0)
        inside["accuracy at a difference of 1"] += low <= true.accuracy(1.0) <= high
        low, high = found.delta_interval(0.8)
        inside["difference for an accuracy of 0.8"] += low <= true.delta(0.8) <= high
    for name, count in inside.items():
        yield _row(f"interval of a curve: {name}", count, runs)


def task(runs: int) -> Iterator[str]:
    """Yield the rows of a downstream task."""
    yield from _HEAD

    def drawn(rng: np.random.Generator) -> tuple[Judgments, np.ndarray, np.ndarray]:
        human, metric = study(rng, 24, 30)
        words = 0.5 * human + rng.normal(size=human.shape)
        return judgments(human, metric), (human > 0.3).astype(float), words

    def value(rng: np.random.Generator, interval: str | None, seed: int = 0) -> dict[str, float]:
        judged, right, words = drawn(rng)
        rows = downstream(
            judged, right, coefficient="pearson", partial=words, interval=interval, resamples=200, seed=seed
        )
        return dict(rows.rows[0])

    rng = np.random.default_rng(31)
    studies = [value(rng, None) for _ in range(_STUDIES // 2)]
    truth = {name: np.mean([row[name] for row in studies]) for name in ("value", "partial")}
    inside: Counter[str] = Counter()
    for seed in range(runs):
        row = value(rng, "both", seed)
        inside["correlation"] += row["low"] <= truth["value"] <= row["high"]
        inside["partial correlation"] += row["partial_low"] <= truth["partial"] <= row["partial_high"]
    for name, count in inside.items():
        yield _row(f"interval of a task: {name}", count, runs)


def people(runs: int) -> Iterator[str]:
    """Yield the rows of F between annotators."""
    yield from _HEAD

    def values(
        rng: np.random.Generator, inputs: int, resamples: int, seed: int = 0
    ) -> list[dict[str, float]]:
        errors = errors_of(rng, inputs)
        sides = [voice(rng, errors, inputs, 0.7, 0.3, 2.0, name) for name in ("one", "two")]
        found = span_agreement(sides, ("em", "char"), chance=0, resamples=resamples, seed=seed)
        return [dict(row) for row in found.rows if row["measure"] in ("em", "char")]

    truth = {row["measure"]: row["value"] for row in values(np.random.default_rng(32), 20_000, 2)}
    rng = np.random.default_rng(33)
    inside: Counter[str] = Counter()
    for seed in range(runs):
        for row in {row["measure"]: row for row in values(rng, 60, 300, seed)}.values():
            inside[str(row["measure"])] += row["low"] <= truth[row["measure"]] <= row["high"]
    for name, count in inside.items():
        yield _row(f"interval of annotators' spans, {name}, 60 inputs", count, runs)


PARTS: dict[str, Callable[[int], Iterator[str]]] = {
    "measures": measures,
    "pairs": pairs,
    "suite": suite,
    "partial": partial,
    "decisions": decisions,
    "curve": curve,
    "task": task,
    "people": people,
}


def main() -> None:
    """Print the tables."""
    warnings.simplefilter("ignore")
    print_parts(__doc__, PARTS, 60)


if __name__ == "__main__":
    main()

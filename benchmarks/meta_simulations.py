"""How often the tests of nlgauge.meta.comparison claim what is not so, and how often intervals hold what they
should, on scores that are made up.

    python -m benchmarks.meta_simulations [--part errors | unequal | inputs | power | coverage | corrections | scale] [--runs 2000] [--only NAME]

Two metrics agree with people equally well over the population of systems. `bias` is the size of each metric's
own liking for each system (the same on every input), which any real metric has: with it, on any given set of
systems one of the two is better by luck, and a test that speaks of these very systems finds that out.

    errors       the share of p <= .05 of each test
    unequal      the same at system level if one metric is k times as noisy on segments, though both order systems equally well; with few inputs;
                 with near twins
    inputs       the same at input level if one metric's scores vary k times as much between inputs, which no ordering within an input sees
    power        how often a metric that is truly better is found, by the noise of both on segments
    coverage     the share of 95% intervals that hold the truth: the mean of the coefficient over all studies of this size, with new systems and
                 inputs; of the bootstrap over inputs also the mean over new inputs of the same systems, which is what it speaks about
    corrections  for six metrics, how often anything false is claimed after each correction, and how much of what is true
    scale        the same for equal metrics that have one scale, brought to it by their own spread (as `compare` must) or left as they are

Print the tables of docs/statistics/meta-*.md and power.md. Seeds are fixed; --only names a test (a row), such as
"randomization, systems".
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge.meta import Judgments
from nlgauge.meta.all_pairs import MAX_T, Plan, all_pairs
from nlgauge.meta.comparison import planned
from nlgauge.stats.corrections import adjusted, max_t, two_sided
from nlgauge.stats.intervals import Bounds, bca, fisher, percentile
from nlgauge.stats.levels import Scores, grouped_by
from nlgauge.stats.measures import Measure, measure
from nlgauge.stats.permutation.linear import of_systems, standardized
from nlgauge.stats.permutation.swaps import drawn_swaps
from nlgauge.stats.resampling import bootstrap, leave_one_out


class Setting(NamedTuple):
    """One column of a table: the size of the studies, the bias of metrics, and what is computed of each."""

    systems: int
    inputs: int
    bias: float
    level: str
    coefficient: str

    def __str__(self) -> str:
        return (
            f"{self.level} {self.coefficient}, {self.systems} systems, {self.inputs} inputs, bias"
            f" {self.bias:g}"
        )


SETTINGS = [
    Setting(8, 100, 0.5, "system", "pearson"),
    Setting(16, 100, 0.5, "system", "pearson"),
    Setting(30, 100, 0.5, "system", "pearson"),
    Setting(16, 100, 0.5, "system", "spearman"),
    Setting(16, 100, 0.5, "system", "kendall"),
    Setting(16, 100, 0.0, "system", "pearson"),
    Setting(16, 50, 0.5, "input", "pearson"),
    Setting(16, 50, 0.5, "input", "kendall"),
    Setting(16, 30, 0.5, "global", "pearson"),
    Setting(16, 30, 0.5, "global", "kendall"),
]

TESTS: dict[str, dict[str, str]] = {
    "randomization, systems": {"test": "randomization", "generalize_to": "systems"},
    "Williams": {"test": "williams"},
    "bootstrap, systems": {"test": "bootstrap", "generalize_to": "systems"},
    "bootstrap, both": {"test": "bootstrap", "generalize_to": "both"},
    "randomization, inputs": {"test": "randomization", "generalize_to": "inputs"},
    "permutation, cells": {"swap": "cells"},
    "permutation, rows-xor-cols": {"swap": "rows-xor-cols"},
    "bootstrap, inputs": {"test": "bootstrap", "generalize_to": "inputs"},
}


class Study(NamedTuple):
    """Human scores (S, N), metrics (M, S, N), and what stays the same when these systems meet new inputs."""

    human: np.ndarray
    metrics: np.ndarray
    quality: np.ndarray
    likings: np.ndarray

    def judgments(self) -> Judgments:
        return Judgments.from_arrays(
            self.human, {f"metric{at}": scores for at, scores in enumerate(self.metrics)}
        )


def simulated(rng: np.random.Generator, systems: int, inputs: int, biases: list[float]) -> Study:
    return on_inputs(
        rng,
        inputs,
        rng.normal(size=(systems, 1)),
        np.array(biases)[:, None, None] * rng.normal(size=(len(biases), systems, 1)),
    )


def on_inputs(rng: np.random.Generator, inputs: int, quality: np.ndarray, likings: np.ndarray) -> Study:
    """A study of systems of this quality, which metrics like by so much, on new inputs."""
    true = quality + rng.normal(size=(1, inputs)) + rng.normal(size=(len(quality), inputs))
    return Study(
        true + rng.normal(size=true.shape),
        true + likings + 2 * rng.normal(size=(len(likings), *true.shape)),
        quality,
        likings,
    )


def studies(setting: Setting, runs: int, seed: int) -> Iterator[Study]:
    rng = np.random.default_rng(seed)
    return (simulated(rng, setting.systems, setting.inputs, [setting.bias] * 2) for _ in range(runs))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.meta_simulations", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parts = {
        "errors": print_errors,
        "unequal": print_unequal,
        "inputs": print_inputs,
        "power": print_power,
        "coverage": print_coverage,
        "corrections": print_corrections,
        "scale": print_scale,
    }
    parser.add_argument("--part", choices=list(parts))
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=list(TESTS), help="a test; default: all")
    options = parser.parse_args()
    for name, part in parts.items():
        if options.part in (None, name):
            part(options)


def print_errors(options: argparse.Namespace) -> None:
    names = options.only or list(TESTS)
    table = {
        name: [
            claimed(
                lambda rng, one=one: simulated(rng, one.systems, one.inputs, [one.bias] * 2),
                one,
                name,
                options,
            )
            for one in SETTINGS
        ]
        for name in names
    }
    print_table("test, share of p <= .05", list(map(str, SETTINGS)), table, options.runs, 0.05)


def claimed(
    world: Callable[[np.random.Generator], Study], setting: Setting, test: str, options: argparse.Namespace
) -> float:
    """The share of runs in which a test says that the two metrics of a study differ."""
    if test == "Williams" and setting.level == "input":
        return math.nan
    rng = np.random.default_rng(options.seed)
    p = []
    for run in range(options.runs):
        tests = all_pairs(
            world(rng).judgments(),
            "human",
            plan(setting, options.resamples, run, **TESTS[test]),
            intervals=False,
        )
        p.append(tests.p[0])
    return float(np.mean(np.array(p) <= 0.05))


# Tests that speak of new systems.
OF_SYSTEMS = ("randomization, systems", "Williams", "bootstrap, systems")


def print_unequal(options: argparse.Namespace) -> None:
    worlds: dict[str, tuple[int, Callable[[np.random.Generator], Study]]] = {
        **{f"noise 1 and {k}": (100, lambda rng, k=k: unequal(rng, 16, 100, k)) for k in (1, 3, 6, 10)},
        **{f"noise 1 and {k}, 5 inputs": (5, lambda rng, k=k: unequal(rng, 16, 5, k)) for k in (1, 3)},
        "near twins": (100, lambda rng: twins(rng, 16, 100)),
        "near twins, 5 inputs": (5, lambda rng: twins(rng, 16, 5)),
    }
    table: dict[str, list[float]] = {}
    for coefficient in ("pearson", "spearman", "kendall"):
        for test in options.only or OF_SYSTEMS:
            table[f"{coefficient}: {test}"] = [
                claimed(world, Setting(16, inputs, 0, "system", coefficient), test, options)
                for inputs, world in worlds.values()
            ]
    print_table("16 systems, system level, share of p <= .05", list(worlds), table, options.runs, 0.05)


def print_inputs(options: argparse.Namespace) -> None:
    worlds: dict[str, tuple[int, Callable[[np.random.Generator], Study]]] = {
        "inputs alike": (30, lambda rng: uneven_inputs(rng, 16, 30, 1, False)),
        "inputs 10 times as far apart": (30, lambda rng: uneven_inputs(rng, 16, 30, 10, False)),
        "inputs of unequal spread": (30, lambda rng: uneven_inputs(rng, 16, 30, 3, True)),
        "3 inputs": (3, lambda rng: uneven_inputs(rng, 16, 3, 3, True)),
        "near twins": (30, lambda rng: twins(rng, 16, 30)),
    }
    table: dict[str, list[float]] = {}
    for coefficient in ("pearson", "kendall"):
        for test in options.only or ("randomization, systems", "bootstrap, systems"):
            table[f"{coefficient}: {test}"] = [
                claimed(world, Setting(16, inputs, 0, "input", coefficient), test, options)
                for inputs, world in worlds.values()
            ]
    print_table("16 systems, input level, share of p <= .05", list(worlds), table, options.runs, 0.05)


def print_power(options: argparse.Namespace) -> None:
    noises = [(1, 1), (1, 4), (4, 1), (1, 10)]
    table: dict[str, list[float]] = {}
    for coefficient in ("pearson", "kendall"):
        for test in options.only or OF_SYSTEMS:
            table[f"{coefficient}: {test}"] = [
                claimed(
                    lambda rng, pair=pair: better_and_worse(rng, 24, 100, pair),
                    Setting(24, 100, 0, "system", coefficient),
                    test,
                    options,
                )
                for pair in noises
            ]
    print_table(
        "24 systems, share of p <= .05",
        [f"noise {one} of the better, {other} of the worse" for one, other in noises],
        table,
        options.runs,
        0.9,
    )


def unequal(rng: np.random.Generator, systems: int, inputs: int, noise: float) -> Study:
    """Two metrics whose system means have one distribution, the second `noise` times as noisy on segments
    as the first.
    """
    errors = [math.sqrt(0.25 + (noise**2 - 1) / inputs), 0.5]
    return system_errors(rng, systems, inputs, errors, (1.0, noise), 1.0)


def better_and_worse(
    rng: np.random.Generator, systems: int, inputs: int, noises: tuple[float, float]
) -> Study:
    """A metric whose likings are small, and one whose likings are not."""
    return system_errors(rng, systems, inputs, [0.3, 1.0], noises, 0.5)


def system_errors(
    rng: np.random.Generator,
    systems: int,
    inputs: int,
    errors: Sequence[float],
    noises: Sequence[float],
    human_noise: float,
) -> Study:
    quality = rng.normal(size=(systems, 1))
    human = quality + human_noise * rng.normal(size=(systems, inputs))
    likings = np.array(errors)[:, None, None] * rng.normal(size=(len(errors), systems, 1))
    metrics = (
        quality + likings + np.array(noises)[:, None, None] * rng.normal(size=(len(errors), systems, inputs))
    )
    return Study(human, metrics, quality, likings)


def twins(rng: np.random.Generator, systems: int, inputs: int) -> Study:
    """Two metrics that share nearly everything, as ROUGE-1 with and without stems does."""
    quality = rng.normal(size=(systems, 1))
    human = quality + rng.normal(size=(systems, inputs))
    both = quality + 0.5 * rng.normal(size=(systems, 1)) + rng.normal(size=(systems, inputs))
    likings = 0.02 * rng.normal(size=(2, systems, 1))
    return Study(human, both + likings + 0.05 * rng.normal(size=(2, systems, inputs)), quality, likings)


def uneven_inputs(rng: np.random.Generator, systems: int, inputs: int, spread: float, scaled: bool) -> Study:
    """Two metrics that order the systems of each input equally well; the second's inputs lie `spread`
    times as far apart, or vary in spread too.
    """
    study = simulated(rng, systems, inputs, [0.5, 0.5])
    shifts, sizes = rng.normal(size=(1, inputs)), np.exp(rng.normal(size=(1, inputs)))
    second = (study.metrics[1] + math.sqrt(spread**2 - 1) * shifts) * (sizes if scaled else 1.0)
    return study._replace(metrics=np.stack([study.metrics[0], second]))


def plan(
    setting: Setting,
    resamples: int,
    seed: int,
    test: str | None = None,
    generalize_to: str | None = None,
    swap: str | None = None,
) -> Plan:
    return planned(
        setting.level, setting.coefficient, test, generalize_to, None, resamples, seed, swap, 0.95, 0.05
    )


def print_coverage(options: argparse.Namespace) -> None:
    table: dict[str, list[float]] = {}
    for setting in SETTINGS:
        if not setting.bias:
            continue
        found = [
            covering(study, setting, options.resamples, run)
            for run, study in enumerate(studies(setting, options.runs, options.seed))
        ]
        everywhere = float(np.mean([value for value, _, _ in found]))
        for name in found[0][2]:
            target = [0.0 if "difference" in name else everywhere] * len(found)
            table.setdefault(name, []).append(share_held([bounds[name] for _, _, bounds in found], target))
            if "inputs" in name:
                place = 1 if "difference" in name else 0
                table.setdefault(f"{name}; these systems", []).append(
                    share_held([bounds[name] for _, _, bounds in found], [own[place] for _, own, _ in found])
                )
    print_table(
        "interval",
        [str(one) for one in SETTINGS if one.bias],
        table,
        options.runs,
        0.95,
    )


def share_held(bounds: list[Bounds], targets: list[float]) -> float:
    if all(math.isnan(one.low) for one in bounds):
        return math.nan
    return float(
        np.mean(
            [
                one.low <= target <= one.high
                for one, target in zip(bounds, targets, strict=True)
                if not math.isnan(one.low)
            ]
        )
    )


def covering(
    study: Study, setting: Setting, resamples: int, seed: int
) -> tuple[float, tuple[float, float], dict[str, Bounds]]:
    """The first metric's value; the mean on new inputs of the same systems of it and of its difference to
    the second; every interval.
    """
    of = measure(setting.coefficient)
    x, z, level = study.metrics[0], study.human, setting.level
    value = of.value(level, Scores(x, z))
    found = {
        "Fisher, Bonett-Wright": (
            fisher(value.value, value.n, of.name)
            if level in ("system", "global")
            else Bounds(math.nan, math.nan)
        )
    }
    for over in ("systems", "both", "inputs"):
        drawn = bootstrap(*z.shape, over, resamples, seed)
        replicates = [of.replicates(level, Scores(one, z), drawn) for one in study.metrics]
        found[f"bootstrap, {over}"] = percentile(replicates[0])
        left = of.replicates(level, Scores(x, z), leave_one_out(*z.shape, over))
        found[f"bootstrap, {over}, BCa"] = bca(replicates[0], value.value, left)
        found[f"difference, bootstrap, {over}"] = percentile(replicates[0] - replicates[1])
    found["difference, Zou"] = zou_interval(study, setting)
    return value.value, on_new_inputs(study, setting, of, seed), found


def zou_interval(study: Study, setting: Setting) -> Bounds:
    if setting.level == "input":
        return Bounds(math.nan, math.nan)
    compared = all_pairs(study.judgments(), "human", plan(setting, 1, 1, test="williams"))
    return Bounds(float(compared.low[0]), float(compared.high[0]))


def on_new_inputs(
    study: Study, setting: Setting, of: Measure, seed: int, times: int = 100
) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    again = [on_inputs(rng, setting.inputs, study.quality, study.likings) for _ in range(times)]
    human = np.stack([one.human for one in again])
    metrics = [np.stack([one.metrics[at] for one in again]) for at in (0, 1)]
    means = [
        float(np.mean(of.coefficient(*grouped_by(setting.level, one, human, by_rank=of.coefficient.by_rank))))
        for one in metrics
    ]
    return means[0], means[0] - means[1]


def print_corrections(options: argparse.Namespace) -> None:
    corrections = ("none", "bonferroni", "holm", "maxT", "maxT-raw", "bh", "by")
    sizes = (8, 16, 30)
    pairs = list(combinations(range(6), 2))
    true = np.array([one < 3 <= other for one, other in pairs])
    scores: dict[str, Callable[[np.ndarray], float]] = {
        "any of 6 equal pairs": lambda claims: float(claims[~true].any()),
        "false share of claims": lambda claims: float(claims[~true].sum() / max(1, claims.sum())),
        "found of 9 differences": lambda claims: float(claims[true].mean()),
    }
    table: dict[str, list[float]] = {name: [] for name in corrections}
    equal: dict[str, Callable[[np.random.Generator], Study]] = {
        **{
            f"{systems} systems": lambda rng, systems=systems: simulated(rng, systems, 100, [0.75] * 6)
            for systems in sizes
        },
        "16 systems, noise 1 to 10": lambda rng: six_noises(rng, 16, 100),
        "16 systems, near twins": lambda rng: six_twins(rng, 16, 100),
    }
    for world in equal.values():
        for name, row in six_metrics(world, corrections, options).items():
            table[name].append(float(row.any(axis=1).mean()))
    mixed = six_metrics(lambda rng: simulated(rng, 30, 100, [0.15] * 3 + [0.75] * 3), corrections, options)
    for name, row in mixed.items():
        table[name] += [float(np.mean([score(claims) for claims in row])) for score in scores.values()]
    heads = [f"any of 15 equal pairs, {name}" for name in equal] + [f"{name}, 30 systems" for name in scores]
    print_table("correction", heads, table, options.runs, 0.05)


def six_noises(rng: np.random.Generator, systems: int, inputs: int) -> Study:
    """Six metrics whose system means have one distribution, and whose segments are up to ten times as
    noisy as those of the first.
    """
    noises = np.array([1.0, 2, 3, 5, 7, 10])
    return system_errors(
        rng, systems, inputs, np.sqrt(0.5 + (100 - noises**2) / inputs).tolist(), noises.tolist(), 1.0
    )


def six_twins(rng: np.random.Generator, systems: int, inputs: int) -> Study:
    """Three metrics, each with a near twin."""
    study = simulated(rng, systems, inputs, [0.75] * 3)
    near = [
        0.02 * rng.normal(size=(3, systems, 1)) + 0.05 * rng.normal(size=study.metrics.shape)
        for _ in range(2)
    ]
    return study._replace(metrics=np.concatenate([study.metrics + one for one in near]))


def six_metrics(
    world: Callable[[np.random.Generator], Study], corrections: tuple[str, ...], options: argparse.Namespace
) -> dict[str, np.ndarray]:
    """What is claimed in each run, (runs, 15 pairs), after each correction."""
    rng = np.random.default_rng(options.seed)
    setting = Setting(0, 100, 0, "system", "pearson")
    found: dict[str, list[np.ndarray]] = {name: [] for name in corrections}
    for run in range(options.runs):
        tests = all_pairs(
            world(rng).judgments(), "human", plan(setting, options.resamples, run), intervals=False
        )
        assert tests.null is not None
        for name in corrections:
            p = max_t(tests.deltas, tests.null, name == "maxT") if name in MAX_T else adjusted(tests.p, name)
            found[name].append(p <= 0.05)
    return {name: np.array(rows) for name, rows in found.items()}


def print_scale(options: argparse.Namespace) -> None:
    pearson = measure("pearson")
    k, m = np.triu_indices(6, 1)
    table: dict[str, list[float]] = {"by its own spread": [], "as it is": []}
    for systems in (16, 30):
        rng = np.random.default_rng(options.seed)
        claims: dict[str, list[tuple[float, float]]] = {name: [] for name in table}
        for run in range(options.runs):
            study = simulated(rng, systems, 100, [0.75] * 6)
            values = np.array(
                [pearson.value("system", Scores(one, study.human)).value for one in study.metrics]
            )
            swaps = drawn_swaps("systems", systems, 100, options.resamples, run)
            ready = standardized(study.metrics, study.human, "system", pearson)
            for name, points in zip(table, (ready, ready._replace(x=study.metrics)), strict=True):
                null, delta = of_systems(points, pearson.coefficient, swaps), values[k] - values[m]
                claims[name].append(
                    (
                        float((two_sided(delta, null) <= 0.05).mean()),
                        float((max_t(delta, null) <= 0.05).any()),
                    )
                )
        for name, found in claims.items():
            table[name] += np.mean(found, axis=0).tolist()
    heads = [
        f"{name}, {systems} systems" for systems in (16, 30) for name in ("one pair", "any of 15 pairs, maxT")
    ]
    print_table("scores brought to one scale", heads, table, options.runs, 0.05)


def print_table(title: str, heads: list[str], table: dict[str, list[float]], runs: int, share: float) -> None:
    print(f"| {title} | " + " | ".join(heads) + " |\n|" + "---|" * (len(heads) + 1))
    for name, row in table.items():
        print(
            f"| {name} | " + " | ".join("" if math.isnan(one) else f"{100 * one:.1f}%" for one in row) + " |"
        )
    reach = 196 * math.sqrt(share * (1 - share) / runs)
    print(
        f"\n{runs} runs: what is {100 * share:.0f}% comes out between {100 * share - reach:.1f} and"
        f" {100 * share + reach:.1f}%.\n",
        flush=True,
    )


if __name__ == "__main__":
    main()

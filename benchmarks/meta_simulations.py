"""How often the tests of nlgauge.meta.compare claim what is not so, and how often intervals hold what they should, on scores that are made up.

    python -m benchmarks.meta_simulations [--part errors | coverage | corrections | scale] [--runs 2000]

Two metrics agree with people equally well over the population of systems. `bias` is the size of each metric's own liking for each system (the same
on every input), which any real metric has: with it, on any given set of systems one of the two is better by luck, and a test that speaks of these
very systems finds that out.

    errors       the share of p <= .05 of each test
    coverage     the share of 95 % intervals that hold the truth: the mean of the coefficient over all studies of this size, with new systems and
                 inputs; of the bootstrap over inputs also the mean over new inputs of the same systems, which is what it speaks about
    corrections  for six metrics, how often anything false is claimed after each correction, and how much of what is true
    scale        the same for equal metrics that have one scale, brought to it by their own spread (as `compare` must) or left as they are

Prints the tables of docs/meta-evaluation.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge.meta import Judgements
from nlgauge.meta.all_pairs import MAX_T, Plan, all_pairs
from nlgauge.meta.compare import planned
from nlgauge.meta.corrections import adjusted, max_t, two_sided
from nlgauge.meta.intervals import Bounds, bca, fisher, percentile
from nlgauge.meta.levels import grouped_by
from nlgauge.meta.measures import Measure, measure
from nlgauge.meta.permutation import of_systems, standardised
from nlgauge.meta.resampling import bootstrap, leave_one_out
from nlgauge.meta.swaps import drawn_swaps


class Setting(NamedTuple):
    """One column of a table: the size of the studies, the bias of metrics, and what is computed of each."""

    systems: int
    inputs: int
    bias: float
    level: str
    coefficient: str

    def __str__(self) -> str:
        return f"{self.level} {self.coefficient}, {self.systems} systems, {self.inputs} inputs, bias {self.bias:g}"


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
    "permutation, systems": {"test": "permutation", "generalise_to": "systems"},
    "Williams": {"test": "williams"},
    "bootstrap, systems": {"test": "bootstrap", "generalise_to": "systems"},
    "bootstrap, both": {"test": "bootstrap", "generalise_to": "both"},
    "permutation, inputs": {"test": "permutation", "generalise_to": "inputs"},
    "permutation, cells": {"swap": "cells"},
    "permutation, rows-xor-cols": {"swap": "rows-xor-cols"},
    "bootstrap, inputs": {"test": "bootstrap", "generalise_to": "inputs"},
}


class Study(NamedTuple):
    """Human scores (S, N), metrics (M, S, N), and what stays the same when these systems meet new inputs."""

    human: np.ndarray
    metrics: np.ndarray
    quality: np.ndarray
    likings: np.ndarray

    def judgements(self) -> Judgements:
        return Judgements.from_arrays(self.human, {f"metric{at}": scores for at, scores in enumerate(self.metrics)})


def simulated(rng: np.random.Generator, systems: int, inputs: int, biases: list[float]) -> Study:
    return on_inputs(rng, inputs, rng.normal(size=(systems, 1)), np.array(biases)[:, None, None] * rng.normal(size=(len(biases), systems, 1)))


def on_inputs(rng: np.random.Generator, inputs: int, quality: np.ndarray, likings: np.ndarray) -> Study:
    """A study of systems of this quality, which metrics like by so much, on new inputs."""
    true = quality + rng.normal(size=(1, inputs)) + rng.normal(size=(len(quality), inputs))
    return Study(true + rng.normal(size=true.shape), true + likings + 2 * rng.normal(size=(len(likings), *true.shape)), quality, likings)


def studies(setting: Setting, runs: int, seed: int) -> Iterator[Study]:
    rng = np.random.default_rng(seed)
    return (simulated(rng, setting.systems, setting.inputs, [setting.bias] * 2) for _ in range(runs))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meta_simulations", description=__doc__.splitlines()[0] if __doc__ else None)
    parts = {"errors": print_errors, "coverage": print_coverage, "corrections": print_corrections, "scale": print_scale}
    parser.add_argument("--part", choices=list(parts))
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name, part in parts.items():
        if options.part in (None, name):
            part(options)


def print_errors(options: argparse.Namespace) -> None:
    table: dict[str, list[float]] = {name: [] for name in TESTS}
    for setting in SETTINGS:
        for name, chosen in TESTS.items():
            if name == "Williams" and setting.level == "input":
                table[name].append(math.nan)
                continue
            p = []
            for run, study in enumerate(studies(setting, options.runs, options.seed)):
                found = all_pairs(study.judgements(), "human", plan(setting, options.draws, run, **chosen), intervals=False)
                p.append(found.p[0])
            table[name].append(float(np.mean(np.array(p) <= 0.05)))
    print_table("test, share of p <= .05", list(map(str, SETTINGS)), table, options.runs, 0.05)


def plan(setting: Setting, draws: int, seed: int, test: str | None = None, generalise_to: str | None = None, swap: str | None = None) -> Plan:
    return planned(setting.level, setting.coefficient, test, generalise_to, None, draws, seed, swap, 0.95, 0.05)


def print_coverage(options: argparse.Namespace) -> None:
    table: dict[str, list[float]] = {}
    for setting in SETTINGS:
        if not setting.bias:
            continue
        found = [covering(study, setting, options.draws, run) for run, study in enumerate(studies(setting, options.runs, options.seed))]
        everywhere = float(np.mean([value for value, _, _ in found]))
        for name in found[0][2]:
            target = [0.0 if "difference" in name else everywhere] * len(found)
            table.setdefault(name, []).append(share_held([bounds[name] for _, _, bounds in found], target))
            if "inputs" in name:
                place = 1 if "difference" in name else 0
                table.setdefault(f"{name}; of these systems", []).append(
                    share_held([bounds[name] for _, _, bounds in found], [own[place] for _, own, _ in found])
                )
    print_table("interval, share that holds the truth", [str(one) for one in SETTINGS if one.bias], table, options.runs, 0.95)


def share_held(bounds: list[Bounds], targets: list[float]) -> float:
    if all(math.isnan(one.low) for one in bounds):
        return math.nan
    return float(np.mean([one.low <= target <= one.high for one, target in zip(bounds, targets, strict=True) if not math.isnan(one.low)]))


def covering(study: Study, setting: Setting, draws: int, seed: int) -> tuple[float, tuple[float, float], dict[str, Bounds]]:
    """The first metric's value; the mean on new inputs of the same systems of it and of its difference to the second; every interval."""
    of = measure(setting.coefficient)
    x, z, level = study.metrics[0], study.human, setting.level
    value = of.value(level, x, z)
    found = {"Fisher, Bonett-Wright": fisher(value.value, value.n, of.name) if level in ("system", "global") else Bounds(math.nan, math.nan)}
    for over in ("systems", "both", "inputs"):
        drawn = bootstrap(*z.shape, over, draws, seed)
        replicates = [of.replicates(level, one, z, drawn) for one in study.metrics]
        found[f"bootstrap, {over}"] = percentile(replicates[0])
        left = of.replicates(level, x, z, leave_one_out(*z.shape, over))
        found[f"bootstrap, {over}, BCa"] = bca(replicates[0], value.value, left)
        found[f"difference, bootstrap, {over}"] = percentile(replicates[0] - replicates[1])
    found["difference, Zou"] = zou_interval(study, setting)
    return value.value, on_new_inputs(study, setting, of, seed), found


def zou_interval(study: Study, setting: Setting) -> Bounds:
    if setting.level == "input":
        return Bounds(math.nan, math.nan)
    compared = all_pairs(study.judgements(), "human", plan(setting, 1, 1, test="williams"))
    return Bounds(float(compared.low[0]), float(compared.high[0]))


def on_new_inputs(study: Study, setting: Setting, of: Measure, seed: int, times: int = 100) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    again = [on_inputs(rng, setting.inputs, study.quality, study.likings) for _ in range(times)]
    human = np.stack([one.human for one in again])
    metrics = [np.stack([one.metrics[at] for one in again]) for at in (0, 1)]
    means = [float(np.mean(of.coefficient(*grouped_by(setting.level, one, human, by_rank=of.coefficient.by_rank)))) for one in metrics]
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
    for systems in sizes:
        for name, row in six_metrics(systems, [0.75] * 6, corrections, options).items():
            table[name].append(float(row.any(axis=1).mean()))
    mixed = six_metrics(30, [0.15] * 3 + [0.75] * 3, corrections, options)
    for name, row in mixed.items():
        table[name] += [float(np.mean([score(claims) for claims in row])) for score in scores.values()]
    heads = [f"any of 15 equal pairs, {systems} systems" for systems in sizes] + [f"{name}, 30 systems" for name in scores]
    print_table("correction", heads, table, options.runs, 0.05)


def six_metrics(systems: int, biases: list[float], corrections: tuple[str, ...], options: argparse.Namespace) -> dict[str, np.ndarray]:
    """What is claimed in each run, (runs, 15 pairs), after each correction."""
    rng = np.random.default_rng(options.seed)
    setting = Setting(systems, 100, 0, "system", "pearson")
    found: dict[str, list[np.ndarray]] = {name: [] for name in corrections}
    for run in range(options.runs):
        tests = all_pairs(simulated(rng, systems, 100, biases).judgements(), "human", plan(setting, options.draws, run), intervals=False)
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
            values = np.array([pearson.value("system", one, study.human).value for one in study.metrics])
            swaps = drawn_swaps("systems", systems, 100, options.draws, run)
            ready = standardised(study.metrics, study.human)
            for name, points in zip(table, (ready, ready._replace(x=study.metrics)), strict=True):
                null, delta = of_systems(points, pearson.coefficient, swaps), values[k] - values[m]
                claims[name].append((float((two_sided(delta, null) <= 0.05).mean()), float((max_t(delta, null) <= 0.05).any())))
        for name, found in claims.items():
            table[name] += np.mean(found, axis=0).tolist()
    heads = [f"{name}, {systems} systems" for systems in (16, 30) for name in ("one pair", "any of 15 pairs, maxT")]
    print_table("scores brought to one scale", heads, table, options.runs, 0.05)


def print_table(title: str, heads: list[str], table: dict[str, list[float]], runs: int, share: float) -> None:
    print(f"| {title} | " + " | ".join(heads) + " |\n|" + "---|" * (len(heads) + 1))
    for name, row in table.items():
        print(f"| {name} | " + " | ".join("" if math.isnan(one) else f"{100 * one:.1f} %" for one in row) + " |")
    reach = 196 * math.sqrt(share * (1 - share) / runs)
    print(f"\n{runs} runs: what is {100 * share:.0f} % comes out between {100 * share - reach:.1f} and {100 * share + reach:.1f} %.\n", flush=True)


if __name__ == "__main__":
    main()

"""python -m benchmarks.few_systems: how often p-values and intervals of one coefficient over few systems report an
agreement that does not exist.

    python -m benchmarks.few_systems [--part p | intervals] [--runs 2000] [--systems 3 4 5]

    p          the share of p <= .05 of a metric that has nothing to do with people, exact and by SciPy's approximations
    intervals  the share of 95% intervals at system level without 0, of such a metric on 10 inputs

Worlds of p, over systems:

    normal         both sides are normal
    ties           both sides have few values
    heavy tails    both sides have Student's distribution with 2 degrees of freedom
    missing        one of the sides lacks a score of a system in 15% of cases
    unequal noise  the scores of every second system vary three times as much, on one side
    on both sides  the same systems vary three times as much on both sides

All but the last are exchangeable, or one side is: p has to hold its level. In the last, the sides are uncorrelated but not
independent. Print the tables of docs/statistics/meta-few-systems.md. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence

import numpy as np

from nlgauge.meta import Judgments
from nlgauge.stats.coefficients import coefficient

SYSTEMS = (3, 4, 5, 6, 8, 10)
COEFFICIENTS = ("pearson", "spearman", "kendall")
_METRICS = 50
_INPUTS = 10

World = Callable[[np.random.Generator, int], np.ndarray]


def _normal(rng: np.random.Generator, systems: int) -> np.ndarray:
    return rng.normal(size=(2, systems))


def _ties(rng: np.random.Generator, systems: int) -> np.ndarray:
    return np.round(1.2 * rng.normal(size=(2, systems)))


def _heavy(rng: np.random.Generator, systems: int) -> np.ndarray:
    return rng.standard_t(2, size=(2, systems))


def _missing(rng: np.random.Generator, systems: int) -> np.ndarray:
    sides = rng.normal(size=(2, systems))
    sides[rng.integers(2), rng.random(systems) < 0.15] = np.nan
    return sides


def _scales(systems: int) -> np.ndarray:
    return np.where(np.arange(systems) % 2, 3.0, 1.0)


def _unequal(rng: np.random.Generator, systems: int) -> np.ndarray:
    return rng.normal(size=(2, systems)) * [np.ones(systems), _scales(systems)]


def _on_both(rng: np.random.Generator, systems: int) -> np.ndarray:
    return rng.normal(size=(2, systems)) * _scales(systems)


WORLDS: dict[str, World] = {
    "normal": _normal,
    "ties": _ties,
    "heavy tails": _heavy,
    "missing": _missing,
    "unequal noise": _unequal,
    "on both sides": _on_both,
}


def claims(world: World, name: str, systems: int, exact: bool, runs: int, seed: int) -> float:
    """Return the share of p <= .05; studies without p count as no claim."""
    rng = np.random.default_rng([seed, systems])
    sides = np.stack([world(rng, systems) for _ in range(runs)], axis=1)
    return float(np.mean(coefficient(name).p(sides[0], sides[1], exact=exact) <= 0.05))


def without_zero(name: str, systems: int, over: str, runs: int, seed: int) -> float:
    """Return the share of intervals without 0 of unrelated metrics, of those that exist."""
    rng = np.random.default_rng([seed, systems])

    def scores() -> np.ndarray:
        return rng.normal(size=(systems, 1)) + 0.3 * rng.normal(size=(systems, _INPUTS))

    claimed = []
    for run in range(runs // _METRICS):
        judged = Judgments.from_arrays(scores(), {f"metric{at}": scores() for at in range(_METRICS)})
        for row in judged.correlate("system", name, interval=over, resamples=500, seed=run):
            claimed.append(math.nan if math.isnan(row["low"]) else float(row["low"] > 0 or row["high"] < 0))
    return float("nan") if np.isnan(claimed).all() else float(np.nanmean(claimed))


def print_p(sizes: Sequence[int], runs: int, seed: int) -> None:
    print("| share of p <= .05 | p |" + "".join(f" {n} systems |" for n in sizes))
    print("|---|---|" + "---|" * len(sizes))
    for world, draw in WORLDS.items():
        for name in COEFFICIENTS:
            for exact in (True, False):
                shares = (claims(draw, name, n, exact, runs, seed) for n in sizes)
                cells = " | ".join(f"{100 * share:.1f}%" for share in shares)
                print(f"| {world}, {name} | {'exact' if exact else 'SciPy'} | {cells} |", flush=True)


def print_intervals(sizes: Sequence[int], runs: int, seed: int) -> None:
    print("| intervals without 0 |" + "".join(f" {n} systems |" for n in sizes))
    print("|---|" + "---|" * len(sizes))
    for over in ("both", "systems", "fisher"):
        for name in COEFFICIENTS:
            shares = (without_zero(name, n, over, runs, seed) for n in sizes)
            cells = " | ".join("" if math.isnan(share) else f"{100 * share:.1f}%" for share in shares)
            print(f"| {over}, {name} | {cells} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.few_systems")
    parser.add_argument("--part", choices=("p", "intervals"))
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--systems", type=int, nargs="+", default=SYSTEMS)
    options = parser.parse_args()
    if options.part in (None, "p"):
        print_p(options.systems, options.runs, options.seed)
    if options.part in (None, "intervals"):
        print_intervals(options.systems, options.runs, options.seed)


if __name__ == "__main__":
    main()

"""How often each test of nlgauge.meta.compare claims a difference between two metrics that are equally good.

    python benchmarks/meta_simulations.py --runs 400 --draws 500

Both metrics agree with people equally well over the population of systems. `bias` is the size of each metric's own liking for each system (the same
on every input), which any real metric has: with it, on any given set of systems one of the two is better by luck, and a test that speaks of these
very systems finds that out. Prints the share of p <= .05 for each test, and then, for six metrics, how often any of the 15 pairs is claimed after each
correction: the tables of docs/meta-evaluation.md.
"""

from __future__ import annotations

import argparse

import numpy as np

from nlgauge.meta import Judgements, compare

TESTS = {
    "permutation, systems": {"test": "permutation", "generalise_to": "systems"},
    "Williams": {"test": "williams"},
    "bootstrap, systems": {"test": "bootstrap", "generalise_to": "systems"},
    "bootstrap, both": {"test": "bootstrap", "generalise_to": "both"},
    "permutation, inputs": {"test": "permutation", "generalise_to": "inputs"},
    "permutation, cells": {"swap": "cells"},
    "permutation, rows-xor-cols": {"swap": "rows-xor-cols"},
    "bootstrap, inputs": {"test": "bootstrap", "generalise_to": "inputs"},
}


def simulated(rng: np.random.Generator, systems: int, inputs: int, bias: float, metrics: int = 2, better: float = 0.0) -> Judgements:
    quality = rng.normal(size=(systems, 1)) + rng.normal(size=(1, inputs)) + rng.normal(size=(systems, inputs))
    human = quality + rng.normal(size=quality.shape)
    sizes = [bias * (1 - better)] * (metrics // 2) + [bias] * (metrics - metrics // 2)
    scores = {f"metric{at}": quality + size * rng.normal(size=(systems, 1)) + 2 * rng.normal(size=quality.shape) for at, size in enumerate(sizes)}
    return Judgements.from_arrays(human, scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print_type_one_errors(options)
    print_corrections(options)


def print_type_one_errors(options: argparse.Namespace) -> None:
    columns = [(8, 0.5, "pearson"), (16, 0.5, "pearson"), (30, 0.5, "pearson"), (16, 0.5, "kendall"), (16, 0.0, "pearson")]
    shares = {name: [0.0] * len(columns) for name in TESTS}
    for at, (systems, bias, coefficient) in enumerate(columns):
        rng = np.random.default_rng(options.seed)
        for run in range(options.runs):
            judgements = simulated(rng, systems, options.inputs, bias)
            for name, chosen in TESTS.items():
                p = compare(judgements, coefficient=coefficient, draws=options.draws, seed=run, adjust="none", **chosen)[0]["p"]
                shares[name][at] += (p <= 0.05) / options.runs
    heads = [f"{systems} systems, bias {bias:g}, {coefficient}" for systems, bias, coefficient in columns]
    print("| test | " + " | ".join(heads) + " |\n|" + "---|" * (len(heads) + 1))
    for name, row in shares.items():
        print(f"| {name} | " + " | ".join(f"{100 * share:.1f} %" for share in row) + " |")


def print_corrections(options: argparse.Namespace) -> None:
    corrections = ("none", "bonferroni", "holm", "maxT", "maxT-raw", "bh")
    found = {name: [0.0, 0.0] for name in corrections}
    for at, better in enumerate((0.0, 0.8)):
        rng = np.random.default_rng(options.seed)
        for run in range(options.runs):
            judgements = simulated(rng, 30, options.inputs, 0.75, metrics=6, better=better)
            for name in corrections:
                rows = compare(judgements, draws=options.draws, seed=run, adjust=name)
                claims = [bool(row["better"]) for row in rows]
                true = [int(row["metric"][-1]) < 3 <= int(row["other"][-1]) for row in rows]
                found[name][at] += (np.mean([c for c, t in zip(claims, true, strict=True) if t]) if better else any(claims)) / options.runs
    print("\n| correction | any claim among 15 equal pairs | share of 9 true differences found |\n|---|---|---|")
    for name, row in found.items():
        print(f"| {name} | " + " | ".join(f"{100 * share:.1f} %" for share in row) + " |")


if __name__ == "__main__":
    main()

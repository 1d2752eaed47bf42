"""Coverage of the intervals of F of error spans, and type I error of their paired tests, on made-up campaigns.

    python -m benchmarks.span_error_rates [--runs 400]

A text has a number of errors that depends on its input; people and metrics mark each of them with some chance, at a
place that is off by a few characters. The true F comes from 20,000 inputs. Two metrics are exchangeable if they mark with
the same chances, and the test of their difference is then right if it rejects in 5% of the campaigns.
"""

from __future__ import annotations

import argparse

import numpy as np

from nlgauge.meta import span_scores
from nlgauge.spans import Spans
from nlgauge.spans.measures import counts, precision_recall_f

MEASURES = ("em", "mp", "mpp", "char")
SYSTEMS, LENGTH = 4, 400


def voice(
    rng: np.random.Generator, errors: np.ndarray, total: int, keep: float, extra: float, off: float, who: str
) -> Spans:
    """Return the spans of a voice that marks a share of the errors, and others."""
    cells, start, size, level = (errors[:, k] for k in range(4))
    chosen = rng.random(len(cells)) < keep
    more = rng.random(len(cells)) < extra
    moved = start + np.rint(rng.normal(0, off, len(start))).astype(int)
    cell = np.concatenate([cells[chosen], cells[more]])
    first = np.concatenate([moved[chosen], rng.integers(0, LENGTH - 40, int(more.sum()))]).clip(0)
    length = np.concatenate([size[chosen], size[more]])
    severity = np.concatenate([level[chosen], level[more]])
    severity = np.where(rng.random(len(severity)) < 0.2, 1 - severity, severity)
    system, segment = cell % SYSTEMS, cell // SYSTEMS
    grid = system * total + segment
    order = np.argsort(grid, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(grid, minlength=SYSTEMS * total))])
    return Spans(
        who,
        "metric",
        tuple(f"s{k}" for k in range(SYSTEMS)),
        tuple(range(total)),
        offsets,
        first[order].astype(np.int32),
        (first + length)[order].astype(np.int32),
        severity[order].astype(np.uint16),
        np.zeros(len(order), np.uint16),
        np.zeros(len(order), np.uint8),
        np.full(len(order), np.nan, np.float32),
        np.zeros(len(order), bool),
        np.ones((SYSTEMS, total), bool),
        ("minor", "major"),
        ("",),
    )


def errors_of(rng: np.random.Generator, inputs: int) -> np.ndarray:
    """Return cell, start, length and severity of the errors; hard inputs have more in every system."""
    hard = rng.gamma(1.0, 0.6, inputs)
    number = rng.poisson(np.repeat(hard, SYSTEMS))
    cell = np.repeat(np.arange(inputs * SYSTEMS), number)
    count = len(cell)
    return np.stack(
        [
            cell,
            rng.integers(0, LENGTH - 60, count),
            1 + rng.geometric(0.08, count),
            rng.integers(0, 2, count),
        ],
        axis=1,
    )


def campaign(rng: np.random.Generator, inputs: int) -> tuple[Spans, dict[str, Spans]]:
    errors = errors_of(rng, inputs)
    people = voice(rng, errors, inputs, 0.8, 0.2, 1.0, "people")
    return people, {
        name: voice(rng, errors, inputs, 0.5, 0.6, 3.0, name) for name in ("one", "other", "third")
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=400)
    runs = options.parse_args().runs
    rng = np.random.default_rng(1)
    people, metrics = campaign(rng, 20_000)
    sums = counts(metrics["one"], people, MEASURES)
    truth = {
        ("micro", name): float(precision_recall_f(values.sum(axis=(0, 1)))[2])
        for name, values in sums.items()
    }
    truth |= {
        ("macro", name): float(precision_recall_f(values)[..., 2].mean()) for name, values in sums.items()
    }
    print("| F of spans | coverage | p <= .05 | any of three pairs |\n|---|---|---|---|")
    for inputs in (20, 50, 100):
        for average in ("micro", "macro"):
            covered = dict.fromkeys(MEASURES, 0)
            single, family = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0)
            for run in range(runs):
                people, metrics = campaign(np.random.default_rng((7, inputs, run)), inputs)
                scores = span_scores(people, metrics, MEASURES, average, resamples=500, seed=run)
                for row in scores.where(metric="one").rows:
                    covered[row["measure"]] += row["low"] <= truth[average, row["measure"]] <= row["high"]
                rows = scores.compare().rows
                for name in MEASURES:
                    mine = [row for row in rows if row["human"] == name]
                    single[name] += any(
                        row["p"] <= 0.05 for row in mine if {row["metric"], row["other"]} == {"one", "other"}
                    )
                    family[name] += any(row["p_adjusted"] <= 0.05 for row in mine)
            for name in MEASURES:
                shares = (f"{count[name] / runs:.3f}" for count in (covered, single, family))
                print(f"| {inputs} inputs, {average} {name} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()

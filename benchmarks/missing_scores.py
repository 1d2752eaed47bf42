"""python -m benchmarks.missing_scores: how often rules for missing scores call an equal system better or
worse.

100 segments whose difficulty both systems share, scores from 0 to 1, two systems of equal quality; B leaves
predictions empty or the judge fails on them. `own` compares the means that each system has (what most
programs do), `common` the segments that both have, `worst` counts every missing score as 0, and `nlgauge` is
`Result.compare`: an empty prediction has the worst score, a failure of the judge leaves the segment out for
both. The last columns are how often the bounds of `Compared` hold the true difference of the sample, and what
`check` says.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

import nlgauge
from nlgauge.metric import EMPTY, Output, Takes, View
from nlgauge.metric.mean import MeanMetric, Measured
from nlgauge.results.gate import Change, Rule, verdicts

SEGMENTS, RESAMPLES = 100, 400
UNREADABLE = Output("unparsed", None, 0, note="replies were not readable", missing="unreadable")


@dataclass(frozen=True)
class Grade(MeanMetric):
    """The number that a prediction is; "?" is an unreadable reply, "" an empty prediction."""

    name: ClassVar[str] = "grade"
    takes: ClassVar[Takes] = "alone"

    def measures(self) -> tuple[Output, ...]:
        return (Output("grade", True, 0, 1),)

    def counted(self) -> tuple[Output, ...]:
        return (UNREADABLE, EMPTY)

    def measured(self, view: View) -> Measured:
        texts = [view.text(prediction) for prediction in view.predictions.tolist()]
        values = np.array([float(text) if text not in ("", "?") else np.nan for text in texts])
        unread, empty = (np.array([text == mark for text in texts]) for mark in ("?", ""))
        return Measured(values[:, None], empty, [unread, empty])


class World(NamedTuple):
    """Scores of A and B, which of B's predictions are empty, and on which the judge fails for A and for B."""

    a: np.ndarray
    b: np.ndarray
    empty: np.ndarray
    failed_a: np.ndarray
    failed_b: np.ndarray


def world(kind: str, rng: np.random.Generator) -> World:
    difficulty = rng.normal(0, 0.2, SEGMENTS)
    a, b = (np.clip(0.6 + difficulty + rng.normal(0, 0.12, SEGMENTS), 0, 1) for _ in range(2))
    none, hard = np.zeros(SEGMENTS, dtype=bool), difficulty < np.quantile(difficulty, 0.2)
    by_chance = rng.random(SEGMENTS)
    hardest = difficulty < np.quantile(difficulty, 0.1)
    return {
        "nothing missing": World(a, b, none, none, none),
        "judge fails at random on B, 15%": World(a, b, none, none, by_chance < 0.15),
        "judge fails on hard segments, both, 20%": World(a, b, none, hard, hard),
        "judge fails on hard segments, B only, 20%": World(a, b, none, none, hard),
        "judge fails on B's worst predictions, 20%": World(a, b, none, none, b < np.quantile(b, 0.2)),
        "B empty at random, 5%": World(a, b, by_chance < 0.05, none, none),
        "B empty on hard segments, 20%": World(a, b, hard, none, none),
        "B empty on 10%, judge fails at random on B, 10%": World(
            a, b, hardest, none, (by_chance < 0.1) & ~hardest
        ),
    }[kind]


KINDS = (
    "nothing missing",
    "judge fails at random on B, 15%",
    "judge fails on hard segments, both, 20%",
    "judge fails on hard segments, B only, 20%",
    "judge fails on B's worst predictions, 20%",
    "B empty at random, 5%",
    "B empty on hard segments, 20%",
    "B empty on 10%, judge fails at random on B, 10%",
)


def swapped(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> int:
    """Return 1 if B is called better, -1 if worse, 0 if neither, by swapping segments; NaN is missing."""
    ours, theirs = (np.column_stack([np.nan_to_num(side), ~np.isnan(side)]) for side in (a, b))
    moved = rng.integers(2, size=(RESAMPLES, len(a))) @ (theirs - ours)
    first, second = ours.sum(axis=0) + moved, theirs.sum(axis=0) - moved
    null = second[:, 0] / second[:, 1] - first[:, 0] / first[:, 1]
    observed = np.nanmean(b) - np.nanmean(a)
    p = (1 + (np.abs(null) >= abs(observed) - 1e-12).sum()) / (RESAMPLES + 1)
    return int(np.sign(observed)) if p <= 0.05 else 0


def texts_of(values: np.ndarray, failed: np.ndarray, empty: np.ndarray) -> list[str]:
    return [
        "" if nothing else "?" if no_reply else repr(float(value))
        for value, no_reply, nothing in zip(values, failed, empty, strict=True)
    ]


def run(kind: str, runs: int) -> str:
    rng = np.random.default_rng([7, KINDS.index(kind)])
    called = {rule: [] for rule in ("own", "common", "worst", "nlgauge")}
    held, outcomes, truths = 0, [], []
    for seed in range(runs):
        made = world(kind, rng)
        true_b = np.where(made.empty, 0.0, made.b)
        gap_a, gap_b = made.failed_a, made.failed_b | made.empty
        either = gap_a | gap_b
        called["own"].append(swapped(np.where(gap_a, np.nan, made.a), np.where(gap_b, np.nan, made.b), rng))
        called["common"].append(
            swapped(np.where(either, np.nan, made.a), np.where(either, np.nan, made.b), rng)
        )
        called["worst"].append(swapped(np.where(gap_a, 0.0, made.a), np.where(gap_b, 0.0, made.b), rng))
        nothing = np.zeros(SEGMENTS, dtype=bool)
        texts = {
            "A": texts_of(made.a, made.failed_a, nothing),
            "B": texts_of(made.b, made.failed_b, made.empty),
        }
        result = nlgauge.score(texts, metrics=Grade(), seed=seed, show_progress=False)
        row = result.compare(resamples=RESAMPLES)["grade"]
        called["nlgauge"].append(int(np.sign(row.gain)) if row.p <= 0.05 else 0)
        truths.append(float((true_b - made.a).mean()))
        held += row.bound_low - 1e-9 <= truths[-1] <= row.bound_high + 1e-9
        (verdict,), _ = verdicts(
            result, "A", ["B"], [Change.read("grade drops")], [], Rule(), resamples=RESAMPLES
        )
        outcomes.append(verdict.word)
    shares = [
        f"{np.mean(np.array(signs) > 0):.3f} / {np.mean(np.array(signs) < 0):.3f}"
        for signs in called.values()
    ]
    gate = " / ".join(f"{outcomes.count(word) / runs:.3f}" for word in ("failed", "inconclusive", "passed"))
    return f"| {kind} | {np.mean(truths):+.3f} | {' | '.join(shares)} | {held / runs:.3f} | {gate} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print(
        "| simulation | true difference | own | common | worst | nlgauge | inside the bounds | check: failed /"
        " inconclusive / passed |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for kind in KINDS:
        print(run(kind, runs), flush=True)


if __name__ == "__main__":
    main()

"""What meta-evaluation costs beside nlpstats and sacrebleu: 20 metrics, 17 systems, 100 inputs, 1,000 draws,
CPU seconds of one thread.

    python -m benchmarks.meta_speed

Both sides run in this process, ours as the public functions (`correlate`, `compare`, `Result.compare`) with
all that they return. The anchor does a part of the work, the second column says which, and its time is scaled
by what is left; ours is the best of three. Exit code 1 where a goal is missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import nlgauge
from benchmarks.workloads import four_systems
from nlgauge.meta import Judgments, compare, correlate

METRICS, SYSTEMS, INPUTS, DRAWS = 20, 17, 100, 1000
LEVELS, COEFFICIENTS = ("system", "input", "global"), ("pearson", "spearman", "kendall")
PAIRS = METRICS * (METRICS - 1) // 2
# What the whole report may take.
SECONDS = 20.0


class Row(NamedTuple):
    """One workload: what ours and the anchor run, which part of the work the anchor does, and how many
    times as long it must take.
    """

    name: str
    ours: Callable[[], object]
    anchor: Callable[[], object]
    part: str
    scale: float
    goal: float | None = None


def cpu_seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def scores(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Human scores (S, N) and metrics (M, S, N): real numbers, or ratings in thirds and metrics with two
    digits, so that many are tied.
    """
    rng = np.random.default_rng(1)
    quality = (
        rng.normal(size=(SYSTEMS, 1)) + rng.normal(size=(1, INPUTS)) + rng.normal(size=(SYSTEMS, INPUTS))
    )
    human = quality + rng.normal(size=quality.shape)
    metrics = (
        quality
        + 0.5 * rng.normal(size=(METRICS, SYSTEMS, 1))
        + 2 * rng.normal(size=(METRICS, *quality.shape))
    )
    return (
        (human, metrics)
        if kind == "real"
        else (np.clip(np.round(9 + 2 * human) / 3, 1, 5), np.round(0.3 + 0.1 * metrics, 2).clip(0))
    )


def judgments(kind: str) -> Judgments:
    human, metrics = scores(kind)
    return Judgments.from_arrays(human, {f"metric{at}": one for at, one in enumerate(metrics)})


def of_nlpstats() -> list[Row]:
    from nlpstats.correlations import bootstrap, permutation_test

    human, metrics = scores("real")
    judged = judgments("real")
    rows = []
    for level, count, resamples, goals in (
        ("system", 2, DRAWS, {"kendall": 150.0}),
        ("input", 1, 10, {"kendall": 10_000.0}),
        ("global", 1, 200, {}),
    ):
        for name in COEFFICIENTS:
            rows.append(
                Row(
                    f"BOOT-BOTH, {level} {name}",
                    lambda level=level, name=name: correlate(judged, level, name, resamples=DRAWS),
                    lambda level=level, name=name, count=count, resamples=resamples: [
                        bootstrap(metric, human, level, name, "both", n_resamples=resamples)
                        for metric in metrics[:count]
                    ],
                    f"nlpstats, {count} of {METRICS} metrics, {resamples:,} draws",
                    METRICS / count * DRAWS / resamples,
                    goals.get(name),
                )
            )
    for level, resamples, goals in (
        ("system", DRAWS, {"pearson": 800.0}),
        ("input", 10, {}),
        ("global", 100, {}),
    ):
        for name in COEFFICIENTS:
            rows.append(
                Row(
                    f"PERM-BOTH, {PAIRS} pairs, {level} {name}",
                    lambda level=level, name=name: compare(
                        judged, level, name, swap="rows-xor-cols", resamples=DRAWS
                    ),
                    lambda level=level, name=name, resamples=resamples: permutation_test(
                        metrics[0], metrics[1], human, level, name, "both", n_resamples=resamples
                    ),
                    f"nlpstats, 1 of {PAIRS} pairs, {resamples:,} draws",
                    PAIRS * DRAWS / resamples,
                    goals.get(name),
                )
            )
    return rows


def of_sacrebleu() -> list[Row]:
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    texts = four_systems(3_000)
    texts = texts._replace(systems=dict(list(texts.systems.items())[:3]))
    references = [list(column) for column in zip(*texts.references, strict=True)]
    result = nlgauge.Scorer(["bleu"])(texts.systems, texts.references)

    class Counted(BLEU):  # type: ignore[misc]
        """BLEU whose statistics are there already, as those of a result are."""

        def _extract_corpus_statistics(self, hypotheses: Any, given: Any) -> Any:
            key = hypotheses[0], hypotheses[-1]
            if key not in kept:
                kept[key] = super()._extract_corpus_statistics(hypotheses, given)
            return kept[key]

    kept: dict[Any, Any] = {}
    rows = []
    for name, test, resamples in (("bootstrap", "bs", 1_000), ("randomization", "ar", 10_000)):
        # Ours has intervals in either case, so randomization is asked for them too.
        bleu = {"BLEU": Counted(references=references)}
        paired = PairedTest(
            list(texts.systems.items()), bleu, None, test, n_samples=resamples, n_ar_confidence=resamples
        )
        for systems in texts.systems.values():
            paired.metrics["BLEU"]._extract_corpus_statistics(systems, None)

        def ours(name: str = name, resamples: int = resamples) -> object:
            result._last.clear()  # no draws from before
            return result.compare(test=name, resamples=resamples)

        rows.append(
            Row(
                f"paired {name}, BLEU, 3 systems, 3,000 segments",
                ours,
                paired,
                f"sacrebleu, {resamples:,} draws, with intervals",
                1.0,
                15.0,
            )
        )
    return rows


def report(judged: Judgments) -> None:
    """3 levels x 3 coefficients: values, intervals, all pairs tested and corrected."""
    correlate(judged, LEVELS, COEFFICIENTS, resamples=DRAWS)
    for level in LEVELS:
        for name in COEFFICIENTS:
            compare(judged, level, name, resamples=DRAWS).clusters()


_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NLGAUGE_THREADS"), "1"
)


def main() -> int:
    if not _ONE_THREAD.items() <= os.environ.items():
        return subprocess.call(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.meta_speed"], env={**os.environ, **_ONE_THREAD}
        )
    missed = 0
    print(
        "| workload | anchor and what it ran | anchor CPU s | nlgauge CPU s | ratio | goal"
        " |\n|---|---|---|---|---|---|"
    )
    for row in [*of_nlpstats(), *of_sacrebleu()]:
        row.ours()
        anchor = cpu_seconds(row.anchor) * row.scale
        ours = min(cpu_seconds(row.ours) for _ in range(3))
        missed += row.goal is not None and anchor / ours < row.goal
        goal = "" if row.goal is None else f"{row.goal:,.0f}"
        print(
            f"| {row.name} | {row.part} | {anchor:,.1f} | {ours:.3f} | {anchor / ours:,.0f} | {goal} |",
            flush=True,
        )
    for kind in ("real numbers", "tied scores"):
        judged = judgments(kind.split()[0])
        seconds = min(cpu_seconds(lambda: report(judged)) for _ in range(2))  # noqa: B023 -- called before the loop goes on
        missed += seconds > SECONDS
        print(f"| the whole report, {kind} | | | {seconds:.1f} | | at most {SECONDS:.0f} s |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

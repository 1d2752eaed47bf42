"""python -m benchmarks.judge_audit: how often the claims of `nlgauge judge audit` are right.

coverage    LLMBar's verdicts of five judges: 50 or 100 labels are drawn at random, the others are hidden. The score is
            the share of items whose first text is better, for new items (items are drawn with replacement, and the
            truth is the share in the whole set) or for these items (the truth is their share).
verdicts    a judge that guesses, 200 audits each
tests       false alarms and power of the tests of position, drift and length, with and without documents
seconds     CPU of an audit of 10,000 items with 2,000 resamples

LLMBar is read from the directory in NLGAUGE_BENCHMARKS.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.meta import audit, estimate
from nlgauge.meta.auditing.audit import CHANCE
from nlgauge.meta.auditing.draws import Draws
from nlgauge.stats.intervals import normal_quantile
from nlgauge.stats.prevalence import rogan_gladen
from nlgauge.stats.regression import logistic

JUDGES = ("GPT-4", "PaLM2", "LLaMA2", "ChatGPT", "Falcon")
LABELS = (50, 100)


def lines(name: str) -> Iterator[dict[str, Any]]:
    """Read a file of the benchmark."""
    with gzip.open(Path(os.environ["NLGAUGE_BENCHMARKS"]) / name, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def llmbar(judge: str) -> tuple[np.ndarray, np.ndarray]:
    """Return verdicts and labels of the Natural and Adversarial sets; 1 if the first text is better."""
    verdicts = {line["segment"]: line["verdicts"] for line in lines("llmbar.peer_metrics.jsonl.gz")}
    pairs = [
        (verdicts[line["segment"]].get(f"{judge}.Vanilla") == "1", line["meta"]["label"] == 1)
        for line in lines("llmbar.jsonl.gz")
        if line["meta"]["subset"].startswith(("Natural", "Adversarial"))
        and verdicts[line["segment"]].get(f"{judge}.Vanilla") in ("1", "2")
    ]
    judged, labels = np.array(pairs, dtype=float).T
    return judged, labels


def covered(judge: str, count: int, runs: int, new: bool) -> dict[str, float]:
    """Return coverage and width of intervals from `count` labels."""
    judged, labels = llmbar(judge)
    truth, rng = labels.mean(), np.random.default_rng(count)
    hits: dict[str, list[float]] = {name: [] for name in ("ppi", "labels", "rg")}
    widths: dict[str, list[float]] = {name: [] for name in hits}
    for _ in range(runs):
        items = rng.integers(len(labels), size=len(labels)) if new else np.arange(len(labels))
        known = np.full(len(labels), np.nan)
        drawn = rng.choice(len(labels), count, replace=False)
        known[drawn] = labels[items][drawn]
        row = estimate(known, judged[items], generalize_to="inputs" if new else "none")[0]
        rate = rogan_gladen(judged[items], known)
        for name, low, high in (
            ("ppi", row["low"], row["high"]),
            ("labels", row["classical_low"], row["classical_high"]),
            ("rg", rate.low, rate.high),
        ):
            if not np.isnan(low):
                hits[name].append(low <= truth <= high)
                widths[name].append(high - low)
    numbers = {name: float(np.mean(each)) if each else np.nan for name, each in hits.items()}
    wide = {f"{name} width": float(np.mean(each)) if each else np.nan for name, each in widths.items()}
    return {**numbers, **wide, "rg defined": len(hits["rg"]) / runs}


def guessing(n: int, share: float, runs: int) -> float:
    """Return the share of audits of a guessing judge that report no better than chance."""
    verdicts = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        data = [{"verdict": int(rng.integers(2)), "label": int(rng.random() < share)} for _ in range(n)]
        verdicts.append(audit(data, judge="verdict", human="label", resamples=1000).verdict)
    return verdicts.count(CHANCE) / runs


def documents(n: int, size: int) -> np.ndarray:
    """Return the document of each item."""
    return np.arange(n) // size


def effects(rng: np.random.Generator, clusters: np.ndarray, spread: float) -> np.ndarray:
    """Return random effects of documents on each item."""
    return np.asarray(rng.normal(0, spread, clusters.max() + 1)[clusters])


def position_p(rng: np.random.Generator, clusters: np.ndarray, preference: float) -> float:
    """Return p of the position test; documents differ in their preference for a place, with this mean."""
    leaning = preference + effects(rng, clusters, 1.0 if clusters.max() + 1 < len(clusters) else 0.0)
    changed = rng.random(len(clusters)) < 0.25
    first = rng.random(len(clusters)) < 1 / (1 + np.exp(-leaning))
    return Draws(1000).sign_p(np.where(changed, np.where(first, 1.0, -1.0), 0.0), clusters)


def drift_p(rng: np.random.Generator, clusters: np.ndarray, drop: float) -> float:
    """Return p of the drift test: accuracy 0.85 before, minus `drop` now, on items of shared difficulty."""
    shared = rng.normal(0, 1.0, len(clusters))
    spread = 0.7 if clusters.max() + 1 < len(clusters) else 0.0
    moved = effects(rng, clusters, spread)
    sides = []
    for side, accuracy in ((-0.5, 0.85), (0.5, 0.85 - drop)):
        noise = rng.normal(0, 0.5, len(clusters))
        threshold = normal_quantile(1 - accuracy) * np.sqrt(1 + spread**2 / 4 + 0.25)
        sides.append((shared + moved * side + noise > threshold).astype(float))
    return Draws(1000).sign_p(sides[1] - sides[0], clusters)


def length_p(rng: np.random.Generator, clusters: np.ndarray, effect: float) -> float:
    """Return p of the length test: documents share their lengths and the leniency of the judge."""
    clustered = clusters.max() + 1 < len(clusters)
    lengths = rng.normal(size=len(clusters)) * 0.5 + effects(rng, clusters, 1.0)
    labels = (rng.random(len(clusters)) < 0.5).astype(float)
    score = 3 * (labels - 0.5) + effect * lengths + (effects(rng, clusters, 0.8) if clustered else 0.0)
    judged = (rng.random(len(clusters)) < 1 / (1 + np.exp(-score))).astype(float)
    columns = np.stack([np.ones(len(clusters)), labels - 0.5, lengths], axis=1)
    return float(logistic(judged, columns, clusters if clustered else None).p[2])


TESTS: dict[str, tuple[Callable[..., float], float]] = {
    "position": (position_p, 0.8),
    "drift": (drift_p, 0.1),
    "length": (length_p, 0.5),
}


def borderline(n: int, positive: float, runs: int) -> tuple[float, float]:
    """Return how often a judge with a true kappa of 0.6 (0.61) is called usable as is, and how often the lower bound
    of kappa alone is above 0.6.
    """
    rng = np.random.default_rng([n, round(100 * positive)])
    right = (0.8, 0.8) if positive == 0.5 else (0.9622, 0.65)
    usable = above = 0
    for seed in range(runs):
        labels = (rng.random(n) < positive).astype(int)
        verdicts = np.where(rng.random(n) < np.where(labels, right[1], right[0]), labels, 1 - labels)
        data = [
            {"verdict": int(verdict), "label": int(label)}
            for verdict, label in zip(verdicts, labels, strict=True)
        ]
        found = audit(data, judge="verdict", human="label", resamples=500, seed=seed)
        usable += found.verdict == "usable as is"
        above += found.number("agreement", "kappa")["low"] > 0.6
    return usable / runs, above / runs


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--tests", action="store_true", help="simulate only the tests")
    parser.add_argument("--usable", action="store_true", help="simulate only judges that are nearly usable")
    options = parser.parse_args()
    print("| usable as is with a true kappa of 0.6 | verdict | lower bound alone |\n|---|---|---|")
    for n, positive in ((20, 0.5), (40, 0.5), (100, 0.5), (40, 0.1), (100, 0.1)):
        shares = (f"{share:.3f}" for share in borderline(n, positive, 2 * options.runs))
        print(f"| usable: {n} labels, {positive} positive | {' | '.join(shares)} |", flush=True)
    if options.usable:
        return
    if not options.tests:
        show_coverage(options.runs)
    show_tests(options.runs)


def show_coverage(runs: int) -> None:
    """Print the coverage of intervals, and the verdicts on a judge that guesses."""
    print("coverage: judge, labels, population | ppi, labels only, rogan_gladen (defined) | mean widths")
    for judge in JUDGES:
        for count in LABELS:
            for new in (True, False):
                found = covered(judge, count, runs, new)
                shown = [f"{found[name]:.3f}" for name in ("ppi", "labels", "rg", "rg defined")]
                wide = [f"{found[f'{name} width']:.3f}" for name in ("ppi", "labels", "rg")]
                print(judge, count, "new" if new else "these", *shown, *wide, flush=True)
    print("a judge that guesses: labels, share of positive labels, share of audits with the right verdict")
    for n in (150, 300):
        for share in (0.5, 0.2):
            print(n, share, f"{guessing(n, share, 200):.3f}", flush=True)


def show_tests(runs: int) -> None:
    """Print false alarms and power of the tests, and the time of an audit."""
    print("\n| share with p < 0.05 | without an effect | with an effect |\n|---|---|---|")
    for name, (p_of, effect) in TESTS.items():
        for n, size in ((100, 1), (400, 1), (400, 10)):
            shares = []
            for value in (0.0, effect):
                rng = np.random.default_rng(n + size)
                ps = [p_of(rng, documents(n, size), value) for _ in range(2 * runs)]
                shares.append(f"{np.mean(np.array(ps) < 0.05):.3f}")
            print(f"| tests: {name}, {n} items, {n // size} documents | {' | '.join(shares)} |", flush=True)
    rng = np.random.default_rng(0)
    data = [
        {
            "verdict": int(rng.integers(2)),
            "swapped": int(rng.integers(2)),
            "label": int(rng.integers(2)),
            "g": i % 5,
        }
        for i in range(10_000)
    ]
    start = time.process_time()
    audit(data, judge="verdict", human="label", swapped="swapped", by="g")
    print(f"10,000 items: {time.process_time() - start:.1f} s CPU")


if __name__ == "__main__":
    main()

"""Error rates of claims about several equal systems, two runs, missing scores, gold items, judges and audits.

python -m benchmarks.nightly.simulated_systems [--runs 100] [ranks] [runs] [missing] [signs] [shares] [audit] [student]

ranks    four equal systems: do any two have different letters, or does any have a best rank above 1?
runs     two runs without a difference: p of all segments, and any slice of three after Holm's correction
missing  two systems that miss scores equally often: McNemar's p
signs    gold items of an annotator who guesses: the sign test
shares   Wilson's interval of a share
audit    intervals and tests of an audit of a judge; the truth is the value for 100,000 answers
student  the interval of a judge's gain, with normal and skewed gains
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

import nlgauge
from benchmarks.missing_scores import Grade
from benchmarks.nightly.printing import print_parts
from nlgauge.annotate.checks import sign_test
from nlgauge.meta import audit as audited
from nlgauge.meta.diagnostics.judges import _interval
from nlgauge.results.runs.alignment import aligned
from nlgauge.results.runs.testing import compare_runs
from nlgauge.stats.intervals import wilson

_HEAD = ("| test | share |", "|---|---|")


def _row(name: str, count: float, runs: int) -> str:
    return f"| {name} | {count / runs:.3f} |"


def _scored(sides: dict[str, np.ndarray], **options: Any) -> nlgauge.Result:
    texts = {
        name: ["?" if np.isnan(value) else repr(float(value)) for value in values]
        for name, values in sides.items()
    }
    return nlgauge.score(texts, metrics=[Grade()], show_progress=False, **options)


def _equal(rng: np.random.Generator, names: str, size: int) -> dict[str, np.ndarray]:
    """Return skewed scores of equal systems, which share the difficulty of a segment."""
    difficulty = rng.normal(0, 0.2, size)
    return {name: 0.5 + difficulty + rng.exponential(0.15, size) for name in names}


def ranks(runs: int) -> Iterator[str]:
    """Yield the rows of letters and ranks."""
    yield from _HEAD
    for size in (20, 100):
        rng = np.random.default_rng([11, size])
        letters = above = 0
        for seed in range(runs):
            ranked = _scored(_equal(rng, "ABCD", size), seed=seed).ranks(resamples=500).rows[0]
            letters += any(not set(one) & set(other) for one, other in combinations(ranked.letters, 2))
            above += any(low > 1 for low, _ in ranked.ranks)
        yield _row(f"different letters of equal systems, {size} segments", letters, runs)
        yield _row(f"a best rank above 1, {size} segments", above, runs)


def two_runs(runs: int) -> Iterator[str]:
    """Yield the rows of comparisons of an old and a new run."""
    yield from _HEAD
    rng = np.random.default_rng(12)
    domain = {"domain": ["news", "talk", "law"] * 40}
    whole = sliced = 0
    for seed in range(runs):
        sides = _equal(rng, "AB", 120)
        old, new = (
            _scored({"S": sides[name]}, seed=seed, fields=domain, ids=[f"{i}" for i in range(120)])
            for name in "AB"
        )
        tests = compare_runs(aligned(new, old), resamples=500)
        whole += tests.rows[0].p <= 0.05
        sliced += any(tests.is_significant(one.row) for one in tests.slices)
    yield _row("two equal runs, all segments", whole, runs)
    yield _row("two equal runs, any slice", sliced, runs)


def missing(runs: int) -> Iterator[str]:
    """Yield the row of McNemar's test of missing scores."""
    yield from _HEAD
    rng = np.random.default_rng(13)
    below = 0
    for seed in range(runs):
        sides = _equal(rng, "AB", 100)
        for values in sides.values():
            values[rng.random(100) < 0.15] = np.nan
        (row,) = _scored(sides, seed=seed).compare(resamples=50).rows
        below += row.gaps.p <= 0.05
    yield _row("missing scores of two systems", below, runs)


def signs(runs: int) -> Iterator[str]:
    """Yield the rows of the sign test of gold items."""
    yield from _HEAD
    for items in (8, 30):
        lower = np.random.default_rng([14, items]).binomial(items, 0.5, runs)
        below = sum(sign_test(int(count), items - int(count)) <= 0.05 for count in lower)
        yield _row(f"gold items of an annotator who guesses, {items} items", below, runs)


def shares(runs: int) -> Iterator[str]:
    """Yield the rows of Wilson's interval."""
    yield from _HEAD
    for share, size in ((0.05, 100), (0.5, 20), (0.8, 40)):
        rng = np.random.default_rng([15, size])
        inside = 0
        for count in rng.binomial(size, share, runs):
            low, high = wilson(float(count), size)
            inside += low <= share <= high
        yield _row(f"Wilson's interval, {size} of share {share:g}", inside, runs)


def _answers(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    """Return verdicts that are right in 85 of 100 answers of either kind, in documents of five answers."""
    label = (rng.random(count) < 0.6).astype(int)
    hard = np.repeat(rng.normal(0, 0.5, -(-count // 5)), 5)[:count]
    right = rng.random(count) < 1 / (1 + np.exp(-(1.9 + hard)))
    verdict = np.where(right, label, 1 - label)
    return [
        {"verdict": int(v), "label": int(z), "doc": i // 5, "kind": "xy"[i % 2]}
        for i, (v, z) in enumerate(zip(verdict, label, strict=True))
    ]


def _audited(answers: list[dict[str, Any]], resamples: int, seed: int) -> dict[tuple[str, str, str], Any]:
    found = audited(answers, judge="verdict", human="label", by="kind", resamples=resamples, seed=seed)
    return {(row["part"], row["measure"], row["of"]): row for row in found.rows}


def audit(runs: int) -> Iterator[str]:
    """Yield the rows of an audit of 100 answers: all labeled, and 60 of them labeled."""
    yield from _HEAD
    truth = _audited(_answers(np.random.default_rng(16), 100_000), 20, 0)
    rng = np.random.default_rng(17)
    inside: Counter[str] = Counter()
    known: Counter[str] = Counter()
    unequal = lenient = 0
    for seed in range(runs):
        answers = _answers(rng, 100)
        rows = _audited(answers, 300, seed)
        for (part, measure, of), row in rows.items():
            if not np.isnan(row["low"]) and part in ("agreement", "errors", "confusion", "groups"):
                name = f"{part}, {measure}{', ' if of else ''}{of}"
                known[name] += 1
                inside[name] += row["low"] <= truth[part, measure, of]["value"] <= row["high"]
        unequal += rows["groups", "agreement", "kind x"]["p"] <= 0.05
        # The judge errs less often on one label, so that both sides call the same share positive.
        lenient += (
            rows["leniency", "difference", ""]["low"]
            <= truth["leniency", "difference", ""]["value"]
            <= rows["leniency", "difference", ""]["high"]
        )
        for answer in answers[60:]:
            del answer["label"]
        few = _audited(answers, 300, seed)
        for measure in ("corrected", "rogan_gladen"):
            row = few["score", measure, ""]
            if not np.isnan(row["low"]):
                known[f"score, {measure}"] += 1
                inside[f"score, {measure}"] += row["low"] <= 0.6 <= row["high"]
    for name, count in inside.items():
        yield _row(f"interval of an audit: {name}", count, known[name])
    yield _row("interval of an audit: leniency, difference", lenient, runs)
    yield _row("groups of an audit that agree equally", unequal, runs)


def student(runs: int) -> Iterator[str]:
    """Yield the rows of the interval of a mean gain."""
    yield from _HEAD
    for name, draw in (
        ("normal", lambda rng: rng.normal(0.2, 1, 20)),
        ("skewed", lambda rng: rng.exponential(0.2, 20)),
    ):
        rng = np.random.default_rng(18)
        inside = 0
        for _ in range(runs):
            _, low, high = _interval(draw(rng))
            inside += low <= 0.2 <= high
        yield _row(f"interval of a gain, 20 {name} gains", inside, runs)


PARTS: dict[str, Callable[[int], Iterator[str]]] = {
    "ranks": ranks,
    "runs": two_runs,
    "missing": missing,
    "signs": signs,
    "shares": shares,
    "audit": audit,
    "student": student,
}


def main() -> None:
    """Print the tables."""
    print_parts(__doc__, PARTS, 100)


if __name__ == "__main__":
    main()

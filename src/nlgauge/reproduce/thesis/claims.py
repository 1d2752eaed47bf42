"""Verdicts on the claims of chapter 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Verdict
from nlgauge.reproduce.thesis.study import (
    ABSTRACTNESS,
    BERTSCORE,
    DIMENSIONS,
    NAMES,
    ROUGE,
    SYSTEM,
    correlations,
    mean_kendall,
)
from nlgauge.reproduce.thesis.texts import length_verdict
from nlgauge.reproduce.verdicts import ClaimWord, difference_verdict


def verdicts(
    benchmark: Benchmark, judged: Judgments, agreement: Mapping[str, Findings], settings: Settings
) -> dict[str, Verdict]:
    """Return the verdicts on the claims by id."""
    tau = mean_kendall(benchmark)
    place = benchmark.systems.index(SYSTEM)
    means = [float(benchmark.human(dimension)[place].mean()) for dimension in DIMENSIONS]
    right = [round(mean, 2) == want for mean, want in zip(means, (3.67, 3.61, 3.61, 3.5), strict=True)]
    one, every = (_row(agreement[which], ABSTRACTNESS, "factualness") for which in ("one", "all"))
    return {
        "human-means": Verdict(
            "supported" if all(right) else "contradicted",
            ", ".join(f"{mean:.4f}" for mean in means),
            f"{sum(right)} of 4 means equal after rounding",
        ),
        "annotators": Verdict(
            "supported" if round(tau, 2) == 0.16 else "contradicted",
            f"{tau:.4f} over all systems, {mean_kendall(benchmark, SYSTEM):.3f} on {SYSTEM} ("
            f"{mean_kendall(benchmark, SYSTEM, (0, 1)):.3f} between the first two annotators,"
            f" {mean_kendall(benchmark, SYSTEM, (0, 2)):.3f} and {mean_kendall(benchmark, SYSTEM, (1, 2)):.3f} with the"
            " third)",
            "mean over pairs of annotators, dimensions and systems",
        ),
        "highest": _higher(judged, settings),
        "overlap": _adequate(judged, settings),
        "length": length_verdict(benchmark, SYSTEM, settings),
        # More novel words with more factual summaries: a positive correlation.
        "rephrasing": Verdict(
            difference_verdict(one["low"], one["high"]),
            f"{SYSTEM}: {_shown(one)}; all outputs: {_shown(every)}",
            "Pearson correlation of abstractness with factualness, 95% interval over texts",
        ),
    }


def _row(found: Findings, metric: str, human: str) -> Mapping[str, Any]:
    return next(row for row in found if row["metric"] == metric and row["human"] == human)


def _shown(row: Mapping[str, Any]) -> str:
    return f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def _difference(judged: Judgments, metrics: list[str], settings: Settings) -> list[Mapping[str, Any]]:
    """Return the correlation of each metric with factualness minus the correlation of ROUGE-L."""
    compared = judged.compare(
        "global",
        "pearson",
        generalize_to="inputs",
        test="bootstrap",
        human="factualness",
        metrics=[*metrics, "rouge"],
        against="rouge",
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return list(compared)


def _higher(judged: Judgments, settings: Settings) -> Verdict:
    """Return the claim that BERTScore, abstractness and Flesch-Kincaid have the highest correlations."""
    metrics = [ABSTRACTNESS, "flesch_kincaid"]
    has_bertscore = BERTSCORE in judged.labels
    rows = _difference(judged, [*metrics, *([BERTSCORE] if has_bertscore else [])], settings)
    words: list[ClaimWord] = []
    numbers = []
    for row in rows:
        sign = 1 if row["metric"] != "rouge" else -1
        name = row["metric"] if sign > 0 else row["other"]
        bounds = sorted((sign * row["low"], sign * row["high"]))
        words.append(difference_verdict(*bounds))
        numbers.append(
            f"{NAMES[name]} minus ROUGE-L {sign * row['delta']:.2f} [{bounds[0]:.2f}, {bounds[1]:.2f}]"
        )
    decided: ClaimWord = "undecided"
    if "contradicted" in words:
        decided = "contradicted"
    elif has_bertscore and set(words) == {"supported"}:
        decided = "supported"
    lacking = "" if has_bertscore else "; BERTScore is not tested without roberta-large"
    return Verdict(
        decided,
        "; ".join(numbers) + lacking,
        "difference of Pearson correlations with factualness, paired bootstrap over texts",
    )


def _adequate(judged: Judgments, settings: Settings) -> Verdict:
    """Return the claim that metrics of overlap are inadequate."""
    found = judged.only(metrics=list(ROUGE))
    rows = [row for row in correlations(found, settings) if row["human"] == "factualness"]
    above = [row for row in rows if row["low"] > 0]
    return Verdict(
        "contradicted" if len(above) == len(rows) else "undecided",
        "; ".join(f"{NAMES[row['metric']]} with factualness {_shown(row)}" for row in rows),
        f"{len(above)} of {len(rows)} intervals are above 0",
    )

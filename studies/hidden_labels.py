"""Labels that are hidden: how well human scores are estimated from a few of them, where all of them are
known.

Segments are drawn at random, their labels are shown with all systems and all others hidden; the truth is the
mean over all segments.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

import nlgauge
from nlgauge.meta import estimate, segments_to_label
from nlgauge.meta.benchmarks.rows import BenchmarkRow
from studies import data, study

BENCHMARKS = {
    "summeval": ("coherence", "consistency", "fluency", "relevance"),
    "realsumm": ("litepyramid_recall",),
    "wmt21_mqm_news en-de": ("mqm",),
    "wmt21_mqm_news zh-en": ("mqm",),
}
STRINGS = {
    "sentence_bleu": "sentence_bleu",
    "chrf": "chrf",
    "rouge.rouge1": "rouge1",
    "rouge.rouge2": "rouge2",
    "rouge.rougeL": "rougeL",
    "meteor": "meteor",
}
OF_SOURCE = {"coverage": "coverage", "density": "density", "compression": "compression"}
HEADER = [
    *(
        "benchmark",
        "human",
        "metrics",
        "estimated",
        "labels",
        "coverage",
        "labels only",
        "width",
        "squared error",
        "effective labels",
    ),
    *("with a remark", "coverage of others"),
]


def report(resamples: int, seed: int) -> str:
    """One row per benchmark, dimension, set of metrics, and number of labels that are shown."""
    lines = []
    for benchmark, dimensions in BENCHMARKS.items():
        humans, metrics, published = scores(benchmark, dimensions)
        sets = {
            "chrf": {"chrf": metrics["chrf"]},
            f"{len(metrics)} string": metrics,
            f"{len(published)} published": published,
        }
        for (dimension, human), (name, chosen) in product(humans.items(), sets.items()):
            if not chosen:
                continue
            # Published scores may lack a system.
            held = np.isfinite(list(chosen.values())).all(axis=(0, 2))
            of_held = {label: values[held] for label, values in chosen.items()}
            for of, shown in product(
                ("means", "differences"), (10, 20, 50) if human.shape[1] < 200 else (20, 50, 150)
            ):
                # There are many more pairs than systems.
                times = resamples if of == "means" else max(resamples // 4, 1)
                lines.append(
                    [
                        benchmark,
                        dimension,
                        name,
                        of,
                        str(shown),
                        *tried(human[held], of_held, shown, of, times, seed),
                    ]
                )
            if chosen is metrics:
                found = tried(human, metrics, 50, "means", resamples, seed, proposed=True)
                lines.append([benchmark, dimension, f"{name}, proposed", "means", "50", *found])
    return (
        f"{resamples} draws of means and {max(resamples // 4, 1)} of differences per row, seed {seed}\n\n"
        + study.table(HEADER, lines)
    )


def scores(
    benchmark: str, dimensions: tuple[str, ...]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Human scores by dimension, metric scores by label, and those that others published, all (systems,
    segments).
    """
    name, _, pair = benchmark.partition(" ")
    found = {
        segment: rows
        for segment, rows in data.segments(name).items()
        if not pair or next(iter(rows.values())).group == pair
    }
    systems = sorted({system for rows in found.values() for system in rows})
    first = [next(iter(rows.values())) for rows in found.values()]
    columns = STRINGS if pair else {**STRINGS, **OF_SOURCE}
    result = nlgauge.score(
        {system: [rows[system].prediction for rows in found.values()] for system in systems},
        [list(row.references) for row in first],
        sources=None if pair else [row.source for row in first],
        metrics=list(dict.fromkeys(column.partition(".")[0] for column in columns)),
    )
    metrics = {label: np.full((len(systems), len(found)), np.nan) for label in columns.values()}
    for row in result.segments(frame="records"):
        for column, label in columns.items():
            metrics[label][systems.index(row["system"]), row["segment"]] = row[column]
    return (
        {dimension: data.human(found, dimension) for dimension in dimensions},
        metrics,
        published_scores(found, systems),
    )


def published_scores(found: dict[str, dict[str, BenchmarkRow]], systems: list[str]) -> dict[str, np.ndarray]:
    """The metric scores that others published, NaN where there are none."""
    labels = sorted({label for rows in found.values() for row in rows.values() for label in row.metrics})
    return {
        label: np.array(
            [[rows[s].metrics.get(label, np.nan) for rows in found.values()] for s in systems], dtype=float
        )
        for label in labels
    }


def tried(
    human: np.ndarray,
    metrics: Mapping[str, np.ndarray],
    shown: int,
    of: str,
    resamples: int,
    seed: int,
    proposed: bool = False,
) -> list[str]:
    """Coverage with metrics and from labels alone, the ratio of widths and of squared errors, effective
    labels, rows with a remark.
    """
    rng = np.random.default_rng(seed)
    truth = human.mean(axis=1)
    found = []
    for _ in range(resamples):
        first = shown // 2 if proposed else shown
        mask = np.isin(np.arange(human.shape[1]), rng.choice(human.shape[1], first, replace=False))
        probabilities = None
        if proposed:
            proposal = segments_to_label(
                np.where(mask, human, np.nan), shown - first, metrics, seed=int(rng.integers(2**32))
            )
            mask |= np.array(proposal.column("proposed"))
            probabilities = proposal.column("probability")
        partly = np.where(mask, human, np.nan)
        for row in estimate(
            partly,
            metrics,
            of=of,
            generalize_to="none",
            probabilities=probabilities,
            seed=int(rng.integers(2**32)),
        ):
            value = truth[int(row["system"]) - 1] - (
                truth[int(row["other"]) - 1] if of == "differences" else 0.0
            )
            names = (
                "estimate",
                "low",
                "high",
                "classical",
                "classical_low",
                "classical_high",
                "effective_labels",
            )
            found.append([value, bool(row["reason"]), *(row[name] for name in names)])
    value, remark, estimated, low, high, alone, alone_low, alone_high, effective = np.array(found).T
    known = ~np.isnan(low)
    hit = (low <= value) & (value <= high)
    return [
        f"{hit[known].mean():.3f}",
        f"{((alone_low <= value) & (value <= alone_high))[known].mean():.3f}",
        f"{(high - low)[known].sum() / (alone_high - alone_low)[known].sum():.2f}",
        f"{np.mean((estimated - value) ** 2) / np.mean((alone - value) ** 2):.2f}",
        f"{np.median(effective[known]):.0f}",
        f"{remark.mean():.2f}",
        f"{hit[remark == 0].mean():.3f}" if (remark == 0).sum() >= 50 else "",
    ]

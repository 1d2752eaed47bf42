"""COSMIC of the systems of SummEval and REALSumm, with MiniLM's embeddings."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import nlgauge
from nlgauge.meta import kendall
from nlgauge.metric.registry import parse
from studies import data, study

DIMENSIONS = {"summeval": ("coherence", "consistency", "fluency", "relevance"), "realsumm": ("litepyramid_recall",)}
METRICS = {"cosmic": "cosmic(reverse=False)", "gaussian": "cosmic(reverse=False, estimator='gaussian')"}


def report(work: Path, benchmark: str) -> str:
    """One line per system: information with its interval and its deviation over seeds, and the mean length; then the correlation with people."""
    rows = data.segments(benchmark)
    systems = sorted({system for by_system in rows.values() for system in by_system})
    sources = [next(iter(by_system.values())).source for by_system in rows.values()]
    found = {}
    for name, spec in METRICS.items():

        def compute(system: str, spec: str = spec) -> dict[str, float]:
            predictions = [by_system[system].prediction for by_system in rows.values()]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # few pairs: the page says so
                result = nlgauge.score(predictions, sources=sources, metrics=spec)
            interval = result.intervals()[result.labels[0]]["score"]
            words = float(np.mean([len(text.split()) for text in predictions]))
            return {**result[result.labels[0]], "low": interval.low, "high": interval.high, "words": words}

        found[name] = study.resumable(work / f"cosmic-{benchmark}-{name}.jsonl", str(parse(spec)), systems, compute)
    means = {dimension: np.nanmean(data.human(rows, dimension), axis=1) for dimension in DIMENSIONS[benchmark]}
    order = np.argsort([-found["cosmic"][system]["cosmic"] for system in systems])
    lines = []
    for i in order:
        system = systems[i]
        one = found["cosmic"][system]
        cells = [system, f"{one['cosmic']:.2f} [{one['low']:.2f}, {one['high']:.2f}]", f"{one['seed_deviation']:.2f}"]
        lines.append(
            [*cells, f"{found['gaussian'][system]['cosmic']:.2f}", f"{one['words']:.0f}", *(f"{column[i]:.2f}" for column in means.values())]
        )
    agreement = []
    for name, values in (*((name, [found[name][system]["cosmic"] for system in systems]) for name in METRICS), ("words", None)):
        column = np.array([found["cosmic"][system]["words"] for system in systems] if values is None else values)
        agreement.append([name, *(float(kendall(column, human)) for human in means.values())])
    header = ["system", "COSMIC, nats [95 %]", "deviation over seeds", "Gaussian plug-in", "words", *means]
    return "\n\n".join(
        [
            f"{len(systems)} systems, {len(rows)} pairs each",
            study.table(header, lines),
            study.table(["system-level Kendall tau-b with", *means], agreement),
        ]
    )

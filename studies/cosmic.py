"""COSMIC of the systems of SummEval and REALSumm, with MiniLM's embeddings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import nlgauge
from nlgauge.meta import kendall
from studies import data, study

DIMENSIONS = {
    "summeval": ("coherence", "consistency", "fluency", "relevance"),
    "realsumm": ("litepyramid_recall",),
}
METRICS = {"cosmic": {"reverse": False}, "gaussian": {"reverse": False, "estimator": "gaussian"}}


def report(benchmark: str) -> str:
    """One line per system: information with its interval and its deviation over seeds, and the mean
    length; then the correlation with people.
    """
    rows = data.segments(benchmark)
    systems = sorted({system for by_system in rows.values() for system in by_system})
    texts = {
        system: [data.predictions(by_system)[system] for by_system in rows.values()] for system in systems
    }
    found = scores(texts, [data.first(by_system).source for by_system in rows.values()])
    words = [float(np.mean([len(text.split()) for text in texts[system]])) for system in systems]
    means = {
        dimension: np.nanmean(data.human(rows, dimension), axis=1) for dimension in DIMENSIONS[benchmark]
    }
    columns = {name: [found[system][name]["cosmic"] for system in systems] for name in METRICS}
    lines = []
    for i in np.argsort([-value for value in columns["cosmic"]]):
        one = found[systems[i]]["cosmic"]
        cells = [
            systems[i],
            f"{one['cosmic']:.2f} [{one['low']:.2f}, {one['high']:.2f}]",
            f"{one['seed_deviation']:.2f}",
        ]
        lines.append(
            [
                *cells,
                f"{columns['gaussian'][i]:.2f}",
                f"{words[i]:.0f}",
                *(f"{column[i]:.2f}" for column in means.values()),
            ]
        )
    agreement = [
        [name, *(float(kendall(np.array(column), human)) for human in means.values())]
        for name, column in {**columns, "words": words}.items()
    ]
    header = ["system", "COSMIC, nats [95%]", "deviation over seeds", "Gaussian plug-in", "words", *means]
    return "\n\n".join(
        [
            f"{len(systems)} systems, {len(rows)} pairs each",
            study.table(header, lines),
            study.table(["system-level Kendall tau-b with", *means], agreement),
        ]
    )


def scores(texts: dict[str, list[str]], sources: list[str | None]) -> dict[str, dict[str, dict[str, float]]]:
    """system -> metric -> outputs, with the bounds of the interval of the first.

    All systems at once, since they share the embeddings of the sources. Nothing is kept: what is fitted on
    all texts of a system is not in the cache of statistics, and two minutes are soon spent again.
    """
    metrics = [
        {"path": "cosmic", "resulting_name": name, "compute_kwargs": parameters}
        for name, parameters in METRICS.items()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few pairs: the page says so
        result = nlgauge.score(texts, sources=sources, metrics=metrics)
    intervals = result.intervals()
    return {
        system: {name: {**result[system][name], **_bounds(intervals[system][name])} for name in METRICS}
        for system in texts
    }


def _bounds(intervals: dict[str, Any]) -> dict[str, float]:
    return {"low": intervals["score"].low, "high": intervals["score"].high}

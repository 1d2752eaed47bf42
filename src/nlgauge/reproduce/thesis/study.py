"""The systems, dimensions and metrics of the case study, and how they are correlated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.diagnostics.annotators import pairwise_kendall
from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.models.weights.store import location
from nlgauge.reproduce.settings import Settings

SYSTEM, BASELINE = "rl", "nograph"
DIMENSIONS = ("informativeness", "factualness", "fluency", "succinctness")
ROUGE = ("rouge", "rouge.rouge1", "rouge.rouge2")
BERTSCORE = "bertscore(model='roberta-large', layer=17)"
ABSTRACTNESS = "novelty(max_order=1, against='references')"
STAND_IN = "bertscore(model='minilm', layer=6)"
BARTSCORE = "bartscore(model='bart-large-cnn')"
# Label -> name in the thesis.
NAMES = {
    "rouge": "ROUGE-L",
    "rouge.rouge1": "ROUGE-1",
    "rouge.rouge2": "ROUGE-2",
    ABSTRACTNESS: "abstractness",
    "repetitiveness": "repetitiveness",
    "gunning_fog": "Gunning fog",
    "flesch_kincaid": "Flesch-Kincaid",
    "coleman_liau": "Coleman-Liau",
    BERTSCORE: "BERTScore",
    STAND_IN: "BERTScore (MiniLM)",
    BARTSCORE: "BARTScore",
}


def available(spec: str) -> bool:
    """Return True if the model in a metric's parameters is installed."""
    model = spec.partition("model='")[2].partition("'")[0]
    return location(model) is not None


def first_outputs(judged: Judgments) -> Judgments:
    """Return the judgments with one output per metric, and with ROUGE-1 and ROUGE-2; `rouge` is ROUGE-L."""
    return judged.only(metrics=[label for label in judged.labels if "." not in label or label in ROUGE])


def named(found: Findings) -> Findings:
    """Return rows about metrics with the names of the thesis."""
    rows = [
        {key: NAMES.get(value, value) if key in ("metric", "other") else value for key, value in row.items()}
        for row in found
    ]
    return replace(found, rows=rows)


def correlations(judged: Judgments, settings: Settings) -> Findings:
    """Return the Pearson correlation of metrics with people over texts."""
    return judged.correlate(
        "global", "pearson", interval="inputs", resamples=settings.resamples, seed=settings.seed
    )


def mean_kendall(
    benchmark: Benchmark, system: str | None = None, annotators: tuple[int, ...] = (0, 1, 2)
) -> float:
    """Return Kendall's tau-b, averaged over pairs of annotators, dimensions and systems."""
    systems = range(len(benchmark.systems)) if system is None else [benchmark.systems.index(system)]
    return float(
        np.mean(
            [
                pairwise_kendall(ratings[place][:, list(annotators)])
                for place in systems
                for dimension in DIMENSIONS
                if (ratings := benchmark.ratings(dimension)) is not None
            ]
        )
    )

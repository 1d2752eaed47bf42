"""Judge metrics of answers against people: SummEdits (is a summary consistent?) and pairs of RAGChecker.

Rows are drawn once at random and scored in this order until `minutes` of CPU time are over, so the rows that are
scored are a random sample, too. SummEdits: area under the ROC curve, documents are resampled. RAGChecker: the
difference of the scores of two answers against the graded preference of people, pairs are resampled.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import nlgauge
from nlgauge.stats.coefficients import coefficient
from nlgauge.stats.intervals import percentile
from nlgauge.stats.units import Clusters
from studies import study

# Metric -> its benchmark, the human dimension, and the parameters of a judge that is too small to list claims.
METRICS = {
    "faithfulness": ("summedits", "consistent", "claims=sentences, contexts=source, with_question=False"),
    "answer_relevance": ("ragchecker_meta", "overall", ""),
    "correctness": ("ragchecker_meta", "overall", "claims=sentences"),
}
Measure = Callable[[np.ndarray, np.ndarray], float]


def report(directory: Path, metric: str, rows: int, model: str, minutes: float) -> str:
    """One row per measure, with the number of rows that have a score."""
    benchmark, dimension, parameters = METRICS[metric]
    with gzip.open(directory / f"{benchmark}.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    drawn = random.Random(1).sample(lines, min(rows, len(lines)))
    scorer = nlgauge.Scorer(f"{metric}({', '.join(filter(None, (f'model={model}', parameters)))})")
    values, used, covered = [], [], []
    for line in _in_time(drawn, minutes):
        by_answer = [_scored(scorer, record) for record in _records(line)]
        scores = [outputs[metric] for outputs in by_answer]
        if not np.isnan(scores).any():
            values.append(scores[-1] - scores[0] if len(scores) > 1 else scores[0])
            used.append(line)
            covered += [outputs["covered"] for outputs in by_answer]
    human = np.array([line["human"][dimension] for line in used])
    units = Clusters([line["segment"] for line in used], len(used))
    measures: dict[str, Measure] = (
        {"AUC": area} if benchmark == "summedits" else {"direction": same_direction, "Pearson": pearson}
    )
    return study.table(
        [
            *("metric", "benchmark", "human", "rows", "segments"),
            *("measure", "value", "low", "high", "covered"),
        ],
        [
            [
                *(metric, benchmark, dimension, len(used), len({line["segment"] for line in used})),
                *(name, *estimate(measure, np.array(values), human, units), float(np.nanmean(covered))),
            ]
            for name, measure in measures.items()
        ],
    )


def area(scores: np.ndarray, human: np.ndarray) -> float:
    """The probability that a row of 1 has a higher score than a row of 0; ties count half."""
    good, bad = scores[human > 0], scores[human <= 0]
    difference = good[:, None] - bad
    return float(((difference > 0) + (difference == 0) / 2).mean()) if difference.size else np.nan


def same_direction(difference: np.ndarray, preference: np.ndarray) -> float:
    """The share of pairs with a preference whose difference has its sign; a difference of 0 counts half."""
    decided = preference != 0
    agrees = np.sign(difference[decided]) * np.sign(preference[decided])
    return float((agrees + 1).mean() / 2) if decided.any() else np.nan


def pearson(difference: np.ndarray, preference: np.ndarray) -> float:
    """The correlation of differences with graded preferences."""
    return float(coefficient("pearson")(difference, preference))


def estimate(
    measure: Measure, scores: np.ndarray, human: np.ndarray, units: Clusters, resamples: int = 1000
) -> tuple[float, float, float]:
    """The value with its 95% interval over resampled units."""
    drawn = [
        measure(np.repeat(scores, counts), np.repeat(human, counts))
        for block in units.bootstrap(resamples, 12345)
        for counts in units.of_segments(block).astype(int)
    ]
    bounds = percentile(np.array(drawn))
    return measure(scores, human), bounds.low, bounds.high


def _records(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answers of a line as records: one, or the two of a pair."""
    shared = {"source": line["source"]} | ({"references": line["references"]} if line["references"] else {})
    texts = (
        [line["prediction"]] if "prediction" in line else [line[side]["text"] for side in ("first", "second")]
    )
    return [{"prediction": text, **shared} for text in texts]


def _scored(scorer: nlgauge.Scorer, record: dict[str, Any]) -> dict[str, float]:
    result = scorer([record], show_progress=False)
    return dict(result[result.labels[0]])


def _in_time(lines: list[dict[str, Any]], minutes: float) -> Iterator[dict[str, Any]]:
    started = time.process_time()
    for number, line in enumerate(lines):
        spent = (time.process_time() - started) / 60
        print(f"\r{number} of {len(lines)}, {spent:.1f} CPU min", end="", file=sys.stderr, flush=True)
        if spent >= minutes:
            break
        yield line
    print(file=sys.stderr)

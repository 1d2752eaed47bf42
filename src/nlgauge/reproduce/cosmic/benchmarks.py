"""The numbers of SummEval and REALSumm, separately and joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.meta.diagnostics.downstream import downstream
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.papers.cosmic import RankedSystem
from nlgauge.reproduce.cosmic.scores import BERTSCORE, COSMIC, GAUSSIAN, ROUGE, WORDS, Measured
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.tables import mean_interval

BENCHMARKS = ("summeval", "realsumm")
METRICS = (COSMIC, ROUGE, BERTSCORE)
ALL_WORDS = "all"
SENTIMENT, TOPIC = "sentiment", "topic:8"


class Both:
    """The numbers of two benchmarks, separately and joined."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.known = {name: Measured(name, settings) for name in BENCHMARKS}

    def judged(self, name: str, agreement: Mapping[str, Array], *metrics: str) -> Judgments:
        """Return one benchmark's scores of metrics; agreements take the place of human scores."""
        measured = self.known[name]
        scores = {metric: measured.metrics[metric] for metric in metrics or measured.metrics}
        return replace(
            measured.benchmark.judgments(),
            humans=dict(agreement),
            ratings={},
            metrics=scores,
            higher_is_better=dict.fromkeys(scores, True),
        )

    def block(self, arrays: Mapping[str, Array]) -> Array:
        """Return the scores of both benchmarks as one array; elsewhere NaN."""
        shapes = [self.known[name].metrics[COSMIC].shape for name in BENCHMARKS]
        rows, columns = (sum(shape[axis] for shape in shapes) for axis in (0, 1))
        found = np.full((rows, columns), np.nan)
        row = column = 0
        for name, (systems, segments) in zip(BENCHMARKS, shapes, strict=True):
            found[row : row + systems, column : column + segments] = arrays[name]
            row, column = row + systems, column + segments
        return found

    @lazy
    def joined(self) -> Judgments:
        """The metrics of both benchmarks as two groups."""
        systems, segments, groups = [], [], []
        for name, measured in self.known.items():
            systems += [f"{name}/{system}" for system in measured.benchmark.systems]
            own = [f"{name}/{segment}" for segment in measured.benchmark.judgments().segments]
            segments += own
            groups += [name] * len(own)
        scores = {
            metric: self.block({name: measured.metrics[metric] for name, measured in self.known.items()})
            for metric in (*METRICS, GAUSSIAN, WORDS)
        }
        return Judgments(
            tuple(systems),
            tuple(segments),
            {},
            scores,
            dict.fromkeys(scores, True),
            tuple(groups),
        )

    def tasks(self) -> list[str]:
        """Return the tasks that both benchmarks have."""
        first, *others = (measured.tasks for measured in self.known.values())
        return [name for name in first if all(name in other for other in others)]

    def correlated(self, name: str) -> list[Mapping[str, Any]]:
        """Return Spearman's coefficients of all metrics with a task or metric, by benchmark and their mean, also
        with the number of words held constant.
        """
        agreement = self.block(
            {
                benchmark: measured.tasks[name] if name in measured.tasks else measured.metrics[name]
                for benchmark, measured in self.known.items()
            }
        )
        settings = self.settings
        return list(
            downstream(
                self.joined,
                agreement,
                coefficient="spearman",
                partial=self.joined.metrics[WORDS],
                interval="both",
                resamples=settings.resamples,
                seed=settings.seed,
            )
        )


def ranked(measured: Measured, settings: Settings) -> list[RankedSystem]:
    """Return the systems of a benchmark by information, the most first."""
    pairs, words = measured.metrics[COSMIC], measured.metrics[WORDS].mean(axis=1)
    rows = [
        RankedSystem(
            system,
            *mean_interval(pairs[at], settings),
            float(measured.deviation[at]),
            float(words[at]),
            pairs.shape[1],
        )
        for at, system in enumerate(measured.benchmark.systems)
    ]
    return sorted(rows, key=lambda row: -row.information)


def types_of(measured: Measured) -> dict[str, str]:
    """Return the type of each system of a benchmark."""
    return {row.system: str(row.meta.get("type", "")) for row in measured.benchmark.rows}

"""Kept scores of the leaderboard: made of results, and put beside human scores.

summeval.jsonl.xz       all metrics on all texts of a benchmark (`nlgauge.meta.benchmarks.read_scores`)
summeval-8.jsonl.xz     costly metrics on a sample of eight segments
summeval.jsonl          what an unfinished run has scored, one line per metric; the next run puts it into the file
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from nlgauge._core.versions import installed_version
from nlgauge.meta import Judgments
from nlgauge.meta.benchmarks import Benchmark, MetricScores, fingerprint, read_scores, write_scores
from nlgauge.meta.benchmarks.kept import SUFFIX, parsed
from nlgauge.results.result import Result


@dataclass
class Kept:
    """The kept scores of one set of texts by label, which grow line by line while they are scored."""

    path: Path
    scores: dict[str, MetricScores] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path, name: str) -> Kept:
        """Return what is kept of a set, with what an unfinished run has left."""
        found = cls(folder / f"{name}{SUFFIX}")
        if found.path.is_file():
            found.scores = read_scores(found.path)
        if found.unfinished.is_file():
            for line in found.unfinished.read_bytes().splitlines(keepends=True):
                if line.endswith(b"\n"):  # a run that was killed may have left part of a line
                    one = parsed(line)
                    found.scores[one.label] = one
        return found

    @property
    def unfinished(self) -> Path:
        """The file of a run that goes on."""
        return self.path.with_name(self.path.name.removesuffix(".xz"))

    def add(self, one: MetricScores) -> None:
        """Keep the scores of one more metric, also if the run is killed afterwards."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.scores[one.label] = one
        with self.unfinished.open("ab") as file:
            file.write(msgspec.json.encode(one) + b"\n")

    def finish(self) -> None:
        """Put what was added into the file."""
        if self.unfinished.is_file():
            write_scores(self.path, self.scores.values())
            self.unfinished.unlink()


@contextmanager
def finished(sets: Mapping[str, Kept]) -> Iterator[None]:
    """Put into their files what was added to sets, also after an error."""
    try:
        yield
    finally:
        for each in sets.values():
            each.finish()


def of_results(benchmark: Benchmark, results: Mapping[str, Result], seconds: float = 0.0) -> MetricScores:
    """The scores of the metric that results of a benchmark have."""
    first = next(iter(results.values()))
    (label,) = first.labels
    judged = benchmark.judgments(results, dimensions=[], outputs="all", corpus_scores=True)
    names = {
        output.name: label if i == 0 else f"{label}.{output.name}"
        for i, output in enumerate(first._tables[first.systems[0], label].outputs())
    }
    systems, segments = benchmark.numbers
    rows = [(systems[row.system], segments[row.segment]) for row in benchmark.rows]
    return MetricScores(
        label=label,
        benchmark=benchmark.name,
        fingerprint=fingerprint(benchmark),
        signatures={group: result.signatures[label] for group, result in results.items()},
        higher_is_better={output: judged.higher_is_better.get(name) for output, name in names.items()},
        segments={
            output: [_number(judged.metrics[name][row]) for row in rows]
            for output, name in names.items()
            if name in judged.metrics
        },
        systems={
            output: {
                benchmark.groups[0]: dict(
                    zip(judged.systems, map(_number, judged.system_scores[name]), strict=True)
                )
            }
            for output, name in names.items()
            if name in judged.system_scores
        },
        seconds=seconds,
        version=installed_version("nlgauge"),
    )


def judgments(
    benchmark: Benchmark, scores: Mapping[str, MetricScores], dimensions: Sequence[str]
) -> Judgments:
    """Human scores beside kept ones, all outputs, and of one language pair also those of whole systems."""
    people = benchmark.judgments(dimensions=dimensions)
    metrics, systems, directions = {}, {}, {}
    for one in scores.values():
        for output, direction in one.higher_is_better.items():
            name = one.label if output == one.main else f"{one.label}.{output}"
            if output in one.segments:
                metrics[name] = benchmark.cells(map(_value, one.segments[output]))
            of_systems = one.systems.get(output, {}).get(benchmark.groups[0], {})
            if of_systems and len(benchmark.groups) == 1:
                systems[name] = np.array([_value(of_systems.get(system)) for system in benchmark.systems])
            if name in metrics or name in systems:
                directions[name] = direction
    return replace(people, metrics=metrics, system_scores=systems, higher_is_better=directions)


def _value(number: float | None) -> float:
    return math.nan if number is None else number


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)

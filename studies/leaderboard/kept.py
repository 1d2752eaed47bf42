"""MetricScores: one metric's scores of a benchmark's rows, as numbers without texts, in a file.

    chrf.json.gz    label, signature, seconds, outputs with their directions, and one number per row and output

A file counts as long as the benchmark's texts are the same (`fingerprint`).
"""

from __future__ import annotations

import gzip
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from nlgauge._core.paths import write_whole
from nlgauge._core.versions import installed_version
from nlgauge.errors import ResultError
from nlgauge.meta import Judgments
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.results.result import Result

FORMAT = 1


class MetricScores(msgspec.Struct, frozen=True, kw_only=True):
    """One metric's scores: `segments[output]` has one number per row of the benchmark, `systems[output]` one
    per group and system.

    The first output is the metric's main one. `higher_is_better` is null where an output has no direction.
    `seconds` is what scoring took; 0 where that is not known.
    """

    label: str
    benchmark: str
    fingerprint: str
    signatures: dict[str, str]
    higher_is_better: dict[str, bool | None]
    segments: dict[str, list[float | None]]
    systems: dict[str, dict[str, dict[str, float | None]]]
    seconds: float
    version: str
    format: int = FORMAT

    @property
    def main(self) -> str:
        """The output that stands for the metric."""
        return next(iter(self.higher_is_better))

    def save(self, directory: Path) -> Path:
        """Writes the scores into a directory, whole or not at all."""
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / file_name(self.label)
        write_whole(path, gzip.compress(msgspec.json.encode(self), mtime=0))
        return path


def file_name(label: str) -> str:
    """The file of a metric: its label as far as every file system takes it, and a hash where that is not all
    of it.

    >>> file_name("chrf")
    'chrf.json.gz'
    """
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", label).strip("-.")[:60]
    return (
        f"{plain}.json.gz"
        if plain == label
        else f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}.json.gz"
    )


def read(path: Path) -> MetricScores:
    """The scores of one file."""
    try:
        return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=MetricScores)
    except (OSError, EOFError, msgspec.DecodeError) as error:
        raise ResultError(f"{path} is damaged ({error}); remove it to compute its scores again.") from None


def kept(directory: Path) -> dict[str, MetricScores]:
    """All scores of a directory, by label."""
    found = [read(path) for path in sorted(directory.glob("*.json.gz"))]
    return {one.label: one for one in found}


def fingerprint(benchmark: Benchmark) -> str:
    """A hash of all texts and of their order: scores belong to this benchmark alone."""
    digest = hashlib.sha256()
    for row in benchmark.rows:
        for text in (row.segment, row.system, row.prediction or "", row.source or "", *row.references):
            digest.update(text.encode("utf-8", "surrogatepass") + b"\x00")
        digest.update(b"\x01")
    return digest.hexdigest()[:16]


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

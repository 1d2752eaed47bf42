"""From a benchmark and the scores of metrics to Judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.judgments import Judgments

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks.benchmark import Benchmark
    from nlgauge.meta.benchmarks.scores import MetricScores


def judgments(
    benchmark: Benchmark,
    scores: Mapping[str, MetricScores],
    *,
    dimensions: Iterable[str] | None,
    peers: bool,
    outputs: str,
    corpus_scores: bool,
) -> Judgments:
    """Human scores beside those of metrics.

    Scores of whole systems are there on request, and for metrics that have no others; never where there are
    several groups.
    """
    if outputs not in ("first", "all"):
        raise ParameterError(f"outputs must be 'first' or 'all', got {outputs!r:.60}.")
    chosen = list(benchmark.dimensions if dimensions is None else dimensions)
    metrics: dict[str, Array] = {}
    directions: dict[str, bool | None] = {}
    systems: dict[str, Array] = {}
    for one in scores.values():
        if one.fingerprint != benchmark.fingerprint:
            raise InputError(
                f"the scores of {one.label} are of other texts than those of {benchmark.name}; score these."
            )
        for output, label in _labels(one, outputs == "all"):
            directions[label] = one.higher_is_better[output]
            if output in one.segments:
                metrics[label] = benchmark.cells(
                    np.nan if value is None else value for value in one.segments[output]
                )
            by_system = (
                one.systems.get(output, {}).get(benchmark.groups[0], {}) if len(benchmark.groups) == 1 else {}
            )
            if by_system and (corpus_scores or label not in metrics):
                systems[label] = np.array(
                    [
                        np.nan if (value := by_system.get(name)) is None else value
                        for name in benchmark.systems
                    ]
                )
    if peers:
        published = benchmark.peers()
        if not published:
            raise InputError(f"{benchmark.name} has no published metric scores.")
        metrics |= published
        directions |= {label: label not in benchmark.card.lower_is_better for label in published}
    ratings = {name: values for name in chosen if (values := benchmark.ratings(name)) is not None}
    return Judgments(
        systems=benchmark.systems,
        segments=benchmark.segments,
        humans={name: benchmark.human(name) for name in chosen},
        metrics=metrics,
        higher_is_better=directions,
        groups=benchmark.group_of_segments if len(benchmark.groups) > 1 else None,
        ratings=ratings,
        system_scores=systems,
        pairs=_pairs(benchmark) if benchmark.pairs else None,
    )


def _labels(scores: MetricScores, every: bool) -> Iterator[tuple[str, str]]:
    """Each output that is wanted, with what it is called: the main one by the metric's label."""
    for output in scores.higher_is_better:
        if output == scores.main:
            yield output, scores.label
        elif every:
            yield output, f"{scores.label}.{output}"


def _pairs(benchmark: Benchmark) -> Array:
    systems, segments = (
        {name: i for i, name in enumerate(names)} for names in (benchmark.systems, benchmark.segments)
    )
    return np.array(
        [(segments[pair.segment], systems[pair.better], systems[pair.worse]) for pair in benchmark.pairs],
        dtype=np.int64,
    )

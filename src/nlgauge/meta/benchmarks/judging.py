"""From a benchmark and the scores of metrics to Judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.judgments import Judgments

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks.benchmark import Benchmark
    from nlgauge.results.result import Result


def judgments(
    benchmark: Benchmark,
    scores: Mapping[str, Result],
    *,
    dimensions: Iterable[str] | None,
    peers: bool,
    outputs: str,
    corpus_scores: bool,
) -> Judgments:
    """Human scores beside those of metrics.

    Scores of whole systems are there on request, and for metrics that have no others; never if there are
    several groups.
    """
    chosen = list(benchmark.dimensions if dimensions is None else dimensions)
    several = len(benchmark.groups) > 1
    metrics: dict[str, Array] = {}
    directions: dict[str, bool | None] = {}
    systems: dict[str, Array] = {}
    for result in _checked(benchmark, scores):
        part = Judgments.from_result(result, [], outputs=outputs, corpus_scores=corpus_scores and not several)
        rows, columns = (
            [place[name] for name in names]
            for place, names in zip(benchmark.numbers, (part.systems, part.segments), strict=True)
        )
        directions |= part.higher_is_better
        for label in part.labels if several else part.metrics:
            full = metrics.setdefault(label, np.full(tuple(map(len, benchmark.numbers)), np.nan))
            if label in part.metrics:
                cells, values = np.ix_(rows, columns), part.metrics[label]
                full[cells] = np.where(np.isnan(values), full[cells], values)
        if not several:
            systems = {label: values[np.argsort(rows)] for label, values in part.system_scores.items()}
    if peers:
        published = benchmark.peers()
        if not published:
            raise InputError(f"{benchmark.name} has no published metric scores.")
        metrics |= published
        directions |= {label: label not in benchmark.card.lower_is_better for label in published}
    ratings = {name: rated for name in chosen if (rated := benchmark.ratings(name)) is not None}
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


def _checked(benchmark: Benchmark, scores: Mapping[str, Result]) -> Iterator[Result]:
    """The results, each checked to be of the texts of a language pair."""
    counts = Counter(row.group for row in benchmark.rows)
    for group, result in scores.items():
        if len(result.corpus) * len(result.systems) != counts[group]:
            raise InputError(
                f"the scores of {', '.join(result.labels)} are of other texts than those of"
                f" {benchmark.name}; score these."
            )
        yield result


def _pairs(benchmark: Benchmark) -> Array:
    systems, segments = benchmark.numbers
    return np.array(
        [(segments[pair.segment], systems[pair.better], systems[pair.worse]) for pair in benchmark.pairs],
        dtype=np.int64,
    )

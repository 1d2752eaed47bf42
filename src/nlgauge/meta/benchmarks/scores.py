"""MetricScores: one metric's scores of a benchmark's rows, as numbers without texts; computed once and kept
in a directory.

    scores/chrf.json.gz    label, signature, seconds, outputs with their directions, and one number per row and output

A file counts as long as the benchmark's texts and the metric's signature are the same; any other is computed
again, and that is said.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import re
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from nlgauge._core.paths import write_whole
from nlgauge.errors import ResultError

if TYPE_CHECKING:
    from nlgauge.meta.benchmarks.benchmark import Benchmark
    from nlgauge.metric import AnyMetric
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


def scored(
    benchmark: Benchmark,
    metrics: Iterable[str | AnyMetric],
    *,
    directory: str | Path | None = None,
    seed: int = 12345,
    batch_size: int | None = None,
    device: str | None = None,
    cache: bool = True,
    show_progress: bool | None = None,
    say: Callable[[str], None] | None = None,
) -> dict[str, MetricScores]:
    """The scores of metrics, by label: what the directory holds already is taken from there, and what is
    computed is put there at once.

    Each language pair is scored for itself, since languages differ; each metric alone, so that its seconds
    are its own. They are not known (0) where rows came from the cache of statistics; cache=False computes
    every row.
    """
    from nlgauge.engine.chunk import Job
    from nlgauge.engine.prepare import labelled, prepared, signatures
    from nlgauge.features import RunOptions

    directory = None if directory is None else Path(directory)
    specs = list(metrics)
    if not specs:
        return {}
    parts = {
        group: benchmark.where(group=group) if len(benchmark.groups) > 1 else benchmark
        for group in benchmark.groups
    }
    corpora = {group: part.corpus() for group, part in parts.items()}
    found: dict[str, MetricScores] = {}
    options = RunOptions(seed, batch_size, device)
    for label, metric in labelled(specs).items():
        signed = {}
        for group, corpus in corpora.items():
            job = Job(prepared({label: metric}, corpus.lang, None), None, options)
            (signed[group],) = signatures(corpus, job).values()
        old = _known(directory, label)
        if old is not None and old.fingerprint == benchmark.fingerprint and old.signatures == signed:
            found[label] = old
            continue
        if old is not None:
            what = "other texts" if old.fingerprint != benchmark.fingerprint else "another version of it"
            warnings.warn(
                f"the scores of {label} that were kept are of {what}; it is computed again.", stacklevel=2
            )
        if say is not None:
            say(f"scoring {label}")
        found[label] = _score(benchmark, parts, corpora, metric, label, signed, options, show_progress, cache)
        if directory is not None:
            found[label].save(directory)
    return found


def _known(directory: Path | None, label: str) -> MetricScores | None:
    path = None if directory is None else directory / file_name(label)
    return None if path is None or not path.is_file() else read(path)


def _score(
    benchmark: Benchmark,
    parts: dict[str, Benchmark],
    corpora: dict[str, Any],
    metric: AnyMetric,
    label: str,
    signed: dict[str, str],
    options: Any,
    show_progress: bool | None,
    cache: bool,
) -> MetricScores:
    from nlgauge._core.versions import installed_version
    from nlgauge.engine.cache import CACHED
    from nlgauge.scoring import Scorer

    scorer = Scorer([metric], cache=cache)
    by_row: dict[str, dict[tuple[str, str], float]] = {}
    systems: dict[str, dict[str, dict[str, float | None]]] = {}
    directions: dict[str, bool | None] = {}
    seconds = 0.0
    timed = True
    for group, part in parts.items():
        start = time.perf_counter()
        result = scorer.score_corpus(corpora[group], None, options, show_progress)
        seconds += time.perf_counter() - start
        timed = timed and CACHED not in result.costs.used
        directions |= {
            output.name: output.higher_is_better
            for output in result.tables[result.systems[0], result.labels[0]].outputs()
        }
        for output, values in _segment_scores(result, part):
            by_row.setdefault(output, {}).update(values)
        for system, scores in _system_scores(result, part).items():
            for output, value in ((name, value) for name, value in scores.items() if name in directions):
                systems.setdefault(output, {}).setdefault(group, {})[system] = _number(value)
    rows = [(row.segment, row.system) for row in benchmark.rows]
    return MetricScores(
        label=label,
        benchmark=benchmark.name,
        fingerprint=benchmark.fingerprint,
        signatures=signed,
        higher_is_better=directions,
        segments={output: [_number(values[row]) for row in rows] for output, values in by_row.items()},
        systems=systems,
        seconds=round(seconds, 6) if timed else 0.0,
        version=installed_version("nlgauge"),
    )


def _segment_scores(result: Result, part: Benchmark) -> Iterable[tuple[str, dict[tuple[str, str], float]]]:
    (label,) = result.labels
    if not part.is_grid():
        keys = [(row.segment, row.system) for row in part.rows]
        for output, values in result.tables[result.systems[0], label].segments().items():
            yield output, dict(zip(keys, values.tolist(), strict=True))
        return
    for system in result.systems:
        for output, values in result.tables[system, label].segments().items():
            yield (
                output,
                {
                    (segment, system): value
                    for segment, value in zip(part.segments, values.tolist(), strict=True)
                },
            )


def _system_scores(result: Result, part: Benchmark) -> dict[str, dict[str, Any]]:
    (label,) = result.labels
    if part.is_grid():
        return {system: result.tables[system, label].scores() for system in result.systems}
    return {
        system: result.where(system=[system]).tables[result.systems[0], label].scores()
        for system in part.systems
    }


def _number(value: Any) -> float | None:
    number = float(value) if isinstance(value, int | float) else math.nan
    return None if math.isnan(number) else number

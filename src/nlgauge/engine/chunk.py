"""One chunk of a corpus: its rows, the statistics of the distinct ones, and their reduction to one row per
segment and system.

A row is a prediction with one reference, with all references of its segment, or alone. Equal rows of several
systems are scored once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.corpus import Corpus
from nlgauge.engine.cache import Recalled, recalled
from nlgauge.engine.costs import Costs
from nlgauge.errors import MetricError, RowError
from nlgauge.features import Feature, Features, RunOptions
from nlgauge.metric import AnyMetric, Arrays, Fit, Metric, View
from nlgauge.metric.reduction import ReduceFn, Reducer

# What was fitted, by metric label and, for fits on a system's rows, by system (else "").
Fits = dict[tuple[str, str], Arrays]
# Arrays by system and metric label.
Rows = dict[tuple[str, str], Arrays]


@dataclass(frozen=True)
class Job:
    """What is to be computed on a corpus; a chunk of it can be computed anywhere.

    `cache`: whether statistics of costly metrics are looked up, and kept, where other runs find them.
    """

    metrics: Mapping[str, AnyMetric]
    reduce_fn: ReduceFn = None
    options: RunOptions = field(default_factory=RunOptions)
    fits: Fits = field(default_factory=dict)
    cache: bool = False

    def fitted(self, label: str, system: str) -> Arrays:
        """What a metric was fitted to; nothing for a metric without a fit."""
        fit = self.metrics[label].fit()
        return {} if fit is None else self.fits[label, system if fit.over == "system" else ""]


def describe(job: Job) -> dict[str, Any]:
    """The job's options as plain data, for the saved configuration."""
    rule = job.reduce_fn
    return {"reduce_fn": {"callable": Reducer.name(rule)} if callable(rule) else rule, **asdict(job.options)}


class _Occurrences(NamedTuple):
    """Rows of a system: ids of predictions, ids of references ("pair") or segments ("joint"), ids of
    sources; which prediction each row is of.
    """

    predictions: Array
    seconds: Array | None
    sources: Array | None
    owners: Array

    def columns(self) -> list[Array]:
        """The columns in which rows may differ."""
        return [column for column in (self.predictions, self.seconds, self.sources) if column is not None]

    def take(self, rows: Array) -> _Occurrences:
        """These rows."""
        seconds, sources = (
            None if column is None else column[rows] for column in (self.seconds, self.sources)
        )
        return _Occurrences(self.predictions[rows], seconds, sources, self.owners[rows])

    @classmethod
    def concatenate(cls, parts: Sequence[_Occurrences]) -> _Occurrences:
        """The rows of several systems, one after the other."""
        first = parts[0]
        if len(parts) == 1:
            return first
        seconds = (
            None
            if first.seconds is None
            else np.concatenate([part.seconds for part in parts if part.seconds is not None])
        )
        sources = (
            None
            if first.sources is None
            else np.concatenate([part.sources for part in parts if part.sources is not None])
        )
        return cls(
            np.concatenate([part.predictions for part in parts]),
            seconds,
            sources,
            np.concatenate([part.owners for part in parts]),
        )


class ScoredRows(NamedTuple):
    """The rows that a metric is asked to score, and for each system where its own rows are among them."""

    view: View
    places: dict[str, Array]


@dataclass(eq=False)
class Chunk:
    """Some segments of a corpus with all their systems: the unit of work, memory, progress and
    distribution.
    """

    corpus: Corpus
    segments: Array
    options: RunOptions
    _distinct: dict[tuple[str, bool], ScoredRows] = field(default_factory=dict)
    _columns: dict[str, Ragged] = field(default_factory=dict)

    @lazy
    def features(self) -> Features:
        """The features of the chunk's texts."""
        return Features(self.corpus.texts, self.options)

    def alone(self) -> Corpus:
        """The chunk as a corpus of its own, without what scoring its rows does not need."""
        return self.corpus.bare().take(self.segments)

    def rows(self, metric: Metric) -> list[ScoredRows]:
        """The rows of all systems: each distinct one once, shared by all metrics that read the same columns.

        A metric that is fitted on a system's rows gets one view per system, duplicates included.
        """
        fit = metric.fit()
        if fit is not None and fit.over == "system":
            return [self._every_row(metric, system) for system in self.corpus.systems]
        shape = (metric.takes, metric.source)
        if shape not in self._distinct:
            self._distinct[shape] = self._distinct_rows(metric)
        return [self._distinct[shape]]

    def groups(self, metric: Metric, system: str) -> tuple[Array, Array]:
        """How many rows each prediction has, and how many predictions each segment has."""
        predictions = self._predictions(system)
        if metric.takes != "pair":
            return np.ones(len(predictions.values), dtype=np.int64), predictions.lengths
        lengths = self._references.lengths
        return lengths if predictions.is_single else lengths[predictions.owners], predictions.lengths

    def whose(self, metric: Metric, places: Mapping[str, Array], row: int) -> str:
        """The segment that a row is of and, where there are several, the first system that has it."""
        system, occurrence = next(
            (system, int(np.flatnonzero(own == row)[0])) for system, own in places.items() if row in own
        )
        rows, predictions = self.groups(metric, system)
        prediction = int(np.searchsorted(rows.cumsum(), occurrence, side="right"))
        segment = self.segments[int(np.searchsorted(predictions.cumsum(), prediction, side="right"))]
        return f"segment {self.corpus.ids[segment]!r}" + (
            f" of {system!r}" if len(self.corpus.systems) > 1 else ""
        )

    def fit_view(self, fit: Fit, system: str) -> View:
        """What a fit sees: the segments' references, and their sources or, with the source of each, a
        system's predictions.
        """
        corpus = self.corpus
        sources = None if corpus.sources is None else corpus.sources[self.segments]
        references = None if corpus.references is None else self._references
        if fit.over == "system":
            predictions = self._predictions(system)
            sources = None if sources is None else sources[predictions.owners]
            return View(self.features, predictions.values, references, sources, None, corpus.lang)
        return View(self.features, np.empty(0, dtype=np.int64), references, sources, None, corpus.lang)

    def _every_row(self, metric: Metric, system: str) -> ScoredRows:
        rows = self._occurrences(metric, system)
        # Fits number the system's predictions from its first segment on.
        numbers = self.corpus.predictions[system].places(self.segments)
        return ScoredRows(
            self._view(metric, rows, numbers[rows.owners]), {system: np.arange(len(rows.owners))}
        )

    def _distinct_rows(self, metric: Metric) -> ScoredRows:
        by_system = [self._occurrences(metric, system) for system in self.corpus.systems]
        rows = _Occurrences.concatenate(by_system)
        first, places = _first_and_places(rows.columns())
        view = self._view(metric, rows if first is None else rows.take(first), None)
        bounds = offsets_of([len(own.owners) for own in by_system]).tolist()
        return ScoredRows(
            view,
            {
                system: places[a:b]
                for system, (a, b) in zip(self.corpus.systems, pairwise(bounds), strict=True)
            },
        )

    def _occurrences(self, metric: Metric, system: str) -> _Occurrences:
        predictions = self._predictions(system)
        ids, segments = predictions.values, predictions.owners
        owners = segments if predictions.is_single else np.arange(len(ids))
        seconds = None
        if metric.takes == "joint":
            seconds = segments
        elif metric.takes == "pair":
            references = self._references if predictions.is_single else self._references.take(segments)
            seconds = references.values
            if not references.is_single:
                owners = references.owners
                ids, segments = ids[owners], segments[owners]
        sources = None
        if metric.source and self.corpus.sources is not None:
            sources = self.corpus.sources[self.segments[segments]]
        return _Occurrences(ids, seconds, sources, owners)

    def _view(self, metric: Metric, rows: _Occurrences, positions: Array | None) -> View:
        references = None
        if rows.seconds is not None:
            references = (
                Ragged.single(rows.seconds) if metric.takes == "pair" else self._references.take(rows.seconds)
            )
        return View(self.features, rows.predictions, references, rows.sources, positions, self.corpus.lang)

    @lazy
    def _references(self) -> Ragged:
        assert self.corpus.references is not None
        return self._own(self.corpus.references)

    def _predictions(self, system: str) -> Ragged:
        if system not in self._columns:
            self._columns[system] = self._own(self.corpus.predictions[system])
        return self._columns[system]

    def _own(self, column: Ragged) -> Ragged:
        # Segments are in the order of the corpus: as many as it has are all of them.
        return column if len(self.segments) == len(self.corpus) else column.take(self.segments)


def _first_and_places(columns: Sequence[Array]) -> tuple[Array | None, Array]:
    """Where each distinct row appears first, in the order of rows (None: all are distinct and in order),
    and which of these every row is.
    """
    keys = columns[0]
    if (keys[1:] > keys[:-1]).all():
        return None, np.arange(len(keys))
    for column in columns[1:]:
        size = int(column.max(initial=0)) + 1
        if (int(keys.max(initial=0)) + 1) * size > np.iinfo(np.int64).max:
            keys = np.unique(keys, return_inverse=True)[1]
        keys = keys * size + column
    if (keys[1:] > keys[:-1]).all():
        return None, np.arange(len(keys))
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    return first, places


@dataclass(frozen=True)
class Task:
    """What is done with each chunk: its part of the fits, or the rows of its segments."""

    stage: Literal["fit", "score"]
    job: Job
    reducer: Reducer

    def run(self, chunk: Chunk) -> tuple[Rows, Costs]:
        """The chunk's arrays, and what they cost."""
        costs = Costs()
        rows: Rows = {}
        with costs.features_of(chunk.features):
            known = self._recalled(chunk, costs) if self.stage == "score" else {}
            for label, metric in self.job.metrics.items():
                assert isinstance(metric, Metric)
                with spent_on(label, costs, chunk.features):
                    rows |= (
                        self._partial(chunk, label, metric)
                        if self.stage == "fit"
                        else self.reduced(chunk, label, metric, known[label])
                    )
        return rows, costs

    def _recalled(self, chunk: Chunk, costs: Costs) -> dict[str, Recalled | None]:
        """What the cache holds for each metric; those that have something to compute announce their
        features.
        """
        known: dict[str, Recalled | None] = {}
        announced: dict[Feature, None] = {}
        for label, metric in self.job.metrics.items():
            assert isinstance(metric, Metric)
            with spent_on(label, costs, chunk.features):
                known[label] = None
                if self.job.cache and metric.costly:
                    view, places = chunk.rows(metric)[0]
                    known[label] = recalled(metric, view, self.job.fitted(label, next(iter(places))))
            if (found := known[label]) is None or not found.is_whole:
                announced |= dict.fromkeys(metric.reads(self.job.options))
        chunk.features.expected = tuple(announced)
        return known

    def _partial(self, chunk: Chunk, label: str, metric: Metric) -> Rows:
        fit = metric.fit()
        assert fit is not None
        return {("", label): fit.partial(chunk.fit_view(fit, ""))}

    def reduced(self, chunk: Chunk, label: str, metric: Metric, known: Recalled | None = None) -> Rows:
        """One row of statistics per segment, for each system; what is known of them is not computed."""
        found: Rows = {}
        for view, places in chunk.rows(metric):
            compute = partial(statistics_of, metric, fitted=self.job.fitted(label, next(iter(places))))
            try:
                statistics = compute(view) if known is None else known.statistics(compute)
            except RowError as error:
                raise MetricError(f"{chunk.whose(metric, places, error.row)}: {error}") from error
            for system, own in places.items():
                occurrences = {part: values[own] for part, values in statistics.items()}
                found[system, label] = self.reducer.reduce(metric, occurrences, *chunk.groups(metric, system))
        return found


@contextmanager
def spent_on(label: str, costs: Costs, features: Features) -> Iterator[None]:
    """Books the time spent meanwhile on a metric, less what the features take of it."""
    started, before = time.perf_counter(), sum(features.seconds.values())
    with features.read_by(label):
        yield
    costs.read(label, features.read_for(label))
    costs.spend(label, time.perf_counter() - started - (sum(features.seconds.values()) - before))


def statistics_of(metric: Metric, view: View, fitted: Arrays) -> Arrays:
    """The metric's statistics, or an error that says in what they break the contract: a row too many
    would shift every score behind it.
    """
    found: Any = metric.statistics(view, fitted)
    parts = metric.outputs()
    if not isinstance(found, Mapping) or list(found) != list(parts):
        names = list(found) if isinstance(found, Mapping) else type(found).__name__
        raise MetricError(
            f"{metric.name}: statistics() must return the parts {list(parts)} in this order, but returned {names}."
        )
    checked = {}
    for part, values in found.items():
        try:
            checked[part] = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise MetricError(
                f"{metric.name}: the statistics of {part!r} must be numbers; they are {values!r:.60}."
            ) from None
        if checked[part].ndim != 2 or len(checked[part]) != len(view):
            shape = checked[part].shape
            raise MetricError(
                f"{metric.name}: the statistics of {part!r} must have one row for each of {len(view)} rows;"
                f" their shape is {shape}."
            )
    return checked

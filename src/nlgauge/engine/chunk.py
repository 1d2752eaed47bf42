"""Chunk of a corpus: its rows, their statistics, and the reduction to a row per segment and system.

A row is a prediction with one reference, with all references of its segment, or without references. Equal
rows of several systems are scored once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from nlgauge._core.lazy import lazy
from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.errors import MetricError, RowError
from nlgauge.features import Feature, Features, RunOptions
from nlgauge.metric import AnyMetric, Arrays, Fit, Metric, View

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.engine.cache import Recalled
    from nlgauge.engine.costs import Costs
    from nlgauge.metric.reduction import ReduceFn, Reducer

# Fits by metric label and system; the system is "" unless the fit is on a system's rows.
Fits = dict[tuple[str, str], Arrays]
# Default number of characters of text per chunk.
CHARACTERS = 200_000
# Arrays by system and metric label.
Rows = dict[tuple[str, str], Arrays]


@dataclass(frozen=True, eq=False, repr=False)
class Job:
    """Computation on a corpus; a chunk of it can be computed anywhere.

    If `cache` is True, statistics of costly metrics are read from and written to the statistics cache.
    """

    metrics: Mapping[str, AnyMetric]
    reduce_fn: ReduceFn = None
    options: RunOptions = field(default_factory=RunOptions)
    fits: Fits = field(default_factory=dict)
    cache: bool = False

    def fitted(self, label: str, system: str) -> Arrays:
        """Return the fit of a metric; an empty dictionary for a metric without a fit."""
        fit = self.metrics[label].fit()
        return {} if fit is None else self.fits[label, system if fit.over == "system" else ""]


def describe(job: Job) -> dict[str, Any]:
    """Return the job's options as plain data, for the saved configuration."""
    rule = job.reduce_fn
    from nlgauge.metric.reduction import Reducer

    return {"reduce_fn": {"callable": Reducer.name(rule)} if callable(rule) else rule, **asdict(job.options)}


class _Occurrences(NamedTuple):
    """Rows of a system: text ids of each row, and the number of its prediction (`owners`).

    `seconds` are ids of references ("pair"), segments ("joint"), or None. `sources` may be None. `fields` are
    numbers of the values of fields, of shape (fields, rows).
    """

    predictions: Array
    seconds: Array | None
    sources: Array | None
    owners: Array
    fields: Array

    def columns(self) -> list[Array]:
        """Return the columns in which rows may differ."""
        columns = (self.predictions, self.seconds, self.sources, *self.fields)
        return [column for column in columns if column is not None]

    def take(self, rows: Array) -> _Occurrences:
        """Return the rows with these numbers."""
        seconds, sources = (
            None if column is None else column[rows] for column in (self.seconds, self.sources)
        )
        return _Occurrences(self.predictions[rows], seconds, sources, self.owners[rows], self.fields[:, rows])

    @classmethod
    def concatenate(cls, parts: Sequence[_Occurrences]) -> _Occurrences:
        """Concatenate the rows of several systems."""
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
            np.concatenate([part.fields for part in parts], axis=1),
        )


class ScoredRows(NamedTuple):
    """Rows for a metric to score, and for each system the positions of its rows among them."""

    view: View
    places: dict[str, Array]


class Chunk:
    """Segments of a corpus with all their systems: the unit of work, memory, progress and distribution."""

    def __init__(self, corpus: Corpus, segments: Array, options: RunOptions) -> None:
        self.corpus, self.segments, self.options = corpus, segments, options
        self._distinct: dict[tuple[str, bool, tuple[str, ...]], ScoredRows] = {}
        self._columns: dict[str, Ragged] = {}
        # Distinct values of fields, and their numbers.
        self._values: dict[tuple[str, ...], int] = {}

    @lazy
    def features(self) -> Features:
        """Features of the chunk's texts."""
        return Features(self.corpus.texts, self.options)

    def alone(self) -> Corpus:
        """Return the chunk as a separate corpus, with only the data that scoring its rows needs."""
        return self.corpus.bare().take(self.segments)

    def rows(self, metric: Metric) -> list[ScoredRows]:
        """Return the rows of all systems, each distinct row once.

        All metrics that read the same columns share these rows. A metric that is fitted on a system's rows
        gets one view per system, duplicates included.
        """
        fit = metric.fit()
        if fit is not None and fit.over == "system":
            return [self._every_row(metric, system) for system in self.corpus.systems]
        shape = (metric.takes, metric.source, metric.record_fields)
        if shape not in self._distinct:
            self._distinct[shape] = self._distinct_rows(metric)
        return [self._distinct[shape]]

    def groups(self, metric: Metric, system: str) -> tuple[Array, Array]:
        """Return the number of rows of each prediction, and the number of predictions of each segment."""
        predictions = self._predictions(system)
        if metric.takes != "pair":
            return np.ones(len(predictions.values), dtype=np.int64), predictions.lengths
        lengths = self._references.lengths
        return lengths if predictions.is_single else lengths[predictions.owners], predictions.lengths

    def whose(self, metric: Metric, places: Mapping[str, Array], row: int) -> str:
        """Name the segment of a row and, if there are several systems, the first system with the row."""
        system, occurrence = next(
            (system, int(np.flatnonzero(positions == row)[0]))
            for system, positions in places.items()
            if row in positions
        )
        rows, predictions = self.groups(metric, system)
        prediction = int(np.searchsorted(rows.cumsum(), occurrence, side="right"))
        segment = self.segments[int(np.searchsorted(predictions.cumsum(), prediction, side="right"))]
        return f"segment {self.corpus.ids[segment]!r}" + (
            f" of {system!r}" if len(self.corpus.systems) > 1 else ""
        )

    def fit_view(self, fit: Fit, system: str) -> View:
        """Return the view that a fit sees: the segments' references and sources.

        A fit on a system's rows sees the system's predictions and the source of each instead of the sources
        of segments.
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
        # Fits number the predictions of a system from its first segment.
        numbers = self.corpus.predictions[system].places(self.segments)
        return ScoredRows(
            self._view(metric, rows, numbers[rows.owners]), {system: np.arange(len(rows.owners))}
        )

    def _distinct_rows(self, metric: Metric) -> ScoredRows:
        by_system = [self._occurrences(metric, system) for system in self.corpus.systems]
        rows = _Occurrences.concatenate(by_system)
        first, places = _first_and_places(rows.columns())
        view = self._view(metric, rows if first is None else rows.take(first), None)
        bounds = offsets_of([len(system_rows.owners) for system_rows in by_system]).tolist()
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
        fields = [self._field(name, system, ids, segments) for name in metric.record_fields]
        numbers = np.array(fields, dtype=np.int64).reshape(len(fields), len(ids))
        return _Occurrences(ids, seconds, sources, owners, numbers)

    def _field(self, name: str, system: str, ids: Array, segments: Array) -> Array:
        """Return the number of the value of a field for each row of a system."""
        from nlgauge.corpus.text_fields import field_texts, text_field

        if text_field(self.corpus, name).kind == "prediction":
            texts: list[tuple[str, ...]] = [(text,) for text in self.corpus.texts.many(ids)]
            segments = np.arange(len(ids))
        else:
            texts = field_texts(self.corpus, name, system, self.segments)
        numbers = [self._values.setdefault(value, len(self._values)) for value in texts]
        return np.array(numbers, dtype=np.int64)[segments]

    def _view(self, metric: Metric, rows: _Occurrences, positions: Array | None) -> View:
        references = None
        if rows.seconds is not None:
            references = (
                Ragged.single(rows.seconds) if metric.takes == "pair" else self._references.take(rows.seconds)
            )
        fields = {}
        if len(rows.fields):
            values = self.features.ids_of(list(self._values))
            assert isinstance(values, Ragged)
            fields = dict(zip(metric.record_fields, map(values.take, rows.fields), strict=True))
        return View(
            self.features,
            rows.predictions,
            references,
            rows.sources,
            positions,
            self.corpus.lang,
            fields=fields,
        )

    @lazy
    def _references(self) -> Ragged:
        assert self.corpus.references is not None
        return self._selected(self.corpus.references)

    def _predictions(self, system: str) -> Ragged:
        if system not in self._columns:
            self._columns[system] = self._selected(self.corpus.predictions[system])
        return self._columns[system]

    def _selected(self, column: Ragged) -> Ragged:
        # Segments are distinct and in the order of the corpus, so an equal number means all of them.
        return column if len(self.segments) == len(self.corpus) else column.take(self.segments)


def _first_and_places(columns: Sequence[Array]) -> tuple[Array | None, Array]:
    """Return the first position of each distinct row, and the distinct row of every row.

    Distinct rows are in the order of their values. The positions are None if all rows are distinct and in
    this order.
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


class Task(NamedTuple):
    """Computation on each chunk: its part of the fits, or the rows of its segments."""

    stage: Literal["fit", "score"]
    job: Job
    reducer: Reducer

    def run(self, chunk: Chunk) -> tuple[Rows, Costs]:
        """Return the arrays of the chunk, and their costs."""
        from nlgauge.engine.costs import Costs

        costs = Costs()
        rows: Rows = {}
        with costs.features_of(chunk.features):
            cached = self._recalled(chunk, costs) if self.stage == "score" else {}
            for label, metric in self.job.metrics.items():
                assert isinstance(metric, Metric)
                with spent_on(label, costs, chunk.features):
                    rows |= (
                        self._partial(chunk, label, metric)
                        if self.stage == "fit"
                        else self.reduced(chunk, label, metric, cached[label])
                    )
        return rows, costs

    def _recalled(self, chunk: Chunk, costs: Costs) -> dict[str, Recalled | None]:
        """Look up each metric in the cache; metrics with rows to compute announce their features."""
        cached: dict[str, Recalled | None] = {}
        announced: dict[Feature, None] = {}
        for label, metric in self.job.metrics.items():
            assert isinstance(metric, Metric)
            with spent_on(label, costs, chunk.features):
                cached[label] = None
                if self.job.cache and metric.costly:
                    from nlgauge.engine.cache import recalled

                    view, places = chunk.rows(metric)[0]
                    cached[label] = recalled(metric, view, self.job.fitted(label, next(iter(places))))
            if (rows := cached[label]) is None or not rows.is_whole:
                announced |= dict.fromkeys(metric.reads(self.job.options))
        chunk.features.expected = tuple(announced)
        return cached

    def _partial(self, chunk: Chunk, label: str, metric: Metric) -> Rows:
        fit = metric.fit()
        assert fit is not None
        return {("", label): fit.partial(chunk.fit_view(fit, ""))}

    def reduced(self, chunk: Chunk, label: str, metric: Metric, known: Recalled | None = None) -> Rows:
        """Return one row of statistics per segment for each system; `known` rows are not computed."""
        rows: Rows = {}
        for view, places in chunk.rows(metric):
            compute = partial(statistics_of, metric, fitted=self.job.fitted(label, next(iter(places))))
            try:
                statistics = compute(view) if known is None else known.statistics(compute)
            except RowError as error:
                raise MetricError(f"{chunk.whose(metric, places, error.row)}: {error}") from error
            for system, positions in places.items():
                occurrences = {part: values[positions] for part, values in statistics.items()}
                rows[system, label] = self.reducer.reduce(metric, occurrences, *chunk.groups(metric, system))
        return rows


@contextmanager
def spent_on(label: str, costs: Costs, features: Features) -> Iterator[None]:
    """Add the time spent inside the block to a metric, without the time of its features."""
    started, before = time.perf_counter(), sum(features.seconds.values())
    with features.read_by(label):
        yield
    costs.read(label, features.read_for(label))
    costs.spend(label, time.perf_counter() - started - (sum(features.seconds.values()) - before))


def statistics_of(metric: Metric, view: View, fitted: Arrays) -> Arrays:
    """Return the metric's statistics; raise MetricError if their parts, type or shape are wrong.

    One row too many would shift the scores of all rows after it.
    """
    statistics: Any = metric.statistics(view, fitted)
    parts = metric.outputs()
    if not isinstance(statistics, Mapping) or list(statistics) != list(parts):
        names = list(statistics) if isinstance(statistics, Mapping) else type(statistics).__name__
        raise MetricError(
            f"{metric.name}: statistics() must return the parts {list(parts)} in this order, but returned"
            f" {names}."
        )
    checked = {}
    for part, values in statistics.items():
        try:
            checked[part] = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise MetricError(
                f"{metric.name}: the statistics of {part!r} must be numbers; they are {values!r:.60}."
            ) from None
        if checked[part].ndim != 2 or len(checked[part]) != len(view):
            raise MetricError(
                f"{metric.name}: the statistics of {part!r} must be an array of two dimensions with"
                f" {counted(len(view), 'row')}, one for each row of the view; their shape is"
                f" {checked[part].shape}."
            )
    return checked

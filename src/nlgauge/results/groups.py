"""Groups: a result cut by a field of its segments, such as the domain, and what all groups show in one table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge.corpus.columns import Array, Ragged
from nlgauge.errors import UnknownNameError
from nlgauge.export.model import Cell, Footnotes, Page, Sheet, column
from nlgauge.export.names import shortened_note
from nlgauge.export.of_result import ScoreCells, long_columns, long_rows
from nlgauge.export.shown import Exported
from nlgauge.export.tested import any_tested, corrected, how_tested
from nlgauge.features import Features
from nlgauge.metric import CorpusMetric, Metric
from nlgauge.results.comparison import Comparison
from nlgauge.results.equal_outputs import corrected_once
from nlgauge.results.resampling import Clusters, caution
from nlgauge.results.scores import score_records
from nlgauge.results.segments import field_name
from nlgauge.results.table import Table
from nlgauge.results.table_options import TableOptions

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result
    from nlgauge.run.chunk import Fits


@dataclass(frozen=True, repr=False, eq=False)
class Groups(Exported, Mapping[Any, "Result"]):
    """The results of the groups, by the value of the field; it shows itself as one table, with tests corrected for all of them together."""

    field: str
    results: Mapping[Any, Result]

    def __getitem__(self, value: Any) -> Result:
        if value in self.results:
            return self.results[value]
        named = {str(known): known for known in self.results}
        if str(value) in named:
            return self.results[named[str(value)]]
        raise UnknownNameError(f"there is no group {value!r} of {self.field!r}; there are {', '.join(map(repr, self.results))}.")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def compare(self, **options: Any) -> dict[Any, Comparison]:
        """The comparison of every group, as `Result.compare` makes it with these options; Holm's correction counts the tests of all groups."""
        found = {value: result.compare(**options) for value, result in self.results.items()}
        corrected = corrected_once([(comparison.rows, comparison.equal) for comparison in found.values()])
        return {value: replace(comparison, rows=rows) for (value, comparison), rows in zip(found.items(), corrected, strict=True)}

    def scores(self, frame: str | None = None, **options: Any) -> Any:
        """One row per group, system, metric and output, else as `Result.scores`."""
        from nlgauge.results.frames import as_frame

        return as_frame(self._csv_records(**{"tests": False, **options}), frame)

    def page(self, **options: Any) -> Page:
        """All groups in one table, with the options of `Result.page` but for `wide`: there is one row per group, metric and system."""
        shown = TableOptions.of(options)
        comparisons = self._comparisons(shown)
        footnotes, rows = Footnotes(), []
        for value, result in self.results.items():
            cells = ScoreCells(result, shown.intervals_of(result), comparisons.get(value), shown.details, footnotes, shown.decimals)
            name = Cell(str(value), below=f"n={len(result.corpus)}")
            rows += [[Cell() if i else name, *row] for i, row in enumerate(long_rows(cells))]
        first = next(iter(self.results.values()))
        tested = [rows for rows in _joined(comparisons) if any_tested(rows)]
        notes = [f"p-values: against {first.systems[0]}, {how_tested(rows)}, Holm-{corrected(rows)}." for rows in tested]
        notes += shortened_note(first.systems)
        few = [str(value) for value, result in self.results.items() if caution(Clusters(result.corpus.documents, len(result.corpus)).count, "")]
        if few and shown.intervals:
            notes.append(f"Caution: fewer than 20 segments (or documents), so that intervals are too narrow: {', '.join(few)}.")
        fitted = [label for label, metric in first.job.metrics.items() if isinstance(metric, Metric) and metric.fit() is not None]
        if fitted:
            notes.append(f"{', '.join(fitted)}: fitted on all segments of the run, not on each group.")
        columns = [column(self.field), *long_columns(cells, shown.confidence)]
        return shown.with_costs(Page([Sheet(columns, rows)], footnotes.texts, notes, shown.small_print_of(first)), first)

    def _short_page(self) -> Page:
        return self.page(intervals=False, tests=False)

    def _csv_records(self, **options: Any) -> list[dict[str, Any]]:
        shown = TableOptions.of(options)
        comparisons = self._comparisons(shown)
        return [
            {field_name(self.field, record): value, "segments": len(result.corpus), **record}
            for value, result in self.results.items()
            for record in score_records(result, shown.intervals_of(result), comparisons.get(value))
        ]

    def _comparisons(self, shown: TableOptions) -> dict[Any, Comparison]:
        first = next(iter(self.results.values()))
        return self.compare(**shown.of_comparison()) if shown.has_tests(first) else {}


def _joined(comparisons: Mapping[Any, Comparison]) -> list[Comparison]:
    """All comparisons as one, if there are any."""
    found = list(comparisons.values())
    return [replace(found[0], rows=[row for comparison in found for row in comparison])] if found else []


def taken(result: Result, segments: Array) -> Result:
    """The result on some of its segments: rows of statistics are taken, corpus metrics are computed again on the texts, fits stay as they are."""
    corpus = result.corpus.take(segments)
    features = Features(corpus.texts, result.job.options)
    tables = {
        (system, label): _taken(table, system, corpus, segments, features, result.has_texts) for (system, label), table in result.tables.items()
    }
    return replace(result, corpus=corpus, tables=tables, job=replace(result.job, fits=_taken_fits(result, segments)), _last=[])


def _taken_fits(result: Result, segments: Array) -> Fits:
    found = {}
    for (label, system), fitted in result.job.fits.items():
        metric = result.job.metrics[label]
        fit = metric.fit() if isinstance(metric, Metric) else None
        if fit is None or not system:
            found[label, system] = fitted
            continue
        column = result.corpus.predictions[system]
        numbers = Ragged(np.arange(len(column.values)), column.offsets)
        found[label, system] = fit.taken(fitted, numbers.take(segments).values)
    return found


def _taken(table: Table, system: str, corpus: Corpus, segments: Array, features: Features, has_texts: bool) -> Table:
    if table.additive:
        rows = {part: rows[segments] for part, rows in table.statistics.items()}
        return replace(table, statistics=rows, weights=corpus.weights)
    from nlgauge.run.engine import whole_scores

    saved = {name: values[segments] for name, values in table.saved_segments.items()}
    metric = table.metric
    here = isinstance(metric, CorpusMetric) and type(metric).whole is not CorpusMetric.whole
    if here and has_texts and isinstance(metric, CorpusMetric):
        return Table(metric, values=whole_scores(metric, corpus, system, features))
    reason = "the texts to recompute it were not saved" if here else "the class of this metric is not here to recompute it"
    values = {name: math.nan if isinstance(value, float) else value for name, value in table.values.items()}
    return replace(table, values=values, saved_segments=saved, unknown=f"not computed from per-segment statistics, and {reason}")

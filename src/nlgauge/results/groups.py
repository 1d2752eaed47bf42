"""Groups: a result cut by a field of its segments, such as the domain, and what all groups show in one
table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.errors import UnknownNameError
from nlgauge.features import Features
from nlgauge.metric import CorpusMetric, Metric
from nlgauge.metric.table import Table
from nlgauge.results.comparison import Comparison
from nlgauge.results.equal_outputs import corrected_once
from nlgauge.results.scores import score_records
from nlgauge.results.segments import field_name
from nlgauge.results.table_options import ExportedTable, TableArguments, TableOptions

if TYPE_CHECKING:
    from nlgauge._core.page import Page
    from nlgauge.corpus import Corpus
    from nlgauge.engine.chunk import Fits
    from nlgauge.results.result import Result


@dataclass(frozen=True, repr=False, eq=False)
class Groups(ExportedTable, Mapping[Any, "Result"]):
    """The results of the groups, by the value of the field; it shows itself as one table, with tests
    corrected for all of them together.
    """

    field: str
    results: Mapping[Any, Result]

    def __getitem__(self, value: Any) -> Result:
        if value in self.results:
            return self.results[value]
        named = {str(known): known for known in self.results}
        if str(value) in named:
            return self.results[named[str(value)]]
        raise UnknownNameError(
            f"unknown group {value!r} of {self.field!r}; the groups are {', '.join(map(repr, self.results))}."
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def compare(
        self,
        *systems: str,
        baseline: str | None = None,
        all_pairs: bool = False,
        test: str = "randomization",
        confidence: float = 0.95,
        resamples: int = 1000,
        seed: int | None = None,
    ) -> dict[Any, Comparison]:
        """Return the comparison of every group, as `Result.compare` makes it with these options; Holm's
        correction counts the tests of all groups, max-T only the tests of one group.
        """
        options: Any = {"baseline": baseline, "all_pairs": all_pairs, "test": test, "confidence": confidence}
        comparisons = {
            value: result.compare(*systems, **options, resamples=resamples, seed=seed)
            for value, result in self.results.items()
        }
        if any(comparison.correction != "holm" for comparison in comparisons.values()):
            return comparisons
        corrected = corrected_once(
            [(comparison.rows, comparison.equal) for comparison in comparisons.values()]
        )
        return {
            value: replace(comparison, rows=rows)
            for (value, comparison), rows in zip(comparisons.items(), corrected, strict=True)
        }

    def scores(self, frame: str | None = None, **options: Unpack[TableArguments]) -> Any:
        """Return one row per group, system, metric and output, else as `Result.scores`."""
        from nlgauge._core.frames import as_frame

        return as_frame(self._csv_records(**{"tests": False, **options}), frame)

    def _page(self, **options: Any) -> Page:
        """Return all groups in one table, with the options of `Result.page` except `wide`: it has one row per
        group, metric and system.
        """
        from nlgauge.show.pages.groups import groups_page

        return groups_page(self, TableOptions.of(options))

    def _short_page(self) -> Page:
        return self._page(intervals=False, tests=False)

    def _csv_records(self, **options: Any) -> list[dict[str, Any]]:
        shown = TableOptions.of(options)
        comparisons = self.comparisons(shown)
        return [
            {field_name(self.field, record): value, "segments": len(result.corpus), **record}
            for value, result in self.results.items()
            for record in score_records(result, shown.intervals_of(result), comparisons.get(value))
        ]

    def comparisons(self, shown: TableOptions) -> dict[Any, Comparison]:
        """Return the comparison of every group, if tests are shown."""
        first = next(iter(self.results.values()))
        return self.compare(**shown.of_comparison()) if shown.has_tests(first) else {}


def taken(result: Result, segments: Array) -> Result:
    """Return the result on some of its segments: rows of statistics are selected, corpus metrics are computed
    again on the texts, fits stay unchanged.
    """
    corpus = result.corpus.take(segments)
    features = Features(corpus.texts, result._job.options)
    tables = {
        (system, label): _taken(table, system, corpus, segments, features, result.has_texts)
        for (system, label), table in result._tables.items()
    }
    return replace(
        result,
        corpus=corpus,
        _tables=tables,
        _job=replace(result._job, fits=_taken_fits(result, segments)),
        _last=[],
    )


def _taken_fits(result: Result, segments: Array) -> Fits:
    found = {}
    for (label, system), fitted in result._job.fits.items():
        metric = result._job.metrics[label]
        fit = metric.fit() if isinstance(metric, Metric) else None
        if fit is None or not system:
            found[label, system] = fitted
            continue
        column = result.corpus.predictions[system]
        numbers = Ragged(np.arange(len(column.values)), column.offsets)
        found[label, system] = fit.taken(fitted, numbers.take(segments).values)
    return found


def _taken(
    table: Table, system: str, corpus: Corpus, segments: Array, features: Features, has_texts: bool
) -> Table:
    rows = {part: rows[segments] for part, rows in table.statistics.items()}
    if table.additive:
        return replace(table, statistics=rows, weights=corpus.weights)
    from nlgauge.engine.engine import whole_scores

    saved = {name: values[segments] for name, values in table.saved_segments.items()}
    metric = table.metric
    here = isinstance(metric, CorpusMetric) and type(metric).whole is not CorpusMetric.whole
    if here and has_texts and isinstance(metric, CorpusMetric):
        return Table(metric, values=whole_scores(metric, corpus, system, features))
    reason = (
        "the texts to recompute it were not saved"
        if here
        else "its class is not imported, so it cannot be recomputed"
    )
    values = {name: math.nan if isinstance(value, float) else value for name, value in table.values.items()}
    return replace(
        table,
        statistics=rows,
        values=values,
        saved_segments=saved,
        unknown=f"not computed from per-segment statistics, and {reason}",
    )

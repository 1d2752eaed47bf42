"""The page of a result that is cut by a field: all groups in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nlgauge._core.page import Cell, Footnotes, Page, Sheet, column
from nlgauge.results.comparison import Comparison
from nlgauge.results.groups import Groups
from nlgauge.results.resampling import caution
from nlgauge.results.table_options import TableOptions
from nlgauge.show.pages.names import shortened_note
from nlgauge.show.pages.result import ScoreCells, long_columns, long_rows, small_print_of, with_costs
from nlgauge.show.pages.tested import any_tested, gain_note, p_note
from nlgauge.stats.units import Clusters


def groups_page(groups: Groups, shown: TableOptions) -> Page:
    """Describe all groups in one table."""
    comparisons = groups.comparisons(shown)
    footnotes, rows = Footnotes(), []
    for value, result in groups.results.items():
        cells = ScoreCells(
            result,
            shown.intervals_of(result),
            comparisons.get(value),
            shown.details,
            footnotes,
            shown.decimals,
        )
        name = Cell(str(value), below=f"n={len(result.corpus)}")
        rows += [[Cell() if i else name, *row] for i, row in enumerate(long_rows(cells))]
    first = next(iter(groups.results.values()))
    tested = [rows for rows in _joined(comparisons) if any_tested(rows)]
    notes = [note for rows in tested for note in (gain_note(rows), p_note(rows))]
    notes += shortened_note(first.systems)
    few = [
        str(value)
        for value, result in groups.results.items()
        if caution(Clusters(result.corpus.documents, len(result.corpus)).count, "")
    ]
    if few and shown.intervals:
        notes.append(
            "Caution: fewer than 20 segments (or documents), so that intervals are too narrow:"
            f" {', '.join(few)}."
        )
    fitted = [label for label, metric in first._job.metrics.items() if metric.fit() is not None]
    if fitted:
        notes.append(f"{', '.join(fitted)}: fitted on all segments of the run, not on each group.")
    columns = [column(groups.field), *long_columns(cells, shown.confidence)]
    return with_costs(
        Page([Sheet(columns, rows)], footnotes.texts, notes, small_print_of(first, shown)), first, shown
    )


def _joined(comparisons: Mapping[Any, Comparison]) -> list[Comparison]:
    """Return all comparisons as one, if there are any."""
    found = list(comparisons.values())
    return [replace(found[0], rows=[row for comparison in found for row in comparison])] if found else []

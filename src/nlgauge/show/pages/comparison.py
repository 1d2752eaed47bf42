"""The page of a Comparison: a table for each pair of systems, with both scores, the gain of the second over
the first, and p-values.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from nlgauge._core.numbers import bounds, number, p_value
from nlgauge._core.page import Cell, Footnotes, Gauge, Page, Sheet, column
from nlgauge.results.equal_outputs import equal_note
from nlgauge.show.pages.missing import missing_note
from nlgauge.show.pages.names import short_names, shortened_note
from nlgauge.show.pages.result import named
from nlgauge.show.pages.tested import gain_note, p_note, too_few_resamples

if TYPE_CHECKING:
    from nlgauge.results.comparison import Compared, Comparison

_NO_INTERVAL = "no interval: undefined in some resamples"


def comparison_page(comparison: Comparison) -> Page:
    """Return a table for each pair; the gain is positive if the second system of the pair is better than the
    first.
    """
    pairs: dict[tuple[str, str], list[Compared]] = {}
    rows_shown = [row for row in comparison if (row.label, row.output.name) not in comparison.equal]
    for row in rows_shown:
        pairs.setdefault((row.first, row.second), []).append(row)
    footnotes = Footnotes()
    systems = list(dict.fromkeys(system for pair in pairs for system in pair))
    short = short_names(systems)
    sheets = [
        _sheet((short[first], short[second]), rows, comparison, footnotes)
        for (first, second), rows in pairs.items()
    ]
    notes = [gain_note(comparison)] if pairs else []
    if any(row.output.higher_is_better is None for row in comparison):
        notes.append("If neither direction is better, the gain is the second score minus the first.")
    notes += [p_note(comparison), *too_few_resamples(comparison), *shortened_note(systems)]
    if repeated := equal_note(comparison.equal, {(row.label, row.output.name) for row in rows_shown}):
        notes.append(repeated)
    if comparison.caution:
        notes.append(f"Caution: {comparison.caution}.")
    seed = [] if comparison.seed is None else [f"Resampled with seed {comparison.seed}."]
    return Page(sheets, footnotes.texts, notes, seed)


def _sheet(
    pair: tuple[str, str], rows: list[Compared], comparison: Comparison, footnotes: Footnotes
) -> Sheet:
    first, second = pair
    interval = f"{100 * comparison.confidence:g}% interval"
    names = [first, second, "gain", interval, "p", comparison.corrected_name]
    counts = Counter(row.label for row in rows)
    cells = [_cells(row, comparison.corrected(row), counts[row.label] > 1, footnotes) for row in rows]
    return Sheet(
        [column("metric"), column(""), *(column(name, "number") for name in names)],
        cells,
        f"{second} against {first}",
    )


def _cells(row: Compared, corrected_p: float, several: bool, footnotes: Footnotes) -> list[Cell]:
    output = row.output
    interval = bounds(row.gain_low, row.gain_high, output, sign=True)
    reason = footnotes.mark(row.reason)
    missing = footnotes.mark(missing_note(row))
    return [
        named(row.label, output, several),
        Cell(better=output.higher_is_better),
        Cell(number(row.first_score, output), "best" if row.better == row.first else ""),
        Cell(number(row.second_score, output), "best" if row.better == row.second else ""),
        Cell(number(row.gain, output, sign=True), notes=missing),
        Cell(
            interval,
            notes=(reason or footnotes.mark(_NO_INTERVAL)) if interval == "n/a" else (),
            gauge=_gauge(row),
        ),
        Cell(p_value(row.p), notes=reason if math.isnan(row.p) else ()),
        Cell(p_value(corrected_p), notes=reason if math.isnan(corrected_p) else ()),
    ]


def _gauge(row: Compared) -> Gauge | None:
    """Return the gain with its interval, zero in the middle."""
    numbers = (row.gain, row.gain_low, row.gain_high)
    most = max(map(abs, numbers))
    return Gauge(*numbers, -most, most, zero=True) if all(map(math.isfinite, numbers)) and most > 0 else None

"""The page of Ranks: systems in rows, outputs in columns, each score with its letters, and its best and worst
possible rank.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from nlgauge._core.numbers import counted, number
from nlgauge._core.page import Cell, Column, Footnotes, Page, Sheet, column
from nlgauge.results.equal_outputs import equal_note
from nlgauge.results.resampling import caution
from nlgauge.show.pages.names import short_names, shortened_note
from nlgauge.show.pages.result import named
from nlgauge.show.pages.tested import TESTS

if TYPE_CHECKING:
    from nlgauge.results.ranks import Ranked, Ranks

_NO_DIRECTION = "neither direction of this output is better, so it has no ranks"


def ranks_page(ranks: Ranks) -> Page:
    """Return one table; systems that share a letter do not differ significantly."""
    footnotes = Footnotes()
    counts = Counter(row.label for row in ranks.rows)
    rows_shown = [row for row in ranks.rows if (row.label, row.output.name) not in ranks.equal]
    columns = [_cells(row, counts[row.label] > 1, footnotes) for row in rows_shown]
    systems = ranks.rows[0].systems if ranks.rows else ()
    short = short_names(systems)
    rows = [[Cell(short[system]), *(cells[i] for _, cells in columns)] for i, system in enumerate(systems)]
    sheet = Sheet([column("system"), *(heading for heading, _ in columns)], rows)
    notes = [
        (
            "Systems that share a letter of a column do not differ significantly; in brackets the best"
            " and the worst rank that each may have."
        ),
        (
            f"All pairs of systems are tested together: {TESTS[ranks.test]} with {counted(ranks.resamples, 'resample')},"
            f" p (max-T) at most {1 - ranks.confidence:.3g}."
        ),
        *shortened_note(systems),
    ]
    if any(any(row.missing) for row in rows_shown):
        notes.append("Scores are missing: each pair is compared on the segments that both systems have.")
    if few := caution(min((row.units for row in rows_shown), default=0), ""):
        notes.append(f"Caution: {few}.")
    if repeated := equal_note(ranks.equal, {(row.label, row.output.name) for row in rows_shown}):
        notes.append(repeated)
    return Page([sheet], footnotes.texts, notes, [f"Resampled with seed {ranks.seed}."])


def _cells(row: Ranked, several: bool, footnotes: Footnotes) -> tuple[Column, list[Cell]]:
    reason = footnotes.mark(row.reason or (_NO_DIRECTION if row.output.higher_is_better is None else ""))
    heading = named(row.label, row.output, several)
    cells = []
    for score, letters, rank in zip(row.scores, row.letters, row.ranks, strict=True):
        place = "" if rank is None else f" ({rank[0]})" if rank[0] == rank[1] else f" ({rank[0]}-{rank[1]})"
        cells.append(
            Cell(
                number(float(score), row.output),
                "best" if letters and "a" in letters else "",
                aside=f"{letters or ''}{place}".strip(),
            )
        )
    return (
        Column(replace(heading, better=row.output.higher_is_better, notes=reason, below=""), "number"),
        cells,
    )

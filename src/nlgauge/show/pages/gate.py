"""The page of a gate: the checks, the measured values, and the outcome."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge._core.numbers import bounds, counted, number, p_value
from nlgauge._core.page import Cell, Footnotes, Page, Sheet, Tone, column
from nlgauge.results.comparison import Comparison
from nlgauge.results.gate import CheckOutcome
from nlgauge.results.plans.aa import VERDICTS, AAStudy, Flakiness
from nlgauge.show.pages.missing import missing_note
from nlgauge.show.pages.tested import gain_note, how_tested


def gate_page(
    found: Sequence[CheckOutcome], comparison: Comparison | None, alpha: float, whole: bool = True
) -> Page:
    """Return one row per condition and system, and below how it was tested; the baseline's score and raw
    p-values only if `whole`.
    """
    tests = len({verdict.row for verdict in found if verdict.row is not None})
    tested = comparison is not None
    names = [
        *(["baseline"] if tested and whole else []),
        "score",
        *(["gain", f"{100 * comparison.confidence:g}% interval"] if comparison is not None else []),
        *(["p"] if tested and whole else []),
        *(["p (Holm)"] if tested else []),
    ]
    heads = [column("fails if"), *([column("system")] if whole else [])]
    rows, footnotes = [], Footnotes()
    for verdict in found:
        numbers = _numbers(verdict)
        word = verdict.word if verdict.failed is False else verdict.word.upper()
        missing = footnotes.mark(missing_note(verdict.row)) if verdict.row is not None else ()
        cells = [Cell(numbers.get("interval" if name.endswith("interval") else name, "")) for name in names]
        if whole:
            rows.append(
                [
                    Cell(verdict.condition),
                    Cell(verdict.system),
                    *cells,
                    Cell(f"{word}: {verdict.why}", notes=missing),
                ]
            )
        else:
            tone: Tone = "" if verdict.failed is False else "worst"
            rows.append(
                [
                    Cell(verdict.condition, below=verdict.system),
                    *cells,
                    Cell(word, tone, below=verdict.why, notes=missing),
                ]
            )
    notes = []
    if comparison is not None:
        notes.append(
            f"Baseline: {comparison.baseline}. A change is significant if p (Holm) is below {alpha:g}:"
            f" {how_tested(comparison)}, corrected for {counted(tests, 'test')}."
        )
        notes.append(gain_note(comparison))
        notes += _power_notes(found)
        notes += [f"Caution: {comparison.caution}."] if comparison.caution else []
    columns = [*heads, *(column(name, "number") for name in names), column("verdict", "words")]
    return Page([Sheet(columns, rows)], footnotes.texts, notes)


def _power_notes(found: Sequence[CheckOutcome]) -> list[str]:
    """Return what the tests could have found, and how many more segments inconclusive verdicts need."""
    drops = [
        f"{verdict.row.name} {number(verdict.detectable, verdict.output)}"
        for verdict in found
        if verdict.row is not None and verdict.failed is False and math.isfinite(verdict.detectable)
    ]
    notes = (
        [
            "Drops that the tests detect with a probability of 80%; smaller drops may be missed:"
            f" {', '.join(dict.fromkeys(drops))}."
        ]
        if drops
        else []
    )
    more = [f"{verdict.condition} ({verdict.system}) {verdict.more:,}" for verdict in found if verdict.more]
    return [
        *notes,
        *([f"More segments that a conclusive verdict is likely to need: {', '.join(more)}."] if more else []),
    ]


def _numbers(verdict: CheckOutcome) -> dict[str, str]:
    """Return the numbers of a verdict by their headings."""
    row, output = verdict.row, verdict.output
    found = {"score": number(verdict.score, output)}
    if row is not None:
        found |= {"baseline": number(row.first_score, output), "gain": number(row.gain, output, sign=True)}
        found |= {
            "interval": bounds(row.gain_low, row.gain_high, output, sign=True),
            "p": p_value(row.p),
            "p (Holm)": p_value(row.p_holm),
        }
    return found


def aa_page(study: AAStudy) -> Page:
    """Return the shares of verdicts on identical systems, and how far identical runs lie apart."""
    columns = [column("fails if"), *(column(verdict, "number") for verdict in VERDICTS)]
    rows = [
        [Cell(row.condition), *(Cell(_share(*row.share(verdict))) for verdict in VERDICTS)]
        for row in study.rows
    ]
    answers = counted(round(study.answers), "prediction")
    notes = [
        f"A/A study of {study.system}: {counted(study.divisions, 'random division')} of its repeats into two"
        f" halves with {answers} per segment; shares with 95% intervals (Wilson).",
        *(_moves(row) for row in study.rows),
    ]
    return Page([Sheet(columns, rows)], notes=notes)


def _moves(row: Flakiness) -> str:
    """Return how far identical runs lie apart, and how often a fixed threshold would fail them."""
    least = f"of {number(row.threshold, row.output)}" if row.threshold else "of any size"
    return (
        f"{row.condition}: the score moves by up to {number(row.moves, row.output)} (95%) between identical runs;"
        f" a threshold {least} without a test would fail {100 * row.fails:.0f}% of them, and a threshold of"
        f" {number(row.safe, row.output)} 1%."
    )


def _share(share: float, low: float, high: float) -> str:
    return f"{100 * share:.0f}% [{100 * low:.0f}%, {100 * high:.0f}%]"

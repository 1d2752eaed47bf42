"""CogitoErgoSumm: human_evaluation.xlsx, 30 articles with three summaries each and the ratings of three
annotators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.originals.files import Opened, mean, number
from nlgauge.meta.benchmarks.originals.xlsx import sheets
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_DIMENSIONS = ("informativeness", "factualness", "fluency", "succinctness")
_SYSTEMS = {"rl": "CogitoErgoSumm", "norl": "without reinforcement learning", "nograph": "BART-base"}
_ANNOTATORS = ("annotator1", "annotator2", "annotator3")
_SEGMENTS = 30


def knows(opened: Opened) -> bool:
    """Return True if this is a workbook; its sheets are checked when it is read."""
    return opened.place.is_file() and opened.place.suffix.lower() == ".xlsx"


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per article and system; the sheets are joined by the numbers of their rows."""
    found = sheets(opened.place)
    for name in ("Text", *_ANNOTATORS):
        rows = found.get(name)
        if rows is None or len(rows) != _SEGMENTS:
            there = "no such sheet" if rows is None else f"{len(rows)} rows"
            raise InputError(
                f"{opened.place}: sheet {name!r} must have {_SEGMENTS} rows, got {there}; use"
                " human_evaluation.xlsx as released."
            )
    ids = [_cell(found["Text"], opened.place, "Text", at, "article_id") for at in range(_SEGMENTS)]
    if len(set(ids)) < _SEGMENTS:
        raise InputError(f"{opened.place}: article ids in sheet 'Text' must differ; use the released file.")
    for at, article in enumerate(ids):
        text = {
            name: _cell(found["Text"], opened.place, "Text", at, name)
            for name in (
                "source_document",
                "target_summary",
                *(f"generated_summary_{each}" for each in _SYSTEMS),
            )
        }
        for system, title in _SYSTEMS.items():
            ratings = {
                dimension: tuple(
                    _rating(found[annotator], opened.place, annotator, at, f"{dimension}_{system}")
                    for annotator in _ANNOTATORS
                )
                for dimension in _DIMENSIONS
            }
            yield BenchmarkRow(
                article,
                system,
                {dimension: mean(values) for dimension, values in ratings.items()},
                text[f"generated_summary_{system}"],
                text["source_document"],
                (text["target_summary"],),
                ratings,
                meta={"lang": "en", "system_name": title},
            )


def _cell(rows: Sequence[Mapping[str, str]], place: Path, sheet: str, at: int, column: str) -> str:
    if column not in rows[at]:
        raise InputError(
            f"{place}: sheet {sheet!r}, row {at + 2} has no {column!r}; use human_evaluation.xlsx as released."
        )
    return rows[at][column]


def _rating(rows: Sequence[Mapping[str, str]], place: Path, sheet: str, at: int, column: str) -> float:
    value = number(_cell(rows, place, sheet, at, column), place, at + 2)
    if value not in (1, 2, 3, 4, 5):
        raise InputError(
            f"{place}: sheet {sheet!r}, row {at + 2}, {column!r} must be a whole number from 1 to 5, got"
            f" {value:g}; use human_evaluation.xlsx as released."
        )
    return value

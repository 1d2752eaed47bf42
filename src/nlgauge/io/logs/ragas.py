"""Reader of ragas results: the frame of `result.to_pandas()` as CSV, JSON lines or Parquet."""

from __future__ import annotations

import math
from typing import Any

from nlgauge.io.logs.columns import ScoreTable, blank_or
from nlgauge.io.logs.rows import (
    Log,
    LogFacts,
    LogOptions,
    LogRow,
    digest_of,
    number_repeats,
    text_of,
    texts_of,
)
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested

TESTED = Tested("ragas", "0.4.3")
DEPTH = 1
_TEXTS = {"user_input", "response", "reference"}
_CONTEXTS = {
    "retrieved_contexts",
    "reference_contexts",
    "rubrics",
    "reference_tool_calls",
    "reference_topics",
}


def recognizes(source: Source) -> bool:
    """Return True if a source has the columns of a ragas result."""
    return "user_input" in source.keys and bool(source.keys & {"response", "reference", "retrieved_contexts"})


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return the run of a frame."""
    facts = LogFacts(tool="ragas", file=source.path, system=source.stem, task="ragas")
    records = source.records(TESTED)
    if source.is_truncated:
        facts.status = "truncated"
    table = ScoreTable()
    rows = []
    names = list(dict.fromkeys(name for record in records for name in record))
    scores = [
        name
        for name in names
        if name not in _TEXTS | _CONTEXTS and all(is_score(record.get(name)) for record in records)
    ]
    for record in records:
        row = LogRow(
            item=digest_of(record.get("user_input")),
            task=facts.task,
            source=text_of(record.get("user_input")),
            references=texts_of(record.get("reference")),
            prediction=text_of(record.get("response")),
            fields={name: record[name] for name in names if name in _CONTEXTS and record.get(name)},
        )
        rows.append(row)
        for name in scores:
            table.add(row, name, score_of(record.get(name)))
    number_repeats(rows)
    table.finish(facts, rows, blank_or("unreadable"))
    return [Log(facts, rows)]


def is_score(value: Any) -> bool:
    """Return True if a value of a table is a number, a text of a number, or no value."""
    if isinstance(value, str) and value:
        return not isinstance(score_of(value), str)
    return value is None or isinstance(value, str | int | float)


def score_of(value: Any) -> Any:
    """Return the number of a value of a table; None for NaN and an empty field of a CSV file."""
    if isinstance(value, str):
        try:
            value = float(value) if value else None
        except ValueError:
            return {"true": True, "false": False}.get(value.lower(), value)
    return None if isinstance(value, float) and math.isnan(value) else value

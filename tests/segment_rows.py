"""Segment scores by label, for tests that name a metric by its label."""

from __future__ import annotations

from typing import Any

from nlgauge import Result


def rows_by_label(result: Result) -> list[dict[str, Any]]:
    """Return one row per segment and system: the first output of a metric under its label, the others as
    label.output.
    """
    rows = []
    for system in result.systems:
        columns = {
            label if place == 0 else f"{label}.{name}": values.tolist()
            for label in result.labels
            for place, (name, values) in enumerate(result._tables[system, label].segments().items())
        }
        rows += [
            {"segment": segment, "system": system, **{name: values[i] for name, values in columns.items()}}
            for i, segment in enumerate(result.corpus.ids)
        ]
    return rows

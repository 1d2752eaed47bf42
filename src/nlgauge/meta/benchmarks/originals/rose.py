"""RoSE: one object per article, with the outputs of all systems and their annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.originals.files import Opened, field
from nlgauge.meta.benchmarks.rows import BenchmarkRow


def knows(opened: Opened) -> bool:
    """Return True if this is a file of RoSE."""
    return opened.has("system_outputs", "annotations")


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Return its rows: every annotation that is a number is a dimension."""
    for i, record in enumerate(opened.records, 1):
        segment = str(record.get("example_id") or record.get("count_id") or i - 1)
        annotations: Mapping[str, Mapping[str, Any]] = record["annotations"]
        for system, text in field(record, "system_outputs", opened.place, i).items():
            if system not in annotations:
                raise InputError(f"{opened.place}, record {i}: 'annotations' lacks the system {system!r}.")
            human = {
                name: float(value)
                for name, value in annotations[system].items()
                if isinstance(value, int | float)
            }
            yield BenchmarkRow(
                segment,
                system,
                human,
                text,
                record.get("source"),
                (record["reference"],) if record.get("reference") else (),
            )

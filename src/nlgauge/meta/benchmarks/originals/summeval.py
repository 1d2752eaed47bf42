"""SummEval's model_annotations.aligned.jsonl: one line per article and model, with the annotations of
experts and crowd workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nlgauge.meta.benchmarks.originals.files import Opened, field, mean, number
from nlgauge.meta.benchmarks.rows import BenchmarkRow, flat_ratings


def knows(opened: Opened) -> bool:
    """Return True if this is SummEval's file."""
    return opened.has("expert_annotations", "model_id", "decoded")


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Return its rows; articles are there only where the file was paired with them."""
    for i, record in enumerate(opened.records, 1):
        raw: dict[str, Any] = {}
        for kind in ("expert", "turker"):
            annotations = record.get(f"{kind}_annotations") or []
            if annotations:
                raw[kind] = {
                    name: [number(one.get(name), opened.place, i) for one in annotations]
                    for name in annotations[0]
                }
        ratings = flat_ratings(raw)
        yield BenchmarkRow(
            str(field(record, "id", opened.place, i)),
            str(record["model_id"]),
            {name: mean(values) for name, values in ratings.items()},
            record["decoded"],
            record.get("text"),
            tuple(
                record.get("references") or [record["reference"]]
                if record.get("references") or record.get("reference")
                else ()
            ),
            ratings,
        )

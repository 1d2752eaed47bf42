"""SacreROUGE's files: JSON lines with instance_id, summarizer_id and metrics, in one file or a directory; texts
in summaries.jsonl.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nlgauge.meta.benchmarks.originals.files import Opened, mean
from nlgauge.meta.benchmarks.rows import BenchmarkRow, flat_ratings

_HUMAN = {
    "litepyramid.recall": "litepyramid_recall",
    "overall_responsiveness": "responsiveness",
    "responsiveness": "responsiveness",
    "pyramid_score": "pyramid",
    "modified_pyramid_score": "pyramid_modified",
}


def knows(opened: Opened) -> bool:
    """Return True if this is such a file, or a directory with one."""
    return opened.has("instance_id", "summarizer_id") or any(
        file.has("instance_id", "summarizer_id") for file in _files(opened)
    )


def name(opened: Opened) -> str | None:
    """Return the benchmark, by the human dimensions."""
    dimensions = {dimension for row in read(opened) for dimension in row.human}
    known = {"litepyramid_recall": "realsumm", "relevance": "summeval", "responsiveness": "tac2008"}
    return next((benchmark for dimension, benchmark in known.items() if dimension in dimensions), None)


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per instance and summarizer, with the scores of all files."""
    records: dict[tuple[str, str], dict[str, Any]] = {}
    for file in _files(opened) or [opened]:
        for record in file.records:
            if "instance_id" in record and "summarizer_id" in record:
                known = records.setdefault(
                    (str(record["instance_id"]).upper(), str(record["summarizer_id"])), {"metrics": {}}
                )
                known |= {name: value for name, value in record.items() if name != "metrics"}
                known["metrics"] |= record.get("metrics", {})
    for (_, system), record in records.items():
        ratings = flat_ratings(
            {kind: values for kind, values in record["metrics"].items() if kind in ("expert", "turker")}
        )
        numbers = dict(_flat(record["metrics"]))
        human = {_HUMAN[name]: value for name, value in numbers.items() if name in _HUMAN}
        human |= {dimension: mean(values) for dimension, values in ratings.items()}
        metrics = {name: value for name, value in numbers.items() if name not in _HUMAN}
        documents = [
            _text(one)
            for one in record.get("documents") or ([record["document"]] if record.get("document") else [])
        ]
        yield BenchmarkRow(
            str(record["instance_id"]),
            system,
            human,
            _text(record["summary"]) if record.get("summary") else None,
            "\n".join(documents) or None,
            tuple(
                map(
                    _text,
                    record.get("references") or ([record["reference"]] if record.get("reference") else []),
                )
            ),
            ratings,
            metrics,
            {"human_reference": record.get("summarizer_type") == "reference"},
        )


def _files(opened: Opened) -> list[Opened]:
    return [Opened(path) for path in sorted(opened.place.glob("*.jsonl*"))] if opened.place.is_dir() else []


def _text(given: Any) -> str:
    text = given.get("text", "") if isinstance(given, Mapping) else given
    return "\n".join(text) if isinstance(text, list) else str(text)


def _flat(metrics: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, int | float):
            yield prefix + name, float(value)

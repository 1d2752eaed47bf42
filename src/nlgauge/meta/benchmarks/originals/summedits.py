"""SummEdits: edited summaries of eight to ten domains, consistent with their document or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks.originals.files import Opened, field
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_FIELDS = ("doc", "summary", "label", "original_summary", "edit_types")
_PREFIX = "summedits_"


def knows(opened: Opened) -> bool:
    """Return True if this is a file of a domain, or a directory with such files."""
    return any(Opened(path).has(*_FIELDS) for path in _files(opened)[:1])


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per edit; a segment is a document, and the system is the id of the edit."""
    for path in _files(opened):
        domain = path.stem.removeprefix(_PREFIX)
        documents: dict[str, int] = {}
        for number, record in enumerate(Opened(path).records, 1):
            label = record.get("label")
            if label not in (0, 1):
                raise InputError(f"{path}, record {number}: label must be 0 or 1, got {label!r:.40}.")
            text = field(record, "doc", path, number)
            segment = documents.setdefault(text, len(documents) + 1)
            edit = str(field(record, "id", path, number))
            yield BenchmarkRow(
                f"{domain}:{segment}",
                edit,
                {"consistent": float(label)},
                field(record, "summary", path, number),
                text,
                meta={
                    "domain": domain,
                    "edit_types": record.get("edit_types", []),
                    "split": record.get("split"),
                    "original": record["summary"] == record.get("original_summary"),
                },
            )


def _files(opened: Opened) -> list[Path]:
    if opened.place.is_dir():
        return [path for path in sorted(opened.place.rglob(f"{_PREFIX}*.json")) if path.is_file()]
    return [opened.place] if opened.place.suffix == ".json" else []

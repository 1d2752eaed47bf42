"""Metric scores of all outputs, saved with the campaign for estimates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def save_metrics(result: Result, path: Path) -> None:
    """Save the segment scores (S, N) of the first output of each metric of a result."""
    scores = {}
    for label in result.labels:
        tables = [result._tables[system, label] for system in result.systems]
        name = tables[0].outputs()[0].name
        rows = [table.segments() for table in tables]
        if all(name in row for row in rows):
            scores[label] = np.stack([np.asarray(row[name], dtype=np.float64) for row in rows])
    arrays: dict[str, Any] = {f"m{number}": values for number, values in enumerate(scores.values())}
    np.savez(path, labels=np.array(list(scores), dtype=np.str_), **arrays)


def read_metrics(path: Path) -> dict[str, Array]:
    """Return the saved scores (S, N) of each metric; empty if there are none."""
    if not path.exists():
        return {}
    with np.load(path, allow_pickle=False) as saved:
        return {str(name): saved[f"m{number}"] for number, name in enumerate(saved["labels"].tolist())}

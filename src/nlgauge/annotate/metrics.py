"""Metric scores of all outputs, saved with the campaign for estimates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import ResultError

if TYPE_CHECKING:
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.results.result import Result

METRICS = "metrics.npz"


def scores_of(result: Result) -> dict[str, Array]:
    """Return the segment scores (S, N) of the first output of each metric of a result."""
    scores = {}
    for label in result.labels:
        tables = [result._tables[system, label] for system in result.systems]
        name = tables[0].outputs()[0].name
        rows = [table.segments() for table in tables]
        if all(name in row for row in rows):
            scores[label] = np.stack([np.asarray(row[name], dtype=np.float64) for row in rows])
    return scores


def save_metrics(scores: dict[str, Array], path: Path) -> None:
    """Save the scores of metrics."""
    arrays: dict[str, Any] = {f"m{number}": values for number, values in enumerate(scores.values())}
    np.savez(path, labels=np.array(list(scores), dtype=np.str_), **arrays)


def read_metrics(path: Path) -> dict[str, Array]:
    """Return the saved scores (S, N) of each metric; empty if there are none."""
    if not path.exists():
        return {}
    try:
        with np.load(path, allow_pickle=False) as saved:
            return {str(name): saved[f"m{number}"] for number, name in enumerate(saved["labels"].tolist())}
    except (ValueError, KeyError, EOFError, OSError, BadZipFile) as error:
        raise ResultError(f"{path} is damaged: {error}; restore it from a copy.") from None


def metrics_of(campaign: Campaign, population: Sequence[str]) -> dict[str, Array]:
    """Return the scores of the segments of the population, by metric."""
    chosen = set(population)
    places = [place for place, name in enumerate(campaign.texts) if name in chosen]
    found = read_metrics(campaign.directory / METRICS)
    shape = len(campaign.plan.systems), len(campaign.texts)
    if any(values.shape != shape for values in found.values()):
        raise ResultError(
            f"{METRICS} of {campaign.directory} has scores of other texts; restore it from a copy."
        )
    return {name: values[:, places] for name, values in found.items()}

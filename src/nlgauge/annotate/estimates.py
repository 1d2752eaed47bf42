"""Human scores, estimated from the ratings so far and the metrics of all outputs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.annotate.campaign import Campaign
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.meta.labeling.estimate import Estimates

_MOST_PAIRS = 45
_COLUMNS = (
    "system",
    "other",
    "estimate",
    "low",
    "high",
    "classical",
    "classical_low",
    "classical_high",
    "labels",
    "of",
    "effective_labels",
    "reason",
)


def estimated(
    campaign: Campaign,
    human: Array,
    metrics: Mapping[str, Array],
    population: Sequence[str],
    of: Any,
    probabilities: Array | None = None,
) -> Estimates | None:
    """Return estimates of means or differences; None if two segments are not rated for all systems."""
    from nlgauge.meta.labeling.estimate import estimate

    plan = campaign.plan
    pairs = len(plan.systems) * (len(plan.systems) - 1) // 2
    whole = np.asarray(np.isfinite(human).all(axis=0))
    if whole.sum() < 2 or (of == "differences" and not 1 <= pairs <= _MOST_PAIRS):
        return None
    documents = [campaign.texts[name].unit for name in population] if plan.has_documents else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return estimate(
                np.where(whole[None, :], human, np.nan),
                dict(metrics) or None,
                of=of,
                systems=plan.systems,
                drawn="documents" if documents else "segments",
                probabilities=probabilities,
                documents=documents,
                confidence=0.95 if of == "means" else 1 - 0.05 / pairs,
                seed=plan.seed,
            )
    except InputError:  # too few units
        return None


def rows_of(estimates: Estimates | None, dimension: str) -> list[dict[str, Any]]:
    """Return the rows of estimates with some columns."""
    if estimates is None:
        return []
    confidence = estimates.made["confidence"]
    return [
        {"dimension": dimension, "confidence": confidence}
        | {name: row[name] for name in _COLUMNS if name in row}
        for row in estimates.rows
    ]


def with_better(row: dict[str, Any]) -> dict[str, Any]:
    """Return a difference with the better system; None if the interval contains 0 or is not defined."""
    low, high = row["low"], row["high"]
    is_decided = math.isfinite(low) and math.isfinite(high) and (low > 0 or high < 0)
    return {**row, "better": (row["system"] if low > 0 else row["other"]) if is_decided else None}


def needed_of(estimates: Estimates, dimension: str, width: float) -> list[dict[str, Any]]:
    """Return the number of segments that intervals of a width need, with metrics as now."""
    return [
        {"dimension": dimension, "width": width}
        | {name: row[name] for name in ("system", "labels", "needed", "reason")}
        for row in estimates.labels_needed(width).rows
    ]

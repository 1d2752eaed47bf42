"""The mean human score of each system, from verdicts on all cells and labels of some, and the labels it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.auditing.draws import Draws, Row, is_clustered, row
from nlgauge.meta.auditing.verdicts import Verdicts
from nlgauge.meta.labeling.estimate import Estimates, estimate
from nlgauge.stats.prevalence import rogan_gladen, rogan_gladen_difference

# Half the width of the interval for which labels are counted, as a share of the scale.
PRECISION = 0.05


def score_rows(verdicts: Verdicts, draws: Draws) -> list[Row]:
    """Return the judge's mean score of each system, the corrected score, and differences between systems."""
    if verdicts.coding.scale == "nominal":
        return []
    judged, labeled = (_matrix(verdicts, each) for each in (verdicts.verdicts, verdicts.labels))
    labeled = np.where(np.isnan(judged), np.nan, labeled)
    if (~np.isnan(labeled)).sum() < 2:
        return []
    systems = verdicts.cells.result.systems
    members = {name: _matrix(verdicts, each) for name, each in verdicts.members.items()}
    documents = verdicts.cells.result.corpus.documents
    options: dict[str, Any] = {
        "documents": documents,
        "confidence": draws.confidence,
        "systems": systems,
        "seed": draws.seed,
    }
    try:
        estimates = estimate(labeled, {verdicts.judge: judged}, **options)
    except InputError as error:
        return [row("score", "corrected", math.nan, remark=str(error))]
    rows = []
    for place, system in enumerate(systems):
        rows += _of_system(verdicts, estimates, place, system, float(np.nanmean(judged[place])), draws)
    rows += _needed(verdicts, estimates, draws)
    if len(systems) > 1:
        pairs = estimate(labeled, {verdicts.judge: judged}, of="differences", **options)
        for (first, second), numbers in zip(combinations(range(len(systems)), 2), pairs, strict=True):
            both = ~np.isnan(judged[first] - judged[second])
            name = f"{systems[first]} - {systems[second]}"
            difference = float((judged[first] - judged[second])[both].mean()) if both.any() else math.nan
            rows.append(row("score", "judge", difference, n=int(both.sum()), of=name))
            rows.append(_estimated(numbers, name))
            rows += _corrected_difference(verdicts, first, second, name, draws)
    if members and all((~np.isnan(each)).any() for each in members.values()):
        panel = estimate(labeled, members, **options)
        names = systems if len(systems) > 1 else [""]
        rows += [
            _estimated(numbers, name, "corrected by all judges")
            for numbers, name in zip(panel, names, strict=True)
        ]
    return rows


def _corrected_difference(verdicts: Verdicts, first: int, second: int, name: str, draws: Draws) -> list[Row]:
    """Return Rogan and Gladen's difference of two systems, if verdicts are binary."""
    cells = verdicts.cells
    here = np.isin(cells.system, (first, second)) & ~np.isnan(verdicts.verdicts)
    if verdicts.coding.scale != "binary" or len(np.unique(cells.system[here])) < 2:
        return []
    clusters = np.unique(cells.clusters[here], return_inverse=True)[1]
    rate = rogan_gladen_difference(
        verdicts.verdicts[here],
        verdicts.labels[here],
        cells.system[here] == first,
        clusters,
        draws.confidence,
    )
    n = int((~np.isnan(verdicts.labels[here])).sum())
    return [row("score", "rogan_gladen", rate.value, (rate.low, rate.high), n=n, of=name, remark=rate.reason)]


def _of_system(
    verdicts: Verdicts, estimates: Estimates, place: int, system: str, judged: float, draws: Draws
) -> list[Row]:
    name = system if len(verdicts.cells.result.systems) > 1 else ""
    numbers = _without_certainty(verdicts, estimates[place], place)
    rows = [row("score", "judge", judged, n=numbers["of"], of=name), _estimated(numbers, name)]
    labels_only = (numbers["classical_low"], numbers["classical_high"])
    rows.append(row("score", "labels only", numbers["classical"], labels_only, n=numbers["labels"], of=name))
    if verdicts.coding.scale == "binary":
        here = (verdicts.cells.system == place) & ~np.isnan(verdicts.verdicts)
        clusters = np.unique(verdicts.cells.clusters[here], return_inverse=True)[1]
        rate = rogan_gladen(
            verdicts.verdicts[here],
            verdicts.labels[here],
            clusters if is_clustered(clusters) else None,
            draws.confidence,
        )
        bounds = (rate.low, rate.high)
        rows.append(
            row("score", "rogan_gladen", rate.value, bounds, n=numbers["labels"], of=name, remark=rate.reason)
        )
    worth = numbers["effective_labels"]
    rows.append(
        row("worth", "effective labels", worth, n=numbers["labels"], of=name, remark=numbers["reason"])
    )
    return rows


def _without_certainty(verdicts: Verdicts, numbers: Mapping[str, Any], place: int) -> Mapping[str, Any]:
    """Return the numbers of a system within the scale; without intervals if all of its labels are equal."""
    bounds = ("low", "high", "classical_low", "classical_high")
    labels = verdicts.labels[(verdicts.cells.system == place) & verdicts.both]
    if len(labels) and (labels == labels[0]).all():
        return {**numbers, **dict.fromkeys(bounds, math.nan), "reason": "no interval: all labels are equal"}
    if verdicts.coding.scale != "binary":
        return numbers
    low, high = np.sort(verdicts.coding.values(np.array([0.0, 1.0])))
    return {**numbers, **{name: float(np.clip(numbers[name], low, high)) for name in bounds}}


def _estimated(numbers: Mapping[str, Any], name: str, measure: str = "corrected") -> Row:
    bounds = (numbers["low"], numbers["high"])
    return row(
        "score", measure, numbers["estimate"], bounds, n=numbers["labels"], of=name, remark=numbers["reason"]
    )


def _needed(verdicts: Verdicts, estimates: Estimates, draws: Draws) -> list[Row]:
    """Return the numbers of labels for an interval of the score with +-5% of the scale."""
    labels = verdicts.coding.values(verdicts.labels)
    values = verdicts.coding.values(np.arange(len(verdicts.coding.levels), dtype=float))
    scale = float(np.ptp(values)) if len(values) > 1 else float(np.nanmax(labels) - np.nanmin(labels))
    half = PRECISION * scale
    if not half > 0:
        return []
    rows = []
    for needed in estimates.labels_needed(2 * half):
        name = needed["system"] if len(estimates) > 1 else ""
        for measure, key in (
            ("labels needed", "needed"),
            ("labels needed without the judge", "needed_classical"),
        ):
            count = math.nan if needed[key] is None else needed[key]
            remark = f"for an interval of +-{half:g}" + (f"; {needed['reason']}" if needed["reason"] else "")
            rows.append(row("worth", measure, count, n=needed["labels"], of=name, remark=remark))
    return rows


def _matrix(verdicts: Verdicts, numbers: Array) -> Array:
    """Return (systems, segments) the mean value over answers; NaN if an answer has none."""
    cells = verdicts.cells
    shape = len(cells.result.systems), len(cells.result.corpus)
    places = cells.system * shape[1] + cells.segment
    values = verdicts.coding.values(numbers)
    counts = np.bincount(places, minlength=shape[0] * shape[1])
    sums = np.bincount(places, values, shape[0] * shape[1])
    return np.asarray(sums / np.where(counts == 0, np.nan, counts)).reshape(shape)

"""Ratings of a campaign as human scores: records of a benchmark, and the state of the campaign."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nlgauge._core.paths import replacing
from nlgauge.annotate.campaign import Campaign, points
from nlgauge.annotate.log import current

Cell = tuple[str, str]


def rows(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Yield one record per rated segment and system, as `nlgauge meta` reads them.

    The ratings of a dimension are in the order of the annotators, None if an annotator did not rate the text.
    Repeated items are left out.
    """
    plan = campaign.plan
    ratings: dict[Cell, dict[str, dict[str, list[float]]]] = {}
    for (annotator, key), record in current(campaign.records()).items():
        item = campaign.items[key]
        if item.repeats:
            continue
        for dimension, numbers in points(item, record, plan.protocol).items():
            for system, number in numbers.items():
                cell = ratings.setdefault((item.segment, system), {}).setdefault(dimension, {})
                cell.setdefault(annotator, []).append(number)
    texts = {
        (item.segment, system): (item, output)
        for item in campaign.items.values()
        for system, output in zip(item.systems, item.outputs, strict=True)
    }
    for segment in plan.segments:
        for system in plan.systems:
            if (segment, system) in ratings:
                item, output = texts[segment, system]
                yield _row(item.source, item.references, output, segment, system) | _scores(
                    ratings[segment, system], plan.annotators
                )


def _row(source: str | None, references: list[str], output: str, segment: str, system: str) -> dict[str, Any]:
    row: dict[str, Any] = {"segment": segment, "system": system, "prediction": output}
    if source is not None:
        row["source"] = source
    return {**row, "references": references} if references else row


def _scores(ratings: dict[str, dict[str, list[float]]], annotators: list[str]) -> dict[str, Any]:
    raw = {
        dimension: [statistics.fmean(by[name]) if name in by else None for name in annotators]
        for dimension, by in ratings.items()
    }
    human = {
        dimension: statistics.fmean(value for value in values if value is not None)
        for dimension, values in raw.items()
    }
    return {"human": human, "human_raw": raw, "meta": {"annotators": annotators}}


def export(campaign: Campaign, path: str | Path) -> int:
    """Write the human scores of a campaign as JSON lines, and return the number of records.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    path : str or Path
        File to write; it is written completely or not at all.

    Returns
    -------
    int
        Number of records: one per rated segment and system.
    """
    records = list(rows(campaign))
    with replacing(path, text=True) as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return len(records)


def progress(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the state of each annotator.

    Parameters
    ----------
    campaign : Campaign
        Campaign.

    Returns
    -------
    list of dict
        Code, number of rated items, number of items, median active seconds, number of repeated items, and the
        median absolute difference between an item and its repetition (None if there are none).
    """
    ratings, states = current(campaign.records()), []
    for annotator in campaign.plan.annotators:
        keys = campaign.order(annotator)
        done = {key: ratings[annotator, key] for key in keys if (annotator, key) in ratings}
        differences = [
            abs(value - before[dimension][system])
            for key, record in done.items()
            if campaign.items[key].repeats in done
            for before in [
                points(campaign.items[key], done[campaign.items[key].repeats], campaign.plan.protocol)
            ]
            for dimension, numbers in points(campaign.items[key], record, campaign.plan.protocol).items()
            for system, value in numbers.items()
            if dimension in before
        ]
        states.append(
            {
                "annotator": annotator,
                "done": len(done),
                "of": len(keys),
                "median_seconds": statistics.median(record["active"] for record in done.values())
                if done
                else None,
                "repeats": sum(campaign.items[key].repeats in done for key in done),
                "repeat_difference": statistics.median(differences) if differences else None,
            }
        )
    return states

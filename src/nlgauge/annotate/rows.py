"""Ratings of a campaign as human scores: arrays, and one record per segment and system, as benchmarks have them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge._core.paths import replacing
from nlgauge._core.ragged import Array
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.checks import outcome
from nlgauge.annotate.items import GOLD, RATE
from nlgauge.annotate.log import Record
from nlgauge.annotate.protocols import COMPARE
from nlgauge.annotate.rating import better_of, points
from nlgauge.annotate.responses import (
    Responses,
    finished_segments,
    ratings_in,
    ratings_of,
    responses_of,
    skips_in,
    without_skipped,
)

Cell = tuple[str, str]


def rated_cells(campaign: Campaign, ratings: Responses) -> dict[str, Array]:
    """Return the ratings (S, segments, annotators) of each dimension, NaN if there is none."""
    plan = campaign.plan
    shape = len(plan.systems), len(plan.segments), len(plan.annotators)
    sums = {name: np.zeros((*shape, 2)) for name in plan.protocol.dimensions()}
    systems = {name: number for number, name in enumerate(plan.systems)}
    segments = {name: number for number, name in enumerate(plan.segments)}
    people = {name: number for number, name in enumerate(plan.annotators)}
    for (annotator, key), record in ratings.items():
        item = campaign.items[key]
        if item.kind != RATE:
            continue
        for dimension, numbers in points(item, record, plan.protocol).items():
            for number, value in numbers.items():
                cell = systems[item.systems[number]], segments[item.segment], people[annotator]
                sums[dimension][cell] += value, 1
    return {
        name: np.divide(each[..., 0], each[..., 1], out=np.full(shape, np.nan), where=each[..., 1] > 0)
        for name, each in sums.items()
    }


def mean_of_known(cube: Array) -> Array:
    """Return the means over annotators, NaN if there is no rating."""
    known = ~np.isnan(cube)
    count = known.sum(axis=-1)
    total = np.where(known, cube, 0.0).sum(axis=-1)
    means: Array = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return means


def finished_scores(campaign: Campaign, responses: Responses, population: Sequence[str]) -> dict[str, Array]:
    """Return the human scores (S, population) that estimates use, by dimension; NaN if there is none.

    Only whole segments of finished blocks are a random sample, and only without annotators who skipped an item of
    the segment are its systems rated by the same people.
    """
    finished = np.isin(campaign.plan.segments, list(finished_segments(campaign, responses)))
    scores = {}
    for dimension, cube in rated_cells(campaign, ratings_in(responses)).items():
        human = mean_of_known(without_skipped(campaign, cube, responses))
        scores[dimension] = spread(campaign, np.where(finished[None, :], human, np.nan), population)
    return scores


def spread(campaign: Campaign, human: Array, population: Sequence[str]) -> Array:
    """Return human scores of the drawn segments at their places in the population."""
    places = {name: number for number, name in enumerate(population)}
    wide = np.full((len(human), len(population)), np.nan)
    wide[:, [places[name] for name in campaign.plan.segments]] = human
    return wide


def cells_of(campaign: Campaign, ratings: Responses) -> dict[Cell, dict[str, dict[str, list[float]]]]:
    """Return the numbers of each segment and system by dimension and annotator; checks are left out."""
    cells: dict[Cell, dict[str, dict[str, list[float]]]] = {}
    protocol = campaign.plan.protocol
    for (annotator, key), record in ratings.items():
        item = campaign.items[key]
        if item.kind != RATE:
            continue
        for dimension, numbers in points(item, record, protocol).items():
            for number, value in numbers.items():
                cell = cells.setdefault((item.segment, item.systems[number]), {})
                cell.setdefault(dimension, {}).setdefault(annotator, []).append(value)
    return cells


def rows(campaign: Campaign, without: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield one record per rated or skipped segment and system, as `nlgauge meta` reads them.

    The ratings of a dimension are in the order of the annotators, None if an annotator did not rate the text. A
    text without a rating has the score None. Checks do not count: they are in `meta`, those of gold items, which
    have no segment, in the first record.
    """
    plan = campaign.plan
    annotators = [name for name in plan.annotators if name not in without]
    responses = responses_of(campaign, without)
    ratings = ratings_in(responses)
    cells = cells_of(campaign, ratings)
    skipped = _skipped(campaign, responses)
    marked: dict[Cell, dict[str, Record]] = {}
    checks: dict[Cell, list[dict[str, Any]]] = {}
    gold: list[dict[str, Any]] = []
    for (annotator, key), record in responses.items():
        item = campaign.items[key]
        if item.kind == GOLD:
            gold.append(outcome(campaign, record, ratings))
        elif item.kind != RATE:
            checks.setdefault((item.segment, item.systems[0]), []).append(outcome(campaign, record, ratings))
        elif len(item.systems) == 1 and (annotator, key) in ratings:
            marked.setdefault((item.segment, item.systems[0]), {})[annotator] = record
    for segment in plan.segments:
        for system in plan.systems:
            cell = segment, system
            if cell in cells or cell in marked or cell in skipped:
                by = marked.get(cell, {})
                scores = cells.get(cell, {})
                if cell in skipped:
                    scores = {name: scores.get(name, {}) for name in plan.protocol.dimensions()}
                row = _texts(campaign, segment, system) | _scores(scores, annotators, by)
                if cell in skipped:
                    row["meta"]["skipped"] = [skipped[cell].get(name) for name in annotators]
                if found := [*gold, *checks.get(cell, [])]:
                    row["meta"]["checks"] = found
                gold = []
                yield row


def _skipped(campaign: Campaign, responses: Responses) -> dict[Cell, dict[str, list[str]]]:
    """Return the reasons of skips by segment and system, and by annotator; "" is no reason."""
    reasons: dict[Cell, dict[str, list[str]]] = {}
    for (annotator, key), record in skips_in(campaign, responses).items():
        item = campaign.items[key]
        for system in item.systems:
            cell = reasons.setdefault((item.segment, system), {})
            cell.setdefault(annotator, []).append(record["reason"])
    return reasons


def pairs(campaign: Campaign, without: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield one record per decided pair of outputs, as `nlgauge rank` reads them: segment, first, second, winner.

    The first output was to the left or above. Further answers, such as a strength, are in the record.
    """
    protocol = campaign.plan.protocol
    compared = {question.id for question in protocol.questions if question.kind in COMPARE}
    for (annotator, key), record in ratings_of(campaign, without).items():
        item = campaign.items[key]
        if item.kind != RATE:
            continue
        others = {name: value for name, value in record["answers"].items() if name not in compared}
        for first, second, won in better_of(item, record, protocol):
            yield {
                "segment": item.segment,
                "first": item.systems[first],
                "second": item.systems[second],
                "winner": {1.0: "first", 0.0: "second"}.get(won, "tie"),
                "annotator": annotator,
                **others,
            }


def _texts(campaign: Campaign, segment: str, system: str) -> dict[str, Any]:
    texts = campaign.texts[segment]
    row: dict[str, Any] = {"segment": segment, "system": system, "prediction": texts.outputs[system]}
    if texts.source is not None:
        row["source"] = texts.source
    return {**row, "references": texts.references} if texts.references else row


def _scores(
    ratings: Mapping[str, Mapping[str, list[float]]], annotators: list[str], records: Mapping[str, Record]
) -> dict[str, Any]:
    raw = {
        dimension: [statistics.fmean(by[name]) if name in by else None for name in annotators]
        for dimension, by in ratings.items()
    }
    human = {dimension: _mean(values) for dimension, values in raw.items()}
    meta: dict[str, Any] = {"annotators": annotators}
    if records:
        meta["seconds"] = [records[name]["active"] if name in records else None for name in annotators]
        if any("spans" in record for record in records.values()):
            meta["spans"] = [records[name].get("spans") if name in records else None for name in annotators]
        other = {
            name: [records[each]["answers"].get(name) if each in records else None for each in annotators]
            for name in dict.fromkeys(name for record in records.values() for name in record["answers"])
            if name not in raw
            or any(isinstance(record["answers"].get(name), list) for record in records.values())
        }
        if other:
            meta["answers"] = other
    return {"human": human, "human_raw": raw, "meta": meta}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def export(campaign: Campaign, path: str | Path, without: Collection[str] = ()) -> int:
    """Write the human scores of a campaign as JSON lines, and return the number of records.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    path : str or Path
        File to write; it is written completely or not at all.
    without : collection of str, optional
        Annotators whose ratings are left out.

    Returns
    -------
    int
        Number of records: one per rated or skipped segment and system.
    """
    records = list(rows(campaign, without))
    with replacing(path, text=True) as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return len(records)

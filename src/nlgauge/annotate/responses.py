"""Responses: the current rating or skip of each annotator and item, and which segments are finished.

A skip declares that an item cannot be rated. It finishes the item for the annotator, but it is never a score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.items import RATE
from nlgauge.annotate.log import RATING, SKIP, Record, current

Responses = Mapping[tuple[str, str], Record]


def current_responses(campaign: Campaign, records: Sequence[Record]) -> dict[tuple[str, str], Record]:
    """Return the current response of each annotator to each item after these events."""
    return {
        (annotator, key): record
        for (annotator, key), record in current(records).items()
        if annotator in campaign.plan.orders and campaign.has(annotator, key)
    }


def responses_of(campaign: Campaign, without: Collection[str] = ()) -> dict[tuple[str, str], Record]:
    """Return the current response of each annotator to each item, without these annotators."""
    responses = current_responses(campaign, campaign.records())
    return {owner: record for owner, record in responses.items() if owner[0] not in without}


def ratings_in(responses: Responses) -> dict[tuple[str, str], Record]:
    """Return the responses that are ratings."""
    return {owner: record for owner, record in responses.items() if record["kind"] == RATING}


def ratings_of(campaign: Campaign, without: Collection[str] = ()) -> dict[tuple[str, str], Record]:
    """Return the current rating of each annotator and item, without these annotators."""
    return ratings_in(responses_of(campaign, without))


def skips_in(campaign: Campaign, responses: Responses) -> dict[tuple[str, str], Record]:
    """Return the skips of items that count for the scores; skipped checks are left out."""
    return {
        owner: record
        for owner, record in responses.items()
        if record["kind"] == SKIP and campaign.items[owner[1]].kind == RATE
    }


def finished_segments(campaign: Campaign, responses: Responses) -> set[str]:
    """Return the segments whose items everyone rated or skipped who has them, in blocks that are finished."""
    open_segments: set[str] = set()
    seen: set[str] = set()
    for annotator, blocks in campaign.plan.orders.items():
        for block in blocks:
            segments = {campaign.items[key].segment for key in block if campaign.items[key].kind == RATE}
            seen |= segments
            if not all((annotator, key) in responses for key in block):
                open_segments |= segments
    return seen - open_segments


def without_skipped(campaign: Campaign, cube: Array, responses: Responses) -> Array:
    """Return ratings (S, segments, annotators) without those of an annotator who skipped an item of the segment.

    Otherwise a strict annotator who skips one system would be strict with the others only.
    """
    segments = {name: number for number, name in enumerate(campaign.plan.segments)}
    people = {name: number for number, name in enumerate(campaign.plan.annotators)}
    paired = cube.copy()
    for annotator, key in skips_in(campaign, responses):
        paired[:, segments[campaign.items[key].segment], people[annotator]] = np.nan
    return paired


def segments_without_people(campaign: Campaign, responses: Responses) -> set[str]:
    """Return the segments that count for no estimate: everyone who responded skipped an item."""
    skippers = {(name, campaign.items[key].segment) for name, key in skips_in(campaign, responses)}
    counting = {
        campaign.items[key].segment
        for name, key in responses
        if campaign.items[key].kind == RATE and (name, campaign.items[key].segment) not in skippers
    }
    return {segment for _, segment in skippers} - counting


def skips_by_system(campaign: Campaign, responses: Responses) -> list[dict[str, Any]]:
    """Return the number of skipped texts of each system; no rows if nothing was skipped."""
    skips = skips_in(campaign, responses)
    skipped = Counter(name for _, key in skips for name in campaign.items[key].systems)
    shown = Counter(
        name
        for _, key in responses
        if campaign.items[key].kind == RATE
        for name in campaign.items[key].systems
    )
    rows = [{"system": name, "skipped": skipped[name], "of": shown[name]} for name in campaign.plan.systems]
    return rows if skips else []


def skip_warning(skips: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence about skipped texts; "" if there are none."""
    if not skips:
        return ""
    total = counted(sum(row["skipped"] for row in skips), "skipped text has", "skipped texts have")
    parts = ", ".join(f"{row['system']} {row['skipped']} of {row['of']}" for row in skips if row["skipped"])
    return f"{total} no score ({parts}): a system whose worst texts are skipped looks better than it is."

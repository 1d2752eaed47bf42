"""Proposals: metrics choose the segments of each further block.

A campaign with proposals has items for all segments, but at first only one random block per annotator. When an
annotator has rated or skipped everything, `segments_to_label` proposes the next block, which becomes a note in the log. Within
a stratum of metric scores segments are drawn at random, so the segments of finished blocks are a random sample of
each stratum, whatever the ratings.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.annotate import assignment, log
from nlgauge.annotate.items import RATE

if TYPE_CHECKING:
    from nlgauge.annotate.campaign import Campaign
    from nlgauge.annotate.plan import Plan

_MOST_STRATA = 5


def strata_for(first: int) -> int:
    """Return the number of strata if `first` segments are drawn at random: with one more block, at least four
    segments per stratum.

    >>> [strata_for(first) for first in (5, 10, 40)]
    [2, 3, 5]
    """
    return min(_MOST_STRATA, (first + assignment.BLOCK) // 4)


def next_block(campaign: Campaign, records: Sequence[log.Record]) -> dict[str, Any] | None:
    """Return the note with the next block of the first annotator who has rated or skipped everything; None if there is none."""
    plan = campaign.plan
    left = plan.planned - len(plan.segments)
    if plan.proposals is None or left < 1:
        return None
    responses = log.current(records)
    idle = [name for name in plan.annotators if all((name, key) in responses for key in campaign.order(name))]
    if not idle:
        return None
    # A single last segment would have its items as neighbors.
    count = left if left <= assignment.BLOCK + 1 else assignment.BLOCK
    rows = _proposed(campaign, responses, plan.proposals.strata, count)
    chosen = [row["segment"] for row in rows if row["proposed"]]
    keys: dict[str, list[str]] = {name: [] for name in chosen}
    for key, item in campaign.items.items():
        if item.kind == RATE and item.segment in keys:
            keys[item.segment].append(key)
    rng = random.Random(f"nlgauge {plan.seed} {len(plan.segments)}")  # noqa: S311
    return {
        "kind": "note",
        "annotator": idle[0],
        "item": "",
        "block": assignment.ordered([keys], rng)[0],
        "proposed": [
            {"segment": row["segment"], "probability": round(row["probability"], 6)}
            for row in rows
            if row["proposed"]
        ],
    }


def _proposed(
    campaign: Campaign, responses: Mapping[tuple[str, str], log.Record], strata: int, count: int
) -> Sequence[Mapping[str, Any]]:
    from nlgauge.annotate.metrics import metrics_of
    from nlgauge.annotate.rows import finished_scores
    from nlgauge.meta.labeling.selection import segments_to_label

    plan = campaign.plan
    population = list(plan.population or campaign.texts)
    human = finished_scores(campaign, responses, population)[plan.protocol.dimensions()[0]]
    return segments_to_label(
        np.where(np.asarray(np.isfinite(human).all(axis=0))[None, :], human, np.nan),
        count,
        metrics_of(campaign, population),
        segments=population,
        pending=np.isin(population, plan.segments),
        strata=strata,
        seed=plan.seed + len(plan.segments),
    ).rows


def noted(plan: Plan, records: Sequence[log.Record]) -> Plan:
    """Return a plan with the blocks that notes of the log added."""
    notes = [record for record in records if record["kind"] == "note" and "block" in record]
    if not notes:
        return plan
    orders = {name: list(blocks) for name, blocks in plan.orders.items()}
    segments, units = list(plan.segments), list(plan.units)
    for note in notes:
        orders[note["annotator"]].append(note["block"])
        added = [each["segment"] for each in note["proposed"]]
        segments += added
        units += added
    return msgspec.structs.replace(plan, orders=orders, segments=segments, units=units)


def probabilities(plan: Plan, metrics: Mapping[str, Array], rated: Array) -> Array | None:
    """Return the probability of each segment of the population to be finished and rated, its share in the stratum;
    None if a stratum has fewer than two such segments.
    """
    from nlgauge.meta.labeling.selection import strata_of

    assert plan.proposals is not None
    stratum = strata_of(metrics, plan.proposals.strata)
    known = stratum >= 0
    sizes = np.bincount(stratum[known], minlength=plan.proposals.strata)
    counts = np.bincount(stratum[known & rated], minlength=plan.proposals.strata)
    if (counts < np.minimum(2, sizes)).any():
        return None
    return np.where(known, (counts / np.maximum(sizes, 1))[stratum], np.nan)

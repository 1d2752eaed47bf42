"""Numbers of ratings by system, segment and annotator, and the segments of finished blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.annotate import log
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.items import RATE
from nlgauge.annotate.rating import points


def finished_segments(campaign: Campaign, ratings: Mapping[tuple[str, str], log.Record]) -> set[str]:
    """Return the segments whose items everyone rated who has them, in blocks that are finished."""
    open_segments: set[str] = set()
    seen: set[str] = set()
    for annotator, blocks in campaign.plan.orders.items():
        for block in blocks:
            segments = {campaign.items[key].segment for key in block if campaign.items[key].kind == RATE}
            seen |= segments
            if not all((annotator, key) in ratings for key in block):
                open_segments |= segments
    return seen - open_segments


def rated_cells(campaign: Campaign, ratings: Mapping[tuple[str, str], log.Record]) -> dict[str, Array]:
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


def spread(campaign: Campaign, human: Array, population: Sequence[str]) -> Array:
    """Return human scores of the drawn segments at their places in the population."""
    places = {name: number for number, name in enumerate(population)}
    wide = np.full((len(human), len(population)), np.nan)
    wide[:, [places[name] for name in campaign.plan.segments]] = human
    return wide

"""The decision that a campaign has enough ratings, from ratings only.

`--until-sure` makes planned looks at the differences of systems, on the units (segments or documents) in the
order of the plan; `--until WIDTH` uses intervals that are valid at every number of units. Both read finished
units only, as they were when they were finished, so that a later change of a rating changes no look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.annotate import log
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.items import RATE
from nlgauge.annotate.rating import points
from nlgauge.annotate.responses import ratings_in, skips_in
from nlgauge.stats.sequential.anytime import anytime
from nlgauge.stats.sequential.planned import PlannedLooks
from nlgauge.stats.units import Clusters


class Decision(NamedTuple):
    """A decision from the ratings so far.

    `rows` has one row per pair (looks) or system (widths); `enough` is True if the campaign may stop.
    """

    kind: str
    rows: list[dict[str, Any]]
    units: int
    of: int
    enough: bool


def decision_of(campaign: Campaign, records: Sequence[log.Record]) -> Decision | None:
    """Return the decision so far; None if the campaign was not planned to stop early."""
    until = campaign.plan.until
    if not until.sure and not until.width:
        return None
    dimension = until.dimension or campaign.plan.protocol.dimensions()[0]
    sizes = _looks(campaign).sizes if until.sure else []
    # Sums and counts of each system and unit, when the first units of the plan were finished.
    states = list(_finished(campaign, records, dimension))
    return _sure(campaign, states, sizes) if until.sure else _narrow(campaign, states, dimension)


def _looks(campaign: Campaign, pairs: int = 1) -> PlannedLooks:
    plan = campaign.plan
    return PlannedLooks(Clusters(None, len(plan.units)), alpha=plan.until.alpha / pairs, seed=plan.seed)


def _finished(
    campaign: Campaign, records: Sequence[log.Record], dimension: str
) -> Iterator[tuple[int, Array]]:
    """Yield the number of the first units that are finished and the sums (S, units, 2) of ratings at that
    moment, each time that the number grows.

    An annotator who skipped an item of a segment does not count for this segment, as in estimates.
    """
    plan = campaign.plan
    places = {unit: number for number, unit in enumerate(plan.units)}
    systems = {system: number for number, system in enumerate(plan.systems)}
    left: list[set[tuple[str, str]]] = [set() for _ in plan.units]
    for annotator in plan.annotators:
        for key in campaign.order(annotator):
            item = campaign.items[key]
            if item.kind == RATE:
                left[places[item.unit]].add((annotator, key))
    responses: dict[tuple[str, str], list[log.Record]] = {}
    done = 0
    for record in records:
        rated = campaign.items.get(record["item"])
        if rated is None or rated.kind != RATE:
            continue
        log.apply(responses, record)
        owner, unit = (record["annotator"], record["item"]), left[places[rated.unit]]
        if responses.get(owner):
            unit.discard(owner)
        else:
            unit.add(owner)
        before = done
        while done < len(left) and not left[done]:
            done += 1
        if done > before:
            current = {owner: stack[-1] for owner, stack in responses.items() if stack}
            skippers = {(name, campaign.items[key].segment) for name, key in skips_in(campaign, current)}
            sums = np.zeros((len(systems), len(left), 2))
            for (name, key), rating in ratings_in(current).items():
                each = campaign.items[key]
                if places[each.unit] >= done or (name, each.segment) in skippers:
                    continue
                for number, value in points(each, rating, plan.protocol).get(dimension, {}).items():
                    sums[systems[each.systems[number]], places[each.unit]] += value, 1
            yield done, sums


def _sure(campaign: Campaign, states: Sequence[tuple[int, Array]], sizes: Sequence[int]) -> Decision:
    plan = campaign.plan
    pairs = list(combinations(range(len(plan.systems)), 2))
    rows, done = [], states[-1][0] if states else 0
    for first, second in pairs:
        test = _looks(campaign, len(pairs))
        # The order of units is the order of looks: unit k of the plan is unit order[k] of the test.
        place = np.argsort(test.order)
        look = None
        for size in sizes:
            sums = next((sums for count, sums in states if count >= size), None)
            if sums is None or not test.is_open:
                break
            rated = (sums[first, :, 1] > 0) & (sums[second, :, 1] > 0)
            means = np.divide(
                sums[..., 0], sums[..., 1], out=np.zeros(sums.shape[:2]), where=sums[..., 1] > 0
            )
            totals = np.stack([np.where(rated, means, 0.0), np.broadcast_to(rated, means.shape)], axis=-1)
            totals = totals[:, place].astype(float)
            look = test.look(totals[first], totals[second], _mean, rated[place])
        better = 0 if look is None else look.sign
        rows.append(
            {
                "system": plan.systems[first],
                "other": plan.systems[second],
                "difference": None if look is None else look.difference,
                "p": None if look is None or math.isnan(look.p) else look.p,
                "alpha": None if look is None else look.alpha,
                "looks": test.at,
                "of": len(sizes),
                "better": plan.systems[first if better > 0 else second] if better else None,
            }
        )
    return Decision("sure", rows, done, len(plan.units), all(row["better"] for row in rows))


def _mean(sums: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def _narrow(campaign: Campaign, states: Sequence[tuple[int, Array]], dimension: str) -> Decision:
    """Return the anytime-valid intervals of the means of systems, together at the level of the campaign."""
    plan = campaign.plan
    low, high = _bounds(campaign, dimension)
    middle, scale = ((low + high) / 2, (high - low) / 2) if math.isfinite(low + high) else (0.0, None)
    done = states[-1][0] if states else 0
    rows = []
    for number, system in enumerate(plan.systems):
        values = []
        start = 0
        for count, sums in states:
            # Each unit as it was when it was finished.
            part = sums[number, start:count]
            values += [float(total / rated) for total, rated in part.tolist() if rated]
            start = count
        found = anytime(np.array(values) - middle, scale=scale, alpha=plan.until.alpha / len(plan.systems))
        bounds = (found.low + middle, found.high + middle)
        finite = all(map(math.isfinite, bounds))
        rows.append(
            {
                "system": system,
                "mean": found.mean + middle if values else None,
                "low": bounds[0] if finite else None,
                "high": bounds[1] if finite else None,
                "units": len(values),
                "enough": finite and bounds[1] - bounds[0] <= plan.until.width,
            }
        )
    return Decision("width", rows, done, len(plan.units), all(row["enough"] for row in rows))


def _bounds(campaign: Campaign, dimension: str) -> tuple[float, float]:
    """Return the smallest and the largest rating of a dimension; infinite for weights of marks."""
    protocol = campaign.plan.protocol
    if protocol.side_by_side > 1:
        best_and_worst = sum(question.kind == "output" for question in protocol.questions) == 2
        return (-1.0, 1.0) if best_and_worst else (0.0, 1.0)
    for question in protocol.questions:
        if question.id == dimension:
            return (float(question.low), float(question.high)) if question.kind == "scale" else (0.0, 1.0)
    return -math.inf, math.inf

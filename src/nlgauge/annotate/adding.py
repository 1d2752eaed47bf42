"""Annotators and segments that are added to a campaign later."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

import msgspec

from nlgauge._core.paths import write_whole
from nlgauge.annotate import items
from nlgauge.annotate.campaign import Campaign, with_addition
from nlgauge.annotate.creating import Shares, assigned, check_annotators, drawn_of, order_of
from nlgauge.annotate.items import Item
from nlgauge.annotate.plan import FORMAT, Addition
from nlgauge.errors import ParameterError


def add(campaign: Campaign, annotators: Sequence[str] = (), segments: int = 0) -> Campaign:
    """Add annotators or segments to a campaign; nothing that exists changes.

    Parameters
    ----------
    campaign : Campaign
        Campaign that no process serves.
    annotators : sequence of str, optional
        Codes of new annotators. Each gets as many of the present segments as the others have, those first that
        several people rate.
    segments : int, default 0
        Number of further segments, drawn at random, for all annotators.

    Returns
    -------
    Campaign
        The campaign with the addition.

    Raises
    ------
    ParameterError
        If there is nothing to add, an annotator exists, or there are too few segments.
    ResultError
        If a process serves the campaign.
    """
    plan = campaign.plan
    if not annotators and not segments:
        raise ParameterError("nothing to add; name annotators or a number of segments.")
    if segments and (plan.until.sure or plan.until.width):
        raise ParameterError("a campaign that may stop early has all its segments from the start.")
    if plan.proposals is not None:
        raise ParameterError(
            "a campaign whose segments are proposed has all annotators and segments from the start."
        )
    check_annotators(annotators, plan.annotators)
    number = campaign.additions + 2
    rng = random.Random(f"nlgauge {plan.seed} {number}")  # noqa: S311
    shares = Shares(plan.overlap, plan.overlap_of, plan.repeats, plan.damaged)
    with campaign.locked():
        made: dict[str, Item] = {}
        orders: dict[str, list[list[str]]] = {}
        drawn: list[str] = []
        units: list[str] = []
        for annotator in annotators:
            orders[annotator] = _second_opinion(campaign, annotator, shares, made, rng)
        if segments:
            rest = {
                name: campaign.texts[name]
                for name in (plan.population if plan.where else campaign.texts)
                if campaign.texts[name].unit not in set(plan.units)
            }
            drawn, units = drawn_of(rest, segments, None, rng, rng.randrange(2**31))
            everyone = [*plan.annotators, *annotators]
            further, blocks = assigned(
                campaign.texts, drawn, units, everyone, plan.protocol, shares, [], rng, in_order=False
            )
            made |= further
            for name in everyone:
                orders[name] = [*orders.get(name, []), *blocks[name]]
        lines = b"".join(item.stored() for item in made.values())
        addition = Addition(FORMAT, list(annotators), drawn, units, orders, hashlib.sha256(lines).hexdigest())
        # The plan comes last: without it, the items are not part of the campaign.
        write_whole(campaign.directory / f"items-{number}.jsonl", lines)
        write_whole(
            campaign.directory / f"campaign-{number}.json",
            msgspec.json.format(msgspec.json.encode(addition), indent=1) + b"\n",
        )
    return with_addition(campaign, addition, made)


def _second_opinion(
    campaign: Campaign, annotator: str, shares: Shares, made: dict[str, Item], rng: random.Random
) -> list[list[str]]:
    """Return the blocks of a new annotator: present units, shared ones first, as many as the others have."""
    plan = campaign.plan
    keys: dict[str, dict[str, None]] = {}
    raters: dict[str, set[str]] = {}
    for name in plan.annotators:
        for key in campaign.order(name):
            item = campaign.items[key]
            if item.kind == items.RATE:
                keys.setdefault(item.unit, {})[key] = None
                raters.setdefault(item.unit, set()).add(name)
    count = round(sum(map(len, raters.values())) / len(plan.annotators))
    drawn = rng.sample(sorted(keys), len(keys))
    chosen = set(sorted(drawn, key=lambda unit: -len(raters[unit]))[:count])
    part = [unit for unit in (plan.units if plan.until.sure or plan.until.width else drawn) if unit in chosen]
    known = {key: campaign.items[key] for unit in part for key in keys[unit]}
    gold = [item for item in campaign.items.values() if item.kind == items.GOLD]
    before = set(known)
    order = order_of(part, {unit: list(keys[unit]) for unit in part}, known, shares, gold, rng)
    made |= {key: item for key, item in known.items() if key not in before}
    return order

"""Orders: several texts ranked on one screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rating_cases import SYSTEMS, corpus, made

from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.checks import progress
from nlgauge.annotate.creating import new
from nlgauge.annotate.rows import rows
from nlgauge.errors import InputError

_ORDER = """
name = "ranking"
side_by_side = 3
[[questions]]
id = "rank"
text = "Rank the texts."
kind = "order"
ties = {ties}
"""


def ordering(tmp_path: Path, ties: bool = True, **options: Any) -> Campaign:
    file = tmp_path / "ranking.toml"
    file.write_text(_ORDER.format(ties=str(ties).lower()), "utf-8")
    return made(tmp_path, str(file), **options)


@pytest.mark.parametrize(
    ("ties", "answer", "message"),
    [
        (True, [1, 2], "3 outputs"),
        (True, [1, 2, 3, 4], "3 outputs"),
        (True, [1, 3, 3], "without gaps"),
        (True, [0, 1, 2], "without gaps"),
        (True, [True, 2, 3], "without gaps"),
        (True, [1.0, 2, 3], "without gaps"),
        (True, "123", "without gaps"),
        (True, {"0": 1, "1": 2, "2": 3}, "without gaps"),
        (True, None, "without gaps"),
        (False, [1, 1, 2], "different ranks"),
    ],
)
def test_wrong_orders_are_refused(tmp_path: Path, ties: bool, answer: Any, message: str) -> None:
    campaign = ordering(tmp_path, ties)
    with campaign.rating() as rater, pytest.raises(InputError, match=message):
        rater.rate("ana", campaign.order("ana")[0], {"rank": answer})
    assert campaign.records() == []


def test_an_order_gives_the_share_of_outputs_that_are_worse(tmp_path: Path) -> None:
    campaign = ordering(tmp_path, segments=2, annotators=("ana",))
    one, two = campaign.order("ana")
    best = {one: ["beta"], two: ["alpha", "gamma"]}
    with campaign.rating() as rater:
        for key, first in best.items():
            item = campaign.items[key]
            shown = [item.systems[number] for number in campaign.shown("ana", key)]
            # beta, alpha, gamma; then alpha and gamma before beta
            ranks = (
                {"beta": 1, "alpha": 2, "gamma": 3}
                if first == ["beta"]
                else {"alpha": 1, "gamma": 1, "beta": 2}
            )
            rater.rate("ana", key, {"rank": [ranks[system] for system in shown]})
    found = {(row["segment"], row["system"]): row["human"]["ranking"] for row in rows(campaign)}
    segments = [campaign.items[key].segment for key in (one, two)]
    assert [found[segments[0], system] for system in SYSTEMS] == [0.5, 1.0, 0.0]
    assert [found[segments[1], system] for system in SYSTEMS] == [0.75, 0.0, 0.75]


def test_a_gold_order_is_that_of_its_outputs_wherever_they_were(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    line = {"predictions": ["best", "worst", "middle"], "answers": {"rank": [1, 3, 2]}}
    gold.write_text(json.dumps(line) + "\n", "utf-8")
    campaign = ordering(tmp_path, gold=gold)
    (key,) = (item.key for item in campaign.items.values() if item.kind == "gold")
    with campaign.rating() as rater:
        for annotator, ranks in (("ana", {0: 1, 1: 3, 2: 2}), ("ben", {0: 1, 1: 2, 2: 3})):
            rater.rate(annotator, key, {"rank": [ranks[number] for number in campaign.shown(annotator, key)]})
    assert [state["gold_passed"] for state in progress(campaign, campaign.records())] == [1, 0]
    gold.write_text(json.dumps({**line, "answers": {"rank": [1, 3]}}) + "\n", "utf-8")
    with pytest.raises(InputError, match="line 1: rank must have a rank"):
        new(tmp_path / "other", corpus(), campaign.plan.protocol, ["ana"], gold=gold)

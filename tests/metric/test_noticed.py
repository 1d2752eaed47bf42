"""Kept shares of noticed damage, on cards and on the page of the suite."""

from __future__ import annotations

import nlgauge
from nlgauge.metric.noticed import ALL_KINDS, SEVERITIES, kept, lines, noticed
from nlgauge.metric.registry import find, metric_classes
from tools import stress_suite


def test_kept_shares_are_those_that_were_published():
    shares = {
        entry.metric: [
            round(100 * row.detected)
            for row in entry.rows
            if row.kind == ALL_KINDS and row.severity in SEVERITIES
        ]
        for entry in kept().metrics
    }
    assert shares["eed"] == [91, 91, 87]
    assert shares["chrf++"] == [91, 92, 83]
    assert shares["sentence_bleu"] == [80, 83, 72]
    assert shares["meteor"] == [88, 86, 51]


def test_every_entry_is_of_a_metric_and_has_intervals_around_its_shares():
    for entry in kept().metrics:
        assert find(entry.name)
        assert 1 <= entry.segments <= 1000
        for row in entry.rows:
            assert 0 <= row.low <= row.detected <= row.high <= 1
            assert row.detected + row.tied <= 1.0001


def test_every_metric_has_shares_or_a_reason():
    packaged = [
        name for name, one in metric_classes().items() if one.__module__.startswith("nlgauge.metrics.")
    ]
    assert [name for name in packaged if not lines(name)] == []
    assert kept().left_out["novelty"] == "it has no direction"
    assert kept().left_out["self_bleu"] == "it has no scores of segments"


def test_cards_show_the_shares():
    line = next(line for line in lines("chrf") if line.startswith("chrf:"))
    assert "critical" in line and "least:" in line and "1,000 texts" in line
    assert {entry.metric for entry in noticed("chrf")} >= {"chrf", "chrf++"}
    assert noticed("xcomet") == []
    assert "not measured, because its model" in str(nlgauge.card("xcomet"))
    assert "damage noticed (DEMETR): chrf" in str(nlgauge.card("chrf"))


def test_the_page_is_up_to_date():
    text = stress_suite.PAGE.read_text("utf-8")
    assert stress_suite.written(text) == text, "run: python tools/stress_suite.py --page"

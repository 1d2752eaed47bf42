"""Stress suites for the tests of other people's metrics."""

from __future__ import annotations

import pytest

import nlgauge
from nlgauge.testing.damage import check_damage_noticed, damage_noticed


def length(prediction: str, reference: str) -> float:
    """Score by length alone."""
    return min(1.0, len(prediction) / len(reference))


def test_a_metric_that_notices_enough_passes():
    found = check_damage_noticed("chrf", {"critical": 0.8, "major": 0.8, "negation": 0.5})
    assert found.rows == damage_noticed("chrf").rows


@pytest.mark.parametrize(
    ("least", "words"),
    [
        ({"word_order": 0.5}, r"of word_order, less than 0.5"),
        ({"minor": 0.9}, "of minor"),
        ({"typo": 0.5}, "no damage 'typo'; it has critical"),
    ],
)
def test_a_metric_that_notices_too_little_fails(least: dict[str, float], words: str):
    with pytest.raises(AssertionError, match=words):
        check_damage_noticed("f1", least)


def test_own_metrics_can_be_tested():
    metric = nlgauge.metric_from(length, higher_is_better=True)
    found = check_damage_noticed(metric, {"truncation": 0.9})
    (row,) = [row for row in found if row["phenomenon"] == "word_order"]
    assert row["detected"] == 0
    assert row["tied"] == 1

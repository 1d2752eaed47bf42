"""Stress suites: their pairs, their intervals, and DEMETR's published shares."""

from __future__ import annotations

import numpy as np
import pytest
from human_judgments import path_of

from nlgauge.errors import ParameterError
from nlgauge.meta import PERTURBATIONS, Contrast, contrast
from nlgauge.meta.diagnostics.suites import ALL_KINDS, damage_noticed, suite_pairs
from nlgauge.stats.intervals import wilson, wilson_of_groups


def test_the_own_suite_has_every_perturbation_of_every_good_text():
    pairs = suite_pairs("own")
    assert {pair.phenomenon for pair in pairs} == set(PERTURBATIONS)
    units = {pair.unit for pair in pairs}
    assert len(pairs) == len(units) * len(PERTURBATIONS)
    few = suite_pairs("own", 3)
    assert len({pair.unit for pair in few}) == 3
    assert len(few) == 3 * len(PERTURBATIONS)


def test_severities_come_first_and_count_all_kinds():
    found = damage_noticed(["chrf", "exact_match"], "own")
    assert list(dict.fromkeys(row["metric"] for row in found)) == ["chrf", "exact_match"]
    rows = found.where(metric="chrf").rows
    assert [row["severity"] for row in rows[:3]] == ["critical", "major", "minor"]
    assert all(row["phenomenon"] == ALL_KINDS for row in rows[:3])
    for row in rows[:3]:
        kinds = [one for one in rows[3:] if one["severity"] == row["severity"]]
        assert sum(one["wins"] for one in kinds) == row["wins"]
        assert sum(one["n"] for one in kinds) == row["n"]
    # A good text that is no reference scores 0, as its damaged versions do: tied, and not noticed.
    for row in found.where(metric="exact_match", phenomenon=ALL_KINDS):
        assert row["tied"] > 0.5
        assert row["detected"] + row["tied"] == pytest.approx(1)


def test_pairs_of_one_text_widen_the_interval():
    pairs = [
        Contrast(
            "a b c d",
            "a b c" if text % 2 else "a b c d e",
            f"kind {kind}",
            "major",
            "a b c d" if text % 2 else "x",
        )
        for text in range(40)
        for kind in range(5)
    ]
    alone = contrast("f1", pairs, by="severity")[0]
    units = [pair._replace(unit=str(i // 5)) for i, pair in enumerate(pairs)]
    grouped = contrast("f1", units, by="severity")[0]
    assert alone["detected"] == grouped["detected"] == 0.5
    assert (alone["low"], alone["high"]) == wilson(100, 200)
    # All five pairs of a text agree, so that 40 texts count (nearly, for the variance has 39 degrees of freedom).
    assert (grouped["low"], grouped["high"]) == pytest.approx(wilson(20 * 39 / 40, 39), abs=1e-9)


def test_intervals_of_groups_contain_the_share():
    rng, hits = np.random.default_rng(1), 0
    groups = np.repeat(np.arange(60), 8)
    for _ in range(400):
        chances = rng.beta(4, 2, size=60)
        low, high = wilson_of_groups(rng.random(480) < np.repeat(chances, 8), groups)
        hits += low <= 2 / 3 <= high
    assert 0.92 <= hits / 400 <= 0.98


def test_unknown_suites_and_samples_are_refused():
    with pytest.raises(ParameterError, match="did you mean 'demetr'"):
        suite_pairs("demeter")
    with pytest.raises(ParameterError, match="segments"):
        suite_pairs("own", 0)


@pytest.mark.slow
def test_demetr_has_its_published_shares(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("demetr").parent))
    found = damage_noticed(["eed", "chrf++", "sentence_bleu", "meteor"], "demetr").where(phenomenon=ALL_KINDS)
    shares = {
        metric: [
            round(100 * row["detected"])
            for row in found
            if row["metric"].startswith(metric) and row["severity"] != "base"
        ]
        for metric in ("eed", "chrf", "sentence_bleu", "meteor")
    }
    # METEOR notices 51.5% of the minor damage, and 52% were printed for NLTK's.
    assert shares == {
        "eed": [91, 91, 87],
        "chrf": [91, 92, 83],
        "sentence_bleu": [80, 83, 72],
        "meteor": [88, 86, 51],
    }

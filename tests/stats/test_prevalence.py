"""Rogan and Gladen's estimate: the vectors, its variance in clusters, and judges that it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from audit_data import column, expected, few_labels

from nlgauge.stats.prevalence import rogan_gladen, rogan_gladen_difference

GPT = "GPT-4.Vanilla"


def test_the_vector():
    numbers = expected(GPT)["corrected"]
    rate = rogan_gladen(column(GPT, "judge"), few_labels(GPT))
    whole = numbers["Rogan-Gladen, rate over all items"]
    assert rate.value == pytest.approx(whole["value"], abs=1e-12)
    assert rate.standard_error == pytest.approx(whole["se"], abs=1e-12)
    assert (rate.low, rate.high) == pytest.approx(whole["interval"], abs=1e-5)
    assert (rate.sensitivity, rate.specificity) == pytest.approx(
        (numbers["sensitivity"], numbers["specificity"]), abs=1e-12
    )


def test_labels_of_everything_give_their_mean():
    human = column(GPT, "human")
    rate = rogan_gladen(column(GPT, "judge"), human)
    assert rate.value == pytest.approx(human.mean(), abs=1e-12)
    assert rate.standard_error == pytest.approx(human.std() / np.sqrt(len(human)), abs=1e-12)


def test_copies_of_a_unit_in_its_cluster_add_nothing():
    verdicts, labels = column(GPT, "judge"), few_labels(GPT)
    once = rogan_gladen(verdicts, labels)
    clusters = np.tile(np.arange(len(labels)), 3)
    thrice = rogan_gladen(np.tile(verdicts, 3), np.tile(labels, 3), clusters)
    assert (thrice.value, thrice.standard_error) == pytest.approx(
        (once.value, once.standard_error), abs=1e-12
    )
    alone = rogan_gladen(np.tile(verdicts, 3), np.tile(labels, 3))
    assert alone.standard_error == pytest.approx(once.standard_error / np.sqrt(3), abs=1e-12)


def test_a_judge_at_chance_has_no_corrected_rate():
    judge = "ChatGPT.Vanilla"
    rate = rogan_gladen(column(judge, "judge"), few_labels(judge))
    assert np.isnan([rate.value, rate.low, rate.high]).all()
    assert rate.reason == (
        "the judge is no better than chance (sensitivity 0.571, specificity 0.241); only the labels count"
    )


def test_a_weak_judge_needs_more_labels():
    human = np.array([1.0, 0.0] * 40)
    judge = np.where(np.arange(80) % 20 < 13, human, 1 - human)
    rate = rogan_gladen(judge, human)
    assert np.isnan(rate.value)
    assert rate.reason.endswith("label more")


@pytest.mark.parametrize(("label", "missing"), [(1.0, "negative"), (0.0, "positive")])
def test_one_class(label, missing):
    rate = rogan_gladen(np.array([1.0, 0, 1]), np.full(3, label))
    assert np.isnan(rate.value)
    assert rate.reason == f"no {missing} labels"


def test_the_interval_stays_within_0_and_1():
    human = np.r_[np.ones(3), np.zeros(97)]
    rate = rogan_gladen(human, human)
    assert (rate.value, rate.low) == pytest.approx((0.03, 0.0))


def _pairs(n: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return verdicts, labels of a third, the system and the segment of two systems on n segments."""
    rng = np.random.default_rng(seed)
    difficulty = rng.random(n)
    truth = np.concatenate([difficulty < 0.6, difficulty < 0.45]).astype(float)
    judge = np.where(rng.random(2 * n) < np.where(truth == 1, 0.9, 0.8), truth, 1 - truth)
    labels = np.where(np.tile(np.arange(n) % 3 == 0, 2), truth, np.nan)
    return judge, labels, np.arange(2 * n) < n, np.tile(np.arange(n), 2)


def test_the_error_of_a_difference_is_its_spread():
    rates = [rogan_gladen_difference(*_pairs(300, seed)) for seed in range(300)]
    values = np.array([rate.value for rate in rates])
    assert values.mean() == pytest.approx(0.15, abs=0.01)
    assert values.std() == pytest.approx(np.mean([rate.standard_error for rate in rates]), rel=0.12)


def test_a_difference_of_equal_systems_is_0():
    judge, labels = column(GPT, "judge"), few_labels(GPT)
    n = len(judge)
    first = np.arange(2 * n) < n
    rate = rogan_gladen_difference(np.tile(judge, 2), np.tile(labels, 2), first, np.tile(np.arange(n), 2))
    assert (rate.value, rate.standard_error) == pytest.approx((0.0, 0.0), abs=1e-12)
    judge = column("ChatGPT.Vanilla", "judge")
    labels = few_labels("ChatGPT.Vanilla")
    refused = rogan_gladen_difference(np.tile(judge, 2), np.tile(labels, 2), first, np.tile(np.arange(n), 2))
    assert refused.reason.startswith("the judge is no better than chance")

"""Power against the specification's figures, brute-force simulation, and McNemar's test by enumeration of
all tables.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.meta.diagnostics.power import (
    _sample_correlations,
    data_power,
    mcnemar_power,
    min_detectable,
    systems_needed,
    williams_power,
)
from nlgauge.meta.judgments import Judgments
from nlgauge.stats.coefficients import pearson
from nlgauge.stats.williams import williams

NAN = math.nan


def test_the_figures_of_the_specification():
    found = williams_power(0.7, 0.6, 0.8, [10, 16, 25, 50, 100, 200])
    # The specification's own draws were fewer; with a million the values are .139 .194 .268 .446 .699 .925.
    assert found.column("power") == pytest.approx([0.14, 0.19, 0.27, 0.45, 0.71, 0.93], abs=0.016)
    assert found.column("power") == pytest.approx([0.139, 0.194, 0.268, 0.446, 0.699, 0.925], abs=0.011)
    assert found.made["resamples"] == 20_000
    assert found[0]["standard_error"] == pytest.approx(math.sqrt(0.14 * 0.86 / 20_000), rel=0.1)


def test_sample_correlations_are_those_of_normal_samples():
    """Moments of the direct draws and of correlations computed from simulated triples."""
    population = np.array([[1, 0.7, 0.5], [0.7, 1, 0.6], [0.5, 0.6, 1]])
    direct = _sample_correlations(population, 8, 40_000, 1)
    triples = np.moveaxis(
        np.random.default_rng(2).multivariate_normal(np.zeros(3), population, (40_000, 8)), -1, 0
    )
    for i, j in itertools.combinations(range(3), 2):
        simulated = pearson(triples[i], triples[j])
        assert direct[:, i, j].mean() == pytest.approx(simulated.mean(), abs=0.005)
        assert direct[:, i, j].std() == pytest.approx(simulated.std(), abs=0.005)
    assert np.corrcoef(direct[:, 0, 1], direct[:, 0, 2])[0, 1] == pytest.approx(
        np.corrcoef(pearson(triples[0], triples[1]), pearson(triples[0], triples[2]))[0, 1], abs=0.05
    )


def test_no_difference_is_found_at_the_level():
    found = williams_power(0.6, 0.6, 0.5, 30, alpha=0.1)[0]["power"]
    assert found == pytest.approx(0.1, abs=0.012)
    assert williams_power(0.6, 0.6, 0.5, 30, alpha=0.1, sides=2)[0]["power"] == pytest.approx(0.1, abs=0.012)


def test_the_smallest_detectable_difference_has_the_power_asked_for():
    found = min_detectable(0.8, 0.7, [20, 60])
    for row in found:
        assert williams_power(0.8, 0.8 - row["difference"], 0.7, row["n"])[0]["power"] == pytest.approx(
            0.8, abs=0.005
        )
    assert found[0]["difference"] > found[1]["difference"]


def test_what_cannot_be_detected_is_nan_with_a_reason():
    row = min_detectable(0.1, 0.2, 4, target=0.95)[0]
    assert math.isnan(row["difference"])
    assert "no metric that correlates by 0.2 " in row["reason"]


def test_systems_needed():
    n = systems_needed(0.7, 0.6, 0.8)
    assert 120 < n < 140  # .71 at 100, .93 at 200
    assert (
        williams_power(0.7, 0.6, 0.8, [n])[0]["power"]
        >= 0.8
        > williams_power(0.7, 0.6, 0.8, [n - 1])[0]["power"]
    )
    with pytest.raises(ParameterError, match="greater than r2"):
        systems_needed(0.6, 0.7, 0.8)
    with pytest.raises(ParameterError, match="more than 1,000,000"):
        systems_needed(0.6, 0.599999, 0.2, resamples=20)


def mcnemar_by_tables(better, worse, n, alpha):
    """Every table of n items: its chance if the exact test rejects."""
    total = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            if b + c and stats.binomtest(b, b + c).pvalue <= alpha + 1e-12:
                total += stats.multinomial.pmf([b, c, n - b - c], n, [better, worse, 1 - better - worse])
    return total


@pytest.mark.parametrize(
    ("accuracy", "other", "agreement", "n"),
    [(0.9, 0.7, 0.75, 30), (0.5, 0.5, 0.6, 25), (0.6, 0.9, 0.7, 20), (0.8, 0.8, 1.0, 10)],
)
def test_mcnemar_by_enumeration(accuracy, other, agreement, n):
    better, worse = (1 - agreement + accuracy - other) / 2, (1 - agreement - accuracy + other) / 2
    found = mcnemar_power(accuracy, other, agreement, n)[0]["power"]
    assert found == pytest.approx(mcnemar_by_tables(max(better, 0), max(worse, 0), n, 0.05), abs=1e-9)


def test_mcnemar_bad_input():
    with pytest.raises(ParameterError, match=r"0\.7 to 0\.9, got 0\.95"):
        mcnemar_power(0.9, 0.8, 0.95, 100)
    with pytest.raises(ParameterError, match=r"agreement.*got 0\.1\."):
        mcnemar_power(0.9, 0.8, 0.1, 100)
    with pytest.raises(ParameterError, match=r"accuracy.*0 to 1"):
        mcnemar_power(90, 80, 0.9, 100)


def judged(systems=12, inputs=40, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(systems, 1)) + rng.normal(size=(systems, inputs))
    good, poor = (
        human + rng.normal(size=(systems, inputs)),
        human.mean(axis=1, keepdims=True) + 3 * rng.normal(size=(systems, inputs)),
    )
    good, poor = good + rng.normal(size=(systems, 1)), poor + rng.normal(size=(systems, 1))
    human[rng.random(human.shape) < missing] = NAN
    return Judgments.from_arrays(
        {"adequacy": human}, {"good": good, "poor": -poor}, higher_is_better={"good": True, "poor": False}
    )


def test_power_on_data_is_that_of_explicit_resampling():
    judgments = judged(missing=0.1)
    effect, resamples = 0.3, 400
    found = data_power(judgments, "good", "poor", effect, resamples=4000)[0]
    x, y, z = judgments.oriented("good"), judgments.oriented("poor"), judgments.humans["adequacy"]
    known = ~np.isnan(z)
    means = [
        np.array([row[here].mean() for row, here in zip(values, known, strict=True)]) for values in (x, y, z)
    ]
    low, high = -100.0, 100.0
    for _ in range(200):  # the share of the human means that makes the second metric worse by the effect
        share = (low + high) / 2
        r = stats.pearsonr(means[1] / means[1].std() + share * stats.zscore(means[2]), means[2]).statistic
        low, high = (
            (share, high) if r < stats.pearsonr(means[0], means[2]).statistic - effect else (low, share)
        )
    y = y / means[1].std() + share * stats.zscore(means[2])[:, None]
    rng = np.random.default_rng(9)
    rejected = 0
    for _ in range(resamples):
        systems, inputs = rng.integers(12, size=12), rng.integers(40, size=40)
        drawn = [[values[s, inputs][known[s, inputs]].mean() for s in systems] for values in (x, y, z)]
        r = np.corrcoef(drawn)
        rejected += float(williams(r[0, 2], r[1, 2], r[0, 1], 12).p) <= 0.05
    assert found["power"] == pytest.approx(rejected / resamples, abs=4 * math.sqrt(0.25 / resamples))
    assert found["n_undefined"] == 0


def test_more_systems_have_more_power():
    found = data_power(judged(), "good", "poor", 0.3, systems=[8, 30, 100], inputs=200)
    assert found.column("power") == sorted(found.column("power"))
    assert found.column("inputs") == [200] * 3
    assert data_power(judged(), "good", "poor", 0.0, systems=60)[0]["power"] < 0.15


def test_power_on_data_bad_input():
    with pytest.raises(InputError, match=r"one group.*several"):
        data_power(replace(judged(), groups=["a", "b"] * 20), "good", "poor", 0.1)
    with pytest.raises(InputError, match="four systems"):
        data_power(judged(systems=3), "good", "poor", 0.1)
    with pytest.raises(ParameterError, match="between -1 and 1"):
        data_power(judged(), "good", "poor", -3)
    with pytest.raises(UnknownNameError, match="adequacy"):
        data_power(judged(), "good", "poor", 0.1, human="fluency")


def test_power_refuses_bad_input():
    for options, message in [
        ({"r1": 0.9, "r2": 0.1, "r12": 0.99, "n": 20}, "no three variables"),
        ({"r1": 0.7, "r2": 0.6, "r12": 0.8, "n": 3}, "whole number from 4"),
        ({"r1": 0.7, "r2": 0.6, "r12": 0.8, "n": 9, "alpha": 5}, "alpha"),
        ({"r1": 0.7, "r2": 0.6, "r12": 0.8, "n": 9, "sides": 3}, "sides"),
        ({"r1": 0.7, "r2": 0.6, "r12": 0.8, "n": 9, "resamples": 0}, "resamples"),
    ]:
        with pytest.raises(ParameterError, match=message):
            williams_power(**options)

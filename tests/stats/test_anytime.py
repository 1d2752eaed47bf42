"""E-processes: the vectors, expectations by enumeration, and intervals that agree with p."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import ParameterError
from nlgauge.stats.sequential.anytime import (
    BETS,
    anytime,
    convex_interval,
    interval_mixture,
    log_e_counts,
    log_e_mixture,
    log_e_of_set,
    log_e_robbins,
    log_e_signs,
    robbins,
    robbins_rho,
)

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "sequential.json").read_text("utf-8"))
DIFFERENCES = np.array(VECTORS["d"])
ASYMPTOTIC = VECTORS["asymptotic sequence tuned for unit 100"]


def test_the_bets_and_e_values_of_the_vectors():
    np.testing.assert_allclose(BETS, VECTORS["grid"], rtol=1e-12)
    np.testing.assert_allclose(log_e_mixture(DIFFERENCES), VECTORS["log E_t (mixture of bets)"], atol=1e-12)
    np.testing.assert_allclose(
        log_e_of_set(DIFFERENCES, 200), VECTORS["log E_t (these 200 units)"], atol=1e-12
    )


def test_the_interval_of_the_last_unit_in_the_vectors():
    bounds = convex_interval(lambda m: float(log_e_mixture(DIFFERENCES, m)[-1]), math.log(20))
    assert bounds == pytest.approx(VECTORS["interval at unit 60 by inversion (grid 1e-4)"], abs=1.01e-4)
    # The running maximum excludes more.
    low, high = interval_mixture(DIFFERENCES)
    assert bounds[0] < low < high <= bounds[1] + 1e-9


def test_wins_and_losses_of_the_vectors():
    for row in VECTORS["sequential sign test"]:
        value = math.exp(log_e_counts(row["wins"], row["losses"]))
        assert value == pytest.approx(row["E"], rel=1e-11)
        assert value == pytest.approx(row["by quadrature"], rel=1e-9)
    assert math.exp(log_e_signs(np.array([1.0] * 8 + [0.0] * 5 + [-1.0]))[-1]) == pytest.approx(5.5859375)


def test_robbins_bounds_of_the_vectors():
    assert robbins_rho(0.05, 100) == pytest.approx(ASYMPTOTIC["rho squared"])
    low, high = robbins(DIFFERENCES, start=1)
    np.testing.assert_allclose(low, ASYMPTOTIC["low"], atol=1e-12)
    np.testing.assert_allclose(high, ASYMPTOTIC["high"], atol=1e-12)
    assert np.isinf(robbins(DIFFERENCES)[0][:19]).all()


def test_e_values_have_mean_one_by_enumeration():
    chances = {-1.0: 0.2, 0.0: 0.6, 1.0: 0.2}
    for log_e in (log_e_mixture, log_e_signs):
        mean = sum(
            math.prod(chances[value] for value in values) * math.exp(log_e(np.array(values))[-1])
            for values in itertools.product(chances, repeat=6)
        )
        assert mean == pytest.approx(1, abs=1e-12)
    population = [0.5, -0.5, 1.0, -0.25, -0.75, 0.0]
    values = [math.exp(log_e_of_set(np.array(w), 6)[3]) for w in itertools.permutations(population)]
    assert np.mean(values) == pytest.approx(1, abs=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60), st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=40, deadline=None)
def test_interval_and_p_agree_and_intervals_only_shrink(values, alpha):
    differences = np.array(values)
    outcome = anytime(differences, scale=1.0, alpha=alpha)
    low, high = interval_mixture(differences, alpha)
    before = interval_mixture(differences[:-1], alpha)
    if not math.isnan(low):
        assert low >= before[0] - 1e-9 and high <= before[1] + 1e-9
    if outcome.method == "mixture" and abs(outcome.p - alpha) > 1e-6:
        excluded = math.isnan(low) or not low <= 0 <= high
        assert excluded == (outcome.p <= alpha)
    assert 0 < outcome.p <= 1
    assert (outcome.at > 0) == (outcome.p <= alpha)


@given(st.lists(st.floats(-0.9, 0.9), min_size=25, max_size=60))
@settings(max_examples=30, deadline=None)
def test_the_asymptotic_interval_agrees_with_its_p(values):
    differences = np.array(values)
    outcome = anytime(differences)
    low, high = robbins(differences)
    log_e = log_e_robbins(differences)
    sure = np.abs(log_e + math.log(0.05)) > 1e-6
    np.testing.assert_array_equal((log_e >= -math.log(0.05))[sure], ((low > 0) | (high < 0))[sure])
    assert outcome.method == "asymptotic"


def test_the_interval_holds_the_mean_at_every_unit():
    rng, missed = np.random.default_rng(3), 0
    for _ in range(60):
        low, high = interval_mixture(np.clip(rng.normal(0.1, 0.4, 60), -1, 1))
        missed += not low <= 0.1 <= high
    assert missed <= 3 + 3 * 1.7


def test_wins_ties_and_losses_use_the_closed_form():
    outcome = anytime([1, 0, 1, 1, 0, 1, 1, 1, 1, 1], scale=1)
    assert outcome.method == "signs"
    assert outcome.p == pytest.approx(math.exp(-float(log_e_counts(8, 0))))
    assert (outcome.sign, outcome.at) == (1, 9)


def test_a_finite_set_is_decided_when_no_values_can_change_its_sign():
    outcome = anytime([1.0] * 11, scale=1.0, total=20)
    assert (outcome.sign, outcome.method) == (1, "set")
    everything = anytime([1.0] * 3 + [-1.0] * 3, scale=1.0, total=6)
    assert everything.sign == 0
    assert anytime([0.2] * 18 + [-0.1], scale=1.0, total=20).sign == 1


def test_scale_missing_values_and_their_errors():
    assert anytime([0.5, math.nan, 0.5], scale=1.0).units == 2
    assert anytime([], scale=1.0).p == 1
    ours, theirs = anytime([5.0, -2.5, 4.0], scale=10.0), anytime([0.5, -0.25, 0.4], scale=1.0)
    assert ours.p == pytest.approx(theirs.p)
    assert (ours.low, ours.high) == pytest.approx((10 * theirs.low, 10 * theirs.high), abs=1e-9)
    with pytest.raises(ParameterError, match="scale"):
        anytime([2.0], scale=1.0)
    with pytest.raises(ParameterError, match="bounds"):
        anytime([2.0], total=3)
    with pytest.raises(ParameterError, match="total is 1"):
        anytime([0.5, 0.5], scale=1.0, total=1)
    with pytest.raises(ParameterError, match="alpha"):
        anytime([0.5], alpha=0)


def test_false_alarms_of_each_form():
    rng, runs = np.random.default_rng(8), 200
    alarms = dict.fromkeys(("mixture", "signs", "asymptotic"), 0)
    for _ in range(runs):
        values = rng.uniform(-1, 1, 100)
        alarms["mixture"] += bool((log_e_mixture(values) >= math.log(20)).any())
        alarms["signs"] += bool((log_e_signs(np.sign(values)) >= math.log(20)).any())
        alarms["asymptotic"] += anytime(values).at > 0
    assert max(alarms.values()) / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)

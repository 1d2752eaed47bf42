"""Exact p-values of few points against all assignments and SciPy."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nlgauge.stats.coefficients import COEFFICIENTS, coefficient
from nlgauge.stats.permutation.few_points import FEW

TESTED = [name for name, one in COEFFICIENTS.items() if one.test]
# The others have C - D over other pairs than C and D, which assignments leave as they are.
OF_FIXED_PAIRS = [name for name in TESTED if name != "gamma"]
SCORES = st.one_of(st.integers(-2, 2).map(float), st.floats(-10, 10, width=16), st.just(math.nan))


def by_enumeration(name: str, x: np.ndarray, z: np.ndarray) -> float:
    """Return the share of all assignments whose coefficient is at least as far from 0."""
    known = ~(np.isnan(x) | np.isnan(z))
    x, z = x[known], z[known]
    values = coefficient(name)(x, np.array([z[list(order)] for order in permutations(range(len(z)))]))
    return float(np.mean(np.abs(values) >= abs(float(coefficient(name)(x, z))) - 1e-9))


@settings(max_examples=60)
@given(st.integers(2, 6).flatmap(lambda n: arrays(np.float64, (2, n), elements=SCORES)))
def test_p_is_the_share_of_all_assignments(points: np.ndarray) -> None:
    x, z = points
    for name in OF_FIXED_PAIRS:
        p = float(coefficient(name).p(x, z))
        if math.isnan(float(coefficient(name)(x, z))):
            assert math.isnan(p)
        else:
            assert p == pytest.approx(by_enumeration(name, x, z), abs=1e-12), name


@pytest.mark.parametrize("name", OF_FIXED_PAIRS)
def test_seven_points_with_ties(name: str) -> None:
    x, z = np.array([1.0, 2, 2, 3, 5, 5, 5]), np.array([3.0, 1, 4, 1, 5, 4, 4])
    assert float(coefficient(name).p(x, z)) == pytest.approx(by_enumeration(name, x, z), abs=1e-12)


@pytest.mark.parametrize(("n", "p"), [(2, 1), (3, 1 / 3), (4, 1 / 12), (5, 1 / 60), (10, 2 / 3_628_800)])
def test_a_perfect_order_has_the_p_of_both_perfect_orders(n: int, p: float) -> None:
    x = np.arange(n, dtype=float)
    for name in ("spearman", "kendall", "pearson"):
        for z in (x, -x):
            assert float(coefficient(name).p(x, z)) == pytest.approx(p, rel=1e-12)


def test_p_of_all_tests_is_that_of_scipy() -> None:
    """SciPy doubles the smaller tail, which is the same without ties of ranks."""
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 5))
    exact = stats.permutation_test(
        (x,), lambda side: stats.spearmanr(side, z).statistic, permutation_type="pairings", n_resamples=120
    )
    assert float(coefficient("spearman").p(x, z)) == pytest.approx(exact.pvalue, abs=1e-12)
    for n in (3, 8, FEW):
        x, z = rng.normal(size=(2, n))
        expected = stats.kendalltau(x, z, method="exact").pvalue
        assert float(coefficient("kendall").p(x, z)) == pytest.approx(expected, abs=1e-12)


def test_many_points_and_ties_as_a_large_sample_of_assignments() -> None:
    rng = np.random.default_rng(5)
    x, z = np.round(rng.normal(size=(2, FEW)) * 1.5 + np.arange(FEW) / 4)
    orders = rng.permuted(np.broadcast_to(z, (20_000, FEW)), axis=1)
    for name in ("pearson", "spearman", "kendall"):
        one = coefficient(name)
        drawn = np.mean(np.abs(one(x, orders)) >= abs(float(one(x, z))) - 1e-9)
        assert 0.01 < drawn < 0.5
        assert float(one.p(x, z)) == pytest.approx(drawn, abs=4 * math.sqrt(drawn / 20_000))


def test_with_ties_both_tails_count_and_not_twice_the_smaller() -> None:
    x = z = np.array([0.0, 0, 0, 1])
    for name in ("pearson", "spearman", "kendall"):
        assert float(coefficient(name).p(x, z)) == 0.25
    # The other tail has -1/3 in three of four assignments.
    assert float(coefficient("kendall").p(x, -np.array([0.0, 0, 1, 0]))) == 1


def test_p_depends_on_neither_sign_nor_scale_nor_side() -> None:
    x, z = np.array([2.0, 1, 1, 7, 3, 1]), np.array([1.0, 4, 2, 2, 9, 0])
    for name in ("pearson", "spearman", "kendall", "kendall_a"):
        one = coefficient(name)
        p = float(one.p(x, z))
        others = [one.p(-x, z), one.p(z, x), one.p(1e-100 * x, 1e100 * z + 1e90), one.p(x[::-1], z[::-1])]
        assert [float(other) for other in others] == pytest.approx([p] * 4, abs=1e-12)


def test_one_more_point_than_few_has_the_approximation() -> None:
    x, z = np.random.default_rng(1).normal(size=(2, FEW + 1))
    assert float(coefficient("spearman").p(x, z)) == pytest.approx(stats.spearmanr(x, z).pvalue, abs=1e-12)
    x[1] = np.nan
    few = float(coefficient("spearman").p(x, z))
    known = ~np.isnan(x)
    assert few != pytest.approx(stats.spearmanr(x[known], z[known]).pvalue, rel=1e-4)
    assert few == pytest.approx(stats.spearmanr(x[known], z[known]).pvalue, rel=0.1)


def test_false_alarms_stay_at_the_level_with_ties_and_missing_scores() -> None:
    rng = np.random.default_rng(8)
    p = {name: [] for name in ("pearson", "spearman", "kendall")}
    for _ in range(400):
        x, z = np.round(rng.normal(size=(2, 6)))
        x[rng.random(6) < 0.1] = np.nan
        for name, values in p.items():
            values.append(float(coefficient(name).p(x, z)))
    for values in p.values():
        assert 0 < np.mean(np.array(values) <= 0.1) <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / 400)

"""Coefficients against the vectors of the specification, scipy and explicit loops."""

from __future__ import annotations

import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import kendall as kendall_function
from nlgauge.stats import arrays as helpers
from nlgauge.stats.coefficients import COEFFICIENTS as ALL
from nlgauge.stats.coefficients import (
    coefficient,
    gamma,
    kendall,
    kendall_a,
    kendall_c,
    pairwise_difference_pearson,
    pearson,
    pearson_p,
    somers,
    spearman,
)
from nlgauge.stats.kendall import _by_merging, inversions, pairs

COEFFICIENTS = {
    name: ALL[name]
    for name in ("pearson", "spearman", "kendall", "kendall_a", "kendall_c", "gamma", "somers")
}

X = [3.1, 2, 2, 5.5, 4, 1, 4, 2.5]
Z = [3, 2, 1, 5, 5, 1, 3, 2]
SCORES = st.one_of(st.integers(-3, 3).map(float), st.floats(-10, 10, width=16), st.just(math.nan))


def both(least: int = 0, most: int = 12) -> st.SearchStrategy[np.ndarray]:
    return st.integers(least, most).flatmap(lambda n: arrays(np.float64, (2, n), elements=SCORES))


def test_the_vectors_of_the_specification() -> None:
    assert [float(count) for count in pairs(np.array(X), np.array(Z, dtype=float))] == [22, 0, 2, 4, 0]
    found = {name: (float(one(X, Z)), float(one.p(X, Z, exact=False))) for name, one in COEFFICIENTS.items()}
    assert found["pearson"] == pytest.approx((0.9115534056989593, 0.0016170369016989402), abs=1e-13)
    assert found["spearman"] == pytest.approx((0.93834311681711, 0.0005592193385586643), abs=1e-13)
    assert found["kendall"] == pytest.approx((0.8807048459279794, 0.004382278618711524), abs=1e-13)
    assert found["kendall_c"] == pytest.approx((0.9166666666666666, 0.004382278618711524), abs=1e-13)
    assert found["kendall_a"][0] == pytest.approx(0.7857142857142857)
    assert found["gamma"][0] == 1
    assert found["somers"][0] == pytest.approx(0.8461538461538461)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_what_is_not_defined_is_nan(name: str) -> None:
    one = coefficient(name)
    for x, z in (
        ([1, 2, 3], [4, 4, 4]),
        ([0.1] * 3, [1, 2, 3]),
        ([1], [2]),
        ([], []),
        ([1, math.nan], [1, 2]),
        ([math.nan] * 3, [1, 2, 3]),
    ):
        assert math.isnan(one(x, z)), (x, z)
        assert math.isnan(one.p(x, z)), (x, z)


def test_a_mean_that_differs_by_rounding_alone_is_constant() -> None:
    assert math.isnan(pearson([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]))
    assert not math.isnan(pearson([1e8, 1e8 + 1e-3, 1e8], [1, 2, 3]))


@given(both())
def test_as_scipy(points: np.ndarray) -> None:
    x, z = points
    known = ~(np.isnan(x) | np.isnan(z))
    a, b = x[known], z[known]
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        assert np.isnan([float(one(x, z)) for one in COEFFICIENTS.values()]).all()
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len(a) > 2:
            for name, oracle in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
                expected = oracle(a, b)
                assert float(coefficient(name)(x, z)) == pytest.approx(expected.statistic, abs=1e-9)
                assert float(coefficient(name).p(x, z, exact=False)) == pytest.approx(
                    expected.pvalue, abs=1e-6
                )
        for name, variant in (("kendall", "b"), ("kendall_c", "c")):
            expected = stats.kendalltau(a, b, variant=variant)
            assert float(coefficient(name)(x, z)) == pytest.approx(expected.statistic, abs=1e-12)
            assert float(coefficient(name).p(x, z, exact=False)) == pytest.approx(expected.pvalue, abs=1e-12)
        if len(np.unique(b)) > 1:
            assert float(somers(x, z)) == pytest.approx(stats.somersd(a, b).statistic, abs=1e-12)


@given(both(most=9))
def test_as_explicit_loops(points: np.ndarray) -> None:
    x, z = points
    counts = dict.fromkeys("cdxzb", 0)
    for i, j in combinations(range(len(x)), 2):
        if np.isnan([x[i], x[j], z[i], z[j]]).any():
            continue
        sx, sz = np.sign(x[i] - x[j]), np.sign(z[i] - z[j])
        counts[
            "b" if sx == sz == 0 else "x" if sx == 0 else "z" if sz == 0 else "c" if sx == sz else "d"
        ] += 1
    masked = helpers.paired(x, z)
    assert [float(count) for count in pairs(*masked)] == list(counts.values())
    assert _by_merging(*masked).tolist() == list(counts.values())
    difference, c, d = counts["c"] - counts["d"], counts["c"], counts["d"]
    vary = c + d + counts["x"] > 0 and c + d + counts["z"] > 0
    for one, below in ((kendall_a, sum(counts.values())), (gamma, c + d), (somers, c + d + counts["z"])):
        value = float(one(x, z))
        assert value == pytest.approx(difference / below) if vary and below else math.isnan(value)


@given(arrays(np.float64, (3, 2, 7), elements=SCORES))
def test_batches_are_rows(points: np.ndarray) -> None:
    z = points[0, 0]
    for one in COEFFICIENTS.values():
        rows = [[float(one(row, z)) for row in block] for block in points]
        np.testing.assert_allclose(one(points, z), rows, atol=1e-12)
        np.testing.assert_allclose(
            one.p(points, z), [[float(one.p(row, z)) for row in block] for block in points], atol=1e-12
        )


@pytest.mark.parametrize("n", [200, 300, 1000])
def test_long_vectors_as_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    x, z = rng.integers(0, 40, (2, n)).astype(float)
    x[3] = np.nan
    expected = stats.kendalltau(np.delete(x, 3), np.delete(z, 3))
    assert float(kendall(x, z)) == pytest.approx(expected.statistic, abs=1e-13)
    assert float(coefficient("kendall").p(x, z)) == pytest.approx(expected.pvalue, abs=1e-12)
    x, z = rng.normal(size=(2, n))
    exact = stats.kendalltau(x[:170], z[:170], method="exact")
    assert float(coefficient("kendall").p(x[:170], z[:170])) == pytest.approx(exact.pvalue, rel=1e-9)
    assert float(coefficient("kendall").p(x, z)) == pytest.approx(
        stats.kendalltau(x, z, method="asymptotic").pvalue, rel=1e-9
    )


@given(st.lists(st.integers(0, 6), max_size=20))
def test_inversions(levels: list[int]) -> None:
    assert inversions(np.array(levels, dtype=np.int64)) == sum(a > b for a, b in combinations(levels, 2))


def test_infinite_scores_are_ordered() -> None:
    assert float(kendall([math.inf, 1, -math.inf], [3, 2, 1])) == 1
    assert float(kendall([math.inf, math.inf, 1], [3, 2, 1])) == pytest.approx(2 / math.sqrt(6))
    assert math.isnan(pearson([math.inf, 1, 2], [3, 2, 1]))


@given(arrays(np.float64, (2, 3, 4), elements=SCORES))
def test_pairwise_differences_as_a_loop(points: np.ndarray) -> None:
    x, z = helpers.paired(*points)
    differences = [
        (a[i] - a[j], b[i] - b[j])
        for a, b in zip(x, z, strict=True)
        for i in range(4)
        for j in range(4)
        if i != j
    ]
    dx, dz = np.array([one for one in differences if not np.isnan(one).any()]).reshape(-1, 2).T
    below = math.sqrt((dx**2).sum() * (dz**2).sum())
    found = float(pairwise_difference_pearson(*points))
    if below > 1e-9:
        assert found == pytest.approx((dx * dz).sum() / below, abs=1e-9)
    elif below == 0:
        assert math.isnan(found)


def test_two_points_have_no_p_below_one() -> None:
    assert float(pearson_p(np.array(1.0), np.array(2))) == 1
    assert float(pearson_p(np.array(1.0), np.array(5))) == 0
    assert float(coefficient("kendall").p([1, 2], [1, 2])) == 1


def test_names_and_shapes_that_do_not_fit() -> None:
    with pytest.raises(ParameterError, match="did you mean 'kendall'"):
        coefficient("kendal")
    with pytest.raises(InputError, match="can be broadcast"):
        pearson([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="single numbers"):
        pearson(1, 2)
    with pytest.raises(InputError, match="must be numbers"):
        spearman(["a"], [1])


def test_the_package_gives_functions_and_not_files() -> None:
    assert callable(kendall_function)
    assert kendall_function is kendall


def test_equal_means_in_another_order_of_summing_are_tied() -> None:
    x = helpers.snapped(np.array([[0.1 + 0.2, 0.3, 5], [1e-30, 2e-30, 0]]))
    assert x[0, 0] == x[0, 1]
    assert len(set(x[1].tolist())) == 3
    assert np.isnan(helpers.snapped(np.array([np.nan, 1]))).tolist() == [True, False]
    assert helpers.snapped(np.zeros(3)).tolist() == [0, 0, 0]


def test_kendall_c_of_the_ties_example() -> None:
    assert float(kendall_c([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4])) == pytest.approx(0.32)

"""Intervals against the specification's vectors and scipy's bootstrap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from nlgauge.errors import ParameterError
from nlgauge.stats.bootstrap import replicates
from nlgauge.stats.coefficients import coefficient
from nlgauge.stats.intervals import bca, fisher, percentile, zou
from nlgauge.stats.levels import Scores, at_level
from nlgauge.stats.resampling import leave_one_out


def test_fisher_bonett_wright() -> None:
    assert fisher(0.6, 17)[:2] == pytest.approx((0.1677248875013368, 0.8387579848344304), abs=1e-12)
    assert fisher(0.6, 17, "spearman")[:2] == pytest.approx(
        (0.12349675310387934, 0.8516595952124452), abs=1e-12
    )
    assert fisher(0.6, 17, "kendall")[:2] == pytest.approx(
        (0.32192895721011816, 0.7827751495045954), abs=1e-12
    )
    for r, n, name in (
        (0.6, 3, "pearson"),
        (0.6, 4, "kendall"),
        (math.nan, 9, "pearson"),
        (1.0, 9, "pearson"),
    ):
        assert math.isnan(fisher(r, n, name).low)
    np.random.seed(12)
    x, z = np.random.rand(5, 7), np.random.rand(5, 7)
    found = at_level(coefficient("pearson"), "system", Scores(x, z))
    assert fisher(found.value, found.n)[:2] == pytest.approx(
        (-0.6445648014599665, 0.9644395142168088), abs=1e-10
    )


def test_zou() -> None:
    assert zou(0.65, 0.55, 0.3, 50)[:2] == pytest.approx(
        (-0.14239266770365125, 0.3518368795410004), abs=1e-10
    )
    assert zou(0.396, 0.179, 0.088, 66)[:2] == pytest.approx(
        (-0.09290192167481043, 0.5167599724816172), abs=1e-10
    )
    assert math.isnan(zou(0.5, 0.5, math.nan, 50).low)


def test_percentiles_leave_nan_out_and_count_it() -> None:
    found = percentile(np.array([*range(101), math.nan, math.nan], dtype=float), 0.9)
    assert found == pytest.approx((5, 95, 2))
    assert percentile(np.full(3, np.nan)).n_undefined == 3
    assert math.isnan(percentile(np.full(3, np.nan)).low)


def test_bca_is_scipys() -> None:
    rng = np.random.default_rng(4)
    z = rng.exponential(size=25)
    x = z + rng.exponential(size=25)
    one = coefficient("pearson")
    sides = Scores(x[:, None], z[:, None])
    value = at_level(one, "system", sides).value
    left = replicates(one, "system", sides, leave_one_out(25, 1, "systems"))
    jackknife = [stats.pearsonr(np.delete(x, i), np.delete(z, i)).statistic for i in range(25)]
    np.testing.assert_allclose(left, jackknife, atol=1e-12)
    options = {
        "paired": True,
        "vectorized": False,
        "n_resamples": 500,
        "method": "BCa",
        "rng": np.random.default_rng(1),
    }
    expected = stats.bootstrap((x, z), lambda a, b: stats.pearsonr(a, b).statistic, **options)
    found = bca(expected.bootstrap_distribution, value, left)
    assert found[:2] == pytest.approx(expected.confidence_interval, abs=1e-9)
    assert found[:2] != pytest.approx(percentile(expected.bootstrap_distribution)[:2], abs=1e-3)


def test_bca_where_it_is_not_known() -> None:
    assert math.isnan(bca(np.array([1.0, 2]), math.nan, np.array([1.0, 2])).low)
    assert math.isnan(bca(np.array([math.nan]), 1.0, np.array([1.0, 2])).low)
    # An estimate beyond all replicates has no bias correction: the percentiles are given.
    assert bca(np.array([1.0, 2, 3]), 5.0, np.array([1.0, 2])) == percentile(np.array([1.0, 2, 3]))


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="confidence must be"):
        fisher(0.5, 10, confidence=95)
    with pytest.raises(ParameterError, match=r"Fisher's.*interval"):
        fisher(0.5, 10, "gamma")

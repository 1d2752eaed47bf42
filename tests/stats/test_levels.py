"""Levels against the specification's vectors and explicit loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nlgauge.errors import ParameterError
from nlgauge.stats.coefficients import COEFFICIENTS, coefficient
from nlgauge.stats.levels import LEVELS, Scores, at_level, p_at_level, system_means

SCORES = st.one_of(st.integers(0, 4).map(float), st.floats(-5, 5, width=16), st.just(math.nan))
SIDES = st.tuples(st.integers(1, 4), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, (2, *shape), elements=SCORES)
)


def value(name: str, level: str, x, z, weights=None, whole=None, **options) -> float:
    scores = Scores(np.asarray(x, dtype=float), np.asarray(z, dtype=float), weights, whole)
    return at_level(coefficient(name), level, scores, **options).value


def test_the_random_numbers_of_nlpstats() -> None:
    np.random.seed(4)
    x, z = np.random.rand(10, 25), np.random.rand(10, 25)
    assert value("pearson", "system", x, z) == pytest.approx(-0.5011117334, abs=1e-9)
    assert value("spearman", "input", x, z) == pytest.approx(-0.0710303030, abs=1e-9)
    assert value("kendall", "global", x, z) == pytest.approx(-0.0541365462, abs=1e-9)


def test_the_two_systems_of_mt_metrics_eval() -> None:
    z, x = [[1, 2, 3], [4, 5, 6]], [[2, 1, 4], [3, 3, 7]]
    found = [round(value("pearson", level, x, z), 3) for level in ("global", "by_system", "input")]
    assert found == [0.776, 0.760, 1.0]
    assert [round(value("kendall", level, x, z), 3) for level in ("global", "by_system", "input")] == [
        0.552,
        0.575,
        1.0,
    ]
    assert round(value("pdp", "input", x, z), 3) == 0.926


@given(SIDES)
def test_levels_are_averages_of_vectors(sides: np.ndarray) -> None:
    x, z = np.where(np.isnan(sides).any(axis=0), np.nan, sides)
    for name, one in COEFFICIENTS.items():
        if one.pooled:
            continue
        for level, groups in (
            ("input", list(zip(x.T, z.T, strict=True))),
            ("by_system", list(zip(x, z, strict=True))),
            ("global", [(x.ravel(), z.ravel())]),
        ):
            found = at_level(one, level, Scores(*sides))
            values = np.array([float(one(*group)) for group in groups])
            known = values[~np.isnan(values)]
            assert found.value == pytest.approx(
                known.mean() if len(known) else math.nan, nan_ok=True, abs=1e-12
            ), (name, level)
            assert (found.n_groups, found.n_undefined) == (len(known), len(values) - len(known))
            assert found.n == max(int((~np.isnan(group[0])).sum()) for group in groups)
            zero = at_level(one, level, Scores(*sides), undefined="zero").value
            human = {"input": sides[1].T, "by_system": sides[1], "global": sides[1].reshape(1, -1)}[level]
            counted = [
                value
                for value, judged in zip(np.nan_to_num(values), human, strict=True)
                if (~np.isnan(judged)).sum() >= 2
            ]
            assert zero == pytest.approx(np.mean(counted) if counted else math.nan, nan_ok=True, abs=1e-12)


def test_inputs_that_nobody_judged_are_not_counted_as_zero() -> None:
    z = np.array([[1.0, 2, 3, 4], [2, 3, 5, 1], [3, 4, 4, 2]])
    x = np.hstack([z + 0.1, np.random.default_rng(0).normal(size=(3, 6))])
    unjudged = np.hstack([z, np.full((3, 6), np.nan)])
    unjudged[0, 4] = 1.0  # one output alone cannot be ordered
    assert (
        value("kendall", "input", x, unjudged, undefined="zero")
        == value("kendall", "input", x, unjudged)
        == 1
    )
    constant = np.hstack([x[:, :4], np.ones((3, 1))])
    judged = np.hstack([z, [[1.0], [2], [3]]])
    assert value("kendall", "input", constant, judged, undefined="zero") == pytest.approx(0.8)
    lacking = np.hstack([x[:, :4], np.full((3, 1), np.nan)])
    assert value("kendall", "input", lacking, judged, undefined="zero") == pytest.approx(0.8)


def test_system_means_are_of_the_cells_that_both_know() -> None:
    x, z = np.array([[1, np.nan, 3], [np.nan, np.nan, np.nan]]), np.array([[1, 5, np.nan], [1, 2, 3]])
    means = system_means(x, z)
    assert means[0][0] == 1
    assert means[1][0] == 1
    assert np.isnan([means[0][1], means[1][1]]).all()
    assert system_means(np.array([[1.0, 4]]), np.array([[1.0, 2]]), np.array([3.0, 1]))[0].tolist() == [1.75]


def test_equal_system_means_are_tied_however_they_were_summed() -> None:
    x = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.3, 0.3, 0.3]])
    z = np.array([[1.0, 1, 1], [2, 2, 2], [3, 3, 3]])
    assert x[0].mean() != x[1].mean() or (x[0].sum() != x[1].sum())
    found = at_level(coefficient("gamma"), "system", Scores(x, z))
    assert found.value == 1
    assert value("kendall", "system", x, z) == pytest.approx(2 / math.sqrt(6))


def test_weights_and_scores_of_whole_systems() -> None:
    x, z = np.array([[1.0, 9], [2, 5], [3, 1]]), np.array([[1.0, 3], [2, 2], [3, 1]])
    assert value("pearson", "system", x, z, weights=np.array([1.0, 0])) == pytest.approx(1)
    # The first input has 1, the second -1.
    assert value(
        "pearson", "input", x, np.array([[1.0, 1], [2, 2], [3, 3]]), weights=np.array([3.0, 1])
    ) == pytest.approx(0.5)
    assert value(
        "pearson", "system", x, np.array([[1.0, 3], [2, 3], [3, 3]]), whole=np.array([3.0, 2, 1])
    ) == pytest.approx(-1)
    # Two inputs with pairs of 3 and of 2 systems: 1 and -1, by pairs (3 - 1) / 4.
    x, z = np.array([[1.0, 1], [2, 2], [3, np.nan]]), np.array([[1.0, 2], [2, 1], [3, 3]])
    assert value("kendall", "input", x, z) == 0
    assert value("kendall", "input", x, z, average="pairs") == pytest.approx(0.5)


def test_p_is_of_single_correlations_alone() -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 5, 6))
    for level in LEVELS:
        p = p_at_level(coefficient("kendall"), level, Scores(x, z))
        assert math.isnan(p) == (level in ("input", "by_system"))


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"'systems'.*'system'"):
        value("pearson", "systems", [[1]], [[1]])
    with pytest.raises(ParameterError, match="average must be"):
        value("pearson", "system", [[1]], [[1]], average="micro")

"""Every vectorised path of the bootstrap against explicit resampling, NaN included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nlgauge.errors import ParameterError
from nlgauge.stats import weighted
from nlgauge.stats.bootstrap import _VECTORISED, draw_by_draw, replicates
from nlgauge.stats.coefficients import COEFFICIENTS, coefficient
from nlgauge.stats.levels import LEVELS, Scores
from nlgauge.stats.resampling import Resamples, bootstrap, leave_one_out

SCORES = st.one_of(st.integers(0, 3).map(float), st.floats(-5, 5, width=16), st.just(math.nan))
SIDES = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, (2, *shape), elements=SCORES)
)


def without_self_pairs(
    name: str, level: str, x: np.ndarray, z: np.ndarray, resamples: Resamples
) -> np.ndarray:
    """An explicit loop over pairs of different outputs, for coefficients that self-pairs would change."""
    one = coefficient(name)
    found = []
    for c, w in zip(resamples.systems, resamples.inputs, strict=True):
        if level == "system":
            known = ~np.isnan(x)
            total = (known * w).sum(axis=1)
            with np.errstate(invalid="ignore"):
                means = [
                    (np.where(known, side, 0) * w).sum(axis=1) / np.where(total, total, np.nan)
                    for side in (x, z)
                ]
            groups, weights, outer = [tuple(np.round(side, 9) for side in means)], [c], [1.0]
        elif level == "input":
            groups, weights, outer = list(zip(x.T, z.T, strict=True)), [c] * x.shape[1], list(w)
        elif level == "by_system":
            groups, weights, outer = list(zip(x, z, strict=True)), [w] * len(x), list(c)
        else:
            groups, weights, outer = [(x.ravel(), z.ravel())], [np.outer(c, w).ravel()], [1.0]
        values = []
        for (a, b), own in zip(groups, weights, strict=True):
            counts = np.zeros(5)
            for i in range(len(a)):
                for j in range(i):
                    if not np.isnan([a[i], a[j], b[i], b[j]]).any():
                        sa, sb = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
                        kind = (
                            4 if sa == sb == 0 else 2 if sa == 0 else 3 if sb == 0 else 0 if sa == sb else 1
                        )
                        counts[kind] += own[i] * own[j]
            values.append(float(one.of_pairs(weighted.Pairs(*counts))))
        pairs = [(v, o) for v, o in zip(values, outer, strict=True) if not math.isnan(v) and o > 0]
        found.append(np.average([v for v, _ in pairs], weights=[o for _, o in pairs]) if pairs else math.nan)
    return np.array(found)


@settings(max_examples=40, deadline=None)
@given(SIDES, st.sampled_from(["systems", "inputs", "both"]), st.integers(0, 99))
def test_as_taking_what_was_drawn(sides: np.ndarray, over: str, seed: int) -> None:
    resamples = bootstrap(*sides.shape[1:], over, 5, seed)
    x, z = np.where(np.isnan(sides).any(axis=0), np.nan, sides)
    for name in sorted(_VECTORISED):
        for level in LEVELS:
            found = replicates(coefficient(name), level, Scores(*sides), resamples)
            pairwise = name in ("kendall_a", "acc_eq", "tau_eq")
            expected = (
                without_self_pairs(name, level, x, z, resamples)
                if pairwise
                else draw_by_draw(coefficient(name), level, Scores(x, z), resamples)
            )
            np.testing.assert_allclose(found, expected, atol=1e-6, err_msg=f"{name} {level}")


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("over", ["systems", "inputs", "both"])
def test_real_sizes_as_scipy(over: str, missing: float) -> None:
    rng = np.random.default_rng(8)
    z = rng.integers(1, 6, (9, 30)).astype(float)
    x = z + rng.normal(size=(9, 30)) * 2
    x[rng.random((9, 30)) < missing] = np.nan
    resamples = bootstrap(9, 30, over, 20, 3)
    for name, oracle in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ):
        found = {level: replicates(coefficient(name), level, Scores(x, z), resamples) for level in LEVELS}
        for b in range(20):
            rows, columns = (
                np.repeat(np.arange(len(counts)), counts.astype(int))
                for counts in (resamples.systems[b], resamples.inputs[b])
            )
            a, h = x[np.ix_(rows, columns)], np.where(np.isnan(x), np.nan, z)[np.ix_(rows, columns)]
            means = np.round(np.nanmean(a, axis=1), 9), np.round(np.nanmean(h, axis=1), 9)
            assert found["system"][b] == pytest.approx(oracle(*means).statistic, abs=1e-6)
            known = ~np.isnan(a)
            assert found["global"][b] == pytest.approx(oracle(a[known], h[known]).statistic, abs=1e-6)
            for level, groups in (
                ("input", zip(a.T, h.T, strict=True)),
                ("by_system", zip(a, h, strict=True)),
            ):
                values = []
                for one, other in groups:
                    kept = ~np.isnan(one)
                    if kept.sum() > 1 and np.ptp(one[kept]) > 0 and np.ptp(other[kept]) > 0:
                        values.append(oracle(one[kept], other[kept]).statistic)
                assert found[level][b] == pytest.approx(np.mean(values), abs=1e-6)


@pytest.mark.parametrize("levels", [0, 150])
def test_long_vectors_are_counted_by_human_score_or_draw_by_draw(
    monkeypatch: pytest.MonkeyPatch, levels: int
) -> None:
    rng = np.random.default_rng(2)
    x, z = rng.integers(0, 5, (2, 4, 6)).astype(float)
    resamples = bootstrap(4, 6, "both", 10, 1)
    expected = [
        replicates(COEFFICIENTS[name], "global", Scores(x, z), resamples)
        for name in ("kendall", "kendall_a", "acc_eq")
    ]
    monkeypatch.setattr(weighted, "_SIGNS", 3)
    monkeypatch.setattr(weighted, "_LEVELS", levels)
    found = [
        replicates(COEFFICIENTS[name], "global", Scores(x, z), resamples)
        for name in ("kendall", "kendall_a", "acc_eq")
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_weights_and_whole_scores_in_draws() -> None:
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 6, 5))
    weights, whole = np.array([1.0, 2, 0, 1, 3]), rng.normal(size=6)
    resamples = bootstrap(6, 5, "both", 12, 4)
    for name in ("pearson", "spearman", "kendall"):
        for level in ("system", "input"):
            expected = draw_by_draw(coefficient(name), level, Scores(x, z, weights), resamples)
            np.testing.assert_allclose(
                replicates(coefficient(name), level, Scores(x, z, weights), resamples), expected, atol=1e-9
            )
    resamples = bootstrap(6, 5, "systems", 12, 4)
    expected = draw_by_draw(coefficient("kendall"), "system", Scores(x, z, None, whole), resamples)
    np.testing.assert_allclose(
        replicates(coefficient("kendall"), "system", Scores(x, z, None, whole), resamples),
        expected,
        atol=1e-9,
    )


def test_draws_are_counts_and_the_same_for_the_same_seed() -> None:
    one, other = bootstrap(5, 7, "both", 30, 1), bootstrap(5, 7, "both", 30, 1)
    assert (one.systems.sum(axis=1) == 5).all()
    assert (one.inputs.sum(axis=1) == 7).all()
    assert (one.systems == other.systems).all()
    assert (bootstrap(5, 7, "inputs", 3, 1).systems == 1).all()
    left = leave_one_out(3, 2, "both")
    assert left.systems.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]]
    assert left.inputs.tolist() == [[1, 1], [1, 1], [1, 1], [0, 1], [1, 0]]
    for bad in ({"over": "cells"}, {"resamples": 0}, {"seed": -1}):
        with pytest.raises(ParameterError):
            bootstrap(2, 2, **bad)


def test_equal_means_are_tied_in_every_draw() -> None:
    rng = np.random.default_rng(1)
    row = rng.random(40)
    # The same scores in another order: all means of all inputs are equal, however they are summed.
    x = np.stack([row, row[::-1], np.roll(row, 7), row + 1])
    z = np.arange(4.0)[:, None] + np.zeros((4, 40))
    found = replicates(coefficient("kendall"), "system", Scores(x, z), bootstrap(4, 40, "systems", 50, 2))
    expected = draw_by_draw(
        coefficient("kendall"), "system", Scores(x, z), bootstrap(4, 40, "systems", 50, 2)
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.isnan(found[bootstrap(4, 40, "systems", 50, 2).systems[:, 3] == 0]).all()

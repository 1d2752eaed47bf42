"""Every vectorised permutation against swapped scores, one draw and one pair of metrics at a time, with
scipy's coefficients.
"""

import dataclasses
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nlgauge.errors import ParameterError
from nlgauge.stats.arrays import snapped
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.levels import Scores
from nlgauge.stats.measures import MEASURES
from nlgauge.stats.permutation import ranks as permuted_ranks
from nlgauge.stats.permutation.linear import null_differences
from nlgauge.stats.permutation.swaps import GENERALIZES_TO, Swaps, drawn_swaps

LEVELS = ("system", "input", "global", "by_system")
COMPARED = ("pearson", "spearman", "kendall", "kendall_a", "gamma")


def plain(name, x, z):
    """A coefficient of one pair of vectors, by scipy where it has it."""
    known = ~np.isnan(x) & ~np.isnan(z)
    x, z = x[known], z[known]
    # Swapped means of standardized scores may be equal but for rounding.
    if len(x) < 2 or np.ptp(x) < 1e-9 or (z == z[0]).all():
        return np.nan
    if name in {"kendall_a", "gamma"}:
        return float(COEFFICIENTS[name](x, z))
    return {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[name](x, z)[
        0
    ]


def mean(values):
    values = [value for value in values if not np.isnan(value)]
    return np.mean(values) if values else np.nan


def at_level(name, level, x, z):
    if level == "system":
        judged = ~np.isnan(z).all(axis=1)
        means = np.nanmean(x[judged], axis=1)
        return plain(
            name, means if name == "pearson" else tied(means), snapped(np.nanmean(z[judged], axis=1))
        )
    if level == "global":
        return plain(name, x.ravel(), z.ravel())
    if level == "input":
        x, z = x.T, z.T
    return mean([plain(name, one, other) for one, other in zip(x, z, strict=True)])


def tied(values):
    """Values of which those that differ by rounding alone are equal."""
    order = np.argsort(values)
    levels = np.empty(len(values))
    levels[order] = np.cumsum(np.diff(values[order], prepend=values[order][:1]) > 1e-9)
    return levels


def z_scores(values, of=None):
    """Values less their mean, in units of the standard deviation of `of` (themselves); 0 if they are all
    the same.
    """
    spread = np.nanstd(values - np.nanmean(values) if of is None else of)
    return (values - np.nanmean(values)) / spread if spread > 1e-9 else values * 0.0


def on_one_scale(x, z, level, name):
    """Scores of metrics as a level sees them, by loops; NaN if any metric or people have none."""
    present = np.isfinite(z) & np.isfinite(x).all(axis=0)
    x = np.where(present, x, np.nan)
    found = np.full(x.shape, np.nan)
    for one, scaled in zip(x, found, strict=True):
        if level == "system" and name != "spa":
            means = [np.mean(row[here]) for row, here in zip(one, present, strict=True) if here.any()]
            spread = np.std(means) if means else 0.0
            scaled[:] = (one - np.mean(means)) / spread if spread > 1e-9 else one * 0.0
            continue
        groups = (
            [np.s_[:, at] for at in range(one.shape[1])]
            if level in {"input", "system"}
            else [np.s_[at, :] for at in range(len(one))]
        )
        groups = (
            [np.s_[:, :]]
            if level == "global"
            else [group for group in groups if not np.isnan(one[group]).all()]
        )
        about = np.full(one.shape, np.nan)
        for group in groups:
            about[group] = one[group] - np.nanmean(one[group])
        for group in groups:
            scaled[group] = z_scores(
                one[group], about if name in {"pdp", "spa", "acc_eq_calibrated"} else None
            )
    means = level == "system" and name != "spa"
    return found if means else np.round(found, 12), np.where(present, z, np.nan)


def explicit(x, z, level, name, swaps):
    scores, z = on_one_scale(x, z, level, name)
    signs = np.broadcast_to(swaps.of_cells(), (len(swaps.of_cells()), *z.shape))
    rows = []
    for sign in signs:
        row = []
        for k, m in combinations(range(len(x)), 2):
            one, other = np.where(sign > 0, scores[k], scores[m]), np.where(sign > 0, scores[m], scores[k])
            row.append(at_level(name, level, one, z) - at_level(name, level, other, z))
        rows.append(row)
    return np.array(rows)


def scores(seed, systems, inputs, kind, missing):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, inputs))
    x, z = quality + rng.normal(size=(3, systems, inputs)), quality + rng.normal(size=(systems, inputs))
    if kind == "rounded":
        x, z = x.round(), z.round()
    if kind == "binary":
        x = (x > 0.5).astype(float)
    if kind == "mixed":
        x[0], z = x[0].round(), z.round()
    if missing:
        x[rng.random(x.shape) < 0.1] = np.nan
        z[rng.random(z.shape) < 0.1] = np.nan
    return x, z


@pytest.mark.filterwarnings("ignore::scipy.stats.NearConstantInputWarning")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("swap", GENERALIZES_TO)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    systems=st.integers(2, 6),
    inputs=st.integers(2, 6),
    kind=st.sampled_from(["plain", "rounded", "binary", "mixed"]),
    missing=st.booleans(),
    name=st.sampled_from(COMPARED),
)
def test_nulls_are_those_of_swapped_scores(level, swap, seed, systems, inputs, kind, missing, name):
    x, z = scores(seed, systems, inputs, kind, missing)
    swaps = drawn_swaps(swap, systems, inputs, 8, seed)
    found = null_differences(x, z, level, MEASURES[name], swaps)
    np.testing.assert_allclose(found, explicit(x, z, level, name, swaps), atol=1e-9)


@pytest.mark.parametrize("name", COMPARED)
def test_metrics_that_swaps_make_constant_have_no_difference(name):
    """Of two systems every metric has the standardized means 1 and -1, in one order or the other."""
    x, z = scores(0, 2, 3, "plain", missing=False)
    assert np.sign(x.mean(axis=2) @ [1, -1]).tolist() == [1, -1, 1]
    swaps = Swaps("systems", np.array([[1, -1], [1, 1]]), None, None)
    found = null_differences(x, z, "system", MEASURES[name], swaps)
    np.testing.assert_allclose(found, [[np.nan, 0, np.nan], [2, 0, -2]], atol=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", COMPARED)
def test_scores_of_no_common_cell_have_no_difference(name, level):
    x, z = np.full((2, 3, 4), np.nan), np.ones((3, 4))
    found = null_differences(x, z, level, MEASURES[name], drawn_swaps("systems", 3, 4, 5, 1))
    assert found.shape == (5, 1)
    assert np.isnan(found).all()


@pytest.mark.parametrize("points", [20, 37, 300])
def test_groups_that_swaps_make_constant_have_no_difference(points):
    rng = np.random.default_rng(0)
    halves = rng.normal(size=(2, 50, points))
    x = np.zeros((2, 50, 2 * points))
    x[0, :, :points], x[1, :, points:] = halves - halves.mean(axis=2, keepdims=True)
    swaps = Swaps("inputs", None, np.repeat([[-1, 1]], points, axis=1), None)
    found = null_differences(x, rng.normal(size=x[0].shape), "by_system", MEASURES["pearson"], swaps)
    assert np.isnan(found).all()


@pytest.mark.parametrize(
    ("name", "level"),
    [
        *(("pdp", level) for level in LEVELS),
        *(
            ("darr", "input"),
            ("spa", "system"),
            ("acc_eq_calibrated", "input"),
            ("acc_eq", "input"),
            ("gamma", "input"),
        ),
    ],
)
@pytest.mark.parametrize("swap", GENERALIZES_TO)
@pytest.mark.parametrize(("kind", "missing"), [("mixed", True), ("plain", False), ("rounded", True)])
def test_measures_that_are_not_means_of_coefficients(name, level, swap, kind, missing):
    x, z = scores(7, 4, 5, kind, missing)
    z = z * 30
    swaps = drawn_swaps(swap, 4, 5, 6, 1)
    points, human = on_one_scale(x, z, level, name)
    found = null_differences(x, z, level, MEASURES[name], swaps)
    for draw, sign in enumerate(swaps.of_cells()):
        one, other = np.where(sign > 0, points[0], points[2]), np.where(sign > 0, points[2], points[0])
        expected = (MEASURES[name].value(level, Scores(values, human)).value for values in (one, other))
        assert found[draw, 1] == pytest.approx(next(expected) - next(expected), abs=1e-9, nan_ok=True)


@settings(max_examples=30)
@given(
    st.integers(0, 2**32),
    st.sampled_from(list(GENERALIZES_TO)),
    st.booleans(),
    st.sampled_from(["discordant", "ignore"]),
)
def test_darr_under_every_swap(seed, swap, missing, ties):
    x, z = scores(seed, 5, 6, "rounded", missing)
    measure = dataclasses.replace(MEASURES["darr"], threshold=1.0, ties=ties)
    swaps = drawn_swaps(swap, 5, 6, 5, seed)
    points, human = on_one_scale(x, z, "input", "darr")
    found = null_differences(x, z, "input", measure, swaps)
    for draw, sign in enumerate(swaps.of_cells()):
        for at, (k, m) in enumerate(combinations(range(3), 2)):
            one, other = np.where(sign > 0, points[k], points[m]), np.where(sign > 0, points[m], points[k])
            first, second = (measure.value("input", Scores(values, human)).value for values in (one, other))
            assert found[draw, at] == pytest.approx(first - second, abs=1e-9, nan_ok=True)


def test_swaps_are_drawn_once_and_said_by_name():
    one, other = (drawn_swaps("rows-xor-cols", 4, 6, 50, seed=3) for _ in range(2))
    assert (one.of_cells() == other.of_cells()).all()
    assert one.of_cells(10, 20).shape == (10, 4, 6)
    # Rows of a draw are equal or opposite, which is what sets this apart from free cells.
    assert (np.abs((one.of_cells()[:, :1] * one.of_cells()).sum(axis=2)) == 6).all()
    with pytest.raises(ParameterError, match=r"swap.*'systems', 'inputs', 'cells', 'rows-xor-cols'.*'row'"):
        drawn_swaps("row", 2, 2, 2, 1)


def test_offsets_and_scales_change_nothing():
    x, z = scores(1, 6, 8, "plain", False)
    swaps = drawn_swaps("cells", 6, 8, 20, 1)
    moved = x * np.array([1e-6, 1.0, 1e6])[:, None, None] + np.array([5.0, 1e6, -3.0])[:, None, None]
    for level in LEVELS:
        np.testing.assert_allclose(
            *(null_differences(of, z, level, MEASURES["pearson"], swaps) for of in (x, moved)), atol=1e-6
        )


@pytest.mark.filterwarnings("ignore::scipy.stats.NearConstantInputWarning")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("swap", GENERALIZES_TO)
@pytest.mark.parametrize("kind", ["plain", "rounded", "binary", "mixed"])
def test_every_path_at_least_once(level, swap, kind):
    x, z = scores(11, 5, 6, kind, kind != "plain")
    swaps = drawn_swaps(swap, 5, 6, 6, 2)
    for name in COMPARED:
        found = null_differences(x, z, level, MEASURES[name], swaps)
        np.testing.assert_allclose(found, explicit(x, z, level, name, swaps), atol=1e-9, err_msg=name)


@pytest.mark.filterwarnings("ignore::scipy.stats.NearConstantInputWarning")
@pytest.mark.parametrize("level", ["input", "global", "by_system"])
@pytest.mark.parametrize("swap", GENERALIZES_TO)
@pytest.mark.parametrize("few_units", [2, 64])
def test_paths_of_many_units_and_many_human_scores(level, swap, few_units, monkeypatch):
    """The code for more than 64 units, and for more than 100 human scores of at most 64 units, is that of
    real benchmarks; here 2 are many.
    """
    monkeypatch.setattr(permuted_ranks, "_FEW_UNITS", few_units)
    monkeypatch.setattr(permuted_ranks, "_LEVELS", 2)
    x, z = scores(11, 5, 6, "mixed", True)
    swaps = drawn_swaps(swap, 5, 6, 6, 2)
    for name in ("spearman", "kendall", "kendall_a"):
        found = null_differences(x, z, level, MEASURES[name], swaps)
        np.testing.assert_allclose(found, explicit(x, z, level, name, swaps), atol=1e-9, err_msg=name)

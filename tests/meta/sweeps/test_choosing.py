"""The choice on one half and the test on the other: equal to loops in plain NumPy, and no unit on both sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.meta.sweeps.choosing import CHOOSE_OVER, by_split, choice, halves, split
from nlgauge.stats.levels import Scores
from nlgauge.stats.measures import measure


def pearson(x: np.ndarray, z: np.ndarray) -> float:
    x, z = x - x.mean(), z - z.mean()
    below = math.sqrt((x * x).sum() * (z * z).sum())
    return float((x * z).sum() / below) if below > 0 else math.nan


def kendall(x: np.ndarray, z: np.ndarray) -> float:
    i, j = np.triu_indices(len(x), 1)
    a, b = np.sign(x[i] - x[j]), np.sign(z[i] - z[j])
    below = math.sqrt((a != 0).sum() * (b != 0).sum())
    return float((a * b).sum() / below) if below > 0 else math.nan


def at_system(function, x: np.ndarray, z: np.ndarray, systems: np.ndarray, segments: np.ndarray) -> float:
    """The coefficient of the systems' means over the drawn segments; every system is there at most once."""
    rows = np.flatnonzero(systems)
    columns = np.repeat(np.arange(x.shape[1]), segments.astype(int))
    return function(*(each[np.ix_(rows, columns)].mean(axis=1) for each in (x, z)))


def brute_force(function, points, default, drawn) -> dict[str, list[float]]:
    """Choose on each half, test on the other, one split after the other."""
    found = {"chosen": [], "tested": [], "default": [], "gain": []}
    for at in range(len(drawn.one)):
        by_direction = {name: [] for name in found}
        for on, elsewhere in ((drawn.one, drawn.other), (drawn.other, drawn.one)):
            values = [at_system(function, s.x, s.z, on.systems[at], on.inputs[at]) for s in points]
            again = [
                at_system(function, s.x, s.z, elsewhere.systems[at], elsewhere.inputs[at]) for s in points
            ]
            usual = at_system(function, default.x, default.z, elsewhere.systems[at], elsewhere.inputs[at])
            best = None
            for number, value in enumerate(values):
                if not math.isnan(value) and (best is None or value > values[best] + 1e-13):
                    best = number
            chosen, test = (math.nan, math.nan) if best is None else (values[best], again[best])
            row = {"chosen": chosen, "tested": test, "default": usual, "gain": test - usual}
            for name in found:
                by_direction[name].append(row[name])
        for name, values in by_direction.items():
            known = [value for value in values if not math.isnan(value)]
            found[name].append(sum(known) / len(known) if known else math.nan)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_a_random_grid_equals_loops_in_plain_numpy(seed):
    rng = np.random.default_rng(seed)
    systems, segments = int(rng.integers(8, 12)), int(rng.integers(8, 30))
    quality = rng.normal(size=(systems, 1))
    human = quality + rng.normal(size=(systems, segments))
    points = [
        Scores(weight * quality + rng.normal(size=(systems, segments)), human) for weight in rng.random(5)
    ]
    # A point that has no value, and one that is equal to another.
    points[2] = Scores(np.ones((systems, segments)), human)
    points.append(points[int(rng.integers(2))])
    choose_over = CHOOSE_OVER[seed % 3]
    name, function = (("pearson", pearson), ("kendall", kendall))[seed % 2]
    drawn = halves(rng, np.ones((7, systems)), rng.integers(0, 3, size=(7, segments)), choose_over)
    found = by_split(measure(name), "system", points, points[0], drawn)
    expected = brute_force(function, points, points[0], drawn)
    for column, values in expected.items():
        np.testing.assert_allclose(getattr(found, column), values, atol=1e-12, rtol=0)
    assert not np.isin(found.points, [2, 5]).any()


@given(st.integers(0, 10_000), st.sampled_from(CHOOSE_OVER), st.integers(8, 20), st.integers(8, 20))
def test_no_unit_is_in_both_halves_and_none_is_lost(seed, choose_over, systems, segments):
    rng = np.random.default_rng(seed)
    counts = [rng.integers(0, 4, size=(5, units)) for units in (systems, segments)]
    drawn = halves(rng, *counts, choose_over)
    divided = {"segments": (False, True), "systems": (True, False), "both": (True, True)}[choose_over]
    for whole, one, other, apart in zip(
        counts,
        (drawn.one.systems, drawn.one.inputs),
        (drawn.other.systems, drawn.other.inputs),
        divided,
        strict=True,
    ):
        if apart:
            assert not ((one > 0) & (other > 0)).any()
            assert (one + other == whole).all()
            sizes = (one > 0).sum(axis=1), (other > 0).sum(axis=1)
            assert (sizes[0] == (whole > 0).sum(axis=1) // 2).all()
        else:
            assert (one == whole).all() and (other == whole).all()


def test_halves_are_random_and_of_equal_size():
    one, other = split(np.random.default_rng(0), np.ones((4000, 9)))
    assert set(one.sum(axis=1)) == {4.0} and set(other.sum(axis=1)) == {5.0}
    assert np.abs(one.mean(axis=0) - 4 / 9).max() < 0.03


def test_a_point_without_value_on_the_half_of_the_choice_is_not_chosen():
    human = np.arange(8.0)[:, None] + np.zeros(8)
    constant, other = Scores(np.ones((8, 8)), human), Scores(-human, human)
    found = choice(measure("kendall"), "system", [constant, other], None, splits=5, draws=5)
    assert (found.shares.tolist(), found.tested) == ([0.0, 1.0], -1.0)
    assert math.isnan(found.default) and math.isnan(found.gain)
    nothing = choice(measure("kendall"), "system", [constant, constant], other, splits=5, draws=5)
    assert nothing.shares.tolist() == [0.0, 0.0]
    assert math.isnan(nothing.tested) and nothing.default == -1.0


def test_the_tested_value_of_noise_is_nothing_and_the_choice_looks_good():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(16, 60))
    points = [Scores(rng.normal(size=(16, 60)), human) for _ in range(40)]
    found = choice(measure("pearson"), "system", points, points[0], splits=100, draws=100)
    assert found.chosen > 0.45 and abs(found.tested) < 0.15
    assert found.bounds.low < 0 < found.bounds.high

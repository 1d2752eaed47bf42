"""DARR, acc_eq and its calibration against the specification's vectors and explicit loops."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nlgauge.errors import InputError, ParameterError
from nlgauge.stats import ties
from nlgauge.stats.ties import acc_eq, calibrate, darr, darr_counts, darr_of_pairs, tau_eq

GOLD, METRIC = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
SCORES = st.one_of(st.integers(0, 4).map(float), st.just(math.nan))
SIDES = st.tuples(st.integers(1, 4), st.integers(0, 5)).flatmap(
    lambda shape: arrays(np.float64, (2, *shape), elements=SCORES)
)


def test_darr_of_the_specification() -> None:
    gold = [10, 11, 100, 150]
    assert [int(count[0]) for count in darr_counts([2, 1, 4, 3], gold)] == [4, 1]
    assert float(darr([2, 1, 4, 3], gold)) == pytest.approx(0.6)
    assert float(darr([2, 1, 4, 3], gold, threshold=1)) == pytest.approx(1 / 3)
    assert float(darr([2, 2, 2, 3], gold)) == pytest.approx(0.2)
    assert float(darr([2, 2, 2, 3], gold, ties="ignore")) == 1.0
    assert math.isnan(darr([1, 2], [3, 4]))
    assert float(darr([1, 2], [0, 25])) == 1


def test_ready_made_pairs_are_darr() -> None:
    x, z = [2.0, 2, 2, 3], [10.0, 11, 100, 150]
    pairs = [
        (i, j) if z[i] > z[j] else (j, i) for i, j in combinations(range(4), 2) if abs(z[i] - z[j]) >= 25
    ]
    better, worse = ([x[pair[side]] for pair in pairs] for side in (0, 1))
    for rule in ("discordant", "ignore"):
        assert float(darr_of_pairs(better, worse, rule)) == pytest.approx(float(darr(x, z, ties=rule)))
    assert darr_of_pairs([better, worse], worse).tolist() == pytest.approx([0.2, -1.0])
    assert float(darr_of_pairs([1, math.nan], [0, 1])) == 1
    assert math.isnan(darr_of_pairs([], []))


def test_acc_eq_of_the_specification() -> None:
    assert float(acc_eq(METRIC, GOLD)) == pytest.approx(0.6)
    assert float(tau_eq(METRIC, GOLD)) == pytest.approx(0.2)
    assert float(acc_eq(METRIC, GOLD, 2)) == pytest.approx(0.4)
    found = calibrate(METRIC, GOLD)
    assert (found.accuracy, found.epsilon) == (pytest.approx(0.7), 0.5)
    assert found.floor == pytest.approx(0.1)
    assert found.skill == pytest.approx(0.6 / 0.9)
    assert math.isnan(found.held_out)


def accuracy(x: np.ndarray, z: np.ndarray, epsilon: float) -> float:
    groups = []
    for one, other in zip(x, z, strict=True):
        points = [(a, b) for a, b in zip(one, other, strict=True) if not math.isnan(a + b)]
        right = []
        for (a, b), (c, d) in combinations(points, 2):
            sign = 0 if abs(a - c) <= epsilon else np.sign(a - c)
            right.append(sign == np.sign(b - d))
        if right:
            groups.append(np.mean(right))
    return float(np.mean(groups)) if groups else math.nan


@given(SIDES)
# Epsilons of 1, 2 and 3 win the first pair alike; the smallest counts.
@example(np.array([[[0.0, 1, 3]], [[1, 1, 0]]]))
def test_as_explicit_loops(sides: np.ndarray) -> None:
    x, z = sides
    for epsilon in (0.0, 1.0, 2.0):
        assert float(acc_eq(x, z, epsilon)) == pytest.approx(accuracy(x, z, epsilon), nan_ok=True)
    tried = {epsilon: accuracy(x, z, epsilon) for epsilon in (0.0, 1.0, 2.0, 3.0, 4.0)}
    found = calibrate(x, z)
    assert found.accuracy == pytest.approx(max(tried.values()), nan_ok=True)
    if not math.isnan(found.accuracy):
        assert tried[found.epsilon] == pytest.approx(found.accuracy)
        assert found.epsilon == min(
            epsilon for epsilon in tried if tried[epsilon] == pytest.approx(found.accuracy)
        )
        assert found.floor == pytest.approx(accuracy(np.where(np.isnan(x), np.nan, 0), z, 0.0))
        assert found.plain == pytest.approx(tried[0.0])


@given(arrays(np.float64, (2, 1, 9), elements=SCORES))
def test_many_pairs_are_counted_in_classes(sides: np.ndarray) -> None:
    expected = calibrate(*sides)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ties, "_SORTED_PAIRS", 0)
        found = calibrate(*sides)
    assert found == pytest.approx(expected, nan_ok=True)


def test_held_out_epsilon_does_not_see_what_it_is_read_on() -> None:
    rng = np.random.default_rng(5)
    z = rng.integers(0, 2, (40, 6)).astype(float)
    noise = calibrate(rng.normal(size=(40, 6)), z)
    assert noise.accuracy > noise.floor - 1e-12
    assert noise.held_out <= noise.accuracy
    sharp = calibrate(z + rng.normal(size=(40, 6)) * 0.1, z)
    assert sharp.held_out == pytest.approx(sharp.accuracy, abs=0.03)
    assert sharp.skill > 0.8


def test_options_out_of_their_domain() -> None:
    with pytest.raises(ParameterError, match="ties must be"):
        darr([1], [1], ties="drop")
    with pytest.raises(ParameterError, match=r"threshold.*0"):
        darr([1], [1], threshold=0)
    with pytest.raises(ParameterError, match="epsilon"):
        acc_eq([1], [1], -1)
    with pytest.raises(InputError, match="one metric"):
        calibrate(np.zeros((2, 3, 4)), np.zeros((3, 4)))
    with pytest.raises(InputError, match=r"shapes \(2,\) and \(1,\)"):
        darr_of_pairs([1, 2], [1])

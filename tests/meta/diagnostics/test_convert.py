"""Score conversion against the published constants, scipy's curve fit, explicit bootstraps, and maps with
known answers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.meta.diagnostics.convert import (
    agreement_curve,
    convert,
    isotonic_map,
    quantile_map,
    to_human_scale,
)
from nlgauge.meta.diagnostics.curves import (
    PUBLISHED,
    AgreementCurve,
    SystemPairs,
    binned,
    fitted,
    system_pairs,
)
from nlgauge.meta.judgments import Judgments

NAN = math.nan


def test_published_constants():
    """The values that the authors' own program gives (mt-thresholds), as shares."""
    assert 100 * PUBLISHED["bleu"].accuracy(1.0) == pytest.approx(63.988657959214336, abs=1e-9)
    assert 100 * PUBLISHED["chrf"].accuracy(1.0) == pytest.approx(70.02201684669014, abs=1e-9)
    assert 100 * PUBLISHED["comet22"].accuracy(0.5) == pytest.approx(77.46187911325228, abs=1e-9)
    assert PUBLISHED["bleu"].delta(0.8) == pytest.approx(2.340418252932708, abs=1e-9)
    assert math.isnan(PUBLISHED["bleu"].delta(0.9))
    with pytest.raises(ParameterError, match=r"80% is 0\.8"):
        PUBLISHED["bleu"].delta(80)
    np.testing.assert_equal(PUBLISHED["bleu"].accuracy_interval(1.0), (NAN, NAN))


@given(st.floats(0.5, 1.0), st.floats(0.01, 10), st.floats(0.5, 0.99))
def test_the_inverse_is_one(ceiling, slope, accuracy):
    curve = AgreementCurve(ceiling, slope)
    delta = curve.delta(accuracy)
    assert math.isnan(delta) if ceiling <= accuracy else curve.accuracy(delta) == pytest.approx(accuracy)


def logistic(d, a, b):
    return a / (1 + np.exp(-b * d))


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    delta = rng.exponential(2.0, 400)
    agrees = (rng.random(400) < logistic(delta, 0.93, 0.8)).astype(float)
    curve = fitted(SystemPairs(delta, agrees, 0, np.empty((0, 400))), 12)
    places = binned(delta, 12)
    x, y, n = (
        np.array([values[places == k].mean() for k in range(12)])
        for values in (delta, agrees, np.bincount(places)[places].astype(float))
    )
    expected, _ = curve_fit(logistic, x, y, p0=(0.9, 1.0), sigma=1 / np.sqrt(n), bounds=([0, 0], [1, 100]))
    np.testing.assert_allclose((curve.ceiling, curve.slope), expected, rtol=2e-3)

    def loss(a, b):
        return (n * (y - logistic(x, a, b)) ** 2).sum()

    assert loss(curve.ceiling, curve.slope) <= loss(*expected) * (1 + 1e-6)


def test_pairs_by_hand():
    pairs = system_pairs([([1.0, 2.0, 2.0, NAN], [1.0, 3.0, 2.0, 5.0]), ([5.0, 1.0], [1.0, 1.0])])
    assert pairs.delta.tolist() == [1.0, 1.0, 0.0]
    assert pairs.agrees.tolist() == [1.0, 1.0, 0.5]
    assert pairs.tied == 1
    with pytest.raises(InputError, match="shapes"):
        system_pairs([([1.0], [1.0, 2.0])])


def test_draws_of_systems_are_explicit_resamples():
    """The weight of each pair is how often it occurs among the drawn systems; fits equal those of the
    repeated pairs.
    """
    rng = np.random.default_rng(5)
    x, z = rng.normal(size=12), rng.normal(size=12)
    pairs = system_pairs([(x + z, z)], resamples=3, seed=8)
    counts = np.random.default_rng(8).multinomial(12, np.full(12, 1 / 12), 3)
    for draw in range(3):
        seen: dict[tuple[int, int], int] = {}
        systems = np.repeat(np.arange(12), counts[draw]).tolist()
        for place, one in enumerate(systems):
            for other in systems[place + 1 :]:
                if one != other:
                    seen[one, other] = seen.get((one, other), 0) + 1
        assert pairs.drawn[draw].tolist() == [
            seen.get((int(i), int(j)), 0) for i, j in zip(*np.triu_indices(12, 1), strict=True)
        ]
    curve = fitted(pairs, 5)
    assert curve.resamples.shape == (3, 2)
    one = fitted(SystemPairs(pairs.delta, pairs.agrees, 0, pairs.drawn[1:2]), 5)
    np.testing.assert_allclose(one.resamples[0], curve.resamples[1])


def test_too_few_pairs_have_no_curve():
    curve = fitted(system_pairs([([1.0, 2.0], [1.0, 2.0])], resamples=10))
    assert math.isnan(curve.ceiling)
    assert math.isnan(curve.accuracy(1.0))
    np.testing.assert_equal(curve.delta_interval(0.8), (NAN, NAN))
    with pytest.raises(ParameterError, match="bins"):
        fitted(system_pairs([([1.0, 2.0], [1.0, 2.0])]), 1)


def judged(systems=14, inputs=60, groups=3):
    rng = np.random.default_rng(2)
    quality = rng.normal(size=(systems, 1))
    human = quality + rng.normal(size=(systems, inputs))
    metric = 30 + 3 * quality + rng.normal(size=(systems, 1)) + 5 * rng.normal(size=(systems, inputs))
    metric[0, 3] = NAN
    names = [f"g{n % groups}" for n in range(inputs)]
    return Judgments.from_arrays(
        {"adequacy": human},
        {"bleu": metric, "ter": 100 - 2 * metric},
        groups=names,
        higher_is_better={"ter": False},
    )


def test_convert_to_accuracy():
    found = convert(judged(), "bleu", deltas=[0.5, 2.0], resamples=200)
    by = {(row["asked"], row["delta"] if row["asked"] == "delta" else row["accuracy"]): row for row in found}
    assert by["delta", 2.0]["accuracy"] > by["delta", 0.5]["accuracy"]
    assert by["delta", 2.0]["low"] <= by["delta", 2.0]["accuracy"] <= by["delta", 2.0]["high"]
    assert by["accuracy", 0.8]["low"] <= by["accuracy", 0.8]["delta"] <= by["accuracy", 0.8]["high"]
    curve = agreement_curve(judged(), "bleu", resamples=200)
    assert curve.accuracy(2.0) == by["delta", 2.0]["accuracy"]
    assert found.made["n_pairs"] + found.made["n_human_ties"] == 3 * 91
    # TER is twice as long a scale, turned round: the same pairs agree.
    assert agreement_curve(judged(), "ter", resamples=200).accuracy(4.0) == pytest.approx(
        curve.accuracy(2.0), rel=1e-4
    )


def test_above_the_ceiling_there_is_a_reason():
    rng = np.random.default_rng(0)
    judgments = Judgments.from_arrays(
        {"human": rng.normal(size=(12, 1))}, {"noise": rng.normal(size=(12, 1))}
    )
    row = next(row for row in convert(judgments, "noise", resamples=50) if row["accuracy"] == 0.95)
    assert math.isnan(row["delta"])
    assert row["high"] == math.inf
    assert row["reason"].startswith("the ceiling is 0.")


def test_system_scores_stand_for_means():
    human = np.arange(6.0)[:, None]
    judgments = Judgments.from_arrays(
        {"human": human}, {"bleu": -human}, system_scores={"bleu": np.arange(6.0)}
    )
    assert agreement_curve(judgments, "bleu", resamples=2).accuracy(100.0) == pytest.approx(1.0)


def test_quantile_map():
    mapped = quantile_map([1.0, 2.0, 3.0, NAN], [10.0, 30.0, 20.0])
    assert mapped([1.0, 1.5, 3.0, 9.0]).tolist() == [10.0, 15.0, 30.0, 30.0]
    assert math.isnan(float(mapped(NAN)))
    assert quantile_map([1.0, 1.0, 2.0], [5.0, 7.0, 9.0])([1.0, 2.0]).tolist() == [6.0, 9.0]
    assert np.isnan(quantile_map([], [1.0])([1.0])).all()
    assert np.isnan(isotonic_map([NAN], [1.0])([1.0])).all()


def pooled(x, y):
    """Pool adjacent violators, one value of x after another."""
    blocks = []
    for value in sorted(set(x)):
        of = [b for a, b in zip(x, y, strict=True) if a == value]
        blocks.append([sum(of) / len(of), len(of), [value]])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            mean, n, values = blocks.pop()
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + mean * n) / (blocks[-1][1] + n),
                blocks[-1][1] + n,
                blocks[-1][2] + values,
            ]
    return {value: mean for mean, _, values in blocks for value in values}


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-5, 5)), min_size=1, max_size=25))
def test_isotonic_map_pools_violators(points):
    x, y = zip(*points, strict=True)
    mapped = isotonic_map([*x, NAN, 3], [*y, 1, NAN])
    for value, mean in pooled(x, y).items():
        assert float(mapped(value)) == pytest.approx(mean)


def test_calibration_by_hand():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(4, 50)) + np.arange(4)[:, None]
    scores = human**3 + rng.normal(size=(4, 50))
    scores[1, 2] = NAN
    found = to_human_scale(scores, human, folds=5, bins=10)
    for fold in np.array_split(np.random.default_rng(12345).permutation(50), 5):
        others = [n for n in range(50) if n not in set(fold.tolist())]
        np.testing.assert_allclose(
            found.scores[:, fold], isotonic_map(scores[:, others], human[:, others])(scores[:, fold])
        )
    known = ~np.isnan(found.scores)
    predicted, people = found.scores[known], human[known]
    ranks = [np.mean([k for k, value in enumerate(np.sort(predicted)) if value == one]) for one in predicted]
    bins = [int((rank + 0.5) / 199 * 10) for rank in ranks]
    gaps = [
        (
            bins.count(k),
            abs(np.mean([p - h for p, h, b in zip(predicted, people, bins, strict=True) if b == k])),
        )
        for k in set(bins)
    ]
    assert found.error == pytest.approx(sum(n * gap for n, gap in gaps) / 199)
    assert found.skill == pytest.approx(1 - ((people - predicted) ** 2).mean() / people.var())
    assert sum(found.table.column("n")) == 199
    assert found.table.made["n_undefined"] == 1
    assert found.skill > 0.5


def test_a_useless_metric_has_no_skill():
    rng = np.random.default_rng(3)
    found = to_human_scale(rng.normal(size=300), rng.normal(size=300))
    assert found.skill < 0.05


def test_calibration_bad_input():
    with pytest.raises(InputError, match="one shape"):
        to_human_scale([1.0, 2.0], [1.0])
    with pytest.raises(ParameterError, match="folds"):
        to_human_scale([1.0, 2.0], [1.0, 2.0], folds=3)
    empty = to_human_scale([NAN, NAN], [1.0, 2.0], folds=2)
    assert math.isnan(empty.error)
    assert math.isnan(empty.skill)


@pytest.mark.parametrize("how", ["quantile", "isotonic"])
def test_convert_to_another_metric(how):
    judgments = judged()
    for row in convert(judgments, "bleu", "ter", how=how):
        assert row["ter"] == pytest.approx(100 - 2 * row["bleu"], abs=1e-6)
    assert convert(judgments, "bleu", "human").column("bin") == list(range(1, 11))
    with pytest.raises(UnknownNameError, match="metric 'chrf'"):
        convert(judgments, "bleu", "chrf")
    with pytest.raises(ParameterError, match="'linear'"):
        convert(judgments, "bleu", "ter", how="linear")
    with pytest.raises(InputError, match="same outputs"):
        isotonic_map([1.0], [1.0, 2.0])

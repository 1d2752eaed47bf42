"""Human scores from few labels: against every possible sample, explicit loops, the package ppi_py, and by
how often intervals hold.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import Judgments, estimate
from nlgauge.meta.labeling.control_variates import Drawn, best_power, controlled, summed
from nlgauge.meta.labeling.cross_fitting import out_of_fold
from nlgauge.meta.labeling.estimate import predicted
from nlgauge.meta.labeling.labels import labels

Y = np.array([3.0, 4.5, 2.0, 5.0, 4.0, 1.5, 3.5, 4.0, 2.5, 5.0])
F = np.array([2.8, 4.0, 2.5, 4.6, 4.4, 2.0, 3.0, 3.7, 3.1, 4.5])
U = np.array(
    [3.3, 2.2, 4.9, 4.1, 1.8, 2.6, 3.9, 4.4, 3.0, 2.9, 3.6, 4.8, 2.4, 3.2, 4.0, 3.5, 2.7, 4.3, 1.9, 3.8]
)


def uniform(labeled: np.ndarray, units: np.ndarray | None = None) -> Drawn:
    units = np.arange(len(labeled)) if units is None else units
    share = len(np.unique(units[labeled])) / len(np.unique(units))
    return Drawn(labeled, np.full(len(labeled), share), units, units)


def scores(
    seed: int, systems: int = 3, segments: int = 60, noise: float = 0.7
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    metrics = rng.normal(size=(2, systems, segments))
    shared = rng.normal(size=segments)
    return metrics.sum(axis=0) + np.arange(systems)[:, None] + 0.5 * shared + noise * rng.normal(
        size=(systems, segments)
    ), metrics


def shown(human: np.ndarray, labeled: np.ndarray) -> np.ndarray:
    return np.where(labeled, human, np.nan)


@pytest.mark.parametrize("power", [0.0, 0.6, 1.0])
def test_the_estimate_and_its_variance_are_right_on_average_over_all_samples(power: float) -> None:
    human, prediction = (
        np.array([1.0, 5.0, 2.0, 2.5, 4.0, 3.0, 4.5]),
        np.array([2.0, 4.0, 2.0, 3.0, 5.0, 1.0, 4.0]),
    )
    found = []
    for chosen in combinations(range(7), 3):
        labeled = np.isin(np.arange(7), chosen)
        found.append(
            controlled(summed(shown(human, labeled), prediction, uniform(labeled), new_inputs=False), power)
        )
    estimates = np.array([one.estimate for one in found])
    assert estimates.mean() == pytest.approx(human.mean(), abs=1e-12)
    assert np.mean([one.variance for one in found]) == pytest.approx(estimates.var(), abs=1e-12)


def test_variance_of_new_inputs_is_right_on_average_over_all_populations_and_samples() -> None:
    world = np.array([[1.0, 2.0], [5.0, 4.0], [2.0, 3.0], [0.0, 4.0]])
    estimates, variances = [], []
    for picked in np.ndindex(4, 4, 4, 4):
        human, prediction = world[list(picked)].T
        for chosen in combinations(range(4), 2):
            labeled = np.isin(np.arange(4), chosen)
            if np.ptp(human[labeled]) == 0:
                # What the formulas give here is not an interval, and said to be so; it is 0 if the
                # predictions are as equal.
                part = controlled(summed(human, prediction, uniform(labeled), new_inputs=True), 0.5)
                assert np.isnan(part.variance)
                variances.append(0.25 * np.var(prediction[labeled], ddof=1) / 4)
            else:
                part = controlled(summed(human, prediction, uniform(labeled), new_inputs=True), 0.5)
                variances.append(part.variance)
            estimates.append(part.estimate)
    assert np.mean(estimates) == pytest.approx(world[:, 0].mean(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(np.var(estimates), abs=1e-12)


def test_golden_values_of_ppi_py() -> None:
    """ppi_mean_pointestimate(Y, F, U, lam=lam) and ppi_mean_ci(Y, F, U, alpha=0.05, lam=lam) of ppi_py at
    bd90caa.

    Its lambda is of the unlabeled alone, ours of all; it divides variances by n and takes quantiles of the
    normal distribution.
    """
    golden = {
        0.0: (3.5, 2.7798632485467034, 4.220136751453296),
        0.5: (3.4524999999999997, 2.9369104813326032, 3.968089518667396),
        1.0: (3.405, 2.9217039191460574, 3.888296080853942),
    }
    labeled = np.arange(30) < 10
    part = summed(
        np.concatenate([Y, np.full(20, np.nan)]), np.concatenate([F, U]), uniform(labeled), new_inputs=True
    )
    for power, (point, low, high) in golden.items():
        found = controlled(part, power * 30 / 20)
        assert found.estimate == pytest.approx(point, abs=1e-12)
        theirs = (high - low) / 2 / stats.norm.ppf(0.975)
        assert theirs == pytest.approx(
            np.sqrt(np.var(Y - power * F) / 10 + power**2 * np.var(U) / 20), rel=1e-9
        )
        # With their way of estimating the same two variances, ours is theirs.
        assert np.sqrt(found.variance * 9 / 10) == pytest.approx(theirs, rel=0.08)
    # Their tuned point estimate, 3.42661, takes the variance of predictions from all outputs, ours from the
    # labeled ones.
    assert controlled(part, best_power([part])).estimate == pytest.approx(3.4266099592665156, abs=0.03)


def test_explicit_formula_of_the_interval() -> None:
    human, metrics = scores(0)
    labeled = np.zeros(60, dtype=bool)
    labeled[[3, 7, 8, 20, 21, 33, 40, 41, 50, 51, 52, 59]] = True
    partly = shown(human, labeled)
    h = out_of_fold(partly, metrics, np.arange(60), 5, 0, within_segments=False)
    y, f = partly[:, labeled], h[:, labeled]
    y, f = y - y.mean(axis=1, keepdims=True), f - f.mean(axis=1, keepdims=True)
    power = min(max((y * f).sum() / (f * f).sum(), 0), 1)
    for s, row in enumerate(estimate(partly, metrics, seed=0)):
        shift = h[s].mean() - h[s, labeled].mean()
        rest = np.square(y[s] - power * f[s]).sum() / (12 - 1 - 1 / 3)
        variance = rest * (1 / 12 - 1 / 60) + y[s].var(ddof=1) / 60 + shift**2 / 3 * rest / (f[s] @ f[s])
        half = stats.t.ppf(0.975, 12 - 1 - 1 / 3) * np.sqrt(variance)
        assert row["power"] == pytest.approx(power)
        assert row["estimate"] == pytest.approx(human[s, labeled].mean() + power * shift)
        assert (row["low"], row["high"]) == pytest.approx((row["estimate"] - half, row["estimate"] + half))


def _usual(values: np.ndarray) -> tuple[float, float]:
    """The t interval; of few skewed labels Hall's limit on the side of the tail (1992, his g1 inverted)."""
    n, skewness = len(values), float(stats.skew(values))
    low, high = stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))
    by_chance = 2 * np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    if abs(skewness) <= max(1, by_chance) or n > 25 * skewness**2:
        return low, high
    limit = -np.sign(skewness) * stats.t.ppf(0.975, n - 1)
    # x + g (x^2 / 3 + 1 / 6) + g^2 x^3 / 27 = limit, with g = skewness / sqrt(n)
    g = skewness / np.sqrt(n)
    (moved,) = (root.real for root in np.roots([g**2 / 27, g / 3, 1, g / 6 - limit]) if abs(root.imag) < 1e-9)
    end = values.mean() - moved * stats.sem(values)
    return (low, end) if skewness > 0 else (end, high)


def test_labels_alone_are_the_usual_interval() -> None:
    human, metrics = scores(1)
    labeled = np.arange(60) % 4 == 0
    for of in ("means", "differences"):
        for row in estimate(shown(human, labeled), metrics, of=of, power=0.0):
            values = human[int(row["system"]) - 1, labeled] - (
                human[int(row["other"]) - 1, labeled] if of == "differences" else 0
            )
            usual = _usual(values)
            assert (row["low"], row["high"]) == pytest.approx(usual)
            assert (row["classical_low"], row["classical_high"]) == pytest.approx(usual)
            assert (row["labels"], row["effective_labels"], row["labels_saved"], row["variance_ratio"]) == (
                15,
                15,
                0,
                1,
            )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_unequal_probabilities_and_documents_as_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(8, 20))
    documents = np.sort(rng.integers(0, size // 2, size))
    drawn_documents = bool(rng.integers(2))
    units = documents if drawn_documents else np.arange(size)
    chances = rng.uniform(0.2, 1.0, size=size)[np.unique(units, return_index=True)[1]][
        np.unique(units, return_inverse=True)[1]
    ]
    labeled = np.isin(
        units, rng.choice(np.unique(units), int(rng.integers(2, len(np.unique(units)) + 1)), replace=False)
    )
    human, prediction, power = rng.normal(size=size), rng.normal(size=size), float(rng.uniform())
    found = controlled(
        summed(shown(human, labeled), prediction, Drawn(labeled, chances, units, documents), new_inputs=True),
        power,
    )
    total = sum(1 / chances[i] for i in range(size) if labeled[i])
    mean_y = sum(human[i] / chances[i] for i in range(size) if labeled[i]) / total
    mean_h = sum(prediction[i] / chances[i] for i in range(size) if labeled[i]) / total
    assert found.estimate == pytest.approx(mean_y + power * (prediction.mean() - mean_h))
    drawing, m = 0.0, 0
    for unit in set(units[labeled]):
        members = [i for i in range(size) if units[i] == unit]
        chance = chances[members[0]]
        m += 1
        drawing += (
            (1 - chance)
            / chance**2
            * sum(human[i] - mean_y - power * (prediction[i] - mean_h) for i in members) ** 2
            / total**2
        )
    assert found.drawing == pytest.approx(drawing * m / (m - 1))
    inputs = alone = 0.0
    for i in range(size):
        for j in range(size):
            if labeled[i] and labeled[j] and documents[i] == documents[j]:
                both = chances[i] if units[i] == units[j] else chances[i] * chances[j]
                product = (human[i] - mean_y) * (human[j] - mean_y) / both / total**2
                inputs += product
                alone += product * (i == j)
    clusters = len(set(documents[labeled]))
    assert found.inputs == pytest.approx(max(inputs, alone) * clusters / max(clusters - 1, 1))


def test_no_prediction_has_seen_the_labels_of_its_own_segment() -> None:
    human, metrics = scores(2)
    human[:, 30:] = np.nan
    before = out_of_fold(human, metrics, np.arange(60), 5, 0, within_segments=False)
    for segment in (0, 11, 29):
        other = human.copy()
        other[:, segment] += 100
        after = out_of_fold(other, metrics, np.arange(60), 5, 0, within_segments=False)
        same = np.flatnonzero((before == after).all(axis=0))
        assert segment in same
        assert len(same) == 6
        assert (same < 30).all()


def test_documents_are_not_split_between_folds() -> None:
    human, metrics = scores(2)
    documents = np.repeat(np.arange(12), 5)
    human[:, 30:] = np.nan
    other = human.copy()
    other[0, 0] += 100
    before, after = (
        out_of_fold(one, metrics, documents, 3, 0, within_segments=True) for one in (human, other)
    )
    assert (before[:, :5] == after[:, :5]).all()
    assert (before[:, 30:] != after[:, 30:]).any()


def test_neither_scale_nor_sign_of_a_metric_matters() -> None:
    human, metrics = scores(3)
    partly = shown(human, np.arange(60) < 20)
    plain = estimate(partly, metrics, of="differences")
    other = estimate(
        partly, [-7 * metrics[0] + 100, metrics[1] / 50 + np.arange(3)[:, None]], of="differences"
    )
    for one, two in zip(plain, other, strict=True):
        assert one["low"] == pytest.approx(two["low"])
        assert one["power"] == pytest.approx(two["power"])


def test_a_perfect_metric_is_worth_all_labels_and_noise_next_to_nothing() -> None:
    human, _ = scores(4)
    partly = shown(human, np.arange(60) < 15)
    perfect = estimate(partly, human, generalize_to="none")
    assert perfect.column("estimate") == pytest.approx(human.mean(axis=1), abs=1e-3)
    assert min(perfect.column("effective_labels")) > 59
    noise = estimate(partly, np.random.default_rng(5).normal(size=human.shape))
    assert all(12 < effective < 18 for effective in noise.column("effective_labels"))
    without = estimate(partly, {})
    assert without.column("estimate") == pytest.approx(without.column("classical"))


def _world(rng: np.random.Generator, drawn: str) -> tuple[np.ndarray, np.ndarray, dict, np.ndarray]:
    """Scores of 2 systems on 80 segments of 20 documents, 5 less an error count, of which about 24 are
    labeled; and the mean over all inputs.
    """
    documents = np.repeat(np.arange(20), 4)
    latent = (
        0.5 * rng.normal(size=20)[documents]
        + 0.4 * rng.normal(size=80)
        + 0.6 * rng.normal(size=(2, 80))
        + np.array([[0.0], [0.4]])
    )
    metrics = latent + rng.normal(size=(3, 2, 80))
    mask, how = np.zeros((2, 80), dtype=bool), {"documents": documents, "drawn": drawn}
    if drawn == "segments":
        mask[:, rng.choice(80, 24, replace=False)] = True
    elif drawn == "cells":
        mask[np.unravel_index(rng.choice(160, 48, replace=False), (2, 80))] = True
    elif drawn == "documents":
        mask[:, np.isin(documents, rng.choice(20, 8, replace=False))] = True
    else:
        chances = np.clip(0.3 * np.exp(0.5 * metrics.mean(axis=(0, 1))), 0.05, 1)
        mask[:, rng.random(80) < chances] = True
        how = {"documents": documents, "drawn": "segments", "probabilities": chances}
    return latent, mask, how, metrics


@pytest.mark.parametrize("drawn", ["segments", "cells", "documents", "unequal"])
@pytest.mark.parametrize("of", ["means", "differences"])
@pytest.mark.parametrize("generalize_to", ["inputs", "none"])
def test_intervals_hold_as_often_as_they_say(drawn: str, of: str, generalize_to: str) -> None:
    """One interval per world, so that hits are independent; at least as many as 94% would give but for
    one time in 10,000.
    """
    rng = np.random.default_rng(11)
    worlds, hits, width, width_of_labels_alone = 150, 0, 0.0, 0.0
    for _ in range(worlds):
        human, mask, how, metrics = _world(rng, drawn)
        truth = human.mean(axis=1) if generalize_to == "none" else np.array([0.0, 0.4])
        row = estimate(shown(human, mask), metrics, of=of, generalize_to=generalize_to, **how)[0]
        hits += row["low"] <= (truth[0] if of == "means" else truth[0] - truth[1]) <= row["high"]
        width += row["high"] - row["low"]
        width_of_labels_alone += row["classical_high"] - row["classical_low"]
    assert stats.binom.ppf(1e-4, worlds, 0.94) <= hits
    assert hits <= stats.binom.ppf(1 - 1e-4, worlds, 0.99) or drawn in {"cells", "documents"}
    assert width < 0.99 * width_of_labels_alone


def test_labels_that_were_not_drawn_at_random_break_it() -> None:
    """The check of coverage can fail: the segments that people liked best are not a sample."""
    hits = 0
    rng = np.random.default_rng(12)
    for _ in range(50):
        human, _, _, metrics = _world(rng, "segments")
        mask = np.zeros((2, 80), dtype=bool)
        mask[:, np.argsort(human.mean(axis=0))[-24:]] = True
        row = estimate(shown(human, mask), metrics, generalize_to="none")[0]
        hits += row["low"] <= human[0].mean() <= row["high"]
    assert hits < 10


def test_too_few_labels_are_said_to_be() -> None:
    human, metrics = scores(6)
    nothing = estimate(np.full((3, 60), np.nan), metrics)[0]
    assert np.isnan(
        [nothing[name] for name in ("estimate", "low", "high", "effective_labels", "variance_ratio")]
    ).all()
    assert nothing["reason"] == "0 drawn and labeled; an interval needs at least 2"
    one = estimate(shown(human, np.arange(60) < 1), metrics)[0]
    assert one["estimate"] == human[0, 0]
    assert np.isnan(one["low"])
    assert np.isnan(one["classical_high"])
    assert "at least 2" in one["reason"]
    four = estimate(shown(human, np.arange(60) < 4), metrics)[0]
    assert four["power"] == 0
    assert four["low"] < four["estimate"] < four["high"]
    equal = estimate(np.where(np.arange(60) < 9, 5.0, np.nan), metrics[0, 0])[0]
    assert equal["estimate"] == 5
    assert np.isnan(equal["low"])
    assert "equal" in equal["reason"]


def test_skewed_labels_are_said_to_be() -> None:
    human = np.where(np.arange(100) % 10 == 9, 1.0, 5.0)
    row = estimate(shown(human, np.arange(100) < 20), np.arange(100.0), power=0.0)[0]
    assert row["reason"].startswith("skewness -2.7; below 178 labels")
    assert not estimate(shown(np.arange(100.0), np.arange(100) < 20), np.arange(100.0), power=0.0)[0][
        "reason"
    ]


def test_the_limit_on_the_side_of_the_tail_is_moved() -> None:
    """All samples of 6 of 12 values, one far below the others: t intervals contain their mean too seldom."""
    values = np.array([*np.linspace(80, 100, 11), 0.0])
    hits, usual, is_longer = 0, 0, set()
    samples = list(combinations(range(12), 6))[::4]
    for sample in samples:
        mask = np.isin(np.arange(12), sample)
        row = estimate(shown(values, mask), None, generalize_to="none")[0]
        half = stats.t.ppf(0.975, 5) * values[mask].std(ddof=1) * np.sqrt(1 / 6 - 1 / 12)
        hits += row["low"] <= values.mean() <= row["high"]
        usual += abs(row["estimate"] - values.mean()) <= half
        is_longer.add(row["estimate"] - row["low"] > 1.5 * half)
        # Some samples have a short tail above.
        assert row["high"] - row["estimate"] >= half * (1 - 1e-9)
    assert is_longer == {True, False}
    assert usual < hits


def test_what_is_wholly_labeled_is_known() -> None:
    human, metrics = scores(7)
    row = estimate(human, metrics, generalize_to="none")[0]
    assert row["estimate"] == row["low"] == row["high"] == pytest.approx(human[0].mean())
    assert row["reason"] == "everything is labeled"
    generalized = estimate(human, metrics)[0]
    usual = stats.t.interval(0.95, 59, human[0].mean(), stats.sem(human[0]))
    assert (generalized["low"], generalized["high"]) == pytest.approx(usual)


def test_missing_metric_scores_and_outputs() -> None:
    human, metrics = scores(8)
    partly = shown(human, np.arange(60) < 20)
    some = metrics.copy()
    some[0, 0, 5] = np.nan
    found = estimate(partly, some, drawn="segments")
    filled = metrics.copy()
    filled[0, 0, 5] = np.nanmean(some[0, 0])
    # The pooled deviation of the metric is over known scores alone, which moves the ridge penalty a little.
    assert found.column("estimate") == pytest.approx(estimate(partly, filled).column("estimate"), abs=1e-3)
    assert found.made["metric_scores_missing"] == 1
    some[:, 1, 50:] = np.nan
    found = estimate(partly, some, drawn="segments", of="differences")
    assert found.column("of") == [50, 60, 50]
    some[:, 1, 3] = np.nan
    with pytest.raises(InputError, match=r"1.*outputs"):
        estimate(partly, some)


def test_how_labels_were_drawn_is_seen() -> None:
    human, metrics = scores(9)
    assert estimate(shown(human, np.arange(60) < 20), metrics).made["drawn"] == "segments"
    cells = np.random.default_rng(0).random((3, 60)) < 0.3
    found = estimate(shown(human, cells), metrics, of="differences", systems=["a", "b", "c"])
    assert found.made["drawn"] == "cells"
    assert [(row["system"], row["other"]) for row in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    means = estimate(shown(human, cells), metrics)
    assert found[0]["estimate"] == pytest.approx(means[0]["estimate"] - means[1]["estimate"])
    assert "cells were drawn at random with equal probabilities" in found.notes[0]
    assert found.frame("pandas").attrs["generalizes_to"] == "new inputs like these"


def test_labels_needed() -> None:
    human, metrics = scores(10, segments=400)
    found = estimate(shown(human, np.arange(400) < 40), metrics, generalize_to="none", systems=list("abc"))
    needed = found.labels_needed(0.4)
    for row, now in zip(needed, found, strict=True):
        part = found.parts[(row["system"],)]
        for key, one in (("needed", part.found), ("needed_classical", part.alone)):
            scale = one.drawing / (1 / 40 - 1 / 400)
            widths = [
                2 * stats.t.ppf(0.975, n - 2) * np.sqrt(scale * (1 / n - 1 / 400))
                for n in (row[key] - 1, row[key])
            ]
            assert widths[0] > 0.4 >= widths[1]
        assert row["needed"] < row["needed_classical"]
        assert now["labels"] == row["labels"] == 40
    assert [row["system"] for row in found.where(system="b").labels_needed(0.4)] == ["b"]
    beyond = estimate(shown(human, np.arange(400) < 40), metrics).labels_needed(0.05)[0]
    assert beyond["needed"] is None
    assert beyond["reason"].startswith("even all 400 labels give")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "ranks"}, "of must be"),
        ({"generalize_to": "systems"}, "generalize_to must be"),
        ({"power": 2.0}, "power.*0"),
        ({"folds": 1}, "folds must be"),
        ({"confidence": 95}, "confidence must be between"),
        ({"drawn": "words"}, "drawn must be"),
        ({"drawn": "documents"}, "needs documents"),
        ({"documents": ["a"]}, "documents has 1 entries"),
        ({"systems": ["a"]}, "systems has 1 names"),
        ({"probabilities": [0.5]}, "probabilities has shape"),
        ({"probabilities": np.zeros(60)}, "0.*1"),
    ],
)
def test_what_cannot_be_is_refused(options: dict, message: str) -> None:
    human, metrics = scores(0)
    with pytest.raises((InputError, ParameterError), match=message):
        estimate(shown(human, np.arange(60) < 20), metrics, **options)


def test_shapes_that_do_not_fit_are_refused() -> None:
    human, metrics = scores(0)
    with pytest.raises(InputError, match=r"\(3, 59\).*\(3, 60\)"):
        estimate(human, {"chrf": metrics[0][:, 1:]})
    with pytest.raises(InputError, match="infinite"):
        estimate(np.where(human > 2, np.inf, human), metrics)
    with pytest.raises(InputError, match="must be numbers"):
        estimate([["good"]], [[1.0]])
    with pytest.raises(ParameterError, match="at least 2 systems"):
        estimate(human[0], metrics[0, 0], of="differences")
    with pytest.raises(ParameterError, match=r"width.*0"):
        estimate(human, metrics).labels_needed(0)


def test_judgments_estimate_and_propose() -> None:
    human, metrics = scores(13)
    partly = shown(human, np.arange(60) < 20)
    judged = Judgments.from_arrays(
        {"adequacy": partly},
        {"ter": -metrics[0], "chrf": metrics[1]},
        list("abc"),
        higher_is_better={"ter": False},
    )
    found = judged.estimate(human="adequacy", of="differences")
    plain = estimate(partly, {"ter": metrics[0], "chrf": metrics[1]}, of="differences", systems=list("abc"))
    assert found.rows == plain.rows
    assert judged.estimate(metrics=["chrf"]).rows == estimate(partly, metrics[1], systems=list("abc")).rows
    assert sum(judged.segments_to_label(7).column("proposed")) == 7
    with pytest.raises(InputError, match="by_group"):
        replace(judged, groups=("en-de", "zh-en") * 30).estimate()
    with pytest.raises(InputError, match="weights"):
        replace(judged, weights=np.ones(60)).estimate()
    with pytest.raises(InputError, match="whole systems"):
        replace(judged, system_scores={"bleu": np.ones(3)}).estimate(metrics=["bleu"])


def test_differences_are_fitted_within_segments() -> None:
    human, metrics = scores(14)
    human[:, 30:] = np.nan
    harder = human + 10 * np.random.default_rng(0).normal(size=60)
    within, within_harder = (
        out_of_fold(one, metrics, np.arange(60), 5, 0, within_segments=True) for one in (human, harder)
    )
    over, over_harder = (
        out_of_fold(one, metrics, np.arange(60), 5, 0, within_segments=False) for one in (human, harder)
    )
    assert within == pytest.approx(within_harder)
    assert np.abs(over - over_harder).max() > 0.1


def test_differences_of_systems_that_were_labeled_apart() -> None:
    human, metrics = scores(15)
    cells = np.random.default_rng(1).random((3, 60)) < 0.6
    partly = shown(human, cells)
    means, differences = (estimate(partly, metrics, of=of).parts for of in ("means", "differences"))
    first, second, found = means[("1",)].alone, means[("2",)].alone, differences[("1", "2")].alone
    both = cells[0] & cells[1]
    shared = np.cov(human[0, both], human[1, both])[0, 1]
    assert both.sum() >= 10
    assert shared > 0
    assert found.drawing == pytest.approx(first.drawing + second.drawing)
    assert found.inputs == pytest.approx(first.inputs + second.inputs - 2 * shared / 60)
    welch = (first.drawing + second.drawing) ** 2 / (
        first.drawing**2 / first.degrees + second.drawing**2 / second.degrees
    )
    assert found.degrees == pytest.approx(welch)


@pytest.mark.parametrize(
    ("systems", "of", "degrees"),
    [(1, "means", 18), (3, "means", 19 - 1 / 3), (2, "differences", 18), (3, "differences", 18.5)],
)
def test_the_price_of_the_power_is_shared(systems: int, of: str, degrees: float) -> None:
    human, metrics = scores(16, systems=systems)
    found = estimate(shown(human, np.arange(60) < 20), metrics, of=of)
    assert [part.found.degrees for part in found.parts.values()] == pytest.approx([degrees] * len(found))
    assert [part.alone.degrees for part in found.parts.values()] == [19] * len(found)


def test_effective_labels_are_those_that_alone_would_do() -> None:
    human, metrics = scores(17)
    found = estimate(shown(human, np.arange(60) < 20), metrics)
    for row, part in zip(found, found.parts.values(), strict=True):
        n = row["effective_labels"]
        assert part.alone.drawing / (1 / 20 - 1 / 60) * (1 / n - 1 / 60) == pytest.approx(part.found.drawing)
        assert row["labels_saved"] == pytest.approx(n - 20)
        assert row["variance_ratio"] == pytest.approx(part.alone.variance / part.found.variance)


def test_drawn_documents_are_folded_as_a_whole() -> None:
    human, metrics = scores(18)
    documents = np.repeat(np.arange(12), 5)
    partly = shown(human, documents < 6)
    other = partly.copy()
    other[0, 2] += 100
    before, after = (
        predicted(labels(one, metrics, None, "documents", None, documents), "means", 3, 0)
        for one in (partly, other)
    )
    assert (before[:, :5] == after[:, :5]).all()
    assert (before != after).any()
    found = estimate(partly, metrics, drawn="documents", documents=documents)
    assert [part.alone.degrees for part in found.parts.values()] == [5, 5, 5]


def test_labels_of_a_pair_that_was_labeled_apart_are_those_of_the_one_with_fewer() -> None:
    human, metrics = scores(19)
    cells = np.array([np.arange(60) < 30, np.arange(60) >= 40, np.arange(60) % 2 == 0])
    found = estimate(shown(human, cells), metrics, of="differences")
    assert found.column("labels") == [20, 30, 20]

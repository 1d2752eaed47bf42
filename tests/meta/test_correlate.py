"""correlate: its rows, intervals, floors, ceilings, groups, and what it says of bad input."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.meta import Judgments, correlate, soft_pairwise_accuracy
from nlgauge.stats.intervals import fisher, percentile
from nlgauge.stats.levels import LEVELS, Scores
from nlgauge.stats.measures import MEASURES, measure
from nlgauge.stats.resampling import bootstrap
from nlgauge.stats.ties import calibrate, darr

SCORES = st.one_of(st.integers(0, 3).map(float), st.just(math.nan))


def made_up(seed: int = 0, systems: int = 6, segments: int = 12, people: int = 3) -> Judgments:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(systems, 1)) + rng.normal(size=(systems, segments))
    ratings = np.round(truth[..., None] + rng.normal(size=(systems, segments, people)) * 0.5)
    metrics = {
        "good": truth + rng.normal(size=truth.shape) * 0.5,
        "ter": -truth + rng.normal(size=truth.shape),
        "flat": np.zeros(truth.shape),
    }
    return Judgments.from_arrays({"quality": ratings}, metrics, higher_is_better={"ter": False, "flat": None})


def one(found, **conditions):
    rows = found.where(**conditions).rows
    assert len(rows) == 1
    return rows[0]


def test_a_row_for_each_metric_level_and_coefficient() -> None:
    judged = made_up()
    found = judged.correlate(level=LEVELS, resamples=50)
    assert len(found) == 3 * 4 * 3
    z, x = judged.human(), judged.metrics["ter"]
    row = one(found, metric="ter", level="system", coefficient="pearson")
    expected = stats.pearsonr(-x.mean(axis=1), z.mean(axis=1))
    assert row["value"] == pytest.approx(expected.statistic)
    assert row["p"] == pytest.approx(expected.pvalue, abs=0.01)
    assert (row["n"], row["n_groups"], row["n_undefined"]) == (6, 1, 0)
    assert row["low"] < row["value"] < row["high"]
    by_input = one(found, metric="good", level="input", coefficient="kendall")
    assert by_input["value"] == pytest.approx(
        np.mean([stats.kendalltau(judged.metrics["good"][:, i], z[:, i]).statistic for i in range(12)])
    )
    assert (by_input["n"], by_input["n_groups"]) == (6, 12)
    assert math.isnan(by_input["p"])
    assert found.made["seed"] == 12345
    assert found.made["resamples"] == 50
    assert "flat" in found.notes[0]


def test_a_constant_metric_has_no_correlation_and_says_why() -> None:
    found = made_up().correlate(resamples=10)
    for row in found.where(metric="flat"):
        assert math.isnan(row["value"])
        assert math.isnan(row["low"])
        assert row["reason"] == "all scores are equal, or no pair can be ordered"
    assert one(found, metric="flat", level="input", coefficient="pearson")["n_undefined"] == 12


def test_intervals_are_those_of_the_shared_draws() -> None:
    judged = made_up()
    for over in ("systems", "inputs", "both"):
        found = correlate(judged, interval=over, resamples=40, seed=7)
        resamples = bootstrap(6, 12, over, 40, 7)
        for row in found.where(metric=["good", "ter"]):
            expected = percentile(
                measure(row["coefficient"]).replicates(row["level"], judged.scores(row["metric"]), resamples)
            )
            if over != "inputs" and expected.low == expected.high:
                expected = (math.nan, math.nan)
            assert (row["low"], row["high"]) == pytest.approx(expected[:2], nan_ok=True)
            assert row["over"] == over
    assert found.rows == correlate(judged, interval="both", resamples=40, seed=7).rows or np.array_equal(
        found.column("low"),
        correlate(judged, interval="both", resamples=40, seed=7).column("low"),
        equal_nan=True,
    )
    formula = correlate(judged, interval="fisher", metrics="good")
    row = one(formula, level="system", coefficient="kendall")
    assert (row["low"], row["high"]) == pytest.approx(fisher(row["value"], 6, "kendall")[:2])
    assert (
        "Pearson, Spearman or Kendall correlation"
        in one(formula, level="input", coefficient="pearson")["reason"]
    )
    assert math.isnan(
        one(correlate(judged, interval=None, metrics="good"), level="system", coefficient="pearson")["low"]
    )
    corrected = correlate(
        judged, method="bca", resamples=200, metrics="good", level="system", coefficient="pearson"
    )[0]
    plain = correlate(judged, resamples=200, metrics="good", level="system", coefficient="pearson")[0]
    assert corrected["low"] != plain["low"]


def test_every_measure_at_every_level_it_has() -> None:
    judged = made_up()
    found = correlate(judged, LEVELS, list(MEASURES), resamples=8, metrics=["good", "ter"])
    assert {(row["coefficient"], row["level"]) for row in found} == {
        (name, level) for name, by in MEASURES.items() for level in by.levels
    }
    x, z = judged.oriented("good"), judged.human()
    for name in ("acc_eq", "tau_eq", "acc_eq_calibrated", "spa", "pairwise_accuracy"):
        assert all(not math.isnan(row["floor"]) for row in found.where(coefficient=name))
    assert one(found, coefficient="spa", metric="good")["value"] == pytest.approx(
        float(soft_pairwise_accuracy(x, z))
    )
    row = one(found, coefficient="acc_eq_calibrated", level="input", metric="good")
    expected = calibrate(x.T, z.T)
    assert (row["value"], row["epsilon"], row["skill"], row["floor"]) == pytest.approx(
        (expected.accuracy, expected.epsilon, expected.skill, expected.floor)
    )
    assert row["held_out"] == pytest.approx(expected.held_out)
    wide = replace(measure("darr"), threshold=1.0)
    row = correlate(judged, "input", wide, metrics="good", resamples=8)[0]
    assert row["value"] == pytest.approx(float(darr(x.T, z.T, 1.0)))
    assert row["n"] == sum(abs(a - b) >= 1 for column in z.T for a, b in combinations(column, 2))


@settings(max_examples=25, deadline=None)
@given(
    arrays(np.float64, (2, 4, 3), elements=SCORES),
    st.sampled_from(["systems", "inputs", "both"]),
    st.integers(0, 9),
)
def test_replicates_of_pairs_as_an_explicit_loop(sides: np.ndarray, over: str, seed: int) -> None:
    x, z = np.where(np.isnan(sides).any(axis=0), np.nan, sides)
    resamples = bootstrap(4, 3, over, 4, seed)
    darr_by, star = replace(measure("darr"), threshold=2.0), measure("acc_eq_calibrated")
    epsilon = calibrate(x.T, z.T).epsilon
    expected: dict[str, list[float]] = {"darr": [], "star": []}
    for c, w in zip(resamples.systems, resamples.inputs, strict=True):
        right = wrong = 0.0
        shares, outer = [], []
        for n in range(3):
            good = total = 0.0
            for i, j in combinations(range(4), 2):
                dx, dz = x[i, n] - x[j, n], z[i, n] - z[j, n]
                if math.isnan(dx):
                    continue
                weight = c[i] * c[j]
                total += weight
                good += weight * ((0 if abs(dx) <= epsilon else np.sign(dx)) == np.sign(dz))
                if abs(dz) >= 2:
                    right += w[n] * weight * (np.sign(dx) == np.sign(dz))
                    wrong += w[n] * weight * (np.sign(dx) != np.sign(dz))
            if total and w[n]:
                shares.append(good / total)
                outer.append(w[n])
        expected["darr"].append((right - wrong) / (right + wrong) if right + wrong else math.nan)
        expected["star"].append(np.average(shares, weights=outer) if shares else math.nan)
    np.testing.assert_allclose(
        darr_by.replicates("input", Scores(*sides), resamples), expected["darr"], atol=1e-9
    )
    np.testing.assert_allclose(
        star.replicates("input", Scores(*sides), resamples), expected["star"], atol=1e-6
    )


def test_soft_accuracy_in_draws() -> None:
    judged = made_up(systems=4, segments=5)
    x, z, spa = judged.oriented("good"), judged.human(), measure("spa")
    whole = spa.replicates("system", Scores(x, z), bootstrap(4, 5, "systems", 6, 1))
    resamples = bootstrap(4, 5, "both", 6, 1)
    both = spa.replicates("system", Scores(x, z), resamples)
    for b in range(6):
        columns = np.repeat(np.arange(5), resamples.inputs[b].astype(int))
        rows = [i for i in range(4) if resamples.systems[b][i]]
        if len(rows) > 1:
            pairs = [
                (
                    float(soft_pairwise_accuracy(x[[i, j]][:, columns], z[[i, j]][:, columns])),
                    resamples.systems[b][i] * resamples.systems[b][j],
                )
                for i, j in combinations(rows, 2)
            ]
            assert both[b] == pytest.approx(np.average([v for v, _ in pairs], weights=[w for _, w in pairs]))
    assert ((whole >= 0) & (whole <= 1) | np.isnan(whole)).all()


def test_the_ceiling_is_one_annotator_against_the_mean_of_the_others() -> None:
    judged = made_up()
    found = correlate(judged, "system", ["kendall", "pearson"], metrics="good", interval=None)
    ratings = judged.ratings["quality"]
    values = []
    for person in range(3):
        others = np.delete(ratings, person, axis=2).mean(axis=2)
        values.append(stats.kendalltau(ratings[..., person].mean(axis=1), others.mean(axis=1)).statistic)
    assert one(found, coefficient="kendall")["ceiling"] == pytest.approx(np.mean(values))
    assert math.isnan(one(found, coefficient="kendall")["disattenuated"])
    pairs = [
        np.corrcoef(ratings[..., i].mean(axis=1), ratings[..., j].mean(axis=1))[0, 1]
        for i, j in combinations(range(3), 2)
    ]
    reliable = 3 * np.mean(pairs) / (1 + 2 * np.mean(pairs))
    row = one(found, coefficient="pearson")
    if row["value"] / math.sqrt(reliable) <= 1:
        assert row["disattenuated"] == pytest.approx(row["value"] / math.sqrt(reliable))
    else:
        assert row["disattenuated"] == 1
        assert "capped" in row["reason"]
    assert set(found.column("ceiling_reason")) == {""}


def test_a_ceiling_that_is_not_known_says_why() -> None:
    judged = made_up()
    ratings, scores = judged.ratings["quality"], {"good": judged.metrics["good"]}
    alone, apart, alike = ratings.copy(), ratings.copy(), np.ones_like(ratings)
    alone[..., 1:] = np.nan
    apart[:, ::2, 0] = apart[:, 1::2, 1] = apart[..., 2] = np.nan
    for humans, reason in (
        (judged.human(), "only one rating per output"),
        (ratings[..., :1], "one annotator alone"),
        (alone, "one annotator alone"),
        (apart, "no unit has the ratings of two annotators"),
        (alike, "all ratings are alike, or too few"),
    ):
        part = Judgments.from_arrays(humans, scores)
        for row in [
            *correlate(part, interval=None),
            *correlate(Judgments.joined({"de": part, "fr": part}), interval=None),
        ]:
            assert math.isnan(row["ceiling"])
            assert row["ceiling_reason"] == reason
    rated, unrated = (
        Judgments.from_arrays({"quality": humans}, scores) for humans in (ratings, judged.human())
    )
    half = Judgments.joined({"de": rated, "fr": unrated})
    found = {
        row["group"]: row["ceiling_reason"]
        for row in correlate(half, "system", "kendall", metrics="good", interval=None)
    }
    assert found["average"] == "" != found["fr"]


def test_groups_and_their_average() -> None:
    parts = {"de": made_up(1, systems=5), "fr": made_up(2, systems=7)}
    judged = Judgments.joined(parts)
    found = correlate(judged, ["system", "input"], ["pearson", "pairwise_accuracy"], resamples=30)
    for level in ("system", "input"):
        rows = {row["group"]: row for row in found.where(metric="good", level=level, coefficient="pearson")}
        for group, part in parts.items():
            alone = correlate(part, level, "pearson", metrics="good", interval=None)[0]
            assert rows[group]["value"] == pytest.approx(alone["value"])
        assert rows["average"]["value"] == pytest.approx((rows["de"]["value"] + rows["fr"]["value"]) / 2)
        assert rows["average"]["low"] < rows["average"]["value"]
        assert rows["average"]["n_groups"] == 2
    rows = {row["group"]: row["value"] for row in found.where(metric="good", coefficient="pairwise_accuracy")}
    assert rows["average"] == pytest.approx((10 * rows["de"] + 21 * rows["fr"]) / 31)
    flat = one(found, metric="flat", level="system", coefficient="pearson", group="average")
    assert flat["n_undefined"] == 2
    assert flat["reason"] == "2 of 2 groups have no value"


def test_pairs_that_people_ordered() -> None:
    rows = [
        {"segment": s, "better": a, "worse": b, "lp": lp}
        for lp in ("x", "y")
        for s, a, b in ((1, "A", "B"), (2, "B", "C"), (2, "A", "C"))
    ]
    scores = {
        "A": {("x", 1): 3, ("x", 2): 1, ("y", 1): 0},
        "B": {("x", 1): 2, ("x", 2): 1, ("y", 1): 1},
        "C": {("x", 2): 1, ("y", 2): 4},
    }
    judged = Judgments.from_pairs(rows, {"m": scores}, group="lp")
    found = correlate(judged, "input", "darr", resamples=20)
    values = {row["group"]: row["value"] for row in found}
    assert values == {"x": pytest.approx(-1 / 3), "y": -1, "average": pytest.approx(-2 / 3)}
    assert [(row["n"], row["n_groups"], row["n_undefined"]) for row in found] == [
        (3, 2, 0),
        (1, 1, 2),
        (4, 2, 0),
    ]
    ignoring = correlate(judged, "input", replace(measure("darr"), ties="ignore"), interval=None)
    assert ignoring[0]["value"] == 1
    with pytest.raises(InputError, match="DARR"):
        correlate(judged, "input", "kendall")


def test_scores_of_whole_systems() -> None:
    judged = made_up(people=1)
    whole = np.arange(6.0)
    with_scores = replace(
        judged, metrics={}, higher_is_better={"corpus": False}, system_scores={"corpus": whole}
    )
    found = correlate(with_scores, ["system", "input"], "kendall", resamples=20)
    row = one(found, level="system")
    assert row["value"] == pytest.approx(stats.kendalltau(-whole, judged.human().mean(axis=1)).statistic)
    assert row["over"] == "systems"
    assert row["low"] <= row["value"] <= row["high"]
    assert one(found, level="input")["reason"] == "the metric has no scores here"
    inputs = correlate(with_scores, "system", "kendall", interval="inputs", resamples=20)[0]
    assert math.isnan(inputs["low"])
    assert inputs["reason"] == "scores of whole systems cannot be resampled by input"


def test_signs_are_kept_unless_absolute_values_are_asked_for() -> None:
    judged = Judgments.from_arrays(made_up().human(), {"ter": made_up().metrics["ter"]})
    value = correlate(judged, "system", "pearson", interval=None)[0]["value"]
    assert value < 0
    assert correlate(judged, "system", "pearson", interval=None, absolute=True)[0]["value"] == -value


def test_missing_cells_are_left_out_and_said() -> None:
    z = made_up().human().copy()
    z[0, :4] = np.nan
    judged = Judgments.from_arrays(z, {"good": made_up().metrics["good"]})
    with pytest.warns(UserWarning, match="judged on different inputs"):
        found = correlate(judged, "system", "pearson", resamples=10)
    means = np.nanmean(np.where(np.isnan(z), np.nan, judged.metrics["good"]), axis=1)
    assert found[0]["value"] == pytest.approx(stats.pearsonr(means, np.nanmean(z, axis=1)).statistic)
    metric = made_up().metrics["good"].copy()
    metric[:, 5] = np.nan
    both = Judgments.from_arrays(made_up().human(), {"good": made_up().metrics["good"], "holes": metric})
    common = correlate(both, "input", "pearson", interval=None, complete=True)
    assert [row["n_groups"] for row in common] == [11, 11]


def test_few_systems_one_annotator_and_nothing_at_all() -> None:
    judged = Judgments.from_arrays([[1.0, 2, 3]], {"m": [[1.0, 2, 4]]})
    found = correlate(judged, resamples=10)
    assert one(found, level="system", coefficient="pearson")["reason"] == "fewer than two points"
    assert one(found, level="input", coefficient="pearson")["n_undefined"] == 3
    assert one(found, level="global", coefficient="kendall")["value"] == 1
    empty = Judgments.from_arrays(
        [[math.nan] * 3] * 2, {"m": [[1.0, 2, 4]] * 2, "none": [[math.nan] * 3] * 2}
    )
    found = correlate(empty, resamples=10)
    assert {row["reason"] for row in found} == {
        "there are no human scores here",
        "the metric has no scores here",
    }


def test_what_is_refused() -> None:
    judged = made_up()
    with pytest.raises(ParameterError, match="interval must be"):
        correlate(judged, interval="cells")
    with pytest.raises(ParameterError, match="method must be"):
        correlate(judged, method="normal")
    with pytest.raises(ParameterError, match="resamples must be"):
        correlate(judged, resamples=0)
    with pytest.raises(ParameterError, match="coefficient 'pearsn'"):
        correlate(judged, coefficient="pearsn")
    with pytest.raises(ParameterError, match=r"level.*system"):
        correlate(judged, "system", "darr")
    with pytest.raises(UnknownNameError, match="metric 'bleu'"):
        correlate(judged, metrics="bleu")
    with pytest.raises(UnknownNameError, match="human dimension 'fluency'"):
        correlate(judged, human="fluency")
    with pytest.raises(InputError, match="no metrics"):
        correlate(Judgments.from_arrays(judged.human(), None))
    with pytest.raises(InputError, match="no human scores"):
        correlate(Judgments.from_arrays(None, judged.human()))


def test_groups_are_drawn_each_for_itself() -> None:
    parts = {"de": made_up(1), "fr": made_up(2)}
    row = one(
        correlate(Judgments.joined(parts), "system", "pearson", metrics="good", resamples=30, seed=4),
        group="average",
    )
    drawn = [
        measure("pearson").replicates("system", part.scores("good"), bootstrap(6, 12, "both", 30, 4 + i))
        for i, part in enumerate(parts.values())
    ]
    assert (row["low"], row["high"]) == pytest.approx(percentile(np.mean(drawn, axis=0))[:2])


@pytest.mark.parametrize("over", ["systems", "inputs", "both"])
def test_draws_of_ready_made_pairs_as_a_loop(over: str) -> None:
    rng = np.random.default_rng(3)
    pairs = [(s, *rng.permutation(4)[:2]) for s in range(5) for _ in range(3)]
    scores = rng.integers(0, 3, (4, 5)).astype(float)
    rows = [{"segment": s, "better": f"S{a}", "worse": f"S{b}"} for s, a, b in pairs]
    judged = Judgments.from_pairs(rows, {"m": {f"S{i}": dict(enumerate(scores[i])) for i in range(4)}})
    resamples = bootstrap(len(judged.systems), len(judged.segments), over, 12, 5)
    expected = []
    for c, w in zip(resamples.systems, resamples.inputs, strict=True):
        right = wrong = 0.0
        for s, a, b in pairs:
            weight = (
                w[judged.segments.index(s)]
                * c[judged.systems.index(f"S{a}")]
                * c[judged.systems.index(f"S{b}")]
            )
            right += weight * (scores[a, s] > scores[b, s])
            wrong += weight * (scores[a, s] <= scores[b, s])
        expected.append((right - wrong) / (right + wrong) if right + wrong else math.nan)
    row = correlate(judged, "input", "darr", interval=over, resamples=12, seed=5)[0]
    assert (row["low"], row["high"], row["undefined_resamples"]) == pytest.approx(
        percentile(np.array(expected))
    )


@pytest.mark.filterwarnings("ignore:systems were judged")
def test_nothing_that_is_degenerate_raises_or_warns() -> None:
    rng = np.random.default_rng(0)
    for trial in range(24):
        systems, segments = rng.integers(1, 5, 2)
        z, x = (
            rng.integers(0, 3, (systems, segments, 2)).astype(float),
            rng.integers(0, 3, (systems, segments)).astype(float),
        )
        for side in (z, x):
            side[rng.random(side.shape) < 0.3] = np.nan
        x[0, 0] = 1e308 if trial % 5 == 0 else x[0, 0]
        groups = rng.integers(0, 2, segments).tolist() if trial % 2 else None
        judged = Judgments.from_arrays({"h": z}, {"m": x}, groups=groups)
        interval, method = (
            ["both", "systems", "inputs", "fisher"][trial % 4],
            ["percentile", "bca"][trial % 3 == 0],
        )
        for row in correlate(judged, LEVELS, list(MEASURES), resamples=4, interval=interval, method=method):
            assert not math.isnan(row["value"]) or row["reason"]


def test_two_systems_have_a_reason_and_no_interval_over_systems() -> None:
    rng = np.random.default_rng(0)
    judged = Judgments.from_arrays(rng.normal(size=(2, 9)), {"a": rng.normal(size=(2, 9))})
    for interval in ("both", "systems"):
        for row in judged.correlate(
            level=["system", "input"], coefficient=["pearson", "acc_eq"], interval=interval, resamples=20
        ):
            assert not math.isnan(row["value"])
            assert math.isnan(row["low"])
            assert "a bootstrap over systems needs at least 4 systems, got 2" in row["reason"]
            assert ("1 or -1" in row["reason"]) == (
                (row["level"], row["coefficient"]) == ("system", "pearson")
            )
    inputs = judged.correlate(level="input", coefficient="pearson", interval="inputs", resamples=20)[0]
    assert not math.isnan(inputs["low"])
    assert inputs["reason"] == ""


RANKED_ALIKE = ("pearson", "spearman", "kendall")


@pytest.mark.parametrize(("systems", "p"), [(3, 1 / 3), (4, 1 / 12), (5, 1 / 60), (6, 1 / 360)])
@pytest.mark.parametrize("interval", ["both", "systems", "fisher"])
def test_the_same_order_of_few_systems_claims_no_more_than_its_p(
    systems: int, p: float, interval: str
) -> None:
    steps = np.arange(systems)[:, None] + np.zeros(7)
    judged = Judgments.from_arrays(steps, {"up": 2 * steps, "down": -steps})
    for row in judged.correlate("system", RANKED_ALIKE, interval=interval, resamples=200):
        assert abs(row["value"]) == pytest.approx(1)
        assert row["p"] == pytest.approx(p)
        assert math.isnan(row["low"])
        assert math.isnan(row["high"])
        assert ("all resamples have the same value" in row["reason"]) == (
            systems > 3 and interval != "fisher"
        ), row["reason"]
        assert ("needs at least 4 systems, got 3" in row["reason"]) == (systems == 3 and interval != "fisher")
        assert ("Fisher's interval needs" in row["reason"]) == (interval == "fisher")


def test_p_of_few_systems_leaves_out_missing_systems_and_is_of_their_means() -> None:
    rng = np.random.default_rng(4)
    human, metric = np.round(rng.normal(size=(2, 7, 6)), 1)
    human[2], metric[5], human[0, :3] = np.nan, np.nan, np.nan
    with pytest.warns(UserWarning, match="different inputs"):
        rows = Judgments.from_arrays(human, {"m": metric}).correlate("system", RANKED_ALIKE, interval=None)
    shared = [at for at in range(7) if at not in (2, 5)]
    known = ~np.isnan(human[shared])
    x, z = (np.where(known, side[shared], 0).sum(axis=1) / known.sum(axis=1) for side in (metric, human))
    for row in rows:
        function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[
            row["coefficient"]
        ]
        values = np.array([function(x[list(order)], z).statistic for order in permutations(range(5))])
        assert row["n"] == 5
        assert row["p"] == pytest.approx(np.mean(np.abs(values) >= abs(row["value"]) - 1e-9), abs=1e-12)


@pytest.mark.parametrize(("average", "undefined"), [("pairs", "drop"), ("macro", "zero"), ("pairs", "zero")])
@pytest.mark.parametrize("level", ["input", "by_system"])
def test_how_groups_become_one_value(average: str, undefined: str, level: str) -> None:
    rng = np.random.default_rng(3)
    x, z = rng.integers(4, size=(5, 6)).astype(float), rng.integers(4, size=(5, 6)).astype(float)
    z[:, 2] = z[3] = 1.0
    x[1:3, 0] = np.nan
    judged = Judgments.from_arrays(z, {"a": x})
    options = {"level": level, "coefficient": "kendall", "average": average, "undefined": undefined}

    def explicit(x: np.ndarray, z: np.ndarray) -> float:
        sides = (x.T, z.T) if level == "input" else (x, z)
        values, weights = [], []
        for one, other in zip(*sides, strict=True):
            known = ~np.isnan(one)
            value = stats.kendalltau(one[known], other[known]).statistic if known.sum() > 1 else math.nan
            if undefined == "zero" or not math.isnan(value):
                values.append(0.0 if math.isnan(value) else value)
                weights.append(known.sum() * (known.sum() - 1) / 2 if average == "pairs" else 1.0)
        return float(np.average(values, weights=weights))

    row = judged.correlate(interval="inputs", resamples=30, **options)[0]
    assert row["value"] == pytest.approx(explicit(x, z))
    assert row["value"] != pytest.approx(
        judged.correlate(level=level, coefficient="kendall", interval=None)[0]["value"]
    )
    drawn = bootstrap(5, 6, "inputs", 30, 12345)
    columns = [np.repeat(np.arange(6), counts.astype(int)) for counts in drawn.inputs]
    bounds = percentile(np.array([explicit(x[:, chosen], z[:, chosen]) for chosen in columns]), 0.95)
    assert (row["low"], row["high"]) == pytest.approx(bounds[:2])
    with pytest.raises(ParameterError, match=r"average.*'macro' or 'pairs'.*'drop' or 'zero'"):
        judged.correlate(average="micro")
    with pytest.raises(ParameterError, match=r"comparisons.*average"):
        dataclasses.replace(judged, metrics={**judged.metrics, "b": x}).compare(
            coefficient=replace(measure("kendall"), undefined="zero")
        )

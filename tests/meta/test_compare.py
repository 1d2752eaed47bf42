import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.meta import Judgments, compare, williams
from nlgauge.stats.corrections import adjusted
from nlgauge.stats.intervals import zou


def judged(seed=0, systems=12, inputs=30, missing=0.0, **further):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, inputs)) + rng.normal(size=(systems, 1))
    noise = {"good": 0.3, "fair": 1.5, "poor": 4.0, "bad": 12.0}
    metrics = {
        name: quality + size * (rng.normal(size=quality.shape) + 0.4 * rng.normal(size=(systems, 1)))
        for name, size in noise.items()
    }
    human = quality + 0.5 * rng.normal(size=quality.shape)
    human[rng.random(human.shape) < missing] = np.nan
    return Judgments.from_arrays(human, metrics, **further)


def test_a_row_says_everything_of_a_pair():
    found = compare(judged(), resamples=300)
    assert len(found) == 6
    row = found[0]
    assert (row["metric"], row["other"], row["human"], row["group"]) == ("good", "fair", "human", None)
    assert row["delta"] == pytest.approx(row["value"] - row["other_value"])
    assert row["low"] <= row["delta"] <= row["high"]
    assert (row["test"], row["generalizes_to"]) == ("randomization", "systems")
    assert row["p_adjusted"] >= row["p"]
    assert found.made["resamples"] == 300
    assert found.made["adjust"] == "maxT"
    assert "new systems" in found.notes[0]


def test_values_are_scipys_and_people_count_where_all_metrics_do():
    judgments = judged(missing=0.2)
    scores = judgments.metrics["fair"].copy()
    scores[0, :3] = np.nan
    judgments = dataclasses.replace(judgments, metrics={**judgments.metrics, "fair": scores})
    known = ~np.isnan(judgments.human()) & ~np.isnan(scores)
    expected = stats.kendalltau(
        *(
            np.nanmean(np.where(known, values, np.nan), axis=1)
            for values in (judgments.metrics["good"], judgments.human())
        )
    )[0]
    assert compare(judgments, coefficient="kendall", resamples=10)[0]["value"] == pytest.approx(expected)


def test_williams_with_zou_and_holm():
    judgments = judged()
    found = compare(judgments, test="williams")
    human = judgments.human().mean(axis=1)
    means = [judgments.metrics[name].mean(axis=1) for name in ("good", "fair")]
    r = np.corrcoef([human, *means])
    assert found[0]["p"] == pytest.approx(float(williams(r[0, 1], r[0, 2], r[1, 2], 12).p))
    assert (found[0]["low"], found[0]["high"]) == pytest.approx(zou(r[0, 1], r[0, 2], r[1, 2], 12)[:2])
    assert found.column("p_adjusted") == pytest.approx(adjusted(found.column("p"), "holm").tolist())
    assert math.isnan(found[0]["p_error"])
    assert "approximation" in " ".join(compare(judgments, test="williams", coefficient="kendall").notes)
    assert compare(judgments, test="williams", level="global")[0]["generalizes_to"] == "outputs"


@pytest.mark.parametrize("level", ["system", "input", "global", "by_system"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"generalize_to": "inputs"},
        {"generalize_to": "both"},
        {"swap": "cells"},
        {"swap": "rows-xor-cols"},
    ],
)
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_the_same_seed_gives_the_same_and_bad_metrics_lose(level, options, coefficient):
    one, other = (
        compare(judged(), level, coefficient, resamples=150, adjust="holm", **options) for _ in range(2)
    )
    assert one.column("p") == other.column("p")
    row = one.where(metric="good", other="bad")[0]
    assert row["delta"] > 0
    assert row["p"] < 0.05


def test_the_bootstrap_test_by_hand():
    judgments = judged(systems=6, inputs=8)
    found = compare(judgments, test="bootstrap", generalize_to="inputs", resamples=200, adjust="none")
    from nlgauge.stats.resampling import bootstrap

    human, one, other = judgments.human(), judgments.metrics["good"], judgments.metrics["fair"]
    drawn = []
    for counts in bootstrap(6, 8, "inputs", 200, 12345).inputs.astype(int):
        chosen = np.repeat(np.arange(8), counts)
        means = [values[:, chosen].mean(axis=1) for values in (human, one, other)]
        drawn.append(np.corrcoef(means[0], means[1])[0, 1] - np.corrcoef(means[0], means[2])[0, 1])
    drawn = np.array(drawn)
    extreme = (np.abs(drawn - drawn.mean()) >= abs(found[0]["delta"])).sum()
    assert found[0]["p"] == pytest.approx((1 + extreme) / 201)
    assert (found[0]["low"], found[0]["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_a_metric_against_its_twin_has_p_one():
    judgments = judged()
    judgments = dataclasses.replace(
        judgments, metrics={**judgments.metrics, "twin": judgments.metrics["good"] * 2 + 3}
    )
    for options in (
        {},
        {"generalize_to": "inputs"},
        {"swap": "cells"},
        {"test": "bootstrap"},
        {"test": "williams"},
    ):
        row = compare(judgments, resamples=99, metrics=["good", "twin"], **options)[0]
        assert row["p"] == pytest.approx(1), options
        assert row["better"] == ""


def test_direction_comes_from_the_card():
    plain = judged()
    turned = Judgments.from_arrays(
        plain.human(),
        {"good": -plain.metrics["good"], "bad": plain.metrics["bad"]},
        higher_is_better={"good": False},
    )
    one, other = compare(plain, metrics=["good", "bad"], resamples=99)[0], compare(turned, resamples=99)[0]
    assert one["delta"] == pytest.approx(other["delta"])
    assert one["p"] == other["p"]


def test_clusters_letters_and_matrix():
    found = compare(judged(systems=40), resamples=300)
    table = found.clusters()
    assert table.column("metric")[0] == "good"
    assert table.column("cluster") == sorted(table.column("cluster"))
    assert table.column("not_beaten")[0] is True
    assert table.column("not_beaten")[-1] is False
    assert (
        sum(table.column("wins"))
        == sum(table.column("losses"))
        == sum(bool(better) for better in found.column("better"))
    )
    assert found.letters()["good"].startswith("a")
    matrix = found.matrix()
    assert matrix.column("metric") == table.column("metric")
    assert matrix[0]["good"] is None
    assert matrix[0]["bad"] == matrix[3]["good"] == found.where(metric="good", other="bad")[0]["p_adjusted"]
    deltas = found.matrix("delta")
    assert deltas[0]["bad"] == -deltas[3]["good"]
    assert found.matrix("low")[3]["good"] == -found.where(metric="good", other="bad")[0]["high"]


def test_groups_and_dimensions_are_families_of_their_own():
    found = compare(judged(groups=["x"] * 10 + ["y"] * 20), resamples=99)
    assert set(found.column("group")) == {"x", "y"}
    with pytest.raises(InputError, match=r"\.where\(group='x'\)"):
        found.clusters()
    alone = compare(judged(groups=["x"] * 10 + ["y"] * 20).by_group()["y"], resamples=99)
    assert found.where(group="y").matrix().rows == alone.matrix().rows


def test_scores_of_whole_systems():
    judgments = judged()
    whole = judgments.metrics["good"].mean(axis=1)
    with_whole = Judgments.from_arrays(
        judgments.human(), {"bad": judgments.metrics["bad"]}, system_scores={"corpus": whole}
    )
    found = compare(with_whole, resamples=300)[0]
    assert (found["metric"], found["other"]) == ("bad", "corpus")
    assert found["other_value"] == pytest.approx(
        compare(judgments, metrics=["good", "bad"], resamples=9)[0]["value"]
    )
    assert found["better"] == "corpus"
    with pytest.raises(InputError, match=r"scores.*systems"):
        compare(with_whole, generalize_to="inputs")
    with pytest.raises(InputError, match=r"scores.*systems"):
        compare(with_whole, level="input")


def noisy(noises=(1.0, 4.0, 12.0), systems=10, inputs=40, seed=5, **further):
    """Metrics that differ in how noisy they are on single segments."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    metrics = {
        name: quality + 0.6 * rng.normal(size=(systems, 1)) + noise * rng.normal(size=(systems, inputs))
        for name, noise in zip("abc", noises, strict=False)
    }
    return Judgments.from_arrays(quality + 0.5 * rng.normal(size=(systems, inputs)), metrics, **further)


@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_the_default_test_is_that_of_all_swaps_of_standardized_means(coefficient):
    judgments = noisy()
    means = {name: stats.zscore(values.mean(axis=1)) for name, values in judgments.metrics.items()}
    human = judgments.human().mean(axis=1)
    of = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}[coefficient]
    for row in compare(judgments, coefficient=coefficient, resamples=8000, adjust="none"):
        one, other = means[row["metric"]], means[row["other"]]
        null = []
        for signs in product([True, False], repeat=9):
            # The other half of the swaps has the same differences with the opposite sign.
            kept = np.array([True, *signs])
            null.append(of(np.where(kept, one, other), human)[0] - of(np.where(kept, other, one), human)[0])
        exact = np.mean(np.abs(null) >= abs(row["delta"]) - 1e-12)
        assert row["p"] == pytest.approx(exact, abs=5 * row["p_error"] + 1e-3)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall", "pairwise_accuracy"])
def test_means_given_as_scores_of_systems_and_weights_of_one_change_no_p(coefficient):
    judgments = noisy()
    expected = compare(judgments, coefficient=coefficient, resamples=300, adjust="none").column("p")
    given = dataclasses.replace(judgments, system_scores={"c": judgments.metrics["c"].mean(axis=1)})
    assert compare(given, coefficient=coefficient, resamples=300, adjust="none").column("p") == expected
    weighted = noisy(weights=np.ones(40))
    assert compare(weighted, coefficient=coefficient, resamples=300, adjust="none").column("p") == expected
    alone = Judgments.from_arrays(
        judgments.human(),
        {name: judgments.metrics[name] for name in "ab"},
        system_scores={"c": judgments.metrics["c"].mean(axis=1)},
    )
    assert compare(alone, coefficient=coefficient, resamples=300, adjust="none").column("p") == expected


@pytest.mark.parametrize("swap", ["systems", "inputs", "cells", "rows-xor-cols"])
@pytest.mark.parametrize("level", ["system", "input", "global", "by_system"])
def test_the_scale_of_a_metric_and_what_its_level_does_not_see_change_no_p(level, swap):
    judgments = noisy(systems=7, inputs=6)
    scores = judgments.metrics["b"]
    seen = {
        "system": 3 * scores - 7,
        "global": 3 * scores - 7,
        "input": np.arange(1.0, 7) * (scores + 5 * np.arange(6)),
        "by_system": np.arange(1.0, 8)[:, None] * (scores - np.arange(7)[:, None]),
    }
    for coefficient in ("pearson", "kendall"):
        one, other = (
            compare(of, level, coefficient, swap=swap, resamples=100, adjust="none").column("p")
            for of in (
                judgments,
                dataclasses.replace(judgments, metrics={**judgments.metrics, "b": seen[level]}),
            )
        )
        assert one == other


def test_soft_accuracy_reads_segments_beside_scores_of_systems():
    judgments = noisy()
    given = dataclasses.replace(judgments, system_scores={"c": judgments.metrics["c"].mean(axis=1)})
    one, other = (compare(of, coefficient="spa", resamples=50, adjust="none") for of in (judgments, given))
    assert one.column("value") == other.column("value")
    assert one.column("p") == other.column("p")
    alone = Judgments.from_arrays(
        judgments.human(),
        {"a": judgments.metrics["a"]},
        system_scores={"c": judgments.metrics["c"].mean(axis=1)},
    )
    with pytest.raises(InputError, match=r"scores.*systems"):
        compare(alone, coefficient="spa", resamples=50)
    with pytest.raises(InputError, match=r"segment weights"):
        compare(noisy(weights=np.ones(40)), coefficient="spa", resamples=50)


@pytest.mark.parametrize(
    "options", [{"adjust": "holm"}, {"adjust": "maxT"}, {"test": "williams"}, {"test": "bootstrap"}]
)
def test_planned_comparisons_are_a_family_of_their_own(options):
    judgments = judged(systems=14)
    every = compare(judgments, resamples=300, **options)
    found = compare(judgments, resamples=300, against=["fair", "bad"], **options)
    # Each metric with each of the two, and these with each other; what the others are compared with stands
    # second.
    assert [(row["metric"], row["other"]) for row in found] == [
        ("good", "fair"),
        ("good", "bad"),
        ("poor", "fair"),
        ("fair", "bad"),
        ("poor", "bad"),
    ]
    for row in found:
        one = every.where(metric=row["metric"], other=row["other"])
        same = one[0] if len(one) else every.where(metric=row["other"], other=row["metric"])[0]
        side = 1 if len(one) else -1
        assert row["p"] == same["p"]
        assert row["delta"] == side * same["delta"] == pytest.approx(row["value"] - row["other_value"])
        assert (row["low"], row["high"]) == (
            (same["low"], same["high"]) if side > 0 else (-same["high"], -same["low"])
        )
        assert row["p"] <= row["p_adjusted"] <= same["p_adjusted"]
    if found.made["adjust"] == "holm":
        assert found.column("p_adjusted") == pytest.approx(adjusted(found.column("p"), "holm").tolist())
    assert any(row["p_adjusted"] < max(every.column("p_adjusted")) for row in found)
    assert found.made["against"] == ["fair", "bad"]
    assert "corrected for 5 pairs of metrics, each metric with fair and with bad" in found.notes[-1]
    assert "corrected for 6 pairs of metrics (" in every.notes[-1]


def test_one_planned_comparison_is_not_corrected_and_has_no_letters():
    found = compare(judged(), resamples=300, metrics=["good"], against="bad")
    assert [(row["metric"], row["other"]) for row in found] == [("good", "bad")]
    assert found[0]["p_adjusted"] == found[0]["p"]
    assert found[0]["better"] == "good"
    assert found.matrix()[0]["bad"] == found[0]["p_adjusted"]
    for function in (found.clusters, found.letters):
        with pytest.raises(InputError, match=r"compared.*bad"):
            function()
    with pytest.raises(UnknownNameError, match=r"metric.*'god'"):
        compare(judged(), against="god")


def test_a_planned_comparison_with_what_has_no_scores_says_why():
    judgments = judged()
    judgments = dataclasses.replace(
        judgments, metrics={**judgments.metrics, "nothing": np.full(judgments.human().shape, np.nan)}
    )
    found = compare(judgments, resamples=99, against=["nothing", "good"])
    assert len(found) == 7
    assert all("nothing" in row["reason"] for row in found.where(other="nothing"))
    assert not any(math.isnan(row["p"]) for row in found if "nothing" not in (row["metric"], row["other"]))


def test_the_title_names_coefficient_and_level():
    assert (
        compare(judged(), "input", "kendall", resamples=20).title
        == "Differences in Kendall's tau-b, input level"
    )


def test_what_is_undefined_says_why():
    judgments = judged()
    shape = judgments.human().shape
    added = {"constant": np.ones(shape), "nothing": np.full(shape, np.nan)}
    judgments = dataclasses.replace(judgments, metrics={**judgments.metrics, **added})
    for options in (
        {},
        {"test": "bootstrap"},
        {"test": "williams"},
        {"level": "input", "coefficient": "kendall"},
    ):
        found = compare(judgments, resamples=99, **options)
        for label in ("constant", "nothing"):
            row = found.where(metric="good", other=label)[0]
            assert math.isnan(row["p"])
            assert math.isnan(row["p_adjusted"])
            assert label in row["reason"]
            assert row["better"] == ""
        assert not math.isnan(found.where(metric="good", other="bad")[0]["p"])
        places = dict(zip(found.clusters().column("metric"), found.clusters().column("cluster"), strict=True))
        assert places["constant"] is None
        assert places["nothing"] is None


def test_few_systems():
    found = compare(judged(systems=3), test="williams")
    assert found[0]["reason"] == "too few systems"
    assert math.isnan(found[0]["p"])
    assert "4 different swaps" in " ".join(compare(judged(systems=3), resamples=99).notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "randomization", "generalize_to": "both"}, "randomization test cannot generalize"),
        ({"test": "t"}, "test must"),
        ({"generalize_to": "people"}, "'systems', 'inputs' or 'both'"),
        ({"swap": "rows"}, "swap must"),
        ({"swap": "cells", "test": "bootstrap"}, "swap='cells'.*tests"),
        ({"swap": "cells", "generalize_to": "systems"}, "swap='cells'.*tests"),
        ({"test": "williams", "level": "input"}, "an average of correlations"),
        ({"test": "williams", "generalize_to": "inputs"}, "generalizes only to systems"),
        ({"test": "williams", "adjust": "maxT"}, "adjust must"),
        ({"adjust": "tukey"}, "adjust must"),
        ({"level": "document"}, "level 'document'"),
        ({"level": "input", "coefficient": "spa"}, "spa.*level"),
        ({"coefficient": "pearsn"}, "pearson"),
        ({"resamples": 0}, "resamples must be"),
        ({"alpha": 5}, "between 0 and 1"),
    ],
)
def test_options_outside_their_domain(options, message):
    with pytest.raises(ParameterError, match=message):
        compare(judged(), **options)


def test_one_metric_and_weights():
    with pytest.raises(InputError, match=r"metrics.*good"):
        compare(judged(), metrics=["good"])
    weighted = judged(weights=np.arange(1.0, 31))
    assert compare(weighted, resamples=99)[0]["value"] != compare(judged(), resamples=99)[0]["value"]
    for options in ({"generalize_to": "inputs"}, {"level": "input"}):
        with pytest.raises(InputError, match=r"segment weights"):
            compare(weighted, **options)
        assert compare(weighted, test="bootstrap", resamples=99, **options)[0]["p"] < 1


def test_the_matrix_of_p_values_shows_none_as_nothing() -> None:
    quality = np.random.default_rng(3).normal(size=(40, 5))
    judged = Judgments.from_arrays(quality, {"good": quality + 0.01 * quality**2, "bad": -quality})
    compared = judged.compare(test="williams")
    assert 0 < compared[0]["p_adjusted"] < 1e-4
    assert "<.0001" in compared.matrix().to_text()
    assert "<" not in compared.matrix("delta").to_text()


def test_stopping_early_reads_the_same_draws():
    judgments = judged(seed=3)
    whole = compare(judgments, resamples=900, adjust="none")
    found = compare(judgments, resamples=900, adjust="none", stop=20)
    assert found.made["stop"] == 20
    assert "Besag and Clifford" in found.notes[1]
    assert any(row["resamples"] < 900 for row in found)
    for one, other in zip(whole, found, strict=True):
        if other["resamples"] < 900:
            assert other["p"] == pytest.approx(20 / other["resamples"])
            assert other["p"] == pytest.approx(one["p"], abs=6 * other["p_error"])
        else:
            assert other["p"] == one["p"]


def test_stopping_early_is_for_permutations_without_max_t():
    judgments = judged(seed=3)
    assert compare(judgments, resamples=50, stop=5).made["adjust"] == "holm"
    with pytest.raises(ParameterError, match="none can stop early"):
        compare(judgments, stop=20, adjust="maxT")
    for options in ({"stop": 0}, {"stop": 20, "test": "bootstrap"}, {"stop": 2.5}):
        with pytest.raises(ParameterError, match="stop must be a whole number"):
            compare(judgments, **options)


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "williams"])
def test_without_any_human_score_every_pair_has_a_reason(test: str) -> None:
    rng = np.random.default_rng(0)
    judged = Judgments.from_arrays(np.full((5, 9), np.nan), {name: rng.normal(size=(5, 9)) for name in "abc"})
    found = judged.compare(test=test, resamples=20)
    assert len(found) == 3
    for row in found:
        assert np.isnan([row["value"], row["delta"], row["low"], row["p"], row["p_adjusted"]]).all()
        assert "is undefined" in row["reason"]


def test_too_few_systems_are_said() -> None:
    judged = Judgments.from_arrays([[1, 2], [3, 4]], {"a": [[1, 2], [2, 3]], "b": [[2, 2], [1, 3]]})
    assert judged.compare(resamples=20).notes[1].startswith("Too few for a test: 2 systems.")
    assert (
        judged.only(systems=["system1"])
        .compare(resamples=20)
        .notes[1]
        .startswith("Too few for a test: 1 system.")
    )


@pytest.mark.parametrize(
    ("swap", "units"), [("systems", 4), ("inputs", 3), ("cells", 12), ("rows-xor-cols", 6)]
)
def test_no_p_is_below_what_swaps_of_few_units_allow(swap: str, units: int) -> None:
    human = np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 3.0], [4.0, 5.0, 5.0], [5.0, 7.0, 8.0]])
    metrics = {"same": human + 0.1 * np.sin(human), "other": human[::-1], "noise": np.cos(3 * human)}
    judged = Judgments.from_arrays(human, metrics)
    least, smallest = 2.0 ** (1 - units), 1.0
    for seed in range(20):
        rows = judged.compare(swap=swap, resamples=4096 if units > 6 else 100, seed=seed)
        for row in rows:
            assert row["p_adjusted"] >= row["p"] >= least
            smallest = min(smallest, row["p"])
    assert smallest == least or units > 6


@pytest.mark.parametrize("systems", [2, 3])
@pytest.mark.parametrize("generalize_to", ["systems", "both"])
def test_a_bootstrap_of_three_systems_claims_nothing(systems: int, generalize_to: str) -> None:
    """All resamples of three systems have the order of the data, so every difference would be significant."""
    rng = np.random.default_rng(0)
    steps = np.arange(systems)[:, None] + np.zeros(9)
    judged = Judgments.from_arrays(
        steps,
        {"up": steps + rng.normal(size=steps.shape) / 9, "down": 0.1 * rng.normal(size=steps.shape) - steps},
    )
    for level in ("system", "input", "global"):
        for test in ("bootstrap", *(["randomization"] if generalize_to == "systems" else [])):
            (row,) = judged.compare(level, "kendall", test=test, generalize_to=generalize_to, resamples=99)
            assert row["better"] == ""
            assert math.isnan(row["low"])
            assert math.isnan(row["p"]) == (test == "bootstrap")
            assert row["reason"] == f"a bootstrap over systems needs at least 4 systems, got {systems}"
    (row,) = judged.compare("system", "kendall", generalize_to="inputs", resamples=99)
    assert (row["reason"], row["low"] > 0) == ("", True)

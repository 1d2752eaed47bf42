import dataclasses
import math

import numpy as np
import pytest

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import (
    PRESETS,
    Judgments,
    RankingTask,
    compare,
    rank,
    replicate,
    tree_weights,
    without_outliers,
)
from nlgauge.meta.all_pairs import all_pairs
from nlgauge.meta.comparison import planned
from nlgauge.stats.corrections import two_sided
from nlgauge.stats.soft import soft_pairwise_accuracy


def judged(seed=0, systems=10, groups=None, human_scale=30.0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 24)) + rng.normal(size=(systems, 1))
    humans = {name: human_scale * (quality + 0.5 * rng.normal(size=quality.shape)) for name in ("one", "two")}
    metrics = {
        name: quality + size * (rng.normal(size=quality.shape) + rng.normal(size=(systems, 1)) / 3)
        for name, size in (("good", 0.3), ("fair", 2), ("bad", 9))
    }
    return Judgments.from_arrays(humans, metrics, groups=groups)


def test_weights_of_a_tree():
    tasks = [
        RankingTask("pearson", "system", group="x"),
        RankingTask("pearson", "system", group="y"),
        RankingTask("kendall", "input", group="x"),
    ]
    assert tree_weights(tasks) == pytest.approx([1 / 3] * 3)
    assert tree_weights(tasks, ["level"]) == pytest.approx([0.25, 0.25, 0.5])
    assert tree_weights(tasks, ["group", "level"]) == pytest.approx([0.25, 0.5, 0.25])
    assert tree_weights(
        [RankingTask("pearson", "system", share=3), RankingTask("kendall", "system")]
    ) == pytest.approx([0.75, 0.25])
    with pytest.raises(ParameterError, match=r"group.*'year'"):
        tree_weights(tasks, ["year"])


def test_one_task_is_its_comparison():
    judgments = judged().only(human=["one"])
    found, pairs = (
        rank(judgments, [RankingTask("pearson", "system")], resamples=200),
        compare(judgments, resamples=200),
    )
    assert found.column("metric") == pairs.clusters().column("metric")
    assert found.column("average") == pytest.approx(
        [(value + 1) / 2 for value in pairs.clusters().column("value")]
    )
    assert found.column("cluster") == pairs.clusters().column("cluster")
    assert found.column("letters") == pairs.clusters().column("letters")


def test_the_average_of_tasks_and_its_null():
    judgments = judged()
    tasks = [RankingTask("pearson", "system", "one"), RankingTask("acc_eq", "input", "two")]
    found = rank(judgments, tasks, resamples=200, adjust="none")
    for row in found:
        assert row["average"] == pytest.approx(
            ((row["one system pearson"] + 1) / 2 + row["two input acc_eq"]) / 2
        )
    assert found.made["tasks"] == "one system pearson 0.5; two input acc_eq 0.5"
    parts = [
        all_pairs(
            judgments,
            task.human,
            planned(task.level, task.coefficient, None, None, "none", 200, 12345, None, 0.95, 0.05),
            intervals=False,
        )
        for task in tasks
    ]
    # A correlation lies in [-1, 1], a share in [0, 1]: half of the one beside the whole of the other, in
    # values and draws.
    delta, null = (
        0.5 * one / 2 + 0.5 * other
        for one, other in zip(*((of.deltas, of.null) for of in parts), strict=True)
    )
    k, m = np.triu_indices(3, 1)
    for i, j, p in zip(k, m, two_sided(delta, null), strict=True):
        for alpha, shared in ((p, False), (p - 1e-9, True)):
            letters = {
                row["metric"]: row["letters"]
                for row in rank(judgments, tasks, resamples=200, adjust="none", alpha=float(alpha))
            }
            assert bool(set(letters[judgments.labels[i]]) & set(letters[judgments.labels[j]])) == shared


def test_a_task_of_all_groups_counts_as_much_as_one_of_a_single_group():
    judgments = judged(groups=["x"] * 10 + ["y"] * 14).only(human=["one"])
    tasks = [RankingTask("pearson", "system"), RankingTask("kendall", "input", group="x")]
    found = rank(judgments, tasks, resamples=20)
    assert found.made["tasks"] == "x system pearson 0.25; y system pearson 0.25; x input kendall 0.5"
    row = found[0]
    assert row["average"] == pytest.approx(
        ((row["x system pearson"] + 1) / 2 + (row["y system pearson"] + 1) / 2) / 4
        + (row["x input kendall"] + 1) / 4
    )


def test_soft_accuracy_of_wmt24_counts_ties_as_its_program_does():
    rng = np.random.default_rng(3)
    human, metric = rng.integers(0, 3, (2, 5, 9)).astype(float)
    judgments = Judgments.from_arrays(human, {"a": metric, "b": human})
    value = rank(judgments, preset="wmt24", test="bootstrap", resamples=20).where(metric="a")[0]["system spa"]
    assert value == float(soft_pairwise_accuracy(metric, human, rule=">="))
    assert value != pytest.approx(float(soft_pairwise_accuracy(metric, human)), abs=1e-6)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_runs(preset):
    judgments = judged(groups=["x"] * 10 + ["y"] * 14)
    judgments = judgments if PRESETS[preset].every_human else judgments.only(human=["one"])
    found = rank(judgments, preset=preset, test="bootstrap", resamples=20)
    assert found.column("metric")[0] == "good"
    assert not any(math.isnan(value) for value in found.column("average"))
    assert sum(float(part.rsplit(" ", 1)[1]) for part in found.made["tasks"].split("; ")) == pytest.approx(
        1, abs=1e-3
    )


def test_pooled_accuracy_counts_every_pair_of_systems():
    judgments = judged(groups=["x"] * 10 + ["y"] * 14).only(human=["one"])
    human = judgments.human().copy()
    human[5:, 10:] = np.nan
    judgments = Judgments.from_arrays(
        {"one": human},
        {name: np.where(np.isnan(human), np.nan, values) for name, values in judgments.metrics.items()},
        groups=judgments.groups,
    )
    row = next(iter(rank(judgments, preset="wmt21", test="bootstrap", resamples=20)))
    accuracy = (45 * row["x system pairwise_accuracy"] + 10 * row["y system pairwise_accuracy"]) / 55
    kendall = (row["x global kendall"] + row["y global kendall"]) / 2
    assert row["average"] == pytest.approx((accuracy + (kendall + 1) / 2) / 2)


def test_a_metric_without_a_group_has_no_average_and_costs_the_others_nothing():
    judgments = judged(groups=["x"] * 10 + ["y"] * 14).only(human=["one"])
    scores = judgments.metrics["bad"].copy()
    scores[:, 10:] = np.nan
    cut = dataclasses.replace(judgments, metrics={**judgments.metrics, "bad": scores})
    found, whole = (rank(of, [RankingTask("pearson", "system")], resamples=50) for of in (cut, judgments))
    assert found[2]["metric"] == "bad"
    assert math.isnan(found[2]["average"])
    assert found[2]["cluster"] is None
    assert "y system pearson" in found[2]["reason"]
    assert found.column("average")[:2] == pytest.approx(whole.column("average")[:2])


def test_what_cannot_be_ranked():
    judgments = judged()
    with pytest.raises(ParameterError, match=r"wmt17.*'wmt2'"):
        rank(judgments, preset="wmt2")
    with pytest.raises(ParameterError, match=r"Williams'.*test"):
        rank(judgments, preset="summeval", test="williams")
    with pytest.raises(InputError, match=r"group.*'z'"):
        rank(judgments, [RankingTask("pearson", "system", "one", group="z")])
    with pytest.raises(InputError, match=r"metrics.*0 and 3"):
        rank(judgments, [])


def test_outlier_systems():
    human = np.tile(np.array([1.0, 2, 3, 4, 5, 60])[:, None], (1, 4))
    judgments = Judgments.from_arrays(human, {"a": human, "b": human})
    assert without_outliers(judgments).systems == judgments.systems[:5]
    assert without_outliers(judgments, threshold=100).systems == judgments.systems
    assert without_outliers(judgments.taken(systems=np.array([0, 0 + 1]))).systems == judgments.systems[:2]


def test_claims_that_are_true_are_kept_on_held_out_systems():
    found = replicate(judged(systems=24).only(human=["one"]), splits=10, resamples=99, test="randomization")
    everything = found[len(found) - 1]
    assert (everything["metric"], everything["compared"]) == ("all", 30)
    for name in ("compared", "claimed", "kept", "reversed"):
        assert sum(found.column(name)[:-1]) == everything[name]
    sure = found.where(metric="good", other="bad")[0]
    assert sure["claimed"] >= 8
    assert sure["kept"] == sure["claimed"]
    again = replicate(judged(systems=24).only(human=["one"]), splits=10, resamples=99, test="randomization")
    assert again.column("claimed") == found.column("claimed")


def test_claims_about_these_very_systems_are_reversed_more_often():
    rng = np.random.default_rng(4)
    quality = rng.normal(size=(16, 60))
    systems = rng.normal(size=(16, 1))
    metrics = {
        name: quality + systems + rng.normal(size=quality.shape) + rng.normal(size=(16, 1)) for name in "abcd"
    }
    judgments = Judgments.from_arrays(quality + systems + rng.normal(size=quality.shape), metrics)
    everything = {
        to: replicate(judgments, generalize_to=to, splits=20, resamples=99)[6] for to in ("systems", "inputs")
    }
    assert everything["inputs"]["claimed"] > 3 * everything["systems"]["claimed"]
    assert everything["inputs"]["reversed"] > everything["systems"]["reversed"]


def test_what_cannot_be_replicated():
    with pytest.raises(InputError, match=r"one group.*by_group"):
        replicate(judged(groups=["x"] * 24).only(human=["one"]))
    with pytest.raises(InputError, match=r"metrics.*3 and 3"):
        replicate(judged(systems=3).only(human=["one"]))
    with pytest.raises(ParameterError, match="splits"):
        replicate(judged().only(human=["one"]), splits=0)

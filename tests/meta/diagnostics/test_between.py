"""Agreement of metrics with each other, and with people among the best systems."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import Judgments, between_metrics, correlate, top_systems

NAN = float("nan")


def judged():
    rng = np.random.default_rng(5)
    scores = {"a": rng.normal(size=(6, 9)), "b": rng.normal(size=(6, 9)), "ter": rng.normal(size=(6, 9))}
    scores["b"][2, 3] = NAN
    return Judgments.from_arrays({"human": rng.normal(size=(6, 9))}, scores, higher_is_better={"ter": False})


def test_pairs_of_metrics_against_scipy():
    given = judged()
    rows = between_metrics(given, "global", "spearman").rows
    assert [(row["metric"], row["other"]) for row in rows] == [("a", "b"), ("a", "ter"), ("b", "ter")]
    a, b, ter = (given.metrics[name].ravel() for name in ("a", "b", "ter"))
    known = ~np.isnan(b)
    assert rows[0]["value"] == pytest.approx(stats.spearmanr(a[known], b[known]).statistic)
    assert rows[0]["n"] == 53
    assert rows[1]["value"] == pytest.approx(-stats.spearmanr(a, ter).statistic)


def test_people_among_metrics_as_correlate_has_them():
    given = judged()
    found = between_metrics(given, "system", "kendall", with_human=True).where(other="human")
    assert found.column("value") == pytest.approx(
        correlate(given, "system", "kendall", interval=None).column("value")
    )


def test_scores_of_whole_systems_at_system_level():
    given = dataclasses.replace(judged(), system_scores={"bleu": np.arange(6.0)})
    row = between_metrics(given, "system").where(metric="a", other="bleu")[0]
    assert row["value"] == pytest.approx(
        stats.pearsonr(given.metrics["a"].mean(axis=1), np.arange(6)).statistic
    )
    assert np.isnan(between_metrics(given, "global").where(metric="a", other="bleu")[0]["value"])


def test_groups_are_averaged():
    given = dataclasses.replace(judged(), groups=tuple("xxxxyyyyy"))
    parts = [between_metrics(part).column("value") for part in given.by_group().values()]
    assert between_metrics(given).column("value") == pytest.approx(np.mean(parts, axis=0))


def test_constant_and_missing_metrics():
    given = Judgments.from_arrays([[1, 2], [3, 4]], {"same": np.ones((2, 2)), "m": [[1, 2], [3, 5]]})
    assert np.isnan(between_metrics(given).column("value")[0])
    with pytest.raises(InputError, match=r"metrics.*got none"):
        between_metrics(Judgments.from_arrays([[1, 2]], {}))


def test_the_best_systems_by_people():
    given = judged()
    found = top_systems(given, coefficient="pearson")
    order = np.argsort(-given.human().mean(axis=1))
    assert sorted(set(found.column("k"))) == [4, 5, 6]
    for row in found:
        best = order[: row["k"]]
        x, z = (-1 if row["metric"] == "ter" else 1) * given.metrics[row["metric"]][best], given.human()[best]
        known = np.where(np.isnan(x), NAN, z)
        assert row["value"] == pytest.approx(
            stats.pearsonr(np.nanmean(x, axis=1), np.nanmean(known, axis=1)).statistic
        )
    assert found.made["systems"][0] == given.systems[order[0]]


def test_options_of_correlate_and_ks():
    found = top_systems(judged(), ks=[6, 3], metrics=["a"], interval="inputs", resamples=20, seed=3)
    assert found.column("k") == [3, 6]
    assert not np.isnan(found[1]["low"])
    assert found.made["seed"] == 3
    with pytest.raises(ParameterError, match="from 2 to 6"):
        top_systems(judged(), ks=[7])
    with pytest.raises(InputError, match=r"one group.*by_group"):
        top_systems(dataclasses.replace(judged(), groups=tuple("xxxxyyyyy")))

"""Downstream agreement against scipy by dataset, and given a covariate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.downstream import (
    MEAN,
    downstream,
    error_probability,
    hierarchy,
    label_agreement,
)
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.papers.cosmic import InformationGraph

NAN = math.nan


def test_by_dataset_then_the_mean():
    rng = np.random.default_rng(0)
    sources = rng.integers(0, 3, 40).tolist()
    outputs = [
        [label if rng.random() < 0.3 + 0.1 * s else (label + 1) % 3 for label in sources] for s in range(5)
    ]
    outputs[1][7] = None
    agreement = label_agreement(sources, outputs)
    assert error_probability(agreement)[1] == pytest.approx(
        np.mean([a != b for i, (a, b) in enumerate(zip(sources, outputs[1], strict=True)) if i != 7])
    )
    metric = agreement + rng.normal(size=(5, 40))
    groups = ["news" if n < 25 else "mail" for n in range(40)]
    judgments = Judgments.from_arrays(
        {"human": rng.normal(size=(5, 40))},
        {"m": metric, "w": -metric},
        groups=groups,
        higher_is_better={"w": False},
    )
    found = {
        (row["metric"], row["coefficient"], row["group"]): row["value"]
        for row in downstream(judgments, agreement)
    }
    known = ~np.isnan(agreement)
    expected = {}
    for name, part in (("news", slice(0, 25)), ("mail", slice(25, 40))):
        means = [
            np.array([row[part][here[part]].mean() for row, here in zip(side, known, strict=True)])
            for side in (metric, agreement)
        ]
        expected[name] = stats.pearsonr(*means).statistic, stats.kendalltau(*means).statistic
        assert (found["m", "pearson", name], found["m", "kendall", name]) == pytest.approx(expected[name])
    assert found["m", "pearson", MEAN] == pytest.approx((expected["news"][0] + expected["mail"][0]) / 2)
    assert found["w", "spearman", MEAN] == pytest.approx(found["m", "spearman", MEAN])


def test_undefined_has_a_reason():
    judgments = Judgments.from_arrays({"human": [[1.0], [2.0]]}, {"m": [[1.0], [1.0]]})
    [row] = downstream(judgments, [[1.0], [0.0]], coefficient="pearson").rows
    assert math.isnan(row["value"])
    assert row["reason"] == "all scores are equal, or no pair can be ordered"
    assert math.isnan(error_probability([[NAN]])[0])


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_given_a_covariate(name):
    rng = np.random.default_rng(1)
    words = rng.normal(size=(9, 30)) + np.arange(9)[:, None]
    metric = words + rng.normal(size=(9, 30)) * 4 + rng.normal(size=(9, 1))
    agreement = (words + rng.normal(size=(9, 30)) * 4 + rng.normal(size=(9, 1)) > 4).astype(float)
    judgments = Judgments.from_arrays(
        {"human": metric * 0}, {"m": metric, "w": -words}, higher_is_better={"w": False}
    )
    found = {
        row["metric"]: row
        for row in downstream(judgments, agreement, coefficient=name, partial=words, resamples=200)
    }
    x, z, w = metric.mean(axis=1), agreement.mean(axis=1), words.mean(axis=1)
    of = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[name]
    xz, xw, zw = (of(*pair).statistic for pair in ((x, z), (x, w), (z, w)))
    row = found["m"]
    assert row["value"] == pytest.approx(xz)
    assert row["covariate"] == pytest.approx(zw)
    assert row["partial"] == pytest.approx((xz - xw * zw) / math.sqrt((1 - xw**2) * (1 - zw**2)))
    if name == "pearson":  # as the correlation of what least squares leaves
        left = [side - np.polyval(np.polyfit(w, side, 1), w) for side in (x, z)]
        assert row["partial"] == pytest.approx(stats.pearsonr(*left).statistic)
    assert -1 <= row["partial_low"] <= row["partial"] <= row["partial_high"] <= 1
    assert math.isnan(found["w"]["partial"])  # nothing is left of a metric that is the covariate


def test_given_the_length_in_words_by_dataset():
    from nlgauge.corpus import Corpus

    texts = {
        system: ["a b c"[: 1 + 2 * (s % 3)] + " d" * (s * n % 4) for n in range(6)]
        for s, system in enumerate("pqrst")
    }
    corpus = Corpus.read(texts)
    rng = np.random.default_rng(2)
    judgments = Judgments(
        tuple("pqrst"), corpus.ids, {}, {"m": rng.normal(size=(5, 6))}, groups=("x",) * 3 + ("y",) * 3
    )
    agreement = rng.normal(size=(5, 6))
    lengths = np.array([[len(text.split()) for text in texts[system]] for system in "pqrst"])
    options = {"coefficient": "spearman", "interval": None}
    found = downstream(judgments, agreement, partial="words", texts=corpus, **options).rows
    assert found == downstream(judgments, agreement, partial=lengths, **options).rows
    by_group = {row["group"]: row for row in found}
    assert by_group[MEAN]["partial"] == pytest.approx(
        (by_group["x"]["partial"] + by_group["y"]["partial"]) / 2
    )
    assert math.isnan(by_group["x"]["low"])
    with pytest.raises(InputError, match="needs the texts"):
        downstream(judgments, agreement, partial="words")
    with pytest.raises(ParameterError, match="'words' or an array"):
        downstream(judgments, agreement, partial="length")


def test_bad_labels():
    with pytest.raises(InputError, match=r"system 1.*1.*2"):
        label_agreement(["a", "b"], [["a", "b"], ["a"]])


def test_hierarchy():
    information = np.array([[NAN, 3.0, 1.0], [2.0, NAN, NAN], [0.5, 4.0, NAN]])
    graph = InformationGraph(("a", "b", "c"), information, np.zeros((3, 3)))
    found = hierarchy(graph, 0.5)
    assert [(row["predicting"], row["predicted"]) for row in found] == [("c", "b"), ("a", "b"), ("b", "a")]
    assert found[1]["outgoing"] == 2.0
    assert found[0]["incoming"] == 3.5
    assert len(hierarchy(graph, 0.0)) == 5
    with pytest.raises(ParameterError, match="quantile"):
        hierarchy(graph, 2)
    with pytest.raises(InputError, match="no edge"):
        hierarchy(InformationGraph(("a", "b"), np.full((2, 2), NAN), np.zeros((2, 2))))

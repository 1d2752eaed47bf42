"""Downstream agreement against scipy by dataset, and the values of Fano's inequality."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.downstream import (
    MEAN,
    downstream,
    error_probability,
    fano_floor,
    hierarchy,
    label_agreement,
)
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.papers.cosmic import InformationGraph

NAN = math.nan


@pytest.mark.parametrize(
    ("classes", "information", "expected"),
    [(4, 0.5, 0.27307376580898285), (2, 0.3, 0.13358602535325184), (10, 1.0, 0.31078277345504257)],
)
def test_fano(classes, information, expected):
    assert fano_floor(information, classes) == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, 50), st.floats(0.001, 0.999))
def test_fano_is_the_inverse_of_the_rate(classes, share):
    error = share * (1 - 1 / classes)
    information = math.log(classes) - stats.entropy([error, 1 - error]) - error * math.log(classes - 1)
    assert fano_floor(information, classes) == pytest.approx(error, abs=1e-6)


def test_fano_limits():
    assert fano_floor(math.log(4), 4) == 0.0
    assert fano_floor(9.0, 4) == 0.0
    assert fano_floor(0.0, 4) == 0.75
    assert math.isnan(fano_floor(NAN, 4))
    with pytest.raises(ParameterError, match="whole number from 2"):
        fano_floor(0.5, 1)


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
    assert row["reason"] == "not defined in any group"
    assert math.isnan(error_probability([[NAN]])[0])


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

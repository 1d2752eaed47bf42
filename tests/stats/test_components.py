"""Variance components: the vectors, statsmodels' numbers, and data that lack a level."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.stats.components import _Nested, _reml, components

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "variance.json").read_text("utf-8"))
SCORES = VECTORS["scores[item][answer][judge run]"]
# Answer a of item i has 1 + (i + 2 a) % 4 runs, item i has 1 + i % 3 answers.
UNBALANCED = [
    [runs[: 1 + (i + 2 * a) % 4] for a, runs in enumerate(item[: 1 + i % 3])] for i, item in enumerate(SCORES)
]


def test_balanced_data_have_the_estimates_of_the_vectors():
    expected, found = VECTORS["anova"], components(SCORES)
    assert found.method == "anova"
    assert (found.item, found.answer, found.run) == pytest.approx(
        (expected["item"], expected["answer"], expected["judge"]), rel=1e-12
    )
    assert found.standard_error == pytest.approx(expected["se of the mean"], rel=1e-12)
    assert (found.items, found.answers, found.runs) == (40, 3, 4)


def test_restricted_likelihood_equals_anova_and_statsmodels_on_balanced_data():
    found = _reml(_Nested.of(SCORES))
    for source, tolerance in (("anova", 1e-7), ("mixedlm", 2e-6)):
        expected = VECTORS[source]
        theirs = (expected["item"], expected["answer"], expected["judge"], expected["se of the mean"])
        assert (found.item, found.answer, found.run, found.standard_error) == pytest.approx(
            theirs, abs=tolerance
        )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("three levels", UNBALANCED),
        ("answers only", [[runs[:1] for runs in item] for item in UNBALANCED]),
        ("runs only", [item[:1] for item in UNBALANCED]),
    ],
)
def test_unbalanced_data_have_the_numbers_of_statsmodels(name, values):
    expected, found = VECTORS["statsmodels"][name], components(values)
    assert found.method == "reml"
    for level, value in expected.items():
        assert getattr(found, level) == pytest.approx(value, abs=2e-6), level
    assert math.isnan(found.answer) == (name == "runs only")
    assert math.isnan(found.run) == (name == "answers only")


def test_levels_that_are_not_replicated_belong_to_the_level_above():
    once = components([item[0][0] for item in SCORES])
    assert (math.isnan(once.answer), math.isnan(once.run)) == (True, True)
    assert once.item == pytest.approx(np.var([item[0][0] for item in SCORES], ddof=1))
    answers = components([[runs[0] for runs in item] for item in SCORES])
    assert math.isnan(answers.run)
    assert answers.answer == pytest.approx(
        np.mean([np.var([runs[0] for runs in item], ddof=1) for item in SCORES])
    )


def test_missing_scores_and_items_are_left_out():
    holes = [[[None, *runs, math.nan] for runs in item] for item in SCORES]
    assert components([*holes, [], None, [[]], [math.nan]]) == components(SCORES)


def test_negative_estimates_are_0_with_a_remark():
    found = components([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert found.item == 0
    assert "item" in found.remarks[0] and "negative" in found.remarks[0]
    unbalanced = components([[0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0]])
    assert unbalanced.item == pytest.approx(0, abs=1e-6)
    assert unbalanced.remarks


@given(st.floats(0.1, 10), st.floats(-5, 5))
@settings(max_examples=10, deadline=None)
def test_components_follow_the_scale_of_the_scores(factor, shift):
    values = [[[factor * run + shift for run in runs] for runs in item] for item in UNBALANCED[:12]]
    ours, before = components(values), components(UNBALANCED[:12])
    assert (ours.item, ours.answer, ours.run) == pytest.approx(
        tuple(factor**2 * value for value in (before.item, before.answer, before.run)), rel=1e-4
    )


def test_data_that_cannot_be_separated_are_refused():
    with pytest.raises(InputError, match="two or more items"):
        components([[1.0, 2.0]])
    with pytest.raises(InputError, match="must be a number"):
        components([[1.0], ["high"]])
    with pytest.raises(InputError, match="infinite"):
        components([1.0, math.inf])

"""Variance components of panels: the intraclass correlation, and mean squares by hand."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.agreement import intraclass
from nlgauge.stats.crossed import panel_components


def test_one_system_has_the_components_of_the_intraclass_correlation():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(40, 1)) + 0.5 * rng.normal(size=(1, 4)) + 0.3 * rng.normal(size=(40, 4))
    variances = panel_components(scores[None]).variances
    assert list(variances) == ["item", "judge", "rest"]
    assert variances["item"] / sum(variances.values()) == pytest.approx(intraclass(scores).single, abs=1e-12)


def test_three_factors_by_their_mean_squares():
    rng = np.random.default_rng(3)
    systems, items, judges = 3, 30, 4
    scores = (
        rng.normal(size=(systems, items, 1))
        + rng.normal(size=(systems, 1, judges))
        + rng.normal(size=(1, items, judges))
        + 0.2 * rng.normal(size=(systems, items, judges))
    )
    variances = panel_components(scores).variances

    def center(means: np.ndarray) -> np.ndarray:
        return means - means.mean(axis=0) - means.mean(axis=1, keepdims=True) + means.mean()

    pair = center(scores.mean(axis=1))
    rest = variances["rest"]
    square = items * (pair**2).sum() / ((systems - 1) * (judges - 1))
    assert variances["system x judge"] == pytest.approx((square - rest) / items, abs=1e-12)
    assert rest == pytest.approx(0.04, rel=0.2)
    assert variances["item x judge"] == pytest.approx(1.0, rel=0.3)


def test_a_difference_of_systems_has_no_main_effects():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(2, 20, 3)) + 5 * rng.normal(size=(1, 20, 1))
    parts = panel_components(scores)
    assert set(parts.of_difference()) == {"system x item", "system x judge", "rest"}
    assert parts.of_difference()["rest"] == 2 * parts.variances["rest"]


def test_negative_estimates_are_0_and_named():
    scores = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    parts = panel_components(scores)
    assert parts.variances["item"] == 0.0
    assert "item" in parts.negative


def test_one_judge_is_no_panel():
    with pytest.raises(InputError, match="two or more items and judges"):
        panel_components(np.zeros((2, 5, 1)))

"""Agreement of two raters from tables: the vectors of other programs, and the functions of ratings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from audit_data import JUDGES, column, expected
from scipy.stats import binom

from nlgauge.errors import ParameterError
from nlgauge.stats.agreement import joint_counts, krippendorff
from nlgauge.stats.two_raters import (
    alpha_of_tables,
    cohen,
    costs,
    gwet,
    gwet_of_tables,
    kappa_of_tables,
    mcnemar,
)


@pytest.mark.parametrize("judge", JUDGES)
def test_the_vectors(judge):
    human, verdicts, numbers = column(judge, "human"), column(judge, "judge"), expected(judge)
    table = joint_counts(human, verdicts)
    assert table.tolist() == numbers["table rows people 0,1 columns judge 0,1"]
    assert kappa_of_tables(table, costs(2)) == pytest.approx(numbers["kappa (scikit-learn)"], abs=1e-12)
    assert gwet(human, verdicts) == pytest.approx(numbers["AC1 (irrCAC)"], abs=5e-6)
    assert alpha_of_tables(table) == pytest.approx(numbers["alpha nominal (krippendorff)"], abs=1e-12)
    place = numbers["position"]
    assert mcnemar(place["first place in both"], place["second place in both"]) == pytest.approx(
        place["mcnemar exact p"], rel=1e-9
    )


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_many_tables_have_the_numbers_of_each(weights):
    rng = np.random.default_rng(1)
    ratings = rng.integers(4, size=(5, 2, 60))
    tables = np.array([joint_counts(*each, categories=range(4)) for each in ratings])
    cost = costs(4, weights)
    assert kappa_of_tables(tables, cost) == pytest.approx(
        [cohen(*each, weights, range(4)) for each in ratings], abs=1e-12
    )
    assert gwet_of_tables(tables, cost) == pytest.approx(
        [gwet(*each, weights, range(4)) for each in ratings], abs=1e-12
    )
    scale = "nominal" if weights is None else "ordinal"
    assert alpha_of_tables(tables, scale) == pytest.approx(
        [krippendorff(each.T, scale) for each in ratings], abs=1e-12
    )


def test_ac2_by_the_definition():
    """Gwet's table of two raters: weighted agreement of each unit, and chance from mean shares."""
    one, other = np.array([0, 0, 1, 2, 2, 1, 0, 2]), np.array([0, 1, 1, 2, 1, 1, 2, 2])
    weight = 1 - (np.subtract.outer(range(3), range(3)) / 2) ** 2
    agreed = np.mean([weight[a, b] for a, b in zip(one, other, strict=True)])
    shares = [(np.mean(one == q) + np.mean(other == q)) / 2 for q in range(3)]
    chance = weight.sum() / (3 * 2) * sum(share * (1 - share) for share in shares)
    assert gwet(one, other, "quadratic") == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)


def test_undefined_and_refused():
    assert math.isnan(gwet([1, 1], [1, 1]))
    assert math.isnan(gwet([math.nan, 1], [1, math.nan], categories=[0, 1]))
    assert gwet([1, math.nan, 0], [1, 1, 0]) == 1.0
    assert np.isnan(kappa_of_tables(np.array([[3, 0], [0, 0]]), costs(2)))
    assert np.isnan(alpha_of_tables(np.zeros((2, 2)))).all()
    with pytest.raises(ParameterError, match="weights"):
        gwet([0, 1], [0, 1], "cubic")


def test_mcnemar_is_the_binomial_test():
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(3, 9) == mcnemar(9, 3) == pytest.approx(2 * binom.cdf(3, 12, 0.5))

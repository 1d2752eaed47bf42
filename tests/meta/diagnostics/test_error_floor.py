"""Fano's inequality, and the distortion-rate function against closed forms and a brute-force search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.error_floor import error_floor, fano_floor

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


@pytest.mark.parametrize(("classes", "information"), [(2, 0.01), (2, 0.6), (3, 0.4), (7, 1.5), (7, 0.001)])
def test_equal_classes_and_errors_are_fanos(classes, information):
    loss = 1 - np.eye(classes)
    assert error_floor(information, loss) == pytest.approx(fano_floor(information, classes), abs=1e-7)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_two_unequal_classes(share):
    """R(D) = h(p) - h(D) for D below p."""
    error = share / 3
    information = stats.entropy([share, 1 - share]) - stats.entropy([error, 1 - error])
    found = error_floor(information, [[0, 1], [1, 0]], [share, 1 - share])
    assert found == pytest.approx(error, abs=1e-7)


def by_search(information, loss, prior):
    """The least mean loss of a channel by constrained minimization from several starts."""
    classes, predictions = loss.shape

    def channel(x):
        return special.softmax(x.reshape(classes, predictions), axis=1)

    def rate(x):
        q = channel(x)
        marginal = prior @ q
        return float((prior[:, None] * special.rel_entr(q, np.broadcast_to(marginal, q.shape))).sum())

    best = math.inf
    for seed in range(6):
        found = optimize.minimize(
            lambda x: float((prior[:, None] * channel(x) * loss).sum()),
            np.random.default_rng(seed).normal(size=loss.size),
            constraints={"type": "ineq", "fun": lambda x: information - rate(x)},
            options={"maxiter": 500, "ftol": 1e-12},
        )
        if rate(found.x) <= information + 1e-6:
            best = min(best, found.fun)
    return best


@pytest.mark.parametrize("seed", range(4))
def test_any_loss_against_a_search(seed):
    rng = np.random.default_rng(seed)
    loss, prior = rng.uniform(size=(3, 4)), rng.dirichlet([2, 2, 2])
    information = 0.6 * float(stats.entropy(prior)) * rng.uniform()
    found, searched = error_floor(information, loss, prior), by_search(information, loss, prior)
    assert found <= searched + 1e-6  # a lower bound
    assert found == pytest.approx(searched, abs=3e-4)  # the search is an upper bound


def test_limits_of_the_floor():
    loss = np.array([[0.5, 2.0], [3.0, 1.0]])
    assert error_floor(0.0, loss, [0.25, 0.75]) == pytest.approx(1.25)
    assert error_floor(-1.0, loss) == pytest.approx(1.5)
    assert error_floor(50.0, loss, [0.25, 0.75]) == pytest.approx(0.875)
    assert error_floor(0.3, loss, [0.0, 1.0]) == pytest.approx(1.0)
    assert error_floor(0.3, np.ones((3, 2))) == pytest.approx(1.0)
    assert math.isnan(error_floor(NAN, loss))


def test_what_is_refused():
    with pytest.raises(ParameterError, match=r"differential entropy.*H\(T\|S\) = -14.6.*-2.2 million"):
        error_floor(1.0, [[0, 1], [1, 0]], bound="upper")
    assert round(-math.expm1(14.6) / 1e6, 1) == -2.2
    with pytest.raises(InputError, match="matrix"):
        error_floor(1.0, [0, 1])
    with pytest.raises(InputError, match="matrix"):
        error_floor(1.0, [[0, NAN]])
    with pytest.raises(InputError, match="2 probabilities"):
        error_floor(1.0, [[0, 1], [1, 0]], [0.5, 0.4])

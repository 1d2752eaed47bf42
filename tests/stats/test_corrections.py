import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from nlgauge.errors import ParameterError
from nlgauge.stats.corrections import adjusted, max_t, two_sided

P = [0.01, 0.02, 0.03, 0.04, 0.05, 0.2]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("bonferroni", [0.06, 0.12, 0.18, 0.24, 0.3, 1.0]),
        ("holm", [0.06, 0.1, 0.12, 0.12, 0.12, 0.2]),
        ("bh", [0.06] * 5 + [0.2]),
        ("by", [0.147] * 5 + [0.49]),
        ("none", P),
    ],
)
def test_the_vectors(method, expected):
    assert adjusted(P, method) == pytest.approx(expected)
    assert adjusted(P[::-1], method) == pytest.approx(expected[::-1])
    with_unknown = adjusted([np.nan, *P, np.nan], method)
    assert np.isnan(with_unknown[[0, -1]]).all()
    assert with_unknown[1:-1] == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_false_discovery_rates_are_those_of_scipy(p):
    for method in ("bh", "by"):
        assert adjusted(p, method) == pytest.approx(false_discovery_control(p, method=method))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_only_raise_and_keep_the_order(p):
    p = np.array(p)
    for method in ("bonferroni", "holm", "bh", "by"):
        found = adjusted(p, method)
        assert (found >= p - 1e-15).all()
        assert (np.diff(found[np.argsort(p, kind="stable")]) >= -1e-15).all()
    assert (adjusted(p, "holm") <= adjusted(p, "bonferroni") + 1e-15).all()


def test_nothing_to_correct_and_an_unknown_method():
    assert adjusted([], "holm").shape == (0,)
    with pytest.raises(ParameterError, match=r"adjust.*'none', 'bonferroni', 'holm', 'bh', 'by'.*'sidak'"):
        adjusted(P, "sidak")


@given(st.integers(0, 2**32 - 1))
def test_draws_are_counted_as_in_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    null = rng.integers(-3, 4, (15, 4)).astype(float)
    null[rng.random(null.shape) < 0.2] = np.nan
    observed = rng.integers(-3, 4, 4).astype(float)
    if rng.random() < 0.5:
        observed[0] = np.nan
    single, family = two_sided(observed, null), max_t(observed, null, scaled=False)
    judged = [k for k in range(4) if not np.isnan(observed[k]) and not np.isnan(null[:, k]).all()]
    for k in range(4):
        if k not in judged:
            assert np.isnan(single[k])
            assert np.isnan(family[k])
            continue
        own = [abs(v) for v in null[:, k] if not np.isnan(v)]
        assert (
            single[k] == pytest.approx((1 + sum(v >= abs(observed[k]) for v in own)) / (1 + len(own)))
            if own
            else np.isnan(single[k])
        )
        largest = [
            max(abs(v) for v in row[judged] if not np.isnan(v))
            for row in null
            if not np.isnan(row[judged]).all()
        ]
        expected = (
            (1 + sum(v >= abs(observed[k]) for v in largest)) / (1 + len(largest)) if largest else np.nan
        )
        assert family[k] == pytest.approx(expected, nan_ok=True)


def test_the_family_wise_p_is_at_least_the_single_one():
    rng = np.random.default_rng(1)
    null, observed = rng.normal(size=(200, 6)), rng.normal(size=6) * 2
    assert (max_t(observed, null) >= two_sided(observed, null)).all()
    assert max_t(observed[:1], null[:, :1]) == pytest.approx(two_sided(observed[:1], null[:, :1]))


def test_scaled_differences_are_judged_by_their_own_spread():
    rng = np.random.default_rng(2)
    null = rng.normal(size=(999, 2)) * [1.0, 100.0]
    observed = np.array([6.0, 0.0])
    assert max_t(observed, null, scaled=False)[0] > 0.9
    assert max_t(observed, null)[0] == pytest.approx(0.001)
    assert max_t(observed, null)[1] == 1
    one = null / [1.0, 100.0]
    assert max_t(observed / [1.0, 100.0], one) == pytest.approx(max_t(observed, null))


def test_a_twin_does_not_vary():
    assert max_t(np.array([0.0, 5.0]), np.array([[0.0, 1.0], [1e-16, -1.0], [0.0, 0.5]])).tolist() == [
        1.0,
        0.25,
    ]

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.stats import false_discovery_control

from nlgauge.errors import ParameterError
from nlgauge.stats.corrections import adjusted, bootstrap_max_t, max_t, sequential, two_sided

UNITS = 30
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


def normal(size, units=UNITS):
    """The value of the normal distribution that is as rare as this one of Student's, by quantiles of both."""
    return stats.norm.isf(stats.t.sf(size * ((units - 1) / units) ** 0.5, units - 1))


def all_pairs(scores, drawn, units=UNITS):
    """The square of p-values of all pairs of systems, `drawn` (systems, resamples)."""
    i, j = np.triu_indices(len(scores), 1)
    with np.errstate(invalid="ignore"):
        differences = drawn[i] - drawn[j]
        null = (differences - differences.mean(axis=1, keepdims=True)).T
        p = np.ones((len(scores), len(scores)))
        p[i, j] = p[j, i] = bootstrap_max_t(scores[i] - scores[j], null, np.full(len(i), units))
    return p


def naive(scores, drawn):
    """max-T as it is defined, pair by pair and resample by resample."""
    count, resamples = drawn.shape
    pairs = [(i, j) for i in range(count) for j in range(i)]
    size = {}
    for i, j in pairs:
        differences = [drawn[i, b] - drawn[j, b] for b in range(resamples)]
        mean = sum(differences) / resamples
        spread = (sum((d - mean) ** 2 for d in differences) / resamples) ** 0.5
        size[i, j] = (
            normal(abs(scores[i] - scores[j]) / spread),
            [abs(d - mean) / spread for d in differences],
        )
    largest = [max(size[pair][1][b] for pair in pairs) for b in range(resamples)]
    return {
        pair: (1 + sum(one >= size[pair][0] * (1 - 1e-9) for one in largest)) / (resamples + 1)
        for pair in pairs
    }


@given(
    arrays(np.float64, (4, 12), elements=st.integers(-50, 50).map(float)),
    arrays(np.float64, 4, elements=st.integers(-90, 90).map(float)),
)
def test_all_pairs_are_what_the_definition_gives(drawn, scores):
    drawn = drawn + np.outer([0.1, 0.27, 0.5, 0.77], np.sin(np.arange(12)))  # no two systems are the same
    p = all_pairs(scores, drawn)
    for (i, j), expected in naive(scores, drawn).items():
        assert p[i, j] == p[j, i] == pytest.approx(expected)


def test_many_pairs_can_be_told_apart():
    rng = np.random.default_rng(2)
    scores = np.arange(17.0)
    p = all_pairs(scores, scores[:, None] + 0.1 * rng.standard_normal((17, 300)))
    assert p[np.triu_indices(17, 1)].max() == 1 / 301


def test_equal_systems_are_seldom_called_different():
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(200):
        means = rng.standard_normal((6, 50))
        counts = rng.multinomial(50, np.full(50, 1 / 50), 200)
        p = all_pairs(means.mean(axis=1), (counts @ means.T / 50).T, 50)
        found += bool((p[np.triu_indices(6, 1)] <= 0.05).any())
    assert found <= 24  # 5% of 200 are 10


@pytest.mark.parametrize("unknown", [np.nan, np.inf])
def test_what_is_not_known_is_not_a_claim(unknown):
    scores = np.array([1.0, 2.0, unknown])
    p = all_pairs(
        scores, np.vstack([np.sin(np.arange(9.0)), 2 + np.cos(np.arange(9.0)), np.full(9, unknown)])
    )
    assert np.isnan(p[0, 2])
    assert np.isnan(p[2, 1])
    assert 0 < p[0, 1] < 1


def test_a_constant_difference_is_beyond_chance():
    drawn = np.sin(np.arange(40.0))
    p = all_pairs(np.array([0.0, 1.0, 0.5]), np.vstack([drawn, drawn + 1, np.cos(np.arange(40.0))]))
    assert p[0, 1] == 1 / 41


@pytest.mark.parametrize("units", [1, 2, 3, 5])
def test_no_p_is_below_what_swaps_of_few_units_allow(units: int) -> None:
    """No resample is as extreme as the first difference; the second is at the middle of its null."""
    observed, null = np.array([9.0, 0.0]), np.random.default_rng(1).standard_normal((999, 2))
    least = 2.0 ** (1 - units)
    for bounded, free in (
        (two_sided(observed, null, units), two_sided(observed, null)),
        (max_t(observed, null, units=units), max_t(observed, null)),
        (sequential(observed, null, 20, units)[0], sequential(observed, null, 20)[0]),
    ):
        assert free[0] == 0.001
        assert bounded.tolist() == [least, 1.0]
    assert np.isnan(two_sided(np.array([np.nan]), null[:, :1], units)).all()

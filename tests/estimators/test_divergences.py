"""Divergences against values of 30 digits, against their limits, and against the plain formula on made-up
distributions.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.errors import ParameterError
from nlgauge.estimators import divergences
from nlgauge.estimators.divergences import MEASURES

A = np.log([0.5, 0.3, 0.2]), np.log([0.2, 0.2, 0.6])
B = np.log([0.25] * 4), np.log([0.7, 0.1, 0.1, 0.1])

# mpmath, 30 digits: A (p, q), A (q, p), B (p, q), B (q, p); None: the same as the one before.
VECTORS = [
    ("kl", (), 0.360062440636, 0.394816205204, 0.429813194610, 0.445846372465),
    ("jeffreys", (), 0.377439322920, None, 0.437829783537, None),
    ("jensen_shannon", (), 0.0905658499553, None, 0.105296935868, None),
    ("alpha", (0.25,), 0.380136099906, 0.363035903696, 0.435367189917, 0.427492114776),
    ("alpha", (0.5,), 0.369652392764, None, 0.429313350831, None),
    ("alpha", (2,), 0.383333333333, 0.506666666667, 0.482142857143, 0.540000000000),
    ("alpha", (3,), 0.470370370370, 0.753481481481, 0.619897959184, 0.756000000000),
    ("gamma", (0.5,), 0.377478512015, 0.390615457926, 0.432582436808, 0.411019093136),
    ("gamma", (1,), 0.378683386647, None, 0.366183946857, None),
    ("gamma", (2,), 0.339245976857, 0.338619878498, 0.204240125915, 0.285212036386),
    ("ab", (0.5, 0.5), 0.387863831435, None, 0.454145780481, None),
    ("ab", (0.25, 0.25), 0.380621541421, None, 0.428506087117, None),
    ("ab", (0.25, 0.75), 0.394363518696, 0.375982668034, 0.454167399433, 0.445599216026),
    ("ab", (2, -0.5), 0.309703567342, 0.353588265824, 0.391879079264, 0.321348800577),
    ("renyi", (0.5,), 0.193931915717, None, 0.227072890240, None),
    ("renyi", (0.25,), 0.0985908796740, 0.0939956670085, 0.113541849858, 0.111399804007),
    ("renyi", (2,), 0.569094531890, 0.699791723279, 0.675128675057, 0.732367893713),
    ("fisher_rao", (), 0.866591556361, None, 0.935115621666, None),
    ("l1", (), 0.8, None, 0.9, None),
    ("l2", (), 0.509901951359, None, 0.519615242271, None),
    ("l_infinity", (), 0.4, None, 0.45, None),
]
PARAMETERS = {"alpha": (0.3,), "gamma": (0.7,), "ab": (0.4, 1.3), "renyi": (1.7,)}


@pytest.mark.parametrize(("name", "arguments", "a", "a_reversed", "b", "b_reversed"), VECTORS)
def test_equals_values_of_thirty_digits(
    name: str,
    arguments: tuple[float, ...],
    a: float,
    a_reversed: float | None,
    b: float,
    b_reversed: float | None,
) -> None:
    measure = MEASURES[name].compute
    for (p, q), forward, backward in ((A, a, a_reversed), (B, b, b_reversed)):
        assert float(measure(p, q, *arguments)) == pytest.approx(forward, abs=1e-9)
        assert float(measure(q, p, *arguments)) == pytest.approx(
            forward if backward is None else backward, abs=1e-9
        )


def test_the_papers_ab_is_as_printed() -> None:
    assert float(divergences.ab_as_printed(*A, 0.25, 0.25)) == pytest.approx(3.28613091873, abs=1e-9)
    assert float(divergences.ab_as_printed(A[0], A[0], 0.25, 0.25)) == pytest.approx(3.19097553338, abs=1e-9)


def test_nothing_in_common() -> None:
    p, q = np.array([0.0, -np.inf, -np.inf]), np.array([-np.inf, 0.0, -np.inf])
    expected = {
        "fisher_rao": math.pi,
        "l1": 2,
        "l2": math.sqrt(2),
        "l_infinity": 1,
        "jensen_shannon": math.log(2),
        "alpha": 1 / (0.3 * 0.7),
    }
    for name, measure in MEASURES.items():
        arguments = PARAMETERS.get(name, ())
        assert float(measure.compute(p, q, *arguments)) == pytest.approx(
            expected.get(name, math.inf), abs=1e-9
        ), name
        assert measure.high(*arguments) == pytest.approx(expected.get(name, math.inf)), name
        assert float(measure.compute(p, p, *arguments)) == pytest.approx(0, abs=1e-12), name


# --- limits; each function differs from its limit by about the step, which is far below 1e-9 here


@pytest.mark.parametrize("step", [1e-11, -1e-11, 1e-13])
@pytest.mark.parametrize(("p", "q"), [A, B])
def test_limits_are_reached_in_log_space(p: np.ndarray, q: np.ndarray, step: float) -> None:
    kl, reverse = float(divergences.kl(p, q)), float(divergences.kl(q, p))
    assert float(divergences.alpha(p, q, 1 + step)) == pytest.approx(kl, abs=1e-9)
    assert float(divergences.alpha(p, q, step)) == pytest.approx(reverse, abs=1e-9)
    assert float(divergences.renyi(p, q, 1 + step)) == pytest.approx(kl, abs=1e-9)
    assert float(divergences.gamma(p, q, step)) == pytest.approx(kl, abs=1e-9)
    # AB: beta -> 0 is KL of the distributions raised to alpha, over alpha squared; alpha -> 0 likewise
    # reversed.
    p3, q3 = (3 * side - np.log(np.exp(3 * side).sum()) for side in (p, q))
    assert float(divergences.ab(p, q, 3.0, step)) == pytest.approx(
        float(divergences.kl(p3, q3)) / 9, abs=1e-9
    )
    assert float(divergences.ab(p, q, step, 3.0)) == pytest.approx(
        float(divergences.kl(q3, p3)) / 9, abs=1e-9
    )
    # AB: alpha + beta -> 0 compares the arithmetic with the geometric mean of the ratios' powers.
    for power in (0.5, 1.0, -2.0):
        ratios = power * (p - q)
        expected = (math.log(np.exp(ratios).mean()) - ratios.mean()) / power**2
        assert float(divergences.ab(p, q, power, -power + step)) == pytest.approx(expected, abs=1e-9)
    assert float(divergences.gamma(p, q, -1 + step)) == pytest.approx(
        math.log(np.exp(p - q).mean()) - (p - q).mean(), abs=1e-9
    )


def test_both_forms_of_ab_meet_where_it_changes_from_one_to_the_other() -> None:
    below, above = (
        float(divergences.ab(*B, 0.5, -0.5 + total)) for total in (0.000999999999, 0.001000000001)
    )
    assert below == pytest.approx(above, abs=1e-10)


def test_identities() -> None:
    p, q = B
    assert float(divergences.ab(p, q, 0.3, 0.7)) == pytest.approx(
        float(divergences.renyi(p, q, 0.3)) / 0.3, abs=1e-12
    )
    assert float(divergences.alpha(p, q, 0.3)) == pytest.approx(
        float(divergences.alpha(q, p, 0.7)), abs=1e-12
    )
    affinity = np.exp((p + q) / 2).sum()
    assert float(divergences.alpha(p, q, 0.5)) == pytest.approx(4 * (1 - affinity), abs=1e-12)
    assert float(divergences.fisher_rao(p, q)) == pytest.approx(2 * math.acos(affinity), abs=1e-12)


def test_fisher_rao_keeps_its_digits_near_zero() -> None:
    p = np.log([0.5, 0.5])
    q = np.log([0.5 + 1e-9, 0.5 - 1e-9])
    assert float(divergences.fisher_rao(p, q)) == pytest.approx(2e-9, rel=1e-6)


# --- any distributions

PLAIN = {
    "kl": lambda p, q: (p * np.log(p / q)).sum(),
    "jeffreys": lambda p, q: ((p - q) * np.log(p / q)).sum() / 2,
    "jensen_shannon": lambda p, q: (p * np.log(2 * p / (p + q)) + q * np.log(2 * q / (p + q))).sum() / 2,
    "alpha": lambda p, q, a: ((p**a * q ** (1 - a)).sum() - 1) / (a * (a - 1)),
    "gamma": lambda p, q, b: PLAIN["ab"](p, q, 1.0, b),
    "ab": lambda p, q, a, b: (
        np.log((p ** (a + b)).sum()) / (b * (a + b))
        + np.log((q ** (a + b)).sum()) / (a * (a + b))
        - np.log((p**a * q**b).sum()) / (a * b)
    ),
    "renyi": lambda p, q, a: np.log((p**a * q ** (1 - a)).sum()) / (a - 1),
    "fisher_rao": lambda p, q: 2 * np.arccos(np.clip(np.sqrt(p * q).sum(), 0, 1)),
    "l1": lambda p, q: np.abs(p - q).sum(),
    "l2": lambda p, q: np.sqrt(((p - q) ** 2).sum()),
    "l_infinity": lambda p, q: np.abs(p - q).max(),
}
LOGITS = st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=2, max_size=12)
POWERS = st.sampled_from([-1.5, -0.5, 0.25, 0.5, 0.75, 1.5, 2.0, 3.0])


def log_distributions(logits: list[tuple[float, float]], scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    columns = scale * np.array(logits).T
    return tuple(column - np.logaddexp.reduce(column) for column in columns)  # type: ignore[return-value]


def valid_arguments(name: str, first: float, second: float) -> tuple[float, ...]:
    given = (first, second)[: len(MEASURES[name].parameters)]
    return given if not given or MEASURES[name].valid(*given) else PARAMETERS[name]


@pytest.mark.parametrize("name", MEASURES)
@given(LOGITS, POWERS, POWERS)
def test_equals_the_plain_formula(
    name: str, logits: list[tuple[float, float]], first: float, second: float
) -> None:
    p, q = log_distributions(logits)
    arguments = valid_arguments(name, first, second)
    with np.errstate(all="ignore"):
        expected = PLAIN[name](np.exp(p), np.exp(q), *arguments)
    # The arc cosine loses half of its digits.
    assert float(MEASURES[name].compute(p, q, *arguments)) == pytest.approx(
        float(expected), abs=1e-7 if name == "fisher_rao" else 1e-9, rel=1e-9
    )


@pytest.mark.parametrize("name", MEASURES)
@given(LOGITS, POWERS, POWERS)
def test_never_negative_zero_at_equality_and_a_number_at_any_temperature(
    name: str, logits: list[tuple[float, float]], first: float, second: float
) -> None:
    arguments = valid_arguments(name, first, second)
    for scale in (1.0, 50.0, 2000.0):
        p, q = log_distributions(logits, scale)
        value = float(MEASURES[name].compute(p, q, *arguments))
        assert 0 <= value <= MEASURES[name].high(*arguments) + 1e-9
        assert float(MEASURES[name].compute(p, p, *arguments)) == pytest.approx(0, abs=1e-12)
        if MEASURES[name].symmetric:
            assert float(MEASURES[name].compute(q, p, *arguments)) == pytest.approx(value, abs=1e-12)


def test_rows_are_compared_one_by_one() -> None:
    p, q = (np.stack([A[0], A[1]]), np.stack([A[1], A[1]]))
    for name, measure in MEASURES.items():
        arguments = PARAMETERS.get(name, ())
        expected = [float(measure.compute(p[i], q[i], *arguments)) for i in range(2)]
        np.testing.assert_allclose(measure.compute(p, q, *arguments), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "alpha", "beta", "domain"),
    [
        ("alpha", 0, None, "other than 0 and 1"),
        ("alpha", 1.0, None, "other than 0 and 1"),
        ("alpha", None, 2.0, "other than 0 and 1.*got alpha None"),
        ("alpha", math.nan, None, "other than 0 and 1"),
        ("gamma", None, 0.0, "other than -1 and 0"),
        ("gamma", 2.0, -1.0, "other than -1 and 0"),
        ("ab", 0.5, -0.5, "alpha and beta.*sum.*got alpha"),
        ("ab", 0.0, 1.0, "alpha and beta.*sum.*got alpha"),
        ("ab", 1.0, None, "alpha and beta.*sum.*got alpha"),
        ("renyi", 1.0, None, "above 0 other than 1"),
        ("renyi", -0.5, None, "above 0 other than 1"),
    ],
)
def test_parameters_outside_their_domain_are_refused(
    name: str, alpha: float | None, beta: float | None, domain: str
) -> None:
    with pytest.raises(ParameterError, match=domain):
        MEASURES[name].arguments(name, alpha, beta)


def test_only_what_a_measure_takes_is_asked_for() -> None:
    assert MEASURES["kl"].arguments("kl", None, None) == ()
    assert MEASURES["gamma"].arguments("gamma", 1.0, 0.5) == (0.5,)
    assert MEASURES["ab"].arguments("ab", 2.0, -0.5) == (2.0, -0.5)

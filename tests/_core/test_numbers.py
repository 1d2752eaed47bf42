"""Numbers rounded all at once are the numbers that text rounds one by one, and counts have their nouns and verbs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nlgauge._core.numbers import counted, part_of, rounded

NEAR_TIES = st.integers(-(10**7), 10**7).flatmap(
    lambda number: st.integers(-24, 24).map(lambda power: number * 10.0**power)
)


@given(arrays(np.float64, st.integers(1, 8), elements=st.floats(width=64) | NEAR_TIES), st.integers(1, 8))
@example(np.array([0.99995, 9999.5, 99995.0, 1e-5, 5e-324, 1.7e308, -0.0]), 4)
def test_rounding_all_at_once_is_rounding_by_text(values, digits):
    expected = np.array([float(f"{value:.{digits}g}") for value in values.tolist()])
    found = rounded(values, digits)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_rounding_leaves_the_shape_and_the_values_that_it_was_given(shape):
    values = np.full(shape, 1 / 3)
    found = rounded(values, 2)
    assert found.shape == shape
    assert (found == 0.33).all()
    assert (values == 1 / 3).all()


def test_a_count_has_its_noun() -> None:
    numbers = (0, 1, 2, 1.0, 0.5, 12_345)
    assert [counted(number, "token", spec="g") for number in numbers] == [
        "0 tokens", "1 token", "2 tokens", "1 token", "0.5 tokens", "12345 tokens"
    ]  # fmt: skip
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(12_345, "entry", "entries", ",") == "12,345 entries"


@pytest.mark.parametrize(
    ("part", "whole", "matched", "empty"),
    [
        (0, 0, "there are no tokens", "there are no texts"),
        (0, 1, "the only token does not match", "the only text is not empty"),
        (1, 1, "the only token matches", "the only text is empty"),
        (0.5, 1, "0.5 of 1 token match", "0.5 of 1 text are empty"),
        (0, 2, "none of 2 tokens match", "none of 2 texts are empty"),
        (1, 2, "1 of 2 tokens matches", "1 of 2 texts is empty"),
        (2, 2, "2 of 2 tokens match", "2 of 2 texts are empty"),
        (7, 12_345, "7 of 12,345 tokens match", "7 of 12,345 texts are empty"),
    ],
)
def test_a_part_has_its_noun_and_its_verb(part: float, whole: float, matched: str, empty: str) -> None:
    assert part_of(part, whole, "token", "match") == matched
    assert part_of(part, whole, "text", "are empty") == empty


def test_verbs_follow_the_number() -> None:
    singular = {"lower the score": "lowers the score", "have no value": "has no value", "miss": "misses"}
    for verb, expected in singular.items():
        assert part_of(1, 3, "group", verb) == f"1 of 3 groups {expected}"
        assert part_of(0, 1, "group", verb) == f"the only group does not {verb}"

"""Numbers rounded all at once are the numbers that text rounds one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nlgauge._core.numbers import rounded

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

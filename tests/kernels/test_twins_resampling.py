"""Counted draws against the Python kernel, and the draws themselves against those of 64-bit numbers,
which earlier versions drew.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import assert_twins, needs_native

from nlgauge._core.backend import NATIVE
from nlgauge.kernels.resampling import draw_counts


@needs_native
@given(st.integers(1, 6), st.integers(0, 5), st.integers(0, 9), st.integers(0, 2**32))
def test_draw_counts(units, resamples, draws, seed):
    assert_twins(
        draw_counts,
        np.random.default_rng(seed).integers(units, size=(resamples, draws), dtype=np.int32),
        units,
    )


@needs_native
@pytest.mark.parametrize("unit", [-1, 3, 2**31 - 1])
def test_a_unit_that_is_not_there_is_refused(unit):
    with pytest.raises(ValueError, match="a unit was drawn that is not there"):
        draw_counts.native(np.array([[0, unit]], dtype=np.int32), 3)


@needs_native
def test_what_one_of_several_threads_refuses_is_refused():
    drawn = np.zeros((40, 2), dtype=np.int32)
    drawn[27, 1] = 3
    try:
        NATIVE.set_threads(3, worthwhile=1)
        with pytest.raises(ValueError, match="a unit was drawn that is not there"):
            draw_counts.native(drawn, 3)
    finally:
        NATIVE.set_threads(1)


@pytest.mark.parametrize("units", [1, 2, 3, 100, 2000, 65_537])
def test_narrow_numbers_are_the_draws_of_wide_ones(units):
    narrow, wide = (
        np.random.default_rng(7).integers(units, size=(3, units), dtype=dtype)
        for dtype in (np.int32, np.int64)
    )
    assert (narrow == wide).all()
    found = draw_counts(narrow, units)
    assert (found.sum(axis=1) == units).all()
    assert found[0].tolist() == np.bincount(wide[0], minlength=units).tolist()

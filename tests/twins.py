"""What the tests of compiled kernels share: a twin gives what the Python kernel gives, bit for bit, with
any number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from nlgauge._core.backend import NATIVE, Kernel, using
from nlgauge._core.ragged import Ragged

needs_native = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled")

# Few different tokens, so that much repeats; lengths around those at which bit-parallel kernels take another
# word.
TOKENS = st.sampled_from([0, 1, 2, 3, 7, 2**31 - 1])
ROW = st.one_of(
    st.lists(TOKENS, max_size=9),
    st.lists(st.integers(0, 1), min_size=60, max_size=70),
    st.lists(st.integers(0, 40), max_size=140),
)
ROWS = st.lists(ROW, min_size=1, max_size=6)


def column(rows: list[list[int]], dtype: Any = np.int32) -> Ragged:
    """The rows as a column of token ids."""
    return Ragged.of(rows, dtype=dtype)


def pairs(rows: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Every row with every row."""
    first, second = np.meshgrid(np.arange(len(rows)), np.arange(len(rows)))
    return first.ravel(), second.ravel()


def assert_twins(kernel: Kernel[Any, Any], *arguments: Any) -> None:
    """The compiled kernel gives the Python kernel's numbers, types and shapes; so it does with three
    threads.
    """
    with using("python"):  # for kernels that it calls
        expected = kernel.python(*arguments)
    assert kernel.native is not None
    try:
        for threads in (1, 3):
            NATIVE.set_threads(threads, worthwhile=1)
            _assert_same(kernel.native(*arguments), expected)
    finally:
        NATIVE.set_threads(1)


def _assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for part, wanted in zip(found, expected, strict=True):
            _assert_same(part, wanted)
    elif isinstance(expected, Ragged):
        _assert_same(found.values, expected.values)
        _assert_same(found.offsets, expected.offsets)
    elif isinstance(expected, list):
        assert found == expected
    else:
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        assert found.tobytes() == expected.tobytes()

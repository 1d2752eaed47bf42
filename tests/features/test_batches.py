"""Batches by length: every row once, bounded, little padding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.features.batches import by_length


@given(
    st.lists(st.integers(0, 700), max_size=80), st.sampled_from([None, 1, 7]), st.sampled_from([512, 4096])
)
def test_every_row_is_in_one_batch_and_batches_are_bounded(
    lengths: list[int], batch_size: int | None, tokens: int
) -> None:
    batches = list(by_length(lengths, batch_size, tokens, "testing"))
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        longest = max(1, *(lengths[row] for row in batch))
        assert batch_size is None or len(batch) <= batch_size
        assert len(batch) == 1 or len(batch) * longest <= tokens


@pytest.mark.parametrize(
    "lengths", [[1000] + [10] * 500, [200] + [20] * 9, [5, 6, 7] * 300, list(range(1, 400))]
)
def test_padding_is_a_small_part_of_what_is_read(lengths: list[int]) -> None:
    read = sum(
        len(batch) * max(lengths[row] for row in batch) for batch in by_length(lengths, None, 2048, "testing")
    )
    assert read <= 1.25 * sum(lengths) + 192


def test_short_rows_still_share_a_batch() -> None:
    assert len(list(by_length(np.arange(1, 20), None, 2048, "testing"))) <= 2

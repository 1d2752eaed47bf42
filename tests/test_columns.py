"""Ragged columns against plain lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.corpus.columns import Ragged, offsets_of

ROWS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6)


@given(ROWS)
def test_a_column_holds_its_rows(rows):
    column = Ragged.of(rows)
    assert column.lists() == rows
    assert [row.tolist() for row in column] == rows
    assert len(column) == len(rows)
    assert column.lengths.tolist() == [len(row) for row in rows]
    assert column.owners.tolist() == [i for i, row in enumerate(rows) for _ in row]
    assert column.values.dtype == np.int64


@given(ROWS, st.data())
def test_take_is_indexing(rows, data):
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8)) if rows else []
    assert Ragged.of(rows).take(np.array(chosen, dtype=np.int64)).lists() == [rows[i] for i in chosen]


@given(st.lists(ROWS, min_size=1, max_size=3))
def test_concatenate_is_addition(columns):
    assert Ragged.concatenate([Ragged.of(rows) for rows in columns]).lists() == [row for rows in columns for row in rows]


def test_rows_may_be_vectors_and_arrays():
    column = Ragged(np.arange(6.0).reshape(3, 2), offsets_of([1, 0, 2]))
    assert column.take(np.array([2, 1])).values.tolist() == [[2, 3], [4, 5]]
    assert Ragged.of([np.array([1.5]), np.array([])], dtype=np.float64).lists() == [[1.5], []]


def test_single_has_one_value_a_row():
    assert Ragged.single(np.array([4, 5])).lists() == [[4], [5]]


def test_of_texts():
    assert Ragged.of([["a", "b"], []], dtype=object).lists() == [["a", "b"], []]

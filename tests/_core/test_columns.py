"""Ragged columns against plain lists."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge._core.ragged import GrowingColumn, Ragged, offsets_of

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


@given(st.lists(st.integers(0, 9), max_size=6), st.data())
def test_rows_of_one_value_each_are_taken_as_any_others(values, data):
    chosen = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=8)) if values else []
    column = Ragged(np.array([*values, 7], dtype=np.int64)[: len(values)], offsets_of([1] * len(values)))
    assert column.is_single
    assert column.owners.tolist() == list(range(len(values)))
    assert column.take(np.array(chosen, dtype=np.int64)).lists() == [[values[i]] for i in chosen]


def test_as_many_values_as_rows_need_not_be_one_each():
    assert not Ragged.of([[1, 2], []]).is_single
    assert Ragged.of([[1, 2], []]).take(np.array([1, 0])).lists() == [[], [1, 2]]


@given(st.lists(ROWS, min_size=1, max_size=3))
def test_concatenate_is_addition(columns):
    assert Ragged.concatenate([Ragged.of(rows) for rows in columns]).lists() == [
        row for rows in columns for row in rows
    ]


def test_rows_may_be_vectors_and_arrays():
    column = Ragged(np.arange(6.0).reshape(3, 2), offsets_of([1, 0, 2]))
    assert column.take(np.array([2, 1])).values.tolist() == [[2, 3], [4, 5]]
    assert Ragged.of([np.array([1.5]), np.array([])], dtype=np.float64).lists() == [[1.5], []]


def test_single_has_one_value_a_row():
    assert Ragged.single(np.array([4, 5])).lists() == [[4], [5]]


def test_of_texts():
    assert Ragged.of([["a", "b"], []], dtype=object).lists() == [["a", "b"], []]


class Pair(NamedTuple):
    first: Ragged
    second: Ragged


def vectors(rows: list[list[int]]) -> Ragged:
    """The same rows with a vector for each number."""
    column = Ragged.of(rows)
    return Ragged(np.column_stack([column.values, column.values + 0.5]), column.offsets)


def grown(blocks: list[Any]) -> Any:
    column = GrowingColumn()
    assert column.column is None
    for block in blocks:
        column.append(block)
    return column.column


@given(st.lists(ROWS, min_size=1, max_size=8))
def test_a_grown_column_is_the_concatenation(blocks):
    rows = [row for block in blocks for row in block]
    assert grown([Ragged.of(block) for block in blocks]).lists() == rows
    wide = grown([vectors(block) for block in blocks])
    assert wide.lists() == vectors(rows).lists()
    assert len(wide) == len(rows)
    pair = grown([Pair(Ragged.of(block), vectors(block)) for block in blocks])
    assert isinstance(pair, Pair)
    assert (pair.first.lists(), pair.second.lists()) == (rows, vectors(rows).lists())


def test_what_was_seen_of_a_grown_column_stays_as_it_was():
    column, first = GrowingColumn(), Ragged.of([[1, 2], [3]])
    column.append(first)
    before = column.column
    for i in range(20):
        column.append(Ragged.of([[i] * 3]))
    assert before.lists() == first.lists() == [[1, 2], [3]]
    assert column.column.lists() == [[1, 2], [3], *([i] * 3 for i in range(20))]


@pytest.mark.parametrize("blocks", [100, 400])
def test_growing_copies_each_item_a_few_times_at_most(blocks, monkeypatch):
    made: list[int] = []
    empty = np.empty

    def counted(shape: Any, *arguments: Any, **options: Any) -> Any:
        made.append(int(np.prod(shape)))
        return empty(shape, *arguments, **options)

    monkeypatch.setattr("nlgauge._core.ragged.np.empty", counted)
    column = GrowingColumn()
    for i in range(blocks):
        column.append(Ragged(np.full((5, 3), float(i)), offsets_of([2, 3])))
    monkeypatch.undo()
    # Room for 15 numbers and 2 offsets per block: doubling makes less than four times of it in all, adding
    # anew would make blocks / 2 times.
    assert sum(made) < 4 * blocks * (15 + 2)
    assert len(made) < 4 * np.log2(blocks)
    assert column.nbytes == blocks * 8 * (15 + 2) + 8
    assert column.column.values[:, 0].tolist() == [float(i) for i in range(blocks) for _ in range(5)]


def test_empty_blocks_need_not_know_how_wide_their_vectors_would_be():
    nothing = Ragged(np.empty(0), offsets_of([0]))
    assert grown([nothing, vectors([[1]]), nothing, vectors([[2, 3]])]).lists() == [
        [],
        *vectors([[1]]).lists(),
        [],
        *vectors([[2, 3]]).lists(),
    ]
    assert grown([nothing, nothing]).lists() == [[], []]
    assert Ragged.concatenate([nothing, vectors([[1]])]).lists() == [[], *vectors([[1]]).lists()]


def test_values_that_cannot_be_written_grow_all_the_same():
    column = GrowingColumn()
    for row in ([], [1, 2], [3]):
        values = np.array(row, dtype=np.int32)
        values.flags.writeable = False
        column.append(Ragged(values, np.array([0, len(row)])))
    assert column.column.lists() == [[], [1, 2], [3]]

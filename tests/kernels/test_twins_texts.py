"""Compiled reading of texts against the plain one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import assert_twins, needs_native

from nlgauge.corpus.texts import any_has_lines, are_texts, flattened, number_texts, text_lengths
from nlgauge.features import new_ids

pytestmark = needs_native


class Name(str):
    """A string of another class."""


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], True),
        (["", "a", "é", "Σ", "😀", "\ud7ff\ue000"], True),
        (["a", "\ud800"], False),
        (["\udfff"], False),
        (["😀\udc00"], False),
        (["a", None], False),
        (["a", b"a"], False),
        (["a", Name("b")], False),
    ],
)
def test_are_texts(items, expected):
    assert are_texts.python(items) is are_texts.native(items) is expected


@given(st.lists(st.lists(st.text("aé😀", max_size=2), max_size=6), max_size=4))
def test_texts_are_numbered_in_order_of_first_appearance(calls):
    ids: tuple[dict[str, int], dict[str, int]] = {}, {}
    strings: tuple[list[str], list[str]] = [], []
    for texts in calls:
        found = [
            kernel(texts, *known)
            for kernel, *known in zip((number_texts.python, number_texts.native), ids, strings, strict=True)
        ]
        assert found[0].dtype == found[1].dtype
        assert found[0].tolist() == found[1].tolist() == [strings[0].index(text) for text in texts]
        assert ids[0] == ids[1]
        assert strings[0] == strings[1] == list(dict.fromkeys(strings[0]))


class Names(list):
    """A list of another class."""


@pytest.mark.parametrize(
    "items",
    [
        [],
        [["a", "b"], (), ("c",), [None, 1]],
        [["a"], ("b",)],
        [["a"], "b"],
        ["b"],
        [("a",), Names("b")],
        [{"a"}],
    ],
)
def test_flattened(items):
    found, expected = flattened.native(items), flattened.python(items)
    assert (found is None) == (expected is None) == any(type(item) not in (list, tuple) for item in items)
    if expected is not None:
        assert found[0] == expected[0] == [one for item in items for one in item]
        lengths = [len(item) for item in items]
        for side in (found[1], expected[1]):
            assert (side is None) == (lengths == [1] * len(items))
            assert side is None or (side.dtype == np.int64 and side.tolist() == lengths)


@given(st.lists(st.text("aé😀", max_size=3), max_size=6))
def test_text_lengths(texts):
    assert_twins(text_lengths, texts)
    assert text_lengths(texts).tolist() == [len(text) for text in texts]


def test_lengths_are_those_of_texts():
    with pytest.raises(TypeError, match="texts must be strings"):
        text_lengths.native(["a", b"b"])


@given(st.lists(st.integers(0, 5), max_size=8), st.sets(st.integers(0, 5)))
def test_new_ids(ids, known):
    rows = np.array([7 if number in known else -1 for number in range(6)])
    assert_twins(new_ids, np.array(ids, dtype=np.int64), rows)
    assert new_ids(np.array(ids, dtype=np.int64), rows).tolist() == [
        number for number in dict.fromkeys(ids) if number not in known
    ]
    assert rows.tolist() == [7 if number in known else -1 for number in range(6)]


@pytest.mark.parametrize("number", [-1, 2])
def test_ids_beyond_the_rows_are_refused_and_change_nothing(number):
    rows = np.array([-1, -1])
    with pytest.raises(IndexError):
        new_ids.native(np.array([0, number]), rows)
    assert rows.tolist() == [-1, -1]


@given(st.lists(st.text("aé猫😀\n\r", max_size=3), max_size=4))
def test_any_has_lines(texts):
    assert any_has_lines.python(texts) is any_has_lines.native(texts) is ("\n" in "".join(texts))

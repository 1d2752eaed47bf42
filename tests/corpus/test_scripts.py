"""Scripts: when a text counts as one in Latin letters, and when as one without spaces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.corpus.scripts import is_mostly_ascii, is_mostly_not_latin, unspaced_script


@pytest.mark.parametrize(
    ("latin", "other", "mostly_not"),
    [
        (0, 1, True),
        (1, 0, False),
        (1, 1, False),
        (1, 2, True),
        (2, 3, True),
        (3, 2, False),
        (3, 5, True),
        (9, 10, True),
        (10, 9, False),
    ],
)
def test_a_text_is_not_latin_where_fewer_than_half_of_its_letters_are(latin, other, mostly_not):
    for letter in ("д", "ض", "ε"):
        assert is_mostly_not_latin("a" * latin + " 1, " + letter * other) == mostly_not
    assert not is_mostly_not_latin("é" * latin + "...")


@pytest.mark.parametrize(
    ("latin", "han", "unspaced"),
    [(0, 1, True), (1, 1, False), (2, 3, True), (3, 2, False), (9, 10, True), (10, 9, False)],
)
def test_a_script_without_spaces_is_that_of_most_letters(latin, han, unspaced):
    assert (unspaced_script("a" * latin + "。" + "猫" * han) is not None) == unspaced
    assert unspaced_script("a" * latin) is None


@given(st.text(alphabet="abZ1 .éñдض猫が。\u0301"))
def test_a_text_that_is_mostly_ascii_needs_no_closer_look(text):
    if is_mostly_ascii(text):
        assert not is_mostly_not_latin(text)
        assert unspaced_script(text) is None


@pytest.mark.parametrize(
    ("text", "mostly"),
    [("", True), ("a猫", True), ("1猫", False), ("a猫猫", False), ("abc, déjà vu", True), ("кот", False)],
)
def test_digits_and_spaces_are_not_letters(text, mostly):
    assert is_mostly_ascii(text) == mostly

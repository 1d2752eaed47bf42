"""Scripts: when a text counts as one in Latin letters, and when as one without spaces."""

from __future__ import annotations

import pytest

from nlgauge.corpus.scripts import is_mostly_not_latin, unspaced_script


@pytest.mark.parametrize(
    ("latin", "other", "mostly_not"),
    [(0, 1, True), (1, 0, False), (1, 1, False), (1, 2, True), (2, 3, True), (3, 2, False), (3, 5, True), (9, 10, True), (10, 9, False)],
)
def test_a_text_is_not_latin_where_fewer_than_half_of_its_letters_are(latin, other, mostly_not):
    for letter in ("д", "ض", "ε"):
        assert is_mostly_not_latin("a" * latin + " 1, " + letter * other) == mostly_not
    assert not is_mostly_not_latin("é" * latin + "...")


@pytest.mark.parametrize(("latin", "han", "unspaced"), [(0, 1, True), (1, 1, False), (2, 3, True), (3, 2, False), (9, 10, True), (10, 9, False)])
def test_a_script_without_spaces_is_that_of_most_letters(latin, han, unspaced):
    assert (unspaced_script("a" * latin + "。" + "猫" * han) is not None) == unspaced
    assert unspaced_script("a" * latin) is None

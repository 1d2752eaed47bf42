"""The table of character classes over every code point, against the package it is made from and against
Python's own Unicode.
"""

from __future__ import annotations

import importlib.util
import unicodedata
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.features.tokens.character_classes import (
    LETTER,
    MARK,
    NUMBER,
    OTHER,
    SPACE,
    character_classes,
    outline,
    outlined,
)

TABLE = files("nlgauge").joinpath("data", "character_classes.txt").read_text(encoding="ascii")
VERSION = TABLE.splitlines()[0].removeprefix("Unicode ")
CHARACTERS = [chr(code) for code in range(0x110000)]


def _tool() -> Any:
    path = Path(__file__).parents[2] / "tools" / "character_classes.py"
    spec = importlib.util.spec_from_file_location("character_classes_tool", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tool_makes_the_table_that_ships():
    tool = _tool()
    if tool.unicode_version() != VERSION:
        pytest.skip(f"the installed regex knows Unicode {tool.unicode_version()}, the table is of {VERSION}")
    assert tool.build() == TABLE


def test_every_code_point_is_what_unicodedata_says():
    # What a later version of Unicode has assigned is unassigned (Cn) to Python's own.
    categories = np.array([unicodedata.category(character) for character in CHARACTERS])
    known = (categories != "Cn") | (unicodedata.unidata_version == VERSION)
    for letter, bit in (("L", LETTER), ("M", MARK), ("N", NUMBER), ("C", OTHER)):
        expected = np.char.startswith(categories, letter)
        assert np.flatnonzero(known & (expected != ((character_classes() & bit) != 0))).tolist() == []


def test_white_space_is_what_python_splits_at():
    spaces = [code for code, character in enumerate(CHARACTERS) if character.isspace()]
    assert np.flatnonzero(character_classes() & SPACE).tolist() == spaces
    assert [code for code, character in enumerate(CHARACTERS) if len(f"a{character}b".split()) == 2] == spaces


def test_words_of_squads_script_are_letters_and_numbers():
    alphanumeric = np.array([character.isalnum() for character in CHARACTERS])
    known = np.array([unicodedata.category(character) != "Cn" for character in CHARACTERS])
    assert (
        np.flatnonzero(known & (alphanumeric != ((character_classes() & (LETTER | NUMBER)) != 0))).tolist()
        == []
    )


def test_an_outline_shows_the_classes_of_every_character():
    found = outline("".join(CHARACTERS))
    for bit in (LETTER, MARK, NUMBER, OTHER, SPACE):
        signs = outlined(bit).encode().decode("unicode_escape")
        shown = np.array([sign in signs for sign in found])
        assert np.flatnonzero(shown != ((character_classes() & bit) != 0)).tolist() == []
    assert outline("ab c") == "ab c"
    assert outline("’") == "'"


def test_lower_case_is_longer_for_one_letter_alone():
    assert [code for code, character in enumerate(CHARACTERS) if len(character.lower()) != 1] == [0x130]
    assert all(character.lower().lower() == character.lower() for character in CHARACTERS)
    assert len("ΑΣ ΑΣΑ".lower()) == 6

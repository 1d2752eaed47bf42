"""Builds the table of Unicode character classes that ships with nlgauge from the properties that the package
`regex` knows.

    python tools/character_classes.py

The first line names the version of Unicode. Each further line is a run of code points in hexadecimal, the
first and the last of it, and the letters of its classes: l letter, m mark, n number, o other (general
category C), w a character that `regex` takes for part of a word (`\\w`), s white space as str.isspace and
str.split have it, u a character of a script without spaces between words. Code points in no run are "o"
alone.
"""

from __future__ import annotations

import re
from importlib.metadata import metadata
from itertools import groupby
from pathlib import Path

import regex

DATA = Path(__file__).parents[1] / "src" / "nlgauge" / "data" / "character_classes.txt"
PROPERTIES = {
    "l": r"\p{L}",
    "m": r"\p{M}",
    "n": r"\p{N}",
    "o": r"\p{C}",
    "w": r"\w",
    # The separators of files, groups, records and units are white space to Python, though not to Unicode.
    "s": r"[\s\x1c-\x1f]",
    "u": r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}]",
}


def unicode_version() -> str:
    """The version of Unicode that the installed `regex` says it supports."""
    found = re.search(
        r"supports Unicode ([\d.]*\d)", metadata("regex").get_payload() or metadata("regex")["Description"]
    )
    assert found, "the package regex does not say which Unicode it supports"
    return found[1]


def build() -> str:
    """The text of the table."""
    matches = {letter: regex.compile(pattern, regex.V1).match for letter, pattern in PROPERTIES.items()}
    classes = (
        "".join(letter for letter, match in matches.items() if match(chr(code))) for code in range(0x110000)
    )
    lines = [f"Unicode {unicode_version()}"]
    for letters, run in groupby(enumerate(classes), key=lambda pair: pair[1]):
        codes = [code for code, _ in run]
        if letters != "o":
            lines.append(f"{codes[0]:X} {codes[-1]:X} {letters}".rstrip())
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DATA.write_text(build(), encoding="ascii")

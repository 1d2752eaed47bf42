"""Languages: the codes that `lang` accepts, and their names.

data/languages.tsv contains every two-letter code of ISO 639-1 with its three-letter codes of ISO 639-3. For a
macrolanguage these include the code of the member that FLORES or WMT use. The file also contains three-letter
codes of other languages that have test sets.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from nlgauge._core.package_data import data_text
from nlgauge.errors import ParameterError, did_you_mean

# A language, optionally followed by script, region or variant: en, en-GB, zh_Hans, eng_Latn.
_TAG = r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*"


class _Languages(NamedTuple):
    """English names by code, and the two-letter codes by three-letter code."""

    names: dict[str, str]
    shorter: dict[str, str]


@cache
def _languages() -> _Languages:
    _, *lines = data_text("languages.tsv").splitlines()
    rows = [line.split("\t") for line in lines]
    return _Languages(
        {code: name for code, _, name in rows},
        {long: code for code, longs, _ in rows for long in longs.split()},
    )


def checked(lang: Any) -> str | None:
    """Return the language unchanged; raise ParameterError, with a suggestion, if its code is unknown."""
    if lang is None:
        return None
    needed = "use the code of a language, such as 'de', 'pt-BR' or 'yue', or leave it out"
    if not isinstance(lang, str):
        raise ParameterError(f"lang is of type {type(lang).__name__}; {needed}.")
    if not re.fullmatch(_TAG, lang) or code(lang) not in _languages().names:
        raise ParameterError(f"lang is {lang!r:.40}{_suggestion(lang)}; {needed}.")
    return lang


def code(lang: str | None) -> str:
    """Return the language code of a tag, with two letters if such a code exists; "" for None.

    Region and script are removed.

    >>> code("en-GB"), code("zho_Hans"), code("yue"), code(None)
    ('en', 'zh', 'yue', '')
    """
    if not lang:
        return ""
    first = re.split("[-_]", lang)[0].lower()
    return _languages().shorter.get(first, first)


def codes() -> list[str]:
    """Return the codes of all languages."""
    return list(_languages().names)


def name(lang: str) -> str:
    """Return the English name of a tag's language; the tag itself if the language is unknown.

    >>> name("pt-BR")
    'Portuguese'
    """
    return _languages().names.get(code(lang), lang)


def _suggestion(lang: str) -> str:
    """Return a hint with the code of a language if `lang` is close to its name; "" otherwise.

    Wrong codes get no hint, because codes of two letters are too similar to each other.
    """
    import difflib

    by_name = {name.lower(): code for code, name in _languages().names.items()}
    near = difflib.get_close_matches(lang.lower(), by_name, n=1, cutoff=0.85)
    return did_you_mean(by_name[near[0]], [by_name[near[0]]]) if near else ""

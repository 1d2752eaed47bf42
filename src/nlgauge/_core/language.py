"""Languages: the codes that `lang` may have, and what they stand for.

data/languages.tsv holds every two-letter code of ISO 639-1 with its three-letter codes of ISO 639-3 (its own,
and that of the member of a macrolanguage which FLORES or WMT mean by it), and the three-letter codes of
further languages that the field has test sets for.
"""

from __future__ import annotations

import difflib
import re
from functools import cache
from typing import Any, NamedTuple

from nlgauge.errors import ParameterError, did_you_mean

# A language, then script, region and the like: en, en-GB, zh_Hans, eng_Latn.
_TAG = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*")


class _Languages(NamedTuple):
    """English names by code, and the code that each three-letter code is short for."""

    names: dict[str, str]
    shorter: dict[str, str]


@cache
def _languages() -> _Languages:
    from importlib.resources import files

    _, *lines = (files("nlgauge") / "data" / "languages.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return _Languages(
        {code: name for code, _, name in rows},
        {long: code for code, longs, _ in rows for long in longs.split()},
    )


def checked(lang: Any) -> str | None:
    """The language as it was given, or an error that suggests a code."""
    if lang is None:
        return None
    needed = "give the code of a language, such as 'de', 'pt-BR' or 'yue', or leave it out"
    if not isinstance(lang, str):
        raise ParameterError(f"lang is of type {type(lang).__name__}; {needed}.")
    if not _TAG.fullmatch(lang) or code(lang) not in _languages().names:
        raise ParameterError(f"lang is {lang!r:.40}{_suggestion(lang)}; {needed}.")
    return lang


def code(lang: str | None) -> str:
    """The language of a tag without region or script, in two letters where it has such a code; "" for none.

    >>> code("en-GB"), code("zho_Hans"), code("yue"), code(None)
    ('en', 'zh', 'yue', '')
    """
    first = re.split("[-_]", lang or "")[0].lower()
    return _languages().shorter.get(first, first)


def codes() -> list[str]:
    """Return the codes of all languages."""
    return list(_languages().names)


def name(lang: str) -> str:
    """The English name of a tag's language; the tag itself where it is unknown.

    >>> name("pt-BR")
    'Portuguese'
    """
    return _languages().names.get(code(lang), lang)


def _suggestion(lang: str) -> str:
    """The code of a language that was given by its name.

    Two-letter codes are too near each other to guess from a wrong one.
    """
    by_name = {name.lower(): code for code, name in _languages().names.items()}
    near = difflib.get_close_matches(lang.lower(), by_name, n=1, cutoff=0.85)
    return did_you_mean(by_name[near[0]], [by_name[near[0]]]) if near else ""

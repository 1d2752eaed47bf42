"""The words of METEOR 1.5's normalization of English text (its option -norm), which COCO's toolkit uses.

Marks are separate tokens, runs of dots stay together, hyphens inside words disappear, contractions are split
before the apostrophe, curly quotes become straight ones, a dotted abbreviation loses its dots, and the last
dot of a word is split off unless the word is a known abbreviation or is followed by lower case. Rules apply
to neighbors that do not overlap, from left to right, as in the program: only the first hyphen of "a-b-c" is
removed.
"""

from __future__ import annotations

import re

_LETTERS = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
_SPACES = " \t\n\x0b\f\r"
# White space to the program's last step only: until then such a character is a word.
_LATE_SPACES = frozenset(
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_CONTROLS = "".join(map(chr, range(33)))
# Stands for a dot of a run of dots, which no further rule may touch.
_DOT = "\ue000"
_RULES = [
    (re.compile(pattern), new)
    for pattern, new in (
        (f"([^0-9{_LETTERS}{_SPACES}.'`,\\-\u2018\u2019])", r" \1 "),
        (r"\.{2,}", lambda run: f" {_DOT * len(run[0])} "),
        ("([^0-9]),([^0-9])", r"\1 , \2"),
        ("([0-9]),([^0-9])", r"\1 , \2"),
        ("([^0-9]),([0-9])", r"\1 , \2"),
        ("[`\u2018\u2019]", "'"),
        ("[\u201c\u201d]|''", ' " '),
        ("\u2013", "-"),
        ("--", "-"),
        (f"([0-9{_LETTERS}.])-([0-9{_LETTERS}])", r"\1 \2"),
        (f"([^{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
        (f"([^0-9{_LETTERS}])'([{_LETTERS}])", r"\1 ' \2"),
        (f"([{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
        (f"([{_LETTERS}])'([{_LETTERS}])", r"\1 '\2"),
        ("([0-9])'(s)", r"\1 '\2"),
    )
]
_LETTER = re.compile(f"[{_LETTERS}]")
_WORD = re.compile("[^ \t\n\f\r]+")
# Abbreviations that retain their dot: initials, titles, and some that retain the dot only before a number.
_WITH_DOT = """
    DR Dr Drs Prof MR Mr MRS Mrs MS Ms MM Messrs Mlle Mme Hr Hon Rev rev St Sr Ph Rt
    Adm Brig Capt Cmdr Col Comdr Cpl Ens Gen Lt Maj Pfc Pvt Sgt Sfc Surg Supt
    Gov Rep Reps Sen Sens Res Insp Msgr Asst Adj Adv Op Ord Con
    Bart Bldg Bros Corp Hosp v vs i.e e.g Nos Nr
"""
_ABBREVIATIONS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ") | frozenset(_WITH_DOT.split())
_BEFORE_NUMBERS = frozenset({"No", "Art", "pp"})


def normalized_words(text: str) -> list[str]:
    """Return the words of a text in lower case.

    >>> " ".join(normalized_words("Dr. Who's well-known in the U.S. (1,000 fans), isn't he?"))
    "dr. who 's well known in the us ( 1,000 fans ) , isn 't he ?"
    """
    text = f" {text} "
    for pattern, new in _RULES:
        text = pattern.sub(new, text)
    words = _WORD.findall(text)
    found: list[str] = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        found += _without_last_dot(word, following)
    line = " ".join(word.replace(_DOT, ".") for word in found if word not in _LATE_SPACES)
    return _WORD.findall(line.strip(_CONTROLS).lower())


def _without_last_dot(word: str, following: str) -> list[str]:
    """Return the word, or the word and its last dot apart; a dotted abbreviation comes without dots."""
    stem = word[:-1]
    if not stem or not word.endswith("."):
        return [word]
    if "." in stem and _LETTER.search(stem):
        return [word.replace(".", "")]
    if (
        stem in _ABBREVIATIONS
        or re.match("[a-z]", following)
        or (stem in _BEFORE_NUMBERS and re.match("[0-9]", following))
    ):
        return [word]
    return [stem, "."]

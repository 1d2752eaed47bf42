"""Fonts for characters that matplotlib's default font lacks, such as Chinese, Japanese and Korean: installed
fonts are used if needed. Words written from right to left keep their place in a line of others.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.text import Text

from nlgauge.show.plots.directions import ISOLATE, LEFTWARDS, POP, is_mixed

# Families with many scripts, then of single ones, as systems have them.
_FAMILIES = """
Noto Sans CJK JP, Noto Sans CJK SC, Noto Sans CJK TC, Noto Sans CJK KR, Noto Sans JP, Noto Sans SC,
Noto Sans KR, Source Han Sans, WenQuanYi Zen Hei, WenQuanYi Micro Hei, Droid Sans Fallback,
IPAexGothic, NanumGothic, Unifont, Hiragino Sans, PingFang SC, Apple SD Gothic Neo,
Arial Unicode MS, Yu Gothic, Meiryo, Microsoft YaHei, SimHei, Malgun Gothic, Noto Sans Arabic, Noto Naskh Arabic,
Noto Sans Hebrew, Noto Sans Devanagari, Noto Sans Bengali, Noto Sans Tamil, Noto Sans Thai,
Noto Sans Lao, Noto Sans Khmer, Noto Sans Myanmar, Noto Sans Ethiopic, Noto Sans Georgian,
Noto Sans Armenian, Nirmala UI, Leelawadee UI, Noto Sans Symbols, Noto Sans Symbols 2,
Segoe UI Symbol, Noto Sans
"""
FALLBACKS = tuple(" ".join(family.split()) for family in _FAMILIES.split(","))


def fit_fonts(figure: Any) -> None:
    """Add to each text of a figure the installed fonts that have the characters which its own font lacks, and
    isolate its words from right to left; other texts stay unchanged.
    """
    for text in figure.findobj(Text):
        families = tuple(text.get_fontfamily())
        if further := further_families(text.get_text(), families):
            text.set_fontfamily([*families, *further])
        if ISOLATE not in text.get_text() and is_mixed(text.get_text()):
            text.set_text(re.sub(LEFTWARDS, rf"{ISOLATE}\g<0>{POP}", text.get_text()))


def further_families(text: str, families: tuple[str, ...]) -> list[str]:
    """Return the installed families that have the characters of a text which some families lack."""
    lacking = {
        sign for sign in text if not sign.isspace() and sign.isprintable() and not _has(families, sign)
    }
    further = []
    for family in _installed() if lacking else ():
        if family not in families and (known := {sign for sign in lacking if _has((family,), sign)}):
            further.append(family)
            lacking -= known
    return further


@cache
def _installed() -> tuple[str, ...]:
    there = {font.name for font in fontManager.ttflist}
    return tuple(family for family in FALLBACKS if family in there)


@cache
def _has(families: tuple[str, ...], sign: str) -> bool:
    """Return True if one of the families has a character."""
    return any(
        get_font(path).get_char_index(ord(sign))
        for path in fontManager._find_fonts_by_props(FontProperties(family=list(families)))
    )

"""Figures with texts in other scripts: installed fonts, real widths, and words from right to left in their order."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from matplotlib.patches import Rectangle
from matplotlib.text import Text

import nlgauge
from nlgauge import plots
from nlgauge.explanations import Edit, Edits, NgramMatches, Order
from nlgauge.results.result import Result
from nlgauge.show.plots.directions import ISOLATE, POP, in_order
from nlgauge.show.plots.fonts import further_families
from tests.show.plots.drawn import check_readable, figure_of

_TEXTS = {
    "ja": ("機械翻訳システム一号", "短い名前", "火曜日の大雨で川沿いの二つの道路が閉鎖された。"),
    "zh": ("机器翻译系统一号", "短名", "周二的大雨使河边的两条道路关闭。"),
    "ko": ("기계 번역 시스템 일호", "짧은 이름", "화요일의 폭우로 강변 도로 두 곳이 통제되었다."),
    "ar": ("نظام الترجمة الآلية الأول", "اسم قصير", "أغلقت الأمطار الغزيرة طريقين قرب النهر يوم الثلاثاء."),
    "he": ("מערכת תרגום מכונה ראשונה", "שם קצר", "גשם כבד סגר שני כבישים ליד הנהר ביום שלישי."),
}
_LEFTWARDS = ("ar", "he")


def need_font(lang: str) -> None:
    """Skip if no installed font has the letters of a language; matplotlib's own has Arabic and Hebrew."""
    text = "".join(_TEXTS[lang])
    families = ("DejaVu Sans", *further_families(text, ("DejaVu Sans",)))
    if lang not in _LEFTWARDS and families == ("DejaVu Sans",):
        pytest.skip(f"no font for {lang} is installed (apt-get install fonts-noto-cjk)")


@cache
def result(lang: str) -> Result:
    long, short, text = _TEXTS[lang]
    texts = [text[place:] for place in range(6)]
    return nlgauge.score(
        {long: texts, short: [each[: len(each) - place] for place, each in enumerate(texts)]},
        [[text] for _ in texts],
        metrics=["chrf", "cer"],
        show_progress=False,
    )


def drawn_word(axes: Any) -> list[Text]:
    return [text for text in axes.texts if text.get_label() == "word"]


@pytest.mark.parametrize("preset", [None, "acl"])
@pytest.mark.parametrize("lang", _TEXTS)
def test_names_in_other_scripts_are_whole(lang: str, preset: str | None, tmp_path: Path) -> None:
    need_font(lang)
    with nullcontext() if preset is None else plots.preset(preset), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = figure_of(plots.forest(result(lang), resamples=50))
        for form in ("png", "svg"):
            plots.save(figure, tmp_path / f"forest.{form}")
    check_readable(figure)
    [axes] = figure.axes
    below = axes.get_xlabel().replace("\n", " ")
    long, short, _ = _TEXTS[lang]
    if lang in _LEFTWARDS and preset is None:
        # An isolated name keeps its side of the arrow, though arrows between two such names would be turned.
        assert f"{ISOLATE}{long}{POP} \u2190 | \u2192 {ISOLATE}{short}{POP}" in below
    assert below.replace(ISOLATE, "").replace(POP, "").startswith(f"better: {long} \u2190 | \u2192 {short}")


@pytest.mark.parametrize("lang", _TEXTS)
def test_marks_are_as_wide_as_words_in_other_scripts(lang: str, tmp_path: Path) -> None:
    need_font(lang)
    text = _TEXTS[lang][2]
    tokens = text.split() if " " in text else list(text)
    found = NgramMatches("bleu 50", {}, tokens, [1] * len(tokens), [Order("1-grams", 2, 3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes = plots.explanation(found)
        plots.save(axes, tmp_path / "words.png")
    figure_of(axes).draw_without_rendering()
    boxes = [patch.get_window_extent() for patch in axes.patches if isinstance(patch, Rectangle)]
    words = drawn_word(axes)
    assert sorted(word.get_text() for word in words) == sorted(tokens)
    for word, box in zip(words, boxes, strict=True):
        own = word.get_window_extent()
        assert box.x0 - 1 <= own.x0
        assert own.x1 <= box.x1 + 1
        assert box.width <= own.width + 4
    places = {word.get_text(): word.get_window_extent().x0 for word in words}
    if " " in text:
        assert sorted(places, key=lambda word: places[word], reverse=lang in _LEFTWARDS) == tokens


def test_letters_from_right_to_left_are_joined_up_to_a_mark() -> None:
    text = _TEXTS["ar"][2]
    edits = [
        *(Edit("equal", [sign], [sign]) for sign in text[:6]),
        Edit("delete", [text[6]], []),
        *(Edit("equal", [sign], [sign]) for sign in text[7:14]),
    ]
    words = drawn_word(plots.explanation(Edits("cer 0.1", {}, edits)))
    by_place = sorted(words, key=lambda word: -word.get_position()[0])
    assert "".join(word.get_text() for word in by_place).replace("\u2423", " ") == text[:14]
    assert len(words) < 8
    # Letters of other scripts stay apart, so that each has its mark.
    apart = plots.explanation(Edits("cer 0", {}, [Edit("equal", [sign], [sign]) for sign in "word"]))
    assert len(drawn_word(apart)) == 4


@pytest.mark.parametrize("preset", [None, "acl", "slide"])
def test_notes_of_explanations_stay_on_the_page(preset: str | None) -> None:
    orders = [Order(f"{n}-grams", 10 - n, 12 - n) for n in range(1, 9)]
    found = NgramMatches("bleu 50", {}, ["word"] * 30, [1] * 30, orders)
    with nullcontext() if preset is None else plots.preset(preset):
        axes = plots.explanation(found)
    check_readable(figure_of(axes))


@pytest.mark.parametrize(
    ("words", "base", "expected"),
    [
        (["a", "b"], "L", [0, 1]),
        (["א", "ב"], "R", [1, 0]),
        (["א", "3", "4", "ב"], "R", [3, 1, 2, 0]),
        (["א", "x", "y", ".", "ב"], "R", [4, 3, 1, 2, 0]),
        (["a", "א", "-", "ב", "b"], "L", [0, 3, 2, 1, 4]),
        (["a", "א", "."], "L", [0, 1, 2]),
        ([], "R", []),
    ],
)
def test_the_order_of_words_on_a_line(words: list[str], base: str, expected: list[int]) -> None:
    assert in_order(words, base) == expected

"""Every kind of explanation is drawn: the tokens are there as they stand in the text, and the marks are
those that the explanation has.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from page_cases import pause, result_of

from nlgauge.explanations import (
    Alignment,
    Distributions,
    Edit,
    Edits,
    Entailment,
    ErrorSpan,
    ErrorSpans,
    Explanation,
    Guesses,
    NgramMatches,
    Order,
    TokenScores,
    Transport,
    Verdict,
    WordAlignment,
    WordGroups,
)
from nlgauge.explanations.wire import kinds
from nlgauge.show.page_data.parts import explanation_part

Open = Callable[..., Any]
Report = Callable[..., Path]

# An astral character first: places are in code points, strings of the page in units of UTF-16.
_TEXT = "🚀 the Cat sat"
_SPANS = {"prediction": [(2, 5), (6, 9), (10, 13)]}
_BOTH = {**_SPANS, "reference": [None, None]}
_WORDS = ["the", "cat", "sat"]

_CASES: dict[str, tuple[Explanation, dict[str, list[str]]]] = {
    "NgramMatches": (
        NgramMatches(
            "bleu 12.5",
            {},
            _WORDS,
            [2, 2, 0],
            [Order("1-gram", 2, 3, 4), Order("2-gram", 1, 2)],
            spans=_SPANS,
        ),
        {
            "p.text": [_TEXT],
            "mark.n": ["the Cat"],
            "p.text .n0": ["sat"],
            ".orders tbody th": ["1-gram", "2-gram"],
            ".orders tbody tr:first-child small": ["2/3", "67", "50"],
        },
    ),
    "Edits": (
        Edits(
            "ter 50",
            {},
            [
                Edit("shift", [], ["sat"], 0),
                Edit("equal", ["the"], ["the"]),
                Edit("replace", ["dog"], ["Cat"]),
                Edit("insert", [], ["sat"]),
                Edit("delete", ["down"], []),
                Edit("jump", [], [], 2),
            ],
        ),
        {
            ".sub del": ["dog"],
            ".sub ins": ["Cat"],
            ".edits > ins": ["sat"],
            ".edits > del": ["down"],
            ".edits .jump": ["⤳"],
            ".tally span": ["1 substituted", "1 inserted", "1 deleted", "1 equal", "1 moved"],
            ".shifts li": ["sat to place 0"],
        },
    ),
    "Alignment": (
        Alignment(
            "bertscore 0.9",
            {},
            _WORDS,
            ["a", "cat"],
            np.array([[0.5, 0.1], [0.2, 0.9], [0.3, 0.4]]),
            np.ones(3),
            np.ones(2),
            spans=_BOTH,
        ),
        {
            "p.heat:not(.second) .tok": ["the", "Cat", "sat"],
            "p.heat:not(.second)": [_TEXT],
            "p.second .tok": ["a", "cat"],
        },
    ),
    "Transport": (
        Transport(
            "wmd 0.4",
            {},
            _WORDS,
            ["a", "cat"],
            np.array([[0.3, 0], [0, 0.5], [0.2, 0]]),
            np.array([[1, 2], [2, 0.0], [1, 1]]),
        ),
        {"svg .name": [*_WORDS, "a", "cat"], "svg .link": ["", "", ""]},
    ),
    "Distributions": (
        Distributions(
            "infolm 0.2",
            {},
            [("cat", 0.4, 0.1), ("dog", 0.05, 0.3)],
            0.75,
            [Guesses("cat", 0.5, [("cat", 0.5), ("dog", 0.2)])],
            [Guesses("dog", 0.1, [("cat", 0.5)])],
        ),
        {
            ".dist tbody th": ["cat", "dog"],
            ".dist tbody .num": ["0.400", "0.100", "0.050", "0.300"],
            ".dist .more": [""],
            ".dist .less": [""],
            "details .tok": ["cat", "dog"],
            "p.small": ["These tokens make up 75% of the whole difference.", "prediction", "reference"],
        },
    ),
    "TokenScores": (
        TokenScores("perplexity 3.2", {}, _WORDS, {"bits": [1.0, 2.5, 0.5], "rank": [1, 2, 3]}, spans=_SPANS),
        {
            "p.text": [_TEXT],
            ".tok": ["the", "Cat", "sat"],
            ".choose button": ["bits", "rank"],
            ".tally span": ["bits 4.0", "rank 6.0"],
        },
    ),
    "WordGroups": (
        WordGroups("sari 40", {}, {"kept": ["the", "cat"], "added wrongly": ["sat"]}),
        {"dl.groups dt": ["kept2", "added wrongly1"], ".chip": ["the", "cat", "sat"]},
    ),
    "WordAlignment": (
        WordAlignment(
            "meteor 0.6",
            {},
            _WORDS,
            ["a", "cats", "sat"],
            [(1, 1, "stem"), (2, 2, "exact")],
            [1, 1],
            spans=_BOTH | {"reference": [None] * 3},
        ),
        {
            "p.text:not(.second) .word": ["Cat", "sat"],
            "p.second .word": ["cats", "sat"],
            "p.second .n0": ["a"],
            ".tally span": ["1 stem", "1 exact", "1 chunk"],
        },
    ),
    "ErrorSpans": (
        ErrorSpans("xcomet 0.8", {}, _TEXT, [ErrorSpan(2, 5, "minor", 0.7), ErrorSpan(10, 13, "critical")]),
        {
            "p.text": [_TEXT],
            "p.text .error": ["the", "sat"],
            "p.text .error.critical": ["sat"],
            ".tally .error": ["1 minor", "1 critical"],
        },
    ),
    "Entailment": (
        Entailment(
            "summac 0.4",
            {},
            ["It sat.", "It ran."],
            ["The cat sat.", "It slept."],
            {"entail": np.array([[0.9, 0.1], [0.2, 0.3]]), "contradict": np.array([[0.05, 0.6], [0.7, 0.5]])},
            [0, 1],
        ),
        {
            ".hypothesis > p.text": ["The cat sat.", "It slept."],
            ".premise.decided p": ["It sat.", "It ran."],
            ".premise.decided .small": ["entail 0.90 · contradict 0.05", "entail 0.30 · contradict 0.50"],
            "summary": ["1 more premise", "1 more premise"],
        },
    ),
    "Verdict": (
        Verdict(
            "g_eval 2.5", {}, "coherence", 2.5, {"1": 0.25, "5": 0.5}, 0.75, "", ["Rate it."], [["3", "4"]]
        ),
        {
            "p b": ["coherence"],
            ".orders th": ["1", "5"],
            ".orders small": ["0.25", "0.50"],
            "p.small": ["The levels cover 75% of the probability.", "prompt", "replies"],
            ".said": ["Rate it.", "3", "4"],
        },
    ),
}


def _with(path: Path, explanations: Iterable[Explanation], place: Path) -> Path:
    """The report with these explanations in the place of those of the first segments, system and metric."""
    part = explanation_part(
        {segment: {"bleu": {"system 1": [each]}} for segment, each in enumerate(explanations)}
    )
    text = re.sub(
        r'(<script type="text/plain" id="d-why0">)[^<]*',
        lambda found: found[1] + base64.b64encode(part).decode(),
        path.read_text("utf-8"),
    )
    place.write_text(text, "utf-8")
    return place


def _choose(page: Any, segment: int) -> None:
    """Choose a segment by the address, which the page follows, and wait until its explanation is drawn."""
    page.evaluate("segment => { location.hash = `#segments?s=${segment}` }", segment)
    page.wait_for_function(
        "segment => document.querySelector('#detail h3').textContent === String(segment)", arg=segment
    )
    pause(page, 0)


def test_there_is_a_case_for_every_kind() -> None:
    assert set(kinds()) == set(_CASES)


def test_every_kind_is_drawn(opened: Open, report: Report, tmp_path: Path) -> None:
    explanations = [explanation for explanation, _ in _CASES.values()]
    shown = opened(_with(report("rocket"), explanations, tmp_path / "r.html"))
    page = shown.page
    for segment, (kind, (explanation, wanted)) in enumerate(_CASES.items()):
        _choose(page, segment)
        assert page.locator("#why h4").inner_text() == result_of("rocket").systems[0]
        assert page.locator("#why .whyscore").inner_text() == explanation.title.removeprefix("bleu ")
        for selector, texts in wanted.items():
            drawn = page.locator(f"#why {selector}").all_text_contents()
            assert [text.strip() for text in drawn] == texts, (kind, selector)
        assert shown.errors == [], kind
    for segment, kind in enumerate(_CASES):
        _choose(page, segment)
        for form in ("m", "m"):
            page.keyboard.press(form)
        assert shown.errors == [], kind


def test_the_alignment_as_links_and_as_matrix(opened: Open, report: Report, tmp_path: Path) -> None:
    page = opened(_with(report("rocket"), [_CASES["Alignment"][0]], tmp_path / "r.html")).page
    page.keyboard.press("m")
    page.wait_for_selector(".whole svg")
    assert page.locator(".whole .name").all_text_contents() == ["the", "cat", "sat", "a", "cat"]
    assert page.locator(".whole .link").count() == 3
    page.keyboard.press("m")
    page.wait_for_selector(".whole canvas")
    assert (
        page.locator(".whole canvas").get_attribute("aria-label")
        == "Similarity of 3 tokens of the prediction and 2 of the reference"
    )
    page.keyboard.press("m")
    page.wait_for_function("() => !document.querySelector('.whole canvas')")


_NUMBERS = {
    "bleu 35.02 (brevity penalty 0.9, 7 tokens for 8)": "35.02",
    "bertscore f1 0.7779, precision 0.8": "f1 0.7779",
    "rouge1 0.5000, rouge2 0.3": "rouge1 0.5000",
    "BLEU -3": "-3",
    "bleu: nothing to check": "bleu: nothing to check",
}


def test_the_number_of_an_explanation(opened: Open, report: Report, tmp_path: Path) -> None:
    explanations = [NgramMatches(title, {}, _WORDS, [0, 0, 0], [], spans=_SPANS) for title in _NUMBERS]
    page = opened(_with(report("rocket"), explanations, tmp_path / "r.html")).page
    for segment, shown in enumerate(_NUMBERS.values()):
        _choose(page, segment)
        assert page.locator("#why .whyscore").inner_text() == shown

"""Error spans of people and metrics in a segment, and the table of F, in Chromium."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsers import COLORS, RULES, axe, faults

import nlgauge
from nlgauge.corpus.selecting import matching
from nlgauge.results.result import Result
from nlgauge.results.selecting import columns_of as selectable
from nlgauge.show.page_data.spans import span_table
from nlgauge.spans import Annotation, Span
from nlgauge.spans.building import columns_of

Shown = Any
Open = Callable[..., Shown]
# Nobody marked the last two segments.
REST = ["A third text.", "A fourth text."]
TEXTS = {
    "A": ["The 😀 ferry left the old harbor at noon.", "All is right here.", *REST],
    "B": ["A boat left.", "All is wrong.", *REST],
}
REFERENCES = ["The ferry left the old port at nine.", "All is right here.", *REST]
MARKED = {
    ("ana", "1", "A"): [Span(6, 26, "major", "accuracy/mistranslation"), Span(21, 24, "minor", "style")],
    ("ben", "1", "A"): [
        Span(21, 31, "critical"),
        Span(None, None, "major", "accuracy/omission", note="<b>nine</b>"),
    ],
    ("cem", "1", "A"): [Span(35, 39, "High", "<img src=x>")],
    ("ana", "1", "B"): [],
    ("ana", "2", "B"): [Span(7, 12, "major")],
    ("ben", "2", "B"): [Span(4, 12, "minor")],
}


@functools.cache
def marked_result() -> Result:
    scored = nlgauge.score(TEXTS, REFERENCES, ids=["1", "2", "3", "4"], metrics=["chrf", "ter"])
    annotations = [
        Annotation(segment, system, who, tuple(marked), target=TEXTS[system][int(segment) - 1])
        for (who, segment, system), marked in MARKED.items()
    ]
    people = columns_of(annotations)[0]
    metric = nlgauge.meta.metric_spans(scored, ["ter"])["ter"]
    return scored.with_spans([*people, metric])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = marked_result().report(tmp_path_factory.mktemp("spans") / "report.html")
    return path


@pytest.fixture
def page(report: Path, opened: Open) -> Shown:
    shown: Shown = opened(f"{report.as_uri()}#segments?s=1")
    shown.page.wait_for_selector(".marks")
    return shown


def voice(shown: Shown, name: str) -> None:
    shown.page.locator(f"[data-key='voice {name}']").click()


def test_marks_of_one_voice_are_at_their_places_with_a_list(page: Shown):
    assert page.texts(".marks .voices button") == ["ana", "ben", "cem", "ter"]
    article = page.page.locator(".marks article").first
    # The emoji is two units in the page; the inner mark of nested marks is a mark of its own.
    assert article.locator("mark").all_inner_texts() == ["ferry left the ", "old", " h"]
    assert "".join(article.locator(".marks-text").all_inner_texts()) == TEXTS["A"][0]
    styles = [
        each.evaluate("node => getComputedStyle(node).textDecorationStyle")
        for each in article.locator("mark").all()
    ]
    assert styles == ["solid", "dotted", "solid"]
    assert [item.split(": ")[1] for item in article.locator(".marks-list li").all_inner_texts()] == [
        "major, accuracy/mistranslation, ana",
        "minor, style, ana",
    ]
    assert article.locator(".marks-list q").all_inner_texts()[1] == "old"
    assert page.page.locator(".marks article").nth(1).inner_text().endswith("no error marked by ana")
    # Long values of the fields to filter by do not widen the list.
    right = "node => node.getBoundingClientRect().right"
    ends = page.page.locator(".filters :is(input, select)").evaluate_all(f"all => all.map({right})")
    assert max(ends) < page.page.locator(".list").evaluate(right)
    assert page.errors == []


def test_two_voices_differ_by_their_lines_and_more_have_lanes(page: Shown):
    # With the keyboard; further voices with the mouse.
    page.page.locator("[data-key='voice ana']").focus()
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")
    assert page.page.locator("[data-key='voice ben']").get_attribute("aria-pressed") == "true"
    text = page.page.locator(".marks article").first
    assert "ana is tinted, ben is the line below." in page.page.locator(".marks").inner_text()
    both = text.locator("mark.second-voice.critical")
    assert both.first.evaluate("node => getComputedStyle(node).borderBottomStyle") == "double"
    assert text.locator("mark.second-voice mark.first-voice").all_inner_texts() == ["old", " h"]
    # An omission is a chip, and its note is text.
    assert text.locator(".chip").all_inner_texts() == [
        "missing: major, accuracy/omission, \u201c<b>nine</b>\u201d, ben"
    ]
    voice(page, "cem")
    assert "Lines from top to bottom: ana, ben, cem." in page.page.locator(".marks").inner_text()
    images = text.locator("mark.in-lanes").first.evaluate("node => getComputedStyle(node).backgroundImage")
    assert "linear-gradient" in images
    assert "not read by ben, cem" in page.page.locator(".marks article").nth(1).inner_text()
    # A voice that is off again is gone; the focus stays on its button.
    voice(page, "ana")
    assert page.page.evaluate("document.activeElement.dataset.key") == "voice ana"
    assert page.page.locator("[data-key='voice ana']").get_attribute("aria-pressed") == "false"
    assert page.errors == [] and page.dialogs == []


def test_axe_finds_nothing_in_marks_in_either_theme(report: Path, opened: Open):
    page = opened(f"{report.as_uri()}#segments?s=1", bypass_csp=True)
    voice(page, "ben")
    page.page.evaluate(axe())
    for theme, rules in (("light", RULES), ("dark", COLORS)):
        page.page.emulate_media(color_scheme=theme)
        for where in (".marks", "#span-scores"):
            assert faults(page.page, f"document.querySelector('{where}')", rules) == [], (theme, where)


def test_a_report_without_spans_or_texts_shows_none(tmp_path: Path, opened: Open):
    path = marked_result().report(tmp_path / "no-texts.html", texts=False)
    shown = opened(path)
    assert shown.page.locator(".marks").count() == 0 and shown.page.locator("#span-scores").count() == 1
    assert shown.errors == []


def test_segments_are_selected_by_spans_as_in_python(page: Shown):
    result = marked_result()
    for expression, ids in (
        ("spans.cem > 0", ["1"]),
        ("severity ~ critical", ["1"]),
        ("category ~ accuracy", ["1"]),
        ("missed.ter[B] > 0", ["2"]),
        ("spans.ana[A] > 1", ["1"]),
        ("spans.ben[B] = none", ["1", "3", "4"]),
    ):
        met = np.flatnonzero(matching(expression, selectable(result)))
        assert [str(result.corpus.ids[n]) for n in met] == ids, expression
        page.page.fill("#where", "")
        page.page.wait_for_function("() => document.querySelector('#selection').hidden")
        page.page.fill("#where", expression)
        page.page.wait_for_function("() => !document.querySelector('#selection').hidden")
        shown = page.page.locator("#selection").inner_text()
        assert shown.startswith(f"{len(ids)} of 4 segments"), (expression, shown)
        assert page.texts("#segments [role=option] .id") == ids
    assert page.errors == []


def test_the_table_of_a_report_is_of_all_segments_and_that_of_the_explorer_of_the_selection(
    page: Shown, opened: Open, explorer: Callable[..., str]
):
    assert page.page.locator("nav a[href='#trust']").is_visible()
    names = {"ter", "nothing", "everything", "not in the reference", "at random", "people (one another)"}
    assert set(page.texts("#span-scores tbody th")) == names
    spans = nlgauge.spans.spans_of_corpus(marked_result().corpus)
    people = [each for each in spans if each.kind == "people"]
    metrics = {each.who: each for each in spans if each.kind == "metric"}
    [value] = nlgauge.meta.span_scores(people, metrics, resamples=10).where(metric="ter").column("value")
    row = page.page.locator("#span-scores tbody tr", has_text="ter").first
    assert row.locator("td").all_inner_texts()[2] == f"{value:.3f}"
    numbers = page.texts("#span-scores td")
    assert page.page.locator("#trust .unfiltered").count() == 0
    page.page.fill("#where", "id = 1")
    page.page.wait_for_selector("#trust .unfiltered")
    assert page.page.locator("#trust .unfiltered").inner_text().startswith("Of all 4 segments")
    assert page.texts("#span-scores td") == numbers
    live = opened(f"{explorer(marked=marked_result())}#trust?where=id%20%3D%201")
    live.page.wait_for_function("() => document.querySelector('#span-scores')?.innerText.includes('2 texts')")
    expected = span_table(marked_result().where("id = 1"))
    assert expected is not None and live.page.locator("#trust .unfiltered").count() == 0
    shown = dict(zip(live.texts("#span-scores tbody th"), live.texts("#span-scores tbody tr"), strict=True))
    for row in expected["rows"]:
        assert f"{row['value']:.3f}" in shown[row["name"]]
    live.page.fill("#where", "id = 3")
    live.page.wait_for_function(
        "() => document.querySelector('#trust').innerText.includes('use a wider one')"
    )
    assert live.page.locator("#span-scores").count() == 0
    assert page.errors == []

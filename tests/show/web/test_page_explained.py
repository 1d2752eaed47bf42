"""Explanations say why: nothing is cut off, the reference that counted is named, and what the score rests
on stands beside it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from log_cases import inspect_header, inspect_sample, write_json
from page_cases import result_of

import nlgauge
from nlgauge.explanations import Alignment, Distributions, Explanation, Guesses, TokenScores, Transport
from nlgauge.show.page_data.parts import explanation_part

Open = Callable[..., Any]
Report = Callable[..., Path]

_WORDS = ["internationalization", "of", "the", "committee"]


def with_explanations(
    path: Path, explanations: Sequence[Explanation], place: Path, variant: str = "three systems"
) -> Path:
    """Write the report with these explanations in place of those by bleu, for every system and segment."""
    systems = result_of(variant).systems
    part = explanation_part(
        {segment: {"bleu": {system: list(explanations) for system in systems}} for segment in range(12)}
    )
    data = base64.b64encode(part).decode()
    text = re.sub(
        r'(<script type="text/plain" id="d-why0">)[^<]*',
        lambda found: found[1] + data,
        path.read_text("utf-8"),
    )
    place.write_text(text, "utf-8")
    return place


@pytest.mark.parametrize("width", [1440, 1024])
def test_transport_fits_its_column(width: int, opened: Open, report: Report, tmp_path: Path) -> None:
    plan = np.full((4, 4), 0.0625)
    transport = Transport("moverscore 0.4", {}, _WORDS, _WORDS[::-1], plan, plan)
    path = with_explanations(report("three systems"), [transport], tmp_path / "r.html")
    shown = opened(path, viewport={"width": width, "height": 900})
    outside = shown.page.evaluate(
        """() => [...document.querySelectorAll("#why article.sys")].flatMap(column => [...column.querySelectorAll("svg text")].filter(text => {
            const [own, around] = [text.getBoundingClientRect(), column.getBoundingClientRect()];
            return own.right > around.right || own.left < around.left;
        }).map(text => text.textContent))"""
    )
    assert outside == []
    assert shown.page.locator("#why svg .name").count() == 24
    # Above the picture, both texts, with the cause.
    column = shown.page.locator("#why article.sys").first
    assert column.locator(".cause").inner_text().startswith("The most expensive move is")
    assert column.locator(".cause bdi").all_inner_texts() == ['"internationalization"', '"committee"']
    assert column.locator("p.text.heat").count() == 2
    assert shown.errors == []


def alignment(parts: str, reference: int) -> Alignment:
    similarity = np.eye(2) * 0.5 + 0.4
    names = {name: np.zeros(2) for name in re.findall(r"[a-z]\w+(?= \d)", parts)}
    return Alignment(
        f"bertscore {parts}",
        names,
        ["the", "cat"],
        ["a", "cat"],
        similarity,
        np.ones(2),
        np.ones(2),
        reference_number=reference,
    )


def test_each_part_names_its_reference_and_the_prediction_is_printed_once(
    opened: Open, report: Report, tmp_path: Path
) -> None:
    two = [alignment("precision 0.8100", 1), alignment("recall 0.7000, f1 0.7500", 0)]
    shown = opened(with_explanations(report("three systems"), two, tmp_path / "r.html"))
    first = "#why article.sys:nth-of-type(1)"
    assert shown.texts(f"{first} .by-reference") == [
        "precision 0.8100: reference 2",
        "recall 0.7000, f1 0.7500: reference 1",
    ]
    assert shown.page.locator(f"{first} .text.prediction").count() == 1
    assert shown.page.locator(f"{first} .text.second").count() == 2
    assert "which counted" not in shown.page.locator("#why").inner_text()
    picks = shown.page.locator(".context .pick button")
    assert [node.get_attribute("aria-label") for node in picks.all()] == [
        "Reference 1, which counted",
        "Reference 2, which counted",
    ]
    # The reference that counted for the first explanation is open.
    assert picks.nth(1).get_attribute("aria-pressed") == "true"
    assert shown.errors == []


def test_shannon_opens_on_what_the_summary_helps(opened: Open, report: Report, tmp_path: Path) -> None:
    scores = TokenScores(
        "shannon 0.2", {}, ["a", "b"], {"alone": [3.0, 2.0], "given the summary": [1.0, 2.0]}, text="source"
    )
    page = opened(with_explanations(report("three systems"), [scores], tmp_path / "r.html")).page
    assert page.locator("#why .choose [aria-pressed=true]").first.inner_text() == "what it helps"


def test_tokens_of_white_space_are_visible_and_folded(opened: Open, report: Report, tmp_path: Path) -> None:
    differences = [
        ("Ġcat", 0.4, 0.1),
        ("cat", 0.1, 0.1),
        ("Ġ", 0.1, 0.2),
        ("Ċ", 0.0, 0.1),
        (".", 0.1, 0.0),
        ("Ġ.", 0.1, 0.0),
    ]
    odd = Distributions(
        "infolm 0.2",
        {},
        differences,
        0.9,
        [Guesses("Ġ", 0.5, [("Ċ", 0.5)])],
        [Guesses("dog", 0.1, [("cat", 0.5)])],
    )
    page = opened(with_explanations(report("three systems"), [odd], tmp_path / "r.html")).page
    rows = page.locator("#why article.sys:nth-of-type(1) .dist tbody tr").all_inner_texts()
    assert [row.split() for row in rows] == [
        ["cat", "0.500", "0.200"],
        ["▁", "0.100", "0.200"],
        ["⏎", "0.000", "0.100"],
        [".", "0.200", "0.000"],
    ]


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a prediction that is much too short, with two references and a Chinese source."""
    references = [["A man came in and sat down by the fire.", "He said that he was cold, and sat down."]]
    result = nlgauge.score(
        ["He said."], references, ["周二的大雨使河边的两条道路关闭。"], metrics=["bleu", "rouge"]
    )
    return result.report(tmp_path_factory.mktemp("short") / "r.html", resamples=20)


def test_the_brevity_penalty_the_matches_and_the_length_are_shown(short: Path, opened: Open) -> None:
    page = opened(short).page
    assert re.search(r"^brevity penalty 0\.\d+, 3 tokens for \d+$", page.locator("#why .rest").inner_text())
    assert re.search(
        r"^The prediction has only 3 tokens where the reference has \d+ \(brevity penalty 0\.\d\d\); 3 of 3 tokens"
        r" match\.$",
        page.locator("#why .cause").inner_text(),
    )
    # A text without spaces is counted in characters.
    assert page.locator(".context header .small").all_inner_texts() == ["16 characters"]
    # Matches name their reference and are marked in it.
    assert page.locator("#why mark.n").first.get_attribute("data-tip").endswith("in reference 2")
    assert "He said" not in page.locator(".context mark.n").all_inner_texts()
    page.get_by_role("button", name="Reference 2").click()
    page.wait_for_function("() => document.querySelector('.context mark.n')?.textContent === 'He said'")
    assert page.locator(".context mark.n").all_inner_texts() == ["He said", "."]


def test_an_imported_score_has_the_texts_of_its_scorer(opened: Open, tmp_path: Path) -> None:
    sample = inspect_sample("q0", 0)
    sample["scores"]["match"]["explanation"] = "not <b>equal</b>"
    log = write_json(tmp_path / "a.json", {**inspect_header(), "samples": [sample]})
    shown = opened(nlgauge.read_log(log).report(tmp_path / "page.html"))
    detail = shown.page.locator("#detail")
    assert "not <b>equal</b>" in detail.inner_text()
    assert "NaN" not in detail.inner_text()
    assert shown.errors == []

"""The head of the page and its tables: ties have no winner, names can be told apart, signs have one rule,
missing scores are visible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_cases import result_of

import nlgauge
from nlgauge import plots
from nlgauge._core.numbers import number, p_value, ties
from nlgauge.results.imported.human import with_human_scores

Open = Callable[..., Any]
Report = Callable[..., Path]

_PAIR = (
    "() => [...document.querySelectorAll('#compare .duel select')].map(node =>"
    " node.selectedOptions[0].textContent)"
)


def test_equal_systems_have_no_winner(opened: Open, report: Report) -> None:
    shown = opened(report("identical"))
    assert (
        shown.page.locator("#verdict").inner_text()
        == "A, B and C have the same texts, so every score is the same."
    )
    assert shown.page.locator("td.best").count() == 0
    assert shown.page.locator(".lede").count() == 0
    assert shown.errors == []


@pytest.mark.parametrize("variant", ["three systems", "seventeen systems", "one metric in five ways"])
def test_sentence_table_and_pickers_have_one_order(variant: str, opened: Open, report: Report) -> None:
    page = opened(report(variant)).page
    table = page.locator(".board tbody th").all_inner_texts()
    if variant == "three systems":
        # People do not distinguish these systems, so that the sentence names none of them.
        assert page.locator("#verdict").inner_text() == "People cannot tell the 3 systems apart (fluency)."
    else:
        assert page.locator("#verdict .who").first.inner_text() == table[0]
    assert page.locator("[aria-label='Compared system'] option").all_inner_texts() == table
    baseline = result_of(variant).systems[0]
    assert page.evaluate(_PAIR) == [next(name for name in table if name != baseline), baseline]
    sentence = page.locator("#verdict").inner_text()
    page.get_by_role("button", name="sort by ter").click()
    assert page.locator("#verdict").inner_text() == sentence


def test_names_of_one_metric_in_five_ways_are_distinct(opened: Open, report: Report) -> None:
    page = opened(report("one metric in five ways")).page
    lists = {
        "map": "#agreement .map text.row",
        "compare": ".forest tbody th button",
        "tabs": "[role=tab]",
        "picker": "[aria-label='Score across'] option",
        "table of the segment": ".mini thead th button small",
        "leaderboard": ".board .cardname",
    }
    for name, selector in lists.items():
        names = [" ".join(text.split()) for text in page.locator(selector).all_text_contents()]
        assert len(names) == 6, name
        assert len(set(names)) == 6, (name, names)


@pytest.mark.parametrize("baseline", [None, "Gamma"])
def test_compare_shows_the_numbers_of_a_comparison(
    baseline: str | None, opened: Open, tmp_path: Path
) -> None:
    result = result_of("three systems")
    path = result.report(tmp_path / "r.html", baseline=baseline, resamples=50, explain=0)
    page = opened(path).page
    system, against = page.evaluate(_PAIR)
    assert against == (baseline or result.systems[0])
    result = with_human_scores(result).result
    comparison = result.compare(against, system, resamples=50)
    together = {
        (row.label, row.output.name): row.p_max_t
        for row in result.compare(all_pairs=True, resamples=50)
        if {row.first, row.second} == {system, against}
    }
    expected = []
    for row in comparison:
        key = row.label, row.output.name
        if key not in comparison.equal:
            p = row.p if result._tables[system, row.label].additive else math.nan
            gain = number(row.gain, row.output, sign=True).replace("-", "−")
            gain = gain.removeprefix("+") if not row.gain else gain
            expected.append([gain, p_value(p), p_value(together[key])])
    cells = page.locator(".forest tbody td.num").all_inner_texts()
    assert [cells[place : place + 3] for place in range(0, len(cells), 3)] == expected
    headings = page.locator(".forest thead th.num").all_inner_texts()
    assert headings == ["gain", "p", "p (max-T)"]


def test_the_sign_of_a_number_is_the_side_of_its_dot(opened: Open, report: Report) -> None:
    page = opened(report("three systems")).page
    rows = page.evaluate(
        """() => [...document.querySelectorAll(".forest tbody tr")].map(row => [
        row.querySelector("td.num").textContent,
        Number(row.querySelector("circle").getAttribute("cx")) - Number(row.querySelector(".zero").getAttribute("x1"))])"""
    )
    assert {text[0] for text, _ in rows} >= {"+", "−"}
    for text, side in rows:
        assert (text[0] == "+") == (side > 1e-6) and (text[0] == "−") == (side < -1e-6), (text, side)


@pytest.mark.parametrize("variant", ["three systems", "seventeen systems"])
def test_ends_of_scales_do_not_meet(variant: str, opened: Open, report: Report) -> None:
    page = opened(report(variant), viewport={"width": 1000, "height": 800}).page
    meeting = page.evaluate("""() => [...document.querySelectorAll(".ends")].filter(ends => {
        const [low, high] = [...ends.children].map(node => node.getBoundingClientRect());
        return low.right + 5 > high.left && low.bottom > high.top + 1;
    }).length""")
    assert meeting == 0
    # Ranks stay beside their score, so that all rows have one height.
    heights = page.evaluate(
        "() => [...document.querySelectorAll('.board tbody tr')].slice(0, -1).map(row => row.offsetHeight)"
    )
    assert max(heights) - min(heights) <= 1


def test_wins_and_ties_are_those_of_the_figures(opened: Open, report: Report) -> None:
    result = result_of("three systems")
    page = opened(report("three systems")).page
    first, second = page.evaluate(_PAIR)
    for label, output in (("bleu", 0), ("ter", 0)):
        page.locator(".forest").get_by_role("button", name=label).click()
        page.wait_for_function(
            "name => document.querySelector('#compare figcaption b').textContent === name", arg=label
        )
        table = result._tables[first, label]
        ours, theirs = (result._tables[system, label].segments_of(label) for system in (first, second))
        equal = int(ties(ours, theirs, table.leading()[output]).sum())
        better = int(
            (
                ((ours < theirs) if label == "ter" else (ours > theirs))
                & ~ties(ours, theirs, table.leading()[output])
            ).sum()
        )
        shown = [int(text.split()[0]) for text in page.locator("#compare .share").all_inner_texts()]
        assert shown == [better, equal, len(ours) - better - equal]
        figure = plots.waterfall(result, label, second, first).figure
        titles = [ax.get_title(loc) for ax in figure.axes for loc in ("left", "center")]
        counts = f"{first} better on {better}, tie on {equal}, {second} better on {shown[2]}"
        assert counts in " ".join(" ".join(titles).split())


def test_many_systems_are_ordered_by_all_and_show_best_and_worst(opened: Open, report: Report) -> None:
    shown = opened(report("seventeen systems"))
    page = shown.page
    assert page.locator("[aria-label=Order] option:checked").inner_text() == "systems differ most"
    result = result_of("seventeen systems")
    scores = np.array([result._tables[system, "bleu"].segments_of("bleu") for system in result.systems])
    gaps = np.ptp(scores, axis=0)
    listed = [int(text) for text in page.locator("[role=option] .id").all_inner_texts()]
    assert np.all(np.diff(gaps[listed]) <= 1e-4)
    first = scores[:, listed[0]]
    names = page.locator("#why article h4").all_inner_texts()
    assert len(names) == 4
    of_names = [first[result.systems.index(name)] for name in names]
    assert of_names[0] == first.max() > of_names[-1] == first.min()
    assert set(page.evaluate(_PAIR)) <= set(names)
    assert page.locator("#why .whyscore").count() == 4
    ranks = page.locator("#why .rank").all_inner_texts()
    assert ranks[0] == "rank 1 of 17"
    assert [int(text.split()[1]) for text in ranks] == [
        1 + sum(round(float(other), 2) > round(float(score), 2) for other in first) for score in of_names
    ]
    # A dot of the strip shows its system.
    hidden = next(name for name in result.systems if name not in names)
    page.evaluate(
        """name => [...document.querySelectorAll(".all circle")].find(dot => dot.dataset.tip.split("\\n")[0] === name)
            .dispatchEvent(new MouseEvent("click", { bubbles: true }))""",
        hidden,
    )
    page.wait_for_function(
        "name => [...document.querySelectorAll('#why article h4')].some(node => node.textContent === name)",
        arg=hidden,
    )
    assert page.locator("#why article h4").count() == 4
    assert shown.errors == []


def test_disagreements_are_of_different_segments_with_name_and_text(opened: Open, report: Report) -> None:
    page = opened(report("seventeen systems")).page
    rows = page.locator("#agreement .quarrel li")
    ids = page.locator("#agreement .quarrel .id").all_inner_texts()
    assert len(ids) == rows.count() == len(set(ids)) > 1
    # The keyboard reaches every row of the lists beside the pictures, whose points it does not reach.
    for rows_of in ("#agreement .quarrel li", "#compare .makers li"):
        reached = "rows => rows.map(row => row.querySelector('button')?.tabIndex)"
        assert set(page.locator(rows_of).evaluate_all(reached)) == {0}, rows_of
    assert all(
        name.startswith("system ") for name in page.locator("#agreement .quarrel .name").all_inner_texts()
    )
    page.wait_for_function(
        "() => [...document.querySelectorAll('#agreement .quarrel .snippet')].every(node =>"
        " node.textContent.length > 3)"
    )


def test_a_selection_leaves_the_agreement_of_a_report(opened: Open, report: Report) -> None:
    shown = opened(report("seventeen systems"))
    page = shown.page
    picture = page.locator("#agreement figure:not(.map) svg")
    colored = """node => [...node.querySelectorAll("circle[fill='var(--s0)'], circle[fill='var(--s1)']")].map(dot =>
        dot.dataset.tip.split(",")[0]).filter((name, place, all) => all.indexOf(name) === place).sort()"""
    compared = sorted(page.evaluate(_PAIR))
    assert picture.evaluate(colored) == compared
    picture.evaluate("node => { node.dataset.same = '' }")
    page.fill("#query", "the")
    page.wait_for_function("() => document.querySelector('#agreement .quarrel mark')")
    assert page.locator("#agreement .unfiltered").is_visible()
    # Thousands of points are not drawn again.
    assert picture.get_attribute("data-same") == ""
    # Of many systems only the compared ones have colors.
    other = next(system for system in result_of("seventeen systems").systems if system not in compared)
    page.get_by_label("Compared system").select_option(label=other)
    compared = sorted(page.evaluate(_PAIR))
    assert other in compared
    assert picture.evaluate(colored) == compared
    assert shown.errors == []


def test_missing_scores_are_visible(opened: Open, tmp_path: Path) -> None:
    references = [["a b c"], ["d e f"], ["g h i"], ["j k l"]]
    result = nlgauge.score(
        {"A": ["a b", "", "g h i", ""], "B": ["a", "d e", "", "k"], "C": ["a b", "c", "d", "e f"]},
        references,
        metrics=["flesch_reading_ease", "bleu"],
    )
    shown = opened(result.report(tmp_path / "r.html", resamples=50))
    page = shown.page
    rows = page.locator(".board tbody tr").all()
    cells = {row.locator("th").inner_text(): row.locator(".missing").first.inner_text() for row in rows}
    assert cells == {"A": "2 missing", "B": "1 missing", "C": "none missing"}
    said = (
        "Means over different segments are not comparable; the comparison uses the segments that both systems"
        " have."
    )
    assert said in page.locator("#leaderboard .caption").inner_text()
    page.get_by_label("Compared system").select_option(label="B")
    assert "missing: 1 and 2" in page.locator(".forest").inner_text()
    assert said in page.locator("#compare .caption").inner_text()
    assert shown.errors == []


def test_outputs_that_repeat_another_are_named_once(opened: Open, report: Report) -> None:
    shown = opened(report("three systems"))
    for section in ("leaderboard", "compare"):
        assert (
            "rougeLsum is the same as rougeL on every segment."
            in shown.page.locator(f"#{section} .caption").inner_text()
        )
    for selector in (
        ".board thead button",
        ".forest button",
        ".mini thead button",
        "[aria-label='Score across'] option",
    ):
        assert not [text for text in shown.page.locator(selector).all_text_contents() if "rougeLsum" in text]

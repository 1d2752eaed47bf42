"""What notebooks show: everything that can be printed has HTML without script, style sheet and ids; the
report stands in a sandboxed frame.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.meta import Findings
from nlgauge.metric.card import card
from nlgauge.results.result import Result
from nlgauge.show.report.notebook import Framed

EVIL = "<img src=x onerror=alert(1)>"
# What Markdown of a card may become, beside tables and lines.
SAFE = {
    "div",
    "span",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "sup",
    "br",
    "p",
    "ul",
    "ol",
    "li",
    "code",
    "pre",
    "em",
    "strong",
    "a",
}
SAFE |= {"h1", "h2", "h3", "h4", "svg", "line", "circle"}
DRAWN = {
    "width",
    "height",
    "viewbox",
    "aria-hidden",
    "x1",
    "x2",
    "y1",
    "y2",
    "cx",
    "cy",
    "r",
    "fill",
    "stroke",
    "stroke-width",
    "stroke-opacity",
}


class Seen(HTMLParser):
    """The tags and attributes of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.fixture(scope="module")
def result() -> Result:
    texts = [f"the cat {EVIL} sat", "a dog ran", "it rained all day"]
    return nlgauge.score(
        {EVIL: texts, "other": ["the cat", "a dog ran off", "it rained"]},
        texts,
        metrics=["bleu", "chrf", "ter"],
    )


def everything(result: Result) -> dict[str, object]:
    rows = result.scores("records", intervals=False)
    return {
        "Result": result,
        "Comparison": result.compare(resamples=20),
        "Ranks": result.ranks(resamples=20),
        "Explanations": result.explain("bleu", 0, EVIL),
        "Explanation": result.explain("ter", 0, EVIL)[0],
        "Card": card("bleu"),
        "Findings": Findings(
            [{"metric": row["metric"], "system": row["system"], "value": row["score"]} for row in rows]
        ),
        "SegmentList": result.worst("chrf", 2),
    }


def test_everything_has_html_without_scripts_styles_and_ids(result: Result) -> None:
    for name, shown in everything(result).items():
        text = shown._repr_html_()  # type: ignore[attr-defined]
        seen = Seen(text)
        assert set(seen.tags) <= SAFE, name
        assert {attribute for attribute, _ in seen.attributes} <= {
            "style",
            "title",
            "dir",
            "href",
            "start",
            "class",
        } | DRAWN, name
        if name != "Card":
            assert "&lt;" in text, name


def strips(text: str) -> list[dict[str, float]]:
    """Of each drawn interval the places of its ends, of its dot and, where it is marked, of zero."""
    found = []
    for drawn in ElementTree.fromstring(f"<all>{''.join(re.findall(r'<svg.*?</svg>', text))}</all>"):
        rail, *lines = drawn.findall("line")
        assert float(rail.get("x2", "")) == float(drawn.get("width", ""))
        dot = drawn.find("circle")
        assert dot is not None
        one = {
            "dot": float(dot.get("cx", "")),
            "low": float(lines[-1].get("x1", "")),
            "high": float(lines[-1].get("x2", "")),
        }
        found.append(one if len(lines) == 1 else {**one, "zero": float(lines[0].get("x1", ""))})
    return found


def test_a_result_draws_its_intervals(result: Result) -> None:
    found = strips(result._repr_html_())
    intervals = result.intervals()
    wanted = [[intervals[system][label][label] for system in result.systems] for label in result.labels]
    assert len(found) == sum(map(len, wanted))
    for bounds, drawn in zip(wanted, zip(found[::2], found[1::2], strict=True), strict=True):
        least, most = min(bound.low for bound in bounds), max(bound.high for bound in bounds)
        for bound, one in zip(bounds, drawn, strict=True):
            places = [
                4 + 88 * (value - least) / ((most - least) or 1)
                for value in (bound.score, bound.low, bound.high)
            ]
            assert [one["dot"], one["low"], one["high"]] == pytest.approx(places, abs=0.06)


def test_a_comparison_draws_its_gains_around_zero(result: Result) -> None:
    comparison = result.compare(resamples=20)
    found = strips(comparison._repr_html_())
    known = [row for row in comparison if max(map(abs, (row.gain, row.gain_low, row.gain_high))) > 0]
    assert len(found) == len(known) > 1
    for row, one in zip(known, found, strict=True):
        assert one["zero"] == 48
        assert (one["dot"] > 48) == (row.gain > 0)
        assert one["low"] <= one["high"]


def test_what_takes_long_has_no_intervals(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.results.result._QUICK", 3)
    assert strips(result._repr_html_()) == []
    assert strips(nlgauge.score(["a b"], ["a c"], metrics="chrf")._repr_html_()) == []
    assert (
        strips(nlgauge.score(["a b", "c"], ["a c", "c"], metrics=["chrf", "self_bleu"])._repr_html_()) == []
    )
    assert strips(result.to_html(resamples=20)) != []


def test_the_report_is_shown_in_a_frame_that_reaches_nothing(result: Result) -> None:
    shown = result.show(EVIL, height=300, explain=1, resamples=9)
    seen = Seen(shown._repr_html_())
    attributes = dict(seen.attributes)
    assert seen.tags == ["iframe"]
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["srcdoc"] == shown.page
    assert attributes["title"] == EVIL
    assert "height:300px" in str(attributes["style"])
    assert shown.page.startswith("<!doctype html>")
    assert EVIL not in shown.page
    assert repr(shown).startswith(f"the report {EVIL!r} (")
    assert isinstance(result.show(explain=0, resamples=9), Framed)
    for height in (0, True, "x"):
        with pytest.raises(ParameterError, match=r"height.*number"):
            result.show(height=height)  # type: ignore[arg-type]

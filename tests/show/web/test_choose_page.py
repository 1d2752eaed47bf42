"""The page "Which metric?" of the documentation: its form gives the answers of `nlgauge.choose`, its examples run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nlgauge
from tools.site import choose
from tools.site.files import Target

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "choose.md").read_text("utf-8")


def block(kind: str) -> str:
    """Return the first block of a kind on the page."""
    return re.findall(rf"^```{re.escape(kind)}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]


def test_the_form_gives_the_answers_of_python(browser, tmp_path):
    choose.write(Target(tmp_path))
    for script in re.findall(r"_static/(choose[\w-]*\.js)", PAGE):
        if script != "choose-data.js":
            shutil.copy(DOCS / "_static" / script, tmp_path / "_static")
    (tmp_path / "choose").mkdir()
    (tmp_path / "choose" / "index.html").write_text(
        f"<!doctype html><meta charset=utf-8>{block('{raw} html')}", "utf-8"
    )
    page, problems = browser.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
    address = (tmp_path / "choose" / "index.html").as_uri()

    def shown() -> tuple[str, list[str]]:
        return page.inner_text(".choose-verdict"), page.locator(
            ".choose-table tbody th > code, .choose-table tbody th > a > code"
        ).all_inner_texts()

    page.goto(address)
    advised = [advised.metric for advised in nlgauge.choose("translation").recommendations]
    assert shown() == ("Best available; agreement with people is modest", advised)
    assert "not separated by the evidence from 1" in page.inner_text(".choose-answer")
    page.get_by_label("Task").select_option("stories")
    assert shown() == ("No recommendation", []) and "task=stories" in page.url
    page.goto(f"{address}?task=summarization&have=source&want=nonsense&lang=ja&labels=200")
    advice = nlgauge.choose("summarization", "ja", "source", labels=200)
    assert shown()[1] == [advised.metric for advised in advice.recommendations]
    answer = page.inner_text(".choose-answer")
    assert advice.next in answer and all(item in answer for item in advice.unknown)
    assert "nlgauge choose --task summarization --lang ja --have source --want overall" in answer
    page.close()
    assert problems == []


def test_the_example_of_the_page_is_true():
    lines = block("python").splitlines()
    expression, _, value = lines[-1].partition("  # ")
    names: dict[str, object] = {}
    exec("\n".join(lines[:-1]), names)
    assert repr(eval(expression, names)) == value


def test_the_page_states_the_thresholds_of_the_rules():
    from nlgauge.advisor import settings

    assert f"fewer than\n   {settings.FEWEST_INPUTS} inputs" in PAGE
    assert f"have {settings.FEWEST_SYSTEMS} systems or more" in PAGE
    assert f"*recommended* from {settings.GOOD:.2f}, *best available* from {settings.FAIR:.2f}" in PAGE

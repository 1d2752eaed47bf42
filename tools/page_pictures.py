"""Make the pictures of the report and of the pages of annotators in docs/pictures, from the sample that nlgauge carries:

    python tools/page_pictures.py

needs the models extra, minilm, playwright and Chromium; with --annotate only the last two, for the pages of annotators.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import nlgauge
from nlgauge.annotate.creating import new
from nlgauge.annotate.protocols import protocol_of
from nlgauge.annotate.server import serve
from nlgauge.meta.benchmarks import load
from nlgauge.results.result import Result

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
METRICS = ["bleu", "rouge", "meteor", "chrf", "wer", "novelty", "bertscore(model='minilm')"]


def main() -> None:
    records = [
        {
            "id": row.segment,
            "system": row.system,
            "prediction": row.prediction,
            "references": list(row.references),
            "source": row.source,
            **{name: value for name, value in row.human.items() if value is not None},
        }
        for row in load("sample").rows
    ]
    # Without models only the pages of annotators are drawn: --annotate.
    few = "--annotate" in sys.argv
    result = nlgauge.score(records, metrics=METRICS[:1] if few else METRICS)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        path = result.report(Path(place) / "report.html", title="The sample of nlgauge", explain="all")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for theme in () if few else ("light", "dark"):
            page = browser.new_page(
                viewport={"width": 1280, "height": 860}, color_scheme=theme, reduced_motion="reduce"
            )
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            page.wait_for_timeout(300)
            picture(page, Path(place), f"report-{theme}")
            page.evaluate("() => document.getElementById('segments').scrollIntoView()")
            page.keyboard.press("3")
            page.wait_for_timeout(600)
            picture(page, Path(place), f"segments-{theme}")
        rating_pictures(result, Path(place), browser)
        browser.close()


def rating_pictures(result: Result, place: Path, browser: Browser) -> None:
    """Make the pictures of an annotator's page and of the organizer's."""
    protocol = protocol_of("esa")
    campaign = new(
        place / "campaign", result, protocol, ["a1", "a2"], overlap=0.4, title="Summaries of the sample"
    )
    label = result.labels[0]
    with campaign.rating() as rater:
        for annotator in campaign.plan.annotators:
            order = campaign.order(annotator)
            for number, key in enumerate(order[: len(order) - 3]):
                item = campaign.items[key]
                segment = list(map(str, result.corpus.ids)).index(item.segment)
                score = result._tables[item.systems[0], label].segments()["bleu"][segment]
                value = round(min(100, 45 + score / 2 + (number * 7) % 13))
                rater.rate(annotator, key, {"esa": value}, [{"severity": "minor"}], active=20 + number % 17)
    addresses: list[dict[str, str]] = []
    started = threading.Event()

    def ready(given: dict[str, str]) -> None:
        addresses.append(given)
        started.set()

    options = {"ready": ready, "port": 0}
    threading.Thread(target=serve, args=(campaign,), kwargs=options, daemon=True).start()
    started.wait()
    for theme in ("light", "dark"):
        page = browser.new_page(
            viewport={"width": 1280, "height": 760}, color_scheme=theme, reduced_motion="reduce"
        )
        page.goto(addresses[0]["a1"])
        page.wait_for_selector("html[data-ready]", state="attached")
        for keys in ("ArrowRight ArrowRight Shift+ArrowRight 1", "ArrowRight ArrowRight ArrowRight 2"):
            for key in keys.split():
                page.keyboard.press(key)
        page.locator("#scale-esa").focus()
        for key in ("6", "7", "Enter"):
            page.keyboard.press(key)
        picture(page, place, f"annotate-{theme}")
        page.goto(addresses[0]["organizer"])
        page.wait_for_selector("html[data-ready]", state="attached")
        picture(page, place, f"organizer-{theme}")


def picture(page: Page, place: Path, name: str) -> None:
    """A screenshot with few colors, so that it stays small."""
    page.screenshot(path=place / f"{name}.png")
    Image.open(place / f"{name}.png").convert("RGB").quantize(128).save(
        PICTURES / f"{name}.png", optimize=True
    )


if __name__ == "__main__":
    main()

"""Makes the pictures of the report in docs/pictures, from the sample that nlgauge carries:

    python tools/page_pictures.py

needs the models extra, minilm, playwright and Chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import nlgauge
from nlgauge.meta.benchmarks import load

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
    result = nlgauge.score(records, metrics=METRICS)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        path = result.report(Path(place) / "report.html", title="The sample of nlgauge", explain="all")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for theme in ("light", "dark"):
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
        browser.close()


def picture(page: Page, place: Path, name: str) -> None:
    """A screenshot with few colors, so that it stays small."""
    page.screenshot(path=place / f"{name}.png")
    Image.open(place / f"{name}.png").convert("RGB").quantize(128).save(
        PICTURES / f"{name}.png", optimize=True
    )


if __name__ == "__main__":
    main()

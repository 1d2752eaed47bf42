"""The pages of docs/ and CONTRIBUTING.md are true to the code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from nlgauge.metric.card import card
from nlgauge.metric.registry import metric_classes

ROOT = Path(__file__).parents[1]
OURS = [name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")]


def test_the_page_of_metrics_is_what_its_generator_writes():
    found = importlib.util.spec_from_file_location("metrics_page", ROOT / "tools" / "metrics_page.py")
    assert found is not None and found.loader is not None
    generator = importlib.util.module_from_spec(found)
    found.loader.exec_module(generator)
    written = generator.PAGE.read_text("utf-8")
    assert written == generator.page(), "docs/metrics.md is out of date; run: python tools/metrics_page.py"
    assert all(f"| `{name}`" in written for name in OURS)


def test_every_card_says_what_its_numbers_were_tested_against():
    assert [name for name in OURS if not card(name).tested_against] == []

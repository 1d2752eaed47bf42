"""The nightly page: every test and interval of the product has a part, figures are read and judged rightly, and the page fits
its data.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.nightly import page
from benchmarks.nightly.figures import Figure, figures, is_out, judged
from benchmarks.nightly.parts import CLAIMS, PARTS, Bound, Part
from nlgauge.meta.all_pairs import MAX_T
from nlgauge.meta.comparison import TESTS
from nlgauge.stats.corrections import METHODS
from nlgauge.stats.permutation.swaps import GENERALIZES_TO
from nlgauge.stats.resampling import OVER

ROOT = Path(__file__).parents[2]


def test_every_test_interval_and_correction_has_a_part():
    offered = [
        *(f"meta test={name}" for name in TESTS),
        *(f"meta swap={name}" for name in GENERALIZES_TO),
        *(f"meta interval={name}" for name in (*OVER, "fisher")),
        *(f"meta adjust={name}" for name in (*METHODS, *MAX_T)),
    ]
    assert [name for name in offered if name not in CLAIMS] == []
    known = {part.name for part in PARTS}
    assert [part for parts in CLAIMS.values() for part in parts if part not in known] == []


def test_commands_name_modules_that_exist():
    for part in PARTS:
        module = ROOT / (part.words(full=False)[0].replace(".", "/") + ".py")
        assert module.is_file(), part.name
        assert part.runs <= part.full


TABLE = """
some words

| test | share, 1,000 runs | kind |
|---|---|---|
| one | 5.0% | 12 |
| two | .25 | x |

| other | a |
|---|---|
| three | 1,200 |
"""


def test_figures_are_the_numbers_of_all_tables():
    assert list(figures(TABLE)) == [
        Figure("one", "share, 1,000 runs", 0.05),
        Figure("one", "kind", 12),
        Figure("two", "share, 1,000 runs", 0.25),
        Figure("three", "a", 1200),
    ]


@pytest.mark.parametrize(
    ("kind", "bound", "value", "runs", "out"),
    [
        ("at most", 0.05, 0.13, 100, False),
        ("at most", 0.05, 0.17, 100, True),
        ("at least", 0.95, 0.87, 100, False),
        ("at least", 0.95, 0.82, 100, True),
        ("equal", 0, 0, 1, False),
        ("equal", 0, 1, 1, True),
    ],
)
def test_a_figure_is_out_only_if_chance_does_not_explain_it(kind, bound, value, runs, out):
    assert is_out(Bound("", "", "", kind, bound), value, runs) is out


def test_a_bound_without_figures_is_out():
    part = Part("p", "", "", 10, 10, [Bound("a claim", "nothing", ".*", "at most", 0.05)])
    (found,) = judged(part, list(figures(TABLE)), 10)
    assert found.out == ["no figure was printed"]


def test_the_page_fits_its_data():
    kept = json.loads(page.DATA.read_text("utf-8"))
    assert page.PAGE.read_text("utf-8") == page.page(kept), "run: python -m benchmarks.nightly --page"
    assert [part.name for part in PARTS if part.name not in kept] == []


def test_an_unknown_part_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.nightly", "span"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "unknown part span" in done.stderr

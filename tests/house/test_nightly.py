"""The nightly page: every test and interval of the product has a part, figures are read and judged rightly, and the page fits
its data.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nlgauge.meta
from benchmarks.nightly import page, peers, suites
from benchmarks.nightly.claims import CLAIMS, NOT_SIMULATED
from benchmarks.nightly.figures import Figure, figures, is_out, judged
from benchmarks.nightly.parts import PARTS, Bound, Part
from benchmarks.nightly.routes import differences
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


# Functions that print an interval or a test -> the claim of the page. Functions that compute a power or a size print neither.
OF_FUNCTION = {
    "agreement": "meta agreement",
    "agreement_curve": "meta convert",
    "audit": "judge audit: intervals",
    "compare": "meta test=randomization",
    "contrast": "meta stress",
    "convert": "meta convert",
    "correlate": "meta interval=both",
    "detect": "meta decide: detect, rerank",
    "downstream": "meta downstream",
    "estimate": "estimate",
    "rank": "meta rank",
    "replicate": "meta test=randomization",
    "rerank": "meta decide: detect, rerank",
    "span_agreement": "meta spans: annotators",
    "span_scores": "meta spans",
    "stress": "meta stress",
    "top_systems": "meta interval=both",
}
PRINT_NEITHER = {
    *("data_power", "mcnemar_power", "min_detectable", "systems_needed", "williams_power"),
    *("soft_pairwise_accuracy", "three_way", "Audit"),
}


def test_every_function_with_an_interval_has_a_claim():
    offered = {
        name
        for name in dir(nlgauge.meta)
        if callable(function := getattr(nlgauge.meta, name))
        and {"confidence", "interval", "alpha", "resamples"} & set(inspect.signature(function).parameters)
    }
    assert offered == set(OF_FUNCTION) | PRINT_NEITHER
    assert set(OF_FUNCTION.values()) <= set(CLAIMS)


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
    assert [part.name for part in PARTS if part.name not in kept["small"]] == []
    assert not set(CLAIMS) & set(NOT_SIMULATED)


def test_a_route_with_one_other_bit_is_noted():
    first = {("bleu", "bleu"): np.array([0.1, 0.2]), ("bleu", "scores"): "1"}
    assert differences(first, dict(first)) == []
    assert differences(first, {**first, ("bleu", "bleu"): np.nextafter([0.1, 0.2], 1)}) == ["bleu, bleu"]
    assert differences(first, {("bleu", "bleu"): first["bleu", "bleu"]}) == ["bleu, scores"]


def test_a_score_of_a_suite_that_differs_is_counted(capsys):
    calls = [
        ["BLEU", {"lowercase": False, "max_ngram_order": 2}, ["a b c"], [["a b c"]], value]
        for value in (100.0, 99.0)
    ]
    assert list(suites.rows("sacrebleu", calls)) == [("BLEU", 2, 0, 1, pytest.approx(1.0))]
    assert "99.0" in capsys.readouterr().err


def test_a_part_without_its_environment_says_how_to_get_it(tmp_path, capsys):
    with pytest.raises(SystemExit) as raised:
        peers.answer(tmp_path / "none", "jiwer", {})
    assert raised.value.code == peers.NOT_HERE
    assert capsys.readouterr().out == "none is missing: make .venv-peers/.peers\n"


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

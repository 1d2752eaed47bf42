"""Real judgments: values of SummEval from the specification of meta-evaluation, and a test on HANNA.

Data as in human_judgments.py.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from human_judgments import path_of, rows_of

import nlgauge
from nlgauge.meta import Judgments
from nlgauge.meta.benchmarks import load, read_scores
from nlgauge.meta.ceiling import reliability
from nlgauge.stats.levels import LEVELS
from nlgauge.stats.measures import measure
from nlgauge.stats.permutation.linear import null_differences
from nlgauge.stats.permutation.swaps import Swaps
from studies.leaderboard.kept import judgments

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
SCORES = (
    Path(__file__).resolve().parents[2] / "docs" / "results" / "scores" / "leaderboard" / "hanna.jsonl.xz"
)


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return [
        {**row, **{name: row["human_raw"]["expert"][name] for name in DIMENSIONS}}
        for row in rows_of("summeval")
    ]


def test_ceilings_and_reliability_of_sixteen_systems(rows: list[dict]) -> None:
    judged = Judgments.from_frame([row for row in rows if row["system"] != "M23_dynamicmix"], DIMENSIONS)
    judged = replace(judged, metrics={**judged.metrics, "relevance": judged.human("relevance")})
    found = judged.correlate(level=["system", "input"], coefficient="kendall", interval=None)
    assert [round(row["ceiling"], 3) for row in found.where(level="system")] == [0.784, 0.878, 0.688, 0.769]
    assert [round(row["ceiling"], 3) for row in found.where(level="input")] == [0.590, 0.792, 0.626, 0.413]
    assert [round(reliability("global", judged.ratings[name]), 3) for name in DIMENSIONS] == [
        0.849,
        0.969,
        0.896,
        0.761,
    ]


def test_chrf_at_the_four_levels(rows: list[dict]) -> None:
    segments = list(dict.fromkeys(row["segment"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    by = {(row["system"], row["segment"]): row for row in rows}
    predictions = {system: [by[system, segment]["prediction"] for segment in segments] for system in systems}
    references = [by[systems[0], segment]["references"] for segment in segments]
    human = [
        {"system": row["system"], "segment": segments.index(row["segment"]), "relevance": row["relevance"]}
        for row in rows
    ]
    judged = Judgments.from_result(nlgauge.score(predictions, references, metrics=["chrf"]), human)
    found = judged.correlate(level=LEVELS, coefficient=["pearson", "kendall"], interval=None)
    assert [round(row["value"], 3) for row in found.where(coefficient="pearson")] == [
        0.736,
        0.338,
        0.338,
        0.258,
    ]
    # Table 1 of the Shannon paper, row CHRF, relevance.
    assert round(found.where(coefficient="kendall", level="system")[0]["value"], 4) == 0.5882


def test_the_exact_test_of_two_metrics_on_ten_story_generators(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 1,024 swaps of standardized system means give .00195, and swaps of scores whose cells were
    standardized .203.
    """
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("hanna").parent))
    hanna = load("hanna").machines()
    names = ["sentence_bleu", "f1"]
    judged = judgments(hanna, {name: read_scores(SCORES)[name] for name in names}, ["coherence"])
    judged = replace(judged, system_scores={})
    every = np.array(list(product([1, -1], repeat=len(judged.systems))), np.int8)
    x, z = judged.stacked(names), judged.human("coherence")
    null = null_differences(x, z, "system", measure("pearson"), Swaps("systems", every, None, None))[:, 0]
    row = judged.compare(resamples=20_000)[0]
    assert (row["value"], row["other_value"]) == pytest.approx((0.758, 0.875), abs=5e-4)
    assert (np.abs(null) >= abs(row["delta"]) - 1e-12).mean() == 2 / 1024
    assert row["p"] == pytest.approx(2 / 1024, abs=5 * math.sqrt(2 / 1024 / 20_000))

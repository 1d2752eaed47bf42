"""SummEval: the values that the specification of meta-evaluation gives. The data are looked for as in test_benchmark_data.py."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import nlgauge
from nlgauge.meta import Judgements
from nlgauge.meta.ceiling import reliability
from nlgauge.meta.levels import LEVELS

FOLDER = Path(os.environ.get("NLGAUGE_BENCHMARKS") or Path(__file__).resolve().parents[3] / "shared" / "benchmarks")
DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
pytestmark = pytest.mark.skipif(not (FOLDER / "summeval.jsonl.gz").is_file(), reason="SummEval is not here")


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    with gzip.open(FOLDER / "summeval.jsonl.gz", "rt", encoding="utf-8") as stream:
        read = [json.loads(line) for line in stream]
    return [{**row, **{name: row["human_raw"]["expert"][name] for name in DIMENSIONS}} for row in read]


def test_ceilings_and_reliability_of_sixteen_systems(rows: list[dict]) -> None:
    judged = Judgements.from_frame([row for row in rows if row["system"] != "M23_dynamicmix"], DIMENSIONS)
    judged = judged.with_metrics({"relevance": judged.human("relevance")})
    found = judged.correlate(levels=["system", "input"], coefficients="kendall", interval=None)
    assert [round(row["ceiling"], 3) for row in found.where(level="system")] == [0.784, 0.878, 0.688, 0.769]
    assert [round(row["ceiling"], 3) for row in found.where(level="input")] == [0.590, 0.792, 0.626, 0.413]
    assert [round(reliability("global", judged.ratings[name]), 3) for name in DIMENSIONS] == [0.849, 0.969, 0.896, 0.761]


def test_chrf_at_the_four_levels(rows: list[dict]) -> None:
    segments = list(dict.fromkeys(row["segment"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    by = {(row["system"], row["segment"]): row for row in rows}
    predictions = {system: [by[system, segment]["prediction"] for segment in segments] for system in systems}
    references = [by[systems[0], segment]["references"] for segment in segments]
    human = [{"system": row["system"], "segment": segments.index(row["segment"]), "relevance": row["relevance"]} for row in rows]
    judged = Judgements.from_result(nlgauge.score(predictions, references, metrics=["chrf"]), human)
    found = judged.correlate(levels=LEVELS, coefficients=["pearson", "kendall"], interval=None)
    assert [round(row["value"], 3) for row in found.where(coefficient="pearson")] == [0.736, 0.338, 0.338, 0.258]
    # Table 1 of the Shannon paper, row CHRF, relevance.
    assert round(found.where(coefficient="kendall", level="system")[0]["value"], 4) == 0.5882

"""The study of judge metrics of answers: its measures on known numbers, and its rows on small benchmarks."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.stats.units import Clusters
from studies import rag


def test_area_counts_ties_half() -> None:
    scores, human = np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0])
    assert rag.area(scores, human) == pytest.approx(3.5 / 4)
    assert np.isnan(rag.area(scores, np.ones(4)))


def test_direction_ignores_pairs_without_a_preference() -> None:
    assert rag.same_direction(np.array([0.2, -0.1, 0.0, 0.3]), np.array([1, 2, -1, 0])) == pytest.approx(0.5)


def test_interval_resamples_whole_documents() -> None:
    scores, human = np.array([1.0, 0.0, 1.0, 0.0]), np.array([1, 0, 1, 0])
    units = Clusters(["a", "a", "b", "b"], 4)
    assert rag.estimate(rag.area, scores, human, units, 20) == (1.0, 1.0, 1.0)
    units = Clusters(["a", "b", "c", "d"], 4)
    assert rag.estimate(lambda x, _: float(x.mean()), scores, human, units, 200)[1] < 0.5


def test_difference_is_second_minus_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs: list[dict[str, Any]] = [
        {
            "segment": str(number),
            "source": "?",
            "references": ["r"],
            "first": {"text": "x" * first},
            "second": {"text": "x" * second},
            "human": {"overall": human},
        }
        for number, (first, second, human) in enumerate([(1, 3, 1), (3, 1, -1), (2, 4, 2), (2, 2, 0)])
    ]
    with gzip.open(tmp_path / "ragchecker_meta.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(pair) + "\n" for pair in pairs)
    monkeypatch.setattr(
        rag,
        "_scored",
        lambda scorer, record: {"answer_relevance": len(record["prediction"]), "covered": 0.5},
    )
    rows = rag.report(tmp_path, "answer_relevance", 200, "smollm2", 100).splitlines()
    assert rows[2].split(" | ")[3:7] == ["4", "4", "direction", "1.0000"]

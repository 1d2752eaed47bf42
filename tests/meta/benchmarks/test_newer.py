"""Benchmarks since 2022: they load, and published figures come out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest
from human_judgments import path_of

from nlgauge.meta import Judgments, benchmarks, pearson, spearman
from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.benchmarks.rows import read_lines
from tools import mlqe_sample


@cache
def loaded(name: str) -> Benchmark:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLGAUGE_BENCHMARKS", str(path_of(name).parent))
        return benchmarks.load(name)


@pytest.mark.parametrize(
    ("name", "rows", "pairs"),
    [
        ("mlqe_pe", 7000, 0),
        ("hats", 2000, 1000),
        ("summedits", 4681, 0),
        ("llmbar", 1770, 885),
        ("ragchecker_meta", 560, 0),
    ],
)
def test_sizes(name: str, rows: int, pairs: int) -> None:
    path_of(name)
    found = loaded(name)
    assert (len(found.rows), len(found.pairs)) == (rows, pairs)
    assert found.name == name
    assert found.dimensions == tuple(name for name in found.card.dimensions if name != "better/worse")


def test_the_sample_of_mlqe_pe_ships_and_is_of_its_rows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path))
    shipped = benchmarks.load("mlqe_sample")
    assert [sum(row.group == group for row in shipped.rows) for group in shipped.groups] == [40] * 7
    assert shipped.dimensions == ("da", "da_z", "hter")
    assert all(row.prediction and row.references and len(row.ratings["da"]) >= 3 for row in shipped.rows)
    path_of("mlqe_pe")
    whole = set(map(repr, loaded("mlqe_pe").rows))
    assert all(repr(row) in whole for row in shipped.rows)
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("mlqe_pe").parent))
    assert mlqe_sample.packed() == mlqe_sample.PLACE.read_bytes(), "run: python tools/mlqe_sample.py"


def wins(name: str, *metrics: str) -> tuple[Benchmark, Judgments, Callable[[str], np.ndarray]]:
    """The benchmark of pairs, its judgments, and a function of a metric: whether it prefers the better text."""
    path_of(name)
    found = loaded(name)
    judged = found.judgments(found.score(*metrics, show_progress=False))
    assert judged.pairs is not None
    segments, better, worse = judged.pairs.T

    def right(metric: str) -> np.ndarray:
        scores = judged.oriented(metric)
        return np.asarray(scores[better, segments] > scores[worse, segments])

    return found, judged, right


def test_hats_has_the_published_agreement_of_error_rates() -> None:
    """HATS, table 3: 63, 53 and 49% for WER, 77, 64 and 60% for CER; ties of a metric are wrong."""
    found, _, right = wins("hats", "wer", "cer", "eed")
    meta = {(row.segment, row.system): row.meta for row in found.rows}
    votes = np.array([meta[pair.segment, pair.better]["votes"] for pair in found.pairs])
    certitude = votes.max(axis=1) / votes.sum(axis=1)
    shown = {
        metric: [round(100 * float(right(metric)[certitude >= least].mean()), 1) for least in (1, 0.7, 0)]
        for metric in ("wer", "cer", "eed")
    }
    assert shown == {"wer": [63.1, 52.6, 49.7], "cer": [76.5, 64.2, 60.1], "eed": [87.3, 77.4, 72.9]}


def test_the_annotators_of_ragchecker_agree_as_published() -> None:
    """RAGChecker, table 2, last row: Pearson and Spearman of the two annotators, in percent."""
    path_of("ragchecker_meta")
    found = loaded("ragchecker_meta")
    judged = found.judgments(found.score("f1", show_progress=False))
    assert len(found.graded) == len(judged.segments) == 280
    shown = {
        name: [
            round(100 * float(coefficient(*judged.ratings[name][0].T)), 2)
            for coefficient in (pearson, spearman)
        ]
        for name in ("correctness", "completeness", "overall")
    }
    assert shown == {"correctness": [63.67, 59.19], "completeness": [71.91, 68.36], "overall": [70.09, 68.89]}


@pytest.mark.thorough
def test_demetr_shares_of_damage_that_is_seen() -> None:
    found, _, right = wins("demetr", "eed", "chrf++", "sentence_bleu")
    meta = {(row.segment, row.system): row.meta for row in found.rows}
    severity = np.array([meta[pair.segment, pair.worse]["severity"] for pair in found.pairs])
    expected = {
        "eed": [91, 91, 87],
        "chrf(word_order=2)": [91, 92, 83],
        "sentence_bleu": [80, 83, 72],
    }
    for metric, shares in expected.items():
        seen = right(metric)
        assert [
            round(100 * float(seen[severity == level].mean())) for level in ("critical", "major", "minor")
        ] == shares


@pytest.mark.thorough
def test_wmt24_chrf_ranks_systems_as_published() -> None:
    """Soft pairwise accuracy and calibrated accuracy, computed by mt-metrics-eval."""
    path_of("wmt24_esa")
    found = loaded("wmt24_esa").machines()
    judged = found.judgments(found.score("chrf", show_progress=False))
    soft = judged.correlate("system", "spa", interval=None)
    assert {row["group"]: round(row["value"], 3) for row in soft if row["group"] != "average"} == {
        "en-ja": 0.747,
        "en-zh": 0.691,
        "en-hi": 0.865,
        "en-cs": 0.777,
    }
    accuracy = judged.correlate("input", "acc_eq_calibrated", interval=None)
    assert all(0.49 <= row["value"] <= 0.51 for row in accuracy)


def test_pairs_with_different_texts_of_one_system_are_segments_of_their_own(tmp_path: Path) -> None:
    lines = [
        {"segment": "1", "better": {"system": "mt", "text": better}, "worse": {"system": kind, "text": "x"}}
        for better, kind in (("a", "one"), ("b", "two"), ("a", "two"), ("b", "one"))
    ]
    place = tmp_path / "pairs.jsonl"
    place.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    rows, pairs = read_lines(place)
    texts = {(row.segment, row.system): row.prediction for row in rows}
    assert [pair.segment for pair in pairs] == ["1", "1~2", "1", "1~2"]
    assert [texts[pair.segment, pair.better] for pair in pairs] == ["a", "b", "a", "b"]
    assert len(rows) == 6

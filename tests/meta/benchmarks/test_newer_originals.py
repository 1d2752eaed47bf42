"""Original files of benchmarks since 2022, made up in their form; damaged files name the place."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks import Benchmark, load
from nlgauge.meta.benchmarks.loading import imported


def texts(found: Benchmark) -> dict[tuple[str, str], str | None]:
    return {(row.segment, row.system): row.prediction for row in found.rows}


def test_hats(tmp_path: Path) -> None:
    place = tmp_path / "hats.txt"
    place.write_text(
        "reference\thypA\tnbrA\thypB\tnbrB\nbon jour\tbonjour\t2\tbon\t5\noui\tou\t3\toui\t3\n", "utf-8"
    )
    found = load(place)
    assert found.name == "hats"
    assert [(pair.segment, pair.better, pair.worse) for pair in found.pairs] == [
        ("1", "B", "A"),
        ("2", "A", "B"),
    ]
    assert [row.meta["votes"] for row in found.rows][::2] == [[5, 2], [3, 3]]
    assert [row.meta["tie"] for row in found.rows][::2] == [False, True]
    place.write_text("reference\thypA\tnbrA\thypB\tnbrB\nbon\tbon\ttwo\tb\t1\n", "utf-8")
    with pytest.raises(InputError, match=r"hats.txt, line 2"):
        load(place)


def damage(number: int, kind: str, **changes: Any) -> dict[str, Any]:
    record = {"id": number, "src_sent": "s", "eng_sent": "r", "mt_sent": "a b", "pert_sent": f"a {kind}"}
    facts = {"lang_tag": "french", "data_source": "WMT", "pert_check": True, "severity": "minor"}
    return {**record, **facts, "pert_desc": "d", "pert_name": kind, **changes}


def test_demetr(tmp_path: Path) -> None:
    for kind in ("minor_x", "major_y"):
        records = [damage(1, kind), damage(2, kind, pert_check=False), damage(3, kind)]
        (tmp_path / f"{kind}.json").write_text(json.dumps(records))
    found = load(tmp_path)
    assert found.name == "demetr"
    assert [(pair.segment, pair.better, pair.worse, pair.group) for pair in found.pairs] == [
        ("1", "mt", "major_y", "french-en"),
        ("3", "mt", "major_y", "french-en"),
        ("1", "mt", "minor_x", "french-en"),
        ("3", "mt", "minor_x", "french-en"),
    ]
    assert len(found.rows) == 6


def test_llmbar(tmp_path: Path) -> None:
    for folder, label in (("LLMBar/Natural", 1), ("LLMBar/Adversarial/Manual", 2), ("CaseStudy/Negation", 1)):
        place = tmp_path / "Dataset" / folder
        place.mkdir(parents=True)
        record = {"input": "do", "output_1": "one", "output_2": "two", "label": label}
        (place / "dataset.json").write_text(json.dumps([record]))
    found = load(tmp_path / "Dataset")
    assert found.name == "llmbar"
    assert {(pair.segment, pair.better) for pair in found.pairs} == {
        ("Natural:0", "output_1"),
        ("Adversarial_Manual:0", "output_2"),
    }
    wrong = tmp_path / "dataset.json"
    wrong.write_text(json.dumps([{"input": "do", "output_1": "one", "output_2": "two", "label": 3}]))
    with pytest.raises(InputError, match="record 1: label must be 1 or 2, got 3"):
        load(wrong)


def preference(number: int, label: int, **changes: Any) -> dict[str, Any]:
    answers = {
        f"model{side}": {"model_name": f"m{side}", "response": f"answer {side} to {number}", "critiques": "c"}
        for side in (1, 2)
    }
    labels = {f"{name}_label": label for name in ("correctness", "completeness", "overall")}
    facts = {
        "instance_id": number,
        "dataset": "kiwi",
        "query_id": f"q{number}",
        "query": "why",
        "gt_answer": "because",
    }
    return {**facts, **answers, **labels, **changes}


def test_ragchecker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "benchmarks"))
    place = tmp_path / "labels.json"
    records = [preference(0, 2), preference(0, 1, overall_label=-1), preference(1, 0), preference(1, -1)]
    place.write_text(json.dumps(records))
    found, written = imported(place)
    assert found.name == "ragchecker_meta"
    assert texts(found)["kiwi:q1", "m2"] == "answer 2 to 1"
    pair = found.graded[0]
    assert (pair.segment, pair.first, pair.second) == ("kiwi:q0", "m1", "m2")
    assert dict(pair.human) == {"correctness": 1.5, "completeness": 1.5, "overall": 0.5}
    assert pair.ratings["overall"] == (2, -1)
    again = load(written)
    assert (again.rows, again.graded) == (found.rows, found.graded)
    place.write_text(json.dumps([preference(0, 2), preference(0, 3)]))
    with pytest.raises(InputError, match=r"record 2: correctness_label must be .* got 3"):
        load(place)
    place.write_text(
        json.dumps([preference(0, 2), preference(0, 2, model1={"model_name": "m", "response": "x"})])
    )
    with pytest.raises(InputError, match="different answers"):
        load(place)


def test_summedits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "benchmarks"))
    edits = [
        {
            "id": f"e{i}",
            "doc": doc,
            "summary": text,
            "label": label,
            "original_summary": "a",
            "edit_types": [],
        }
        for i, (doc, text, label) in enumerate([("one", "a", 1), ("one", "b", 0), ("two", "c", 1)])
    ]
    place = tmp_path / "summedits_news.json"
    place.write_text(json.dumps(edits))
    found, _ = imported(place)
    assert texts(found) == {("news:1", "e0"): "a", ("news:1", "e1"): "b", ("news:2", "e2"): "c"}
    assert [row.human["consistent"] for row in found.rows] == [1, 0, 1]
    assert [row.meta["original"] for row in found.rows] == [True, False, False]
    place.write_text(json.dumps([{**edits[0], "label": "yes"}]))
    with pytest.raises(InputError, match="label must be 0 or 1, got 'yes'"):
        load(place)


def archive(place: Path, files: dict[str, str]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(place, "w:gz") as packed:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            packed.addfile(info, io.BytesIO(text.encode()))


def mlqe(folder: Path, edits: str) -> Path:
    head = "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\tmodel_scores\n"
    rows = (
        '7\tHi "you\tHallo "du\t[90, 80, 70]\t80\t[1, 2, 3]\t0.5\t-0.25\n9\tBye\tAde\t[10]\t10\t[1]\t-1\t-1\n'
    )
    archive(
        folder / "direct-assessments/test/en-de-test.tar.gz", {"en-de/test20.ende.df.short.tsv": head + rows}
    )
    files = {"x/test20.pe": edits, "x/test20.hter": "0.25\n0.0\n", "../../evil": "never unpacked"}
    archive(folder / "post-editing/test/en-de-test.tar.gz", files)
    return folder


def test_mlqe(tmp_path: Path) -> None:
    found = load(mlqe(tmp_path / "data", "Hallo du\nTschau\n"))
    assert found.name == "mlqe_pe"
    assert texts(found) == {("en-de:7", "nmt"): 'Hallo "du', ("en-de:9", "nmt"): "Ade"}
    assert dict(found.rows[0].human) == {"da": 80, "da_z": 0.5, "hter": -0.25}
    assert found.rows[0].ratings["da"] == (90, 80, 70)
    assert found.rows[1].references == ("Tschau",)
    assert not (tmp_path.parent / "evil").exists()
    with pytest.raises(InputError, match="fewer post-edits"):
        load(mlqe(tmp_path / "short", "Hallo du\n"))
    place = tmp_path / "data/post-editing/test/en-de-test.tar.gz"
    place.write_bytes(place.read_bytes()[:80])
    with pytest.raises(InputError, match="is damaged"):
        load(tmp_path / "data")

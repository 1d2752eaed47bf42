"""human_evaluation.xlsx of CogitoErgoSumm, and workbooks that are damaged or hostile."""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from human_judgments import path_of
from workbooks import ratings_workbook, write_workbook

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks import load
from nlgauge.meta.benchmarks.loading import imported
from nlgauge.meta.benchmarks.originals.xlsx import sheets


def test_a_workbook_becomes_a_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "benchmarks"))
    benchmark, target = imported(ratings_workbook(tmp_path / "human_evaluation.xlsx"))
    again = load("cogito")
    assert target.name == "cdsr_cogito.jsonl.gz"
    assert again.rows == benchmark.rows
    assert (len(benchmark.segments), benchmark.systems) == (30, ("rl", "norl", "nograph"))
    ratings = benchmark.ratings("fluency")
    assert ratings is not None
    assert ratings.shape == (3, 30, 3)
    assert np.allclose(ratings.mean(axis=-1), benchmark.human("fluency"))


def test_one_system_is_scored_and_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The further name of the system in the rows does not make the corpus of one system a pooled one."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "benchmarks"))
    benchmark = imported(ratings_workbook(tmp_path / "human_evaluation.xlsx"))[0].where(systems=["rl"])
    judged = benchmark.judgments(benchmark.score("chrf"))
    assert judged.systems == ("rl",)
    assert judged.metrics["chrf"].shape == (1, 30)


def test_texts_of_all_kinds_of_cells(tmp_path: Path) -> None:
    found = sheets(
        write_workbook(
            tmp_path / "a.xlsx",
            {"one": [["id", "text"], ["a & b", "<c>"], [None, None], ["x", 3.5], ["y", None]], "empty": []},
        )
    )
    assert found == {
        "one": [{"id": "a & b", "text": "<c>"}, {"id": "x", "text": "3.5"}, {"id": "y"}],
        "empty": [],
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"xl/workbook.xml": b"<!DOCTYPE x><workbook/>"}, "entities"),
        ({"xl/workbook.xml": b"<workbook"}, "complete"),
        ({"xl/worksheets/sheet1.xml": None}, "complete"),
        (
            {
                "xl/sharedStrings.xml": b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
            },
            "names text",
        ),
        ({"xl/media/bomb.bin": b"\0" * 70_000_000}, "when unpacked"),
    ],
)
def test_damaged_and_hostile_workbooks(tmp_path: Path, change: dict[str, bytes | None], words: str) -> None:
    good = ratings_workbook(tmp_path / "good.xlsx")
    bad = tmp_path / "bad.xlsx"
    with zipfile.ZipFile(good) as archive:
        parts: dict[str, bytes | None] = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**parts, **change}.items():
            if content is not None:
                archive.writestr(name, content)
    with pytest.raises(InputError, match=words):
        sheets(bad)


def test_a_file_that_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_text("segment,system\n")
    with pytest.raises(InputError, match="complete"):
        sheets(tmp_path / "a.xlsx")


def test_a_rating_off_the_scale_names_its_cell(tmp_path: Path) -> None:
    place = ratings_workbook(tmp_path / "human_evaluation.xlsx")
    found = sheets(place)
    heads = list(found["annotator2"][0])
    found["annotator2"][4][heads[0]] = "6"
    write_workbook(
        place,
        {
            name: [list(sheet[0]), *([row.get(head) for head in sheet[0]] for row in sheet)]
            for name, sheet in found.items()
        },
    )
    with pytest.raises(InputError, match=r"annotator2.*row 6.*informativeness_rl.*got 6"):
        imported(place)


def test_a_workbook_with_other_sheets(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'Text' must have 30 rows, got no such sheet"):
        imported(write_workbook(tmp_path / "a.xlsx", {"Sheet1": [["a"], ["b"]]}))
    with pytest.raises(InputError, match="'Text' must have 30 rows, got 29"):
        imported(ratings_workbook(tmp_path / "b.xlsx", rows=29))


def test_published_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """The means of `rl` in Figure 4.3 of the thesis."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("cdsr_cogito").parent))
    benchmark = load("cdsr_cogito")
    means = [round(float(benchmark.human(name)[0].mean()), 2) for name in benchmark.dimensions]
    assert dict(zip(benchmark.dimensions, means, strict=True)) == {
        "informativeness": 3.67,
        "factualness": 3.61,
        "fluency": 3.61,
        "succinctness": 3.5,
    }


@pytest.mark.skipif(
    "NLGAUGE_COGITO" not in os.environ, reason="NLGAUGE_COGITO does not name human_evaluation.xlsx"
)
def test_the_released_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path(os.environ["NLGAUGE_COGITO"])
    assert hashlib.sha256(place.read_bytes()).hexdigest().startswith("7373ca05e3ab11e5")
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path))
    assert len(imported(place)[0].rows) == 90

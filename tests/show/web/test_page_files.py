"""Every picture has a table that says the same, and tables and pictures can be saved: the files have the
numbers of the result.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_cases import outputs_of, rated_result_of, result_of

import nlgauge

Open = Callable[..., Any]
Report = Callable[..., Path]

_SVG = "{http://www.w3.org/2000/svg}"
# What has a table and files below it, by section, and whether it is a picture.
_EVERY = {
    "leaderboard": [("scores", False)],
    "compare": [("gains", False), ("gains on bleu", True)],
    "agreement": [("agreement", True), (None, True)],
    "segments": [("segments", False), ("distribution of bleu", True)],
    "cost": [("cost", False), ("cost and agreement", True)],
}


@pytest.fixture
def shown(opened: Open, report: Report) -> Any:
    return opened(report("three systems"))


def saved(page: Any, section: str, place: int, kind: str) -> tuple[str, str]:
    """The name and the text of the file that a button of a section's picture or table writes."""
    details = page.locator(f"#{section} details.data").nth(place)
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    with page.expect_download() as download:
        details.get_by_role("button", name=f"as {kind}").click()
    return download.value.suggested_filename, Path(download.value.path()).read_text("utf-8")


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_picture_has_a_table_and_files(shown: Any) -> None:
    for section, wanted in _EVERY.items():
        details = shown.page.locator(f"#{section} details.data")
        assert details.count() == len(wanted), section
        for place, (name, drawn) in enumerate(wanted):
            one = details.nth(place)
            assert one.locator("summary").inner_text() == (
                "Table, CSV, LaTeX, SVG" if drawn else "Table, CSV, LaTeX"
            )
            one.locator("summary").click()
            one.locator("tbody tr").first.wait_for()
            labels = [button.get_attribute("aria-label") for button in one.get_by_role("button").all()]
            assert [label.rpartition(" ")[2] for label in labels] == [
                "CSV",
                "LaTeX",
                *(["SVG"] if drawn else []),
            ]
            assert name is None or labels[0] == f"Save {name} as CSV"
    assert shown.errors == []


def test_the_scores_as_csv_and_latex(shown: Any) -> None:
    result = rated_result_of("three systems")
    intervals = result.intervals(resamples=200)
    name, text = saved(shown.page, "leaderboard", 0, "CSV")
    assert name == "three-systems-scores.csv"
    outputs = outputs_of(result)
    wanted = [
        (system, intervals[system][label][name]) for label, name in outputs for system in result.systems
    ]
    rows = records(text)
    assert [row["system"] for row in rows] == [system for system, _ in wanted]
    for row, (_, bound) in zip(rows, wanted, strict=True):
        assert [float(row[end]) for end in ("score", "low", "high")] == pytest.approx(
            [bound.score, bound.low, bound.high]
        )
    name, text = saved(shown.page, "leaderboard", 0, "LaTeX")
    assert name == "three-systems-scores.tex"
    assert "\\begin{tabular}{@{}lr" in text
    leading = [
        (label, output) for label in result.labels for output in result._tables["Alpha", label].leading()
    ]
    directed = {(label, output.name) for label, output in leading if output.higher_is_better is not None}
    assert text.count("\\textbf{") == len(directed.intersection(outputs))
    for system in result.systems:
        assert f"  {system} & " in text


def test_the_differences_are_those_of_the_segments(shown: Any) -> None:
    _, text = saved(shown.page, "compare", 1, "CSV")
    rows = records(text)
    first, second = list(rows[0])[1:3]
    result = result_of("three systems")
    of = {
        system: dict(
            zip(map(str, result.corpus.ids), result._tables[system, "bleu"].segments()["bleu"], strict=True)
        )
        for system in (first, second)
    }
    assert sorted(row["segment"] for row in rows) == sorted(map(str, result.corpus.ids))
    for row in rows:
        for system in (first, second):
            assert float(row[system]) == pytest.approx(float(of[system][row["segment"]]), rel=1e-6)
        assert float(row["gain"]) == pytest.approx(float(row[first]) - float(row[second]), abs=1e-4)
    gaps = [float(row["gain"]) for row in rows]
    assert gaps == sorted(gaps, reverse=True)


def test_the_segments_that_are_listed_are_saved(shown: Any) -> None:
    page = shown.page
    page.get_by_label("domain").select_option(label="domain: law")
    page.wait_for_function("() => document.querySelector('.count').textContent === '4 of 12 segments'")
    rows = records(saved(page, "segments", 0, "CSV")[1])
    assert {row["segment"] for row in rows} == {"doc-2", "doc-5", "doc-8", "doc-11"}
    assert len(rows) == 12
    assert "fluency" in rows[0]
    counts = records(saved(page, "segments", 1, "CSV")[1])
    assert sum(int(row["Alpha"]) for row in counts) == 12


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_stand_alone_in_the_colors_of_paper(theme: str, opened: Open, report: Report) -> None:
    shown = opened(report("three systems"), color_scheme=theme)
    pictures = [
        (section, place)
        for section, wanted in _EVERY.items()
        for place, (_, drawn) in enumerate(wanted)
        if drawn
    ]
    assert len(pictures) == 5
    for section, place in pictures:
        name, text = saved(shown.page, section, place, "SVG")
        assert name.endswith(".svg")
        root = ElementTree.fromstring(text)
        assert root.tag == f"{_SVG}svg"
        assert root[0].tag == f"{_SVG}title" and root[0].text
        attributes = {attribute for node in root.iter() for attribute in node.attrib}
        assert not attributes & {"class", "style", "data-tip", "tabindex"}
        values = " ".join(value for node in root.iter() for value in node.attrib.values())
        assert "var(" not in values and "color(" not in values and "light-dark(" not in values
        fills = {node.get("fill") for node in root.iter(f"{_SVG}text")}
        assert "rgb(96, 103, 110)" in fills or "rgb(77, 84, 92)" in fills or "rgb(28, 31, 35)" in fills
    assert shown.page.locator("html").get_attribute("data-theme") == "auto"
    assert shown.errors == []


def test_texts_that_are_formulas_or_commands_stay_texts(opened: Open, tmp_path: Path) -> None:
    systems = ["=1+1", '@a "quoted", b', "50%_$x$ \\input{y} # & ~^"]
    result = nlgauge.score(
        {name: ["the cat sat", f"a dog {number}"] for number, name in enumerate(systems)},
        [["the cat sat"], ["a dog"]],
        metrics=["chrf"],
    )
    shown = opened(result.report(tmp_path / "r.html", resamples=20))
    rows = records(saved(shown.page, "leaderboard", 0, "CSV")[1])
    assert [row["system"] for row in rows] == ["'=1+1", '\'@a "quoted", b', systems[2]]
    latex = saved(shown.page, "leaderboard", 0, "LaTeX")[1]
    assert r"50\%\_\$x\$ \textbackslash{}input\{y\} \# \& \textasciitilde{}\textasciicircum{} & " in latex
    assert shown.errors == []


def test_a_frame_of_a_notebook_has_tables_and_no_files(opened: Open, tmp_path: Path) -> None:
    framed = result_of("one segment").show(explain=1, resamples=20)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>n</title>{framed._repr_html_()}", "utf-8")
    shown = opened(None)
    shown.page.goto(path.as_uri())
    frame = shown.page.frame_locator("iframe")
    details = frame.locator("#leaderboard details.data")
    details.locator("summary").click()
    details.locator("tbody tr").first.wait_for()
    assert details.locator("summary").inner_text() == "Table"
    assert details.get_by_role("button").count() == 0


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_can_be_set(shown: Any, tmp_path: Path) -> None:
    tables = [saved(shown.page, section, 0, "LaTeX")[1] for section in ("leaderboard", "compare", "cost")]
    body = "\n\n".join(tables)
    (tmp_path / "t.tex").write_text(
        f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\\tiny\n{body}\\end{{document}}",
        "utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "t.pdf").stat().st_size > 0

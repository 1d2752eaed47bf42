"""The InfoLM paper on made-up data with tiny models: every cell, claim and figure; killed and resumed; BERT on disk."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from nlgauge import reproduce
from nlgauge.reproduce.infolm import baselines, formulas, scores, summaries, summary_figures, webnlg
from nlgauge.reproduce.infolm.document import DOCUMENT
from nlgauge.reproduce.infolm.scores import MEASURES, TEMPERATURES
from nlgauge.reproduce.settings import Settings

WORDS = "the boat stops for two weeks in march and a small ferry takes over while cars wait".split()
DIMENSIONS = {
    "webnlg2020_en": ("correctness", "datacoverage", "fluency", "relevance", "textstructure"),
    "realsumm": ("litepyramid_recall",),
}
SYSTEMS = {
    "webnlg2020_en": ["M0", "M1", "M2", "M3", "M4"],
    "realsumm": ["a0", "a1", "a2", "bart_out", "e0", "e1", "e2"],
}


def made_up(folder: Path, name: str, segments: int = 9) -> None:
    """Write a benchmark of random short texts; better systems repeat more of the reference."""
    draw = random.Random(3)
    lines = []
    for segment in range(segments):
        reference = draw.choices(WORDS, k=6)
        for place, system in enumerate(SYSTEMS[name]):
            good = (place + 1) / len(SYSTEMS[name])
            text = [word if draw.random() < good else draw.choice(WORDS) for word in reference]
            kind = "extractive" if system.startswith("e") else "abstractive"
            lines.append(
                {
                    "segment": f"s{segment}",
                    "system": system,
                    "source": " ".join(reference * 2),
                    "prediction": " ".join(text),
                    "references": [" ".join(reference)],
                    "human": {each: min(1, good * draw.random() * 1.5) for each in DIMENSIONS[name]},
                    "meta": {"type": kind} if name == "realsumm" else {},
                }
            )
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, lines)))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with both benchmarks, in which models are directories with the names of the catalog."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "benchmarks"))
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    # Fewer points than the grids have: the number of points changes only the time.
    for row, points in (
        ("D_AB", ("ab(0.5,0.5)", "ab(1.25,0.5)")),
        ("D_alpha", ()),
        ("D_beta", ("gamma(0.25)",)),
    ):
        monkeypatch.setitem(scores.GRIDS, row, points)
    for name in DIMENSIONS:
        made_up(tmp_path / "benchmarks", name)
    return tmp_path


PARTS = ["formulas", "baselines", "webnlg", "realsumm"]


def run(place: Path, **options) -> reproduce.Reproduction:
    return reproduce.run("infolm", place / "out", parts=PARTS, resamples=8, **options)


def by_row(found: reproduce.Reproduction) -> dict[str, list]:
    (table,) = [table for table in found.tables if table.id == "infolm-table-2"]
    rows: dict[str, list] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    return rows


def test_everything_is_shown_with_a_model_in_place_of_bert(place: Path, tiny_models) -> None:
    shutil.copytree(tiny_models["causal"], place / "smollm2")
    found = run(place)
    rows = by_row(found)
    for row in webnlg.ROWS:
        assert all(cell.stand_in == "smollm2 for bert-base-uncased" for cell in rows[row])
        assert {cell.verdict for cell in rows[row]} <= {"inside", "differs", "misprint", "not computed"}
        assert sum(cell.value is not None for cell in rows[row]) >= 10
    assert {cell.verdict for cell in rows["BertS"]} == {"not computed"}
    assert all(cell.why for cells in rows.values() for cell in cells if cell.verdict == "not computed")
    claims = {claim.id: claim for claim in found.claims}
    assert all(claim.verdict != "not tested" or claim.id == "extractive" for claim in claims.values())
    assert all(claim.numbers for claim in claims.values())
    numbers = {figure.number for figure in found.figures}
    assert numbers == {"Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 5"}
    for figure in found.figures:
        assert "smollm2" in figure.caption and figure.rows
        assert (place / "out" / figure.file).read_text().count("<path") > 5
    text = (place / "out" / "index.md").read_text()
    assert "smollm2 replaces bert-base-uncased, which is not installed." in text
    assert not (place / "out" / "unfinished").exists()
    # The page is made again from the scores, without texts scored.
    again = reproduce.run("infolm", place / "again", scores=place / "out", resamples=8)
    assert again.tables == found.tables and again.claims == found.claims


def test_with_bert_on_disk_it_is_the_papers_own_metric(
    place: Path, tiny_models, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(tiny_models["masked"], place / "bert-base-uncased")
    real = baselines.encoder_metrics("bert-base-uncased")
    assert real["BertS"] == "bertscore(model='bert-base-uncased')"
    # The tiny model has two layers.
    layers = {**real, "BertS": real["BertS"].replace(")", ", layer=1)")}
    monkeypatch.setattr(baselines, "encoder_metrics", lambda _: layers)
    found = reproduce.run("infolm", place / "out", parts=["webnlg"], resamples=8, sample=8)
    rows = by_row(found)
    for row in webnlg.ROWS:
        assert {cell.stand_in for cell in rows[row]} == {"8 of 178 inputs"}
    (step,) = [part for part in found.parts if part.name == "webnlg"]
    assert step.models == {"bert-base-uncased": "bert-base-uncased"}
    assert "replaces bert" not in (place / "out" / "index.md").read_text()


def test_a_run_that_is_stopped_after_the_second_metric_goes_on(
    place: Path, tiny_models, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(tiny_models["causal"], place / "smollm2")
    real, asked = Settings.scored, []

    def counted(self, benchmark, *metrics, name, **options):
        asked.append(f"{self.step}/{name}")
        if len(asked) == 3:
            raise KeyboardInterrupt
        return real(self, benchmark, *metrics, name=name, **options)

    monkeypatch.setattr(Settings, "scored", counted)
    options = {"parts": ["baselines", "webnlg"], "resamples": 8}
    with pytest.raises(KeyboardInterrupt):
        reproduce.run("infolm", place / "out", **options)
    kept = sorted(path for path in (place / "out" / "scores").rglob("*.gz"))
    assert [path.name for path in kept] == ["webnlg.json.gz", "strings.json.gz"]
    before = {path: path.stat().st_mtime_ns for path in kept}
    monkeypatch.setattr(Settings, "scored", real)
    found = reproduce.run("infolm", place / "out", **options)
    assert {path: path.stat().st_mtime_ns for path in kept} == before
    assert (place / "out" / "scores" / "webnlg" / "infolm.json.gz").is_file()
    assert by_row(found)["R"][0].value is not None


def test_the_printed_formulas_have_the_two_errors() -> None:
    (table,) = formulas.formulas(Settings()).tables
    rows = {row["measure"]: row for row in table.rows}
    # alpha of (.6, .3, .1) and (.2, .3, .5) by hand, with the sign of print.
    affinity = sum(np.sqrt(a * b) for a, b in ((0.6, 0.2), (0.3, 0.3), (0.1, 0.5)))
    assert rows["alpha"]["printed, p and q"] == pytest.approx(-4 * (1 - affinity))
    assert rows["alpha"]["nlgauge, p and q"] == pytest.approx(4 * (1 - affinity))
    assert abs(rows["AB"]["printed, p and p"]) > 0.1
    for name, row in rows.items():
        assert row["nlgauge, p and p"] == pytest.approx(0, abs=1e-7), name
        assert row["nlgauge, p and q"] > 0
        if name != "AB":
            assert row["printed, p and p"] == pytest.approx(0, abs=1e-7), name
    assert rows["Fisher-Rao"]["nlgauge, p and q"] / rows["Fisher-Rao"]["printed, p and q"] == pytest.approx(
        np.pi
    )


def test_the_area_under_the_curve_counts_pairs() -> None:
    people = np.array([[0.9, 0.2, 0.6, 0.1], [0.4, 0.5, 0.3, 0.8]])
    scores = np.array([[3.0, 3.0, 1.0, 0.0], [2.0, np.nan, 5.0, 4.0]])
    good, other = [3.0, 1.0, 4.0], [3.0, 0.0, 2.0, 5.0]
    pairs = [(a > b) + (a == b) / 2 for a in good for b in other]
    assert summary_figures._auc(scores, people) == pytest.approx(sum(pairs) / len(pairs))
    assert np.isnan(summary_figures._auc(scores, people * 0))


def test_parts_have_bart_on_both_sides(place: Path) -> None:
    parts = summaries.parts_of(Settings().benchmark("realsumm"))
    assert {name: len(systems) for name, systems in parts.items()} == {
        "abstractive": 4,
        "abstractive without BART": 3,
        "extractive with BART": 4,
        "extractive": 3,
    }


def test_every_claim_names_a_step_and_grids_have_all_points() -> None:
    steps = {step.name for step in DOCUMENT.steps}
    assert all(claim.step in steps for claim in DOCUMENT.claims)
    assert (len(MEASURES), len(TEMPERATURES)) == (9, 7)

"""The papers on InfoLM, Shannon Score and COSMIC: made-up benchmarks, then published numbers on the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from human_judgments import path_of
from paper_cases import made_up

from nlgauge import reproduce
from nlgauge.reproduce.printed_tables import names


def verdicts(found: reproduce.Reproduction, table: str) -> dict[tuple[str, str], str]:
    return {
        (cell["row"], cell["column"]): cell["verdict"] for cell in found.cells() if cell["table"] == table
    }


@pytest.mark.parametrize(
    ("document", "parts", "benchmark", "table", "computed"),
    [
        ("infolm", ["baselines"], "webnlg2020_en", "infolm-table-2", 9),
        ("shannon", ["strings", "statistics"], "summeval", "shannon-table-1", 18),
    ],
)
def test_every_cell_has_a_verdict_on_made_up_data(
    document: str,
    parts: list[str] | None,
    benchmark: str,
    table: str,
    computed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "benchmarks"))
    made_up(tmp_path / "benchmarks", benchmark)
    said: list[str] = []
    found = reproduce.run(document, tmp_path / "out", parts=parts, resamples=50, say=said.append)
    printed = reproduce.printed(table)
    cells = verdicts(found, table)
    assert len(cells) == len(printed.names) * len(printed.columns)
    assert len({row for (row, _), word in cells.items() if word != "not computed"}) == computed
    reasons = [cell for cell in found.cells() if cell["verdict"] in ("differs", "not computed")]
    assert all(cell["why"] for cell in reasons)
    assert {table.id for table in found.tables} >= set(names(document))
    assert said
    assert reproduce.Reproduction.load(tmp_path / "out").counts() == found.counts()


def test_cosmic_is_tested_on_its_own_numbers(tmp_path: Path) -> None:
    """Coefficients as an independent program computed them from the printed Table 2 (SciPy)."""
    found = reproduce.run("cosmic", tmp_path / "out", parts=["from-print"], resamples=200)
    claims = {claim.id: claim for claim in found.claims if claim.verdict != "not tested"}
    value = {name: float(claim.numbers.split()[0]) for name, claim in claims.items() if "[" in claim.numbers}
    assert value["information-attribution"] == 0.78
    assert value["information-main-ideas"] == 0.67
    assert value["information-comprehensible"] == 0.25
    assert value["information-grammar"] == -0.09
    assert value["information-repetition"] == 0.15
    assert claims["table-3"].numbers.startswith("mean difference 0.24")
    assert claims["table-4"].numbers.startswith("mean difference 0.15")
    assert {name: claim.verdict for name, claim in claims.items()} == {
        "information-attribution": "supported",
        "information-main-ideas": "supported",
        "information-comprehensible": "undecided",
        "information-grammar": "undecided",
        "information-repetition": "undecided",
        "size": "undecided",
        "attribution-text": "contradicted",
        "table-3": "contradicted",
        "table-4": "contradicted",
        "upper-bound": "contradicted",
    }
    sums = next(table for table in found.tables if table.id == "sums")
    assert {row["model"].split("/")[0] for row in sums.rows} == {"mistralai"}
    assert len(sums.rows) == 3
    assert set(found.counts()) >= {"not computed"}
    assert found.counts()["not computed"] == len(found.cells())


@pytest.mark.thorough
def test_rouge_of_shannons_table_is_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("summeval").parent))
    found = verdicts(reproduce.run("shannon", resamples=50), "shannon-table-1")
    words = {row: [word for (name, _), word in found.items() if name == row] for row, _ in found}
    assert words["CHRF"] == words["Length"] == words["Compress"] == words["Repeat 3"] == ["equal"] * 4
    assert words["rouge-L"].count("equal") == 3
    for row in ("rouge-1", "rouge-2", "rouge-3", "rouge-4", "rouge-su*", "rouge-w"):
        assert set(words[row]) <= {"equal", "near"}, row


@pytest.mark.thorough
def test_human_rows_of_infolms_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of an independent program; the Pearson and Spearman cells that print exchanges differ."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("webnlg2020_en").parent))
    found = reproduce.run("infolm", parts=["baselines"], resamples=50)
    assert any("rated on different inputs" in note for note in found.notes)
    cells = {
        (cell["row"], cell["column"]): cell for cell in found.cells() if cell["table"] == "infolm-table-2"
    }
    expected = {
        ("Correct", "datacoverage pearson"): 97.8,
        ("Correct", "datacoverage spearman"): 87.4,
        ("Correct", "datacoverage kendall"): 73.3,
        ("BLEU", "correctness pearson"): 60.1,
        ("BLEU", "correctness spearman"): 57.1,
        ("METEOR", "fluency kendall"): 73.3,
        ("TER", "fluency pearson"): 86.5,
        ("R-1", "relevance pearson"): 70.0,
    }
    assert {cell: round(cells[cell]["value"], 1) for cell in expected} == expected
    assert cells["DataC", "correctness pearson"]["verdict"] == "misprint"
    assert cells["DataC", "correctness pearson"]["why"].endswith("the right number, 97.6: near")
    assert sum(cell["verdict"] == "misprint" for cell in cells.values()) == 14

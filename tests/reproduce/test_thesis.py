"""Chapter 4 of the thesis, on made-up data and on the public ratings."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from cli_cases import run as run_command
from human_judgments import path_of
from workbooks import ratings_workbook

from nlgauge import reproduce
from nlgauge.errors import InputError, UnknownNameError
from nlgauge.meta.benchmarks.loading import imported

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reproduction on made-up data, without models."""
    place = tmp_path_factory.mktemp("chapter")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLGAUGE_BENCHMARKS", str(place / "benchmarks"))
        patch.setenv("NLGAUGE_CACHE", str(place / "models"))
        imported(ratings_workbook(place / "human_evaluation.xlsx"))
        reproduce.run("thesis-ch4", place / "out", resamples=100)
    return place


def test_every_printed_number_has_a_verdict(made: Path) -> None:
    found = reproduce.Reproduction.load(made / "out")
    cells = found.cells().rows
    shown = ("thesis-figure-4-3", "thesis-section-4-1", "thesis-section-4-2")
    printed = [reproduce.printed(name) for name in shown]
    assert len(cells) == sum(len(table.rows) for table in printed) == sum(found.counts().values())
    assert all(cell["why"] for cell in cells if cell["verdict"] in ("differs", "not computed"))
    by_row = {cell["row"]: cell for cell in cells}
    assert by_row["BERTScore"]["verdict"] == "not computed"
    assert by_row["BERTScore"]["why"] == "weights"
    # Automatic values are of other texts than print, so that agreement by chance does not count.
    assert {by_row[name]["verdict"] for name in ("ROUGE-1", "Abstractness")} <= {"inside", "differs"}


def test_the_page_shows_claims_before_tables(made: Path) -> None:
    text = (made / "out" / "index.md").read_text("utf-8")
    page = (made / "out" / "index.html").read_text("utf-8")
    assert text.index("## Claims") < text.index("Figure 4.3") < text.index("## Settings")
    assert page.count("<img") == 3
    assert "script" not in page.partition("<body>")[2]
    assert "BERTScore" in page
    for figure in reproduce.Reproduction.load(made / "out").figures:
        assert (made / "out" / figure.file).is_file()
        assert figure.alt


def test_a_repeated_run_scores_nothing(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(made / "benchmarks"))
    monkeypatch.setenv("NLGAUGE_CACHE", str(made / "models"))
    before = reproduce.Reproduction.load(made / "out")
    changed = {
        path: path.stat().st_mtime_ns for path in (made / "out" / "scores").rglob("*") if path.is_file()
    }
    again = reproduce.run("thesis-ch4", made / "out", resamples=100)
    assert [(cell["row"], cell["verdict"]) for cell in again.cells()] == [
        (cell["row"], cell["verdict"]) for cell in before.cells()
    ]
    assert changed == {path: path.stat().st_mtime_ns for path in changed}


def test_a_directory_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty"):
        reproduce.run("thesis-ch4", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(UnknownNameError, match="thesis-ch4"):
        reproduce.run("thesis")


def test_another_document_is_refused(made: Path, tmp_path: Path) -> None:
    found = reproduce.Reproduction.load(made / "out")
    other = msgspec.structs.replace(found, document="another")
    other.save(tmp_path / "out")
    with pytest.raises(InputError, match="reproduction of another"):
        reproduce.run("thesis-ch4", tmp_path / "out")
    (tmp_path / "out" / "reproduction.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        reproduce.Reproduction.load(tmp_path / "out")


def test_the_command(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(made / "none"))
    assert "thesis-ch4" in run_command("reproduce").stdout
    plan = run_command("reproduce", "thesis-ch4", "--plan").stdout
    assert "cdsr_cogito" in plan
    assert "nlgauge benchmarks import" in plan
    assert "3.67" in run_command("reproduce", "thesis-ch4", "--printed").stdout
    lacking = run_command("reproduce", "thesis-ch4", "-o", str(made / "new"), "--part", "chapter")
    assert lacking.exit_code == 3
    assert "nlgauge benchmarks import" in lacking.stderr
    missing = run_command("reproduce", "thesis-ch4")
    assert missing.exit_code == 2
    assert "--plan" in missing.stderr


@pytest.mark.slow
def test_published_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Human means, agreement and correlations as computed by independent programs (SciPy, textbook formulas)."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("cdsr_cogito").parent))
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path))
    found = reproduce.run("thesis-ch4")
    cells = {cell["row"]: cell for cell in found.cells()}
    for row in ("informativeness", "factualness", "fluency", "succinctness"):
        assert cells[row]["verdict"] == "equal"
    assert cells["mean Kendall coefficient between annotators"]["value"] == pytest.approx(0.1552, abs=5e-5)
    assert cells["Abstractness"]["value"] == pytest.approx(0.3789, abs=5e-5)
    assert cells["Repetitiveness"]["value"] == pytest.approx(0.373233, abs=5e-7)
    tables = {table.id: table for table in found.tables}
    one = {(row["metric"], row["human"]): row for row in tables["correlations-rl"].rows}
    assert one["ROUGE-L", "factualness"]["value"] == pytest.approx(0.555, abs=5e-4)
    assert one["ROUGE-2", "factualness"]["value"] == pytest.approx(0.496, abs=5e-4)
    # The released programs' definitions, and words with ratings.
    defined = {row["metric"]: row for row in tables["definitions"].rows}
    assert defined["Abstractness"]["released program"] == pytest.approx(0.374, abs=5e-4)
    assert defined["Repetitiveness"]["released program"] == pytest.approx(0.3732, abs=5e-4)
    assert defined["Gunning Fog Index"]["nlgauge"] == pytest.approx(16.28, abs=5e-3)
    (length,) = (claim for claim in found.claims if claim.id == "length")
    assert "succinctness -0.492" in length.numbers and "factualness -0.368" in length.numbers
    (annotators,) = (claim for claim in found.claims if claim.id == "annotators")
    assert "0.395 between the first two annotators" in annotators.numbers
    gains = {row["dimension"]: row["gain over nograph, %"] for row in tables["human-means"].rows[:4]}
    assert {name: round(gain, 2) for name, gain in gains.items()} == {
        "informativeness": 6.8,
        "factualness": 12.46,
        "fluency": 3.83,
        "succinctness": 12.5,
    }
    claims = {claim.id: claim.verdict for claim in found.claims}
    assert claims == {
        "human-means": "supported",
        "annotators": "supported",
        "highest": "undecided",
        "overlap": "undecided",
        "rephrasing": "undecided",
        "length": "supported",
        "bartscore-time": "not tested",
    }

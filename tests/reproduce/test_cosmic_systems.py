"""COSMIC's tables and figures on made-up texts with a tiny encoder: a killed run goes on, and every cell has a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from paper_cases import made_up

from nlgauge import reproduce
from nlgauge.reproduce.cosmic import figures, scores

pytest.importorskip("matplotlib")


@pytest.fixture
def settings(tiny_models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Made-up benchmarks, a task without packages, and few settings of the estimator."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "benchmarks"))
    for name in ("summeval", "realsumm"):
        made_up(tmp_path / "benchmarks", name, systems=4, segments=10)
    model = str(tiny_models["encoder"])
    monkeypatch.setattr(scores, "TASKS", ("sentiment",))
    monkeypatch.setattr(scores, "task", lambda *_: lambda texts: [len(text) % 3 for text in texts])
    monkeypatch.setattr(
        scores,
        "_BASELINES",
        {
            scores.ROUGE: ("rouge@source", "rougeL"),
            scores.BERTSCORE: (f"bertscore(model={model!r}, layer=1)@source", "f1"),
        },
    )
    monkeypatch.setattr(scores, "MODES", (1,))
    for module in (scores, figures):
        monkeypatch.setattr(module, "LENGTHS", (3,))
    monkeypatch.setattr(scores, "PAIRS", (8,))
    for name, spec in (("_KNIFE", "seeds=2"), ("_ONE_SEED", "seeds=1")):
        monkeypatch.setattr(scores, name, f"cosmic(reverse=False, {spec}, modes=1)")
    return {"model": model, "resamples": 20, "parts": ["from-print", "systems"]}


@pytest.mark.filterwarnings("ignore")
def test_a_killed_run_goes_on(settings: dict[str, object], tmp_path: Path) -> None:
    def killed(message: str) -> None:
        if message == "summeval: modes and vectors":
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        reproduce.run("cosmic", out, say=killed, **settings)
    kept = {file: file.read_bytes() for file in (out / "scores").rglob("*.gz")}
    assert {file.name for file in kept} >= {"summeval-scores.json.gz", "summeval-tasks.json.gz"}
    said: list[str] = []
    found = reproduce.run("cosmic", out, say=said.append, **settings)
    assert "summeval: tasks" not in said and "summeval: modes and vectors" in said
    assert all(file.read_bytes() == content for file, content in kept.items())
    again = reproduce.run("cosmic", tmp_path / "again", scores=out, **settings)
    assert again.counts() == found.counts()
    pages = [(folder / "index.md").read_text("utf-8") for folder in (out, tmp_path / "again")]
    assert pages[0] == pages[1]
    _check(found)


def _check(found: reproduce.Reproduction) -> None:
    cells = {
        (cell["table"], cell["row"], cell["column"]): cell
        for cell in found.cells()
        if cell["value"] is not None
    }
    assert ("cosmic-table-1", "I(S;T)", "Sentiment") in cells
    assert ("cosmic-table-3", "ROUGE-L", "BERTScore") in cells
    # Other texts and another encoder: agreement with print does not count.
    printed = [cell for cell in cells.values() if cell["printed"] is not None]
    assert {cell["verdict"] for cell in printed} <= {"inside", "differs"}
    assert all("SummEval and REALSumm" in cell["stand_in"] for cell in cells.values())
    assert all(cell["why"] for cell in found.cells() if cell["value"] is None)
    figures = {figure.number for figure in found.figures}
    assert figures == {"Figure 3", "Figure 4", "Figure 5", "Figure 6", "Figure 7", "Figure 12"}
    claims = {claim.id: claim.verdict for claim in found.claims}
    assert claims["hierarchy"] == "not tested"
    assert claims["tasks"] != "not tested" and claims["longer"] != "not tested"

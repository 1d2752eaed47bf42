"""The frame of all documents, with a made-up document: plan, parts, samples, kept scores, and errors."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from cli_cases import run as run_command

from nlgauge import reproduce
from nlgauge.errors import InputError, ModelError, ParameterError, UnknownNameError
from nlgauge.meta import Findings
from nlgauge.meta.benchmarks import load
from nlgauge.reproduce import planning
from nlgauge.reproduce.settings import CHECKED, Settings
from nlgauge.reproduce.steps import Answer, Claimed, Document, Picture, Step, Verdict
from nlgauge.reproduce.verdicts import Computed

TABLE = "shannon-table-1"


class Made:
    """A document whose steps count how often they compute."""

    def __init__(self) -> None:
        self.computed: list[str] = []
        self.broken = ""
        self.document = Document(
            "made-up",
            "A made-up document",
            [TABLE],
            [
                Step("quick", {TABLE: ("CHRF",)}, self.quick, inputs=24, benchmark="sample"),
                Step("slow", {TABLE: ("METEOR",)}, self.slow, seconds=40000, inputs=100, benchmark="sample"),
                Step("weights", {TABLE: ("BLANC",)}, self.slow, models={"no-such-model": ""}),
                Step("package", {TABLE: ("SummaQA",)}, self.slow, packages=["no_such_package"]),
            ],
            [
                Claimed("high", "1", "chrF is high.", "quick"),
                Claimed("other", "1", "A model is high.", "weights"),
                Claimed("never", "1", "This is true.", why="a statement"),
            ],
            {TABLE: "not built", f"{TABLE}/CIDEr": "data"},
        )

    def quick(self, settings: Settings) -> Answer:
        def compute() -> dict[str, list[float]]:
            self.computed.append("quick")
            return {"values": [0.123456789, float("nan")]}

        first = settings.keep("first", compute)
        judged = settings.judged(settings.benchmark("sample"), "chrf", name="texts")
        if self.broken:
            raise KeyboardInterrupt
        rows = [{"metric": "chrf", "references": n, "value": n / 10} for n in (1, 2)]
        findings = Findings(rows)
        from nlgauge import plots

        return Answer(
            {TABLE: {("CHRF", "coherence"): Computed(first["values"][0])}},
            pictures=[
                Picture("lines", "Figure 9", "Lines", rows, lambda: plots.sweep(findings, "references"))
            ],
            verdicts={"high": Verdict("supported", f"{len(judged.segments)} segments")},
        )

    def slow(self, settings: Settings) -> Answer:
        settings.keep("numbers", lambda: self.computed.append("slow"))
        return Answer({TABLE: {("METEOR", "coherence"): Computed(0.5)}})


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    found = Made()
    module = ModuleType("made_up_document")
    module.DOCUMENT = found.document  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "made_up_document", module)
    monkeypatch.setitem(planning._MODULES, "made-up", "made_up_document")
    return found


def reasons(found: reproduce.Reproduction) -> dict[str, str]:
    return {cell["row"]: cell["why"] for cell in found.cells() if cell["column"] == "coherence"}


def test_a_plan_names_what_is_left_out_and_why(made: Made) -> None:
    lines = run_command("reproduce", "made-up", "--plan").stdout.splitlines()
    by_step = {line.split()[1]: line for line in lines if line.startswith("  step")}
    assert "CHRF" not in by_step["quick"]
    assert "Table 1 (1 row)" in by_step["quick"]
    assert "left out without --part slow" in by_step["slow"]
    assert "no-such-model is not installed" in by_step["weights"]
    assert (
        "left out"
        not in run_command("reproduce", "made-up", "--plan", "--sample", "2")
        .stdout.split("slow")[1]
        .split("\n")[0]
    )
    assert not made.computed


def test_every_cell_and_claim_that_is_not_computed_has_a_reason(made: Made, tmp_path: Path) -> None:
    found = reproduce.run("made-up", tmp_path / "out", resamples=20)
    why = reasons(found)
    assert why["METEOR"].startswith("cost: about 11 CPU h")
    assert why["BLANC"].startswith("weights: no-such-model")
    assert why["SummaQA"].startswith("package: no_such_package")
    assert (why["CIDEr"], why["Length"]) == ("data", "not built")
    claims = {claim.id: (claim.verdict, claim.numbers) for claim in found.claims}
    assert claims["high"][0] == "supported"
    assert claims["other"] == ("not tested", "weights: no-such-model is not installed")
    assert claims["never"] == ("not tested", "a statement")
    text = (tmp_path / "out" / "index.md").read_text("utf-8")
    assert "nlgauge models add no-such-model --from DIR" in text
    assert (
        (tmp_path / "out" / "figures" / "lines.csv").read_text("utf-8").startswith("metric,references,value")
    )
    assert "quick" in (tmp_path / "out" / "log.txt").read_text("utf-8")


def test_scores_are_kept_and_rebuild_the_same_page(made: Made, tmp_path: Path) -> None:
    reproduce.run("made-up", tmp_path / "out", parts=["quick", "slow"], sample=3, resamples=20)
    assert made.computed == ["quick", "slow"]
    first = (tmp_path / "out" / "index.md").read_bytes()
    assert b"3 of 24" in first
    # Parts that are not named are shown from their scores.
    reproduce.run("made-up", tmp_path / "out", parts=["quick"], sample=3, resamples=20)
    assert (tmp_path / "out" / "index.md").read_bytes() == first
    assert made.computed == ["quick", "slow"]
    reproduce.run("made-up", tmp_path / "again", scores=tmp_path / "out", resamples=20)
    assert (tmp_path / "again" / "index.md").read_bytes() == first
    assert made.computed == ["quick", "slow"]
    assert not (tmp_path / "again" / "scores").exists()
    reproduce.run("made-up", tmp_path / "out", parts=["quick"], sample=3, force=True, resamples=20)
    assert made.computed == ["quick", "slow", "quick"]
    # Scores of other settings are not used.
    reproduce.run("made-up", tmp_path / "out", parts=["quick"], sample=2, resamples=20)
    assert made.computed == ["quick", "slow", "quick", "quick"]
    # Parts with another seed are neither shown nor computed again if they are not named.
    other = reproduce.run("made-up", tmp_path / "out", parts=["slow"], sample=2, seed=1, resamples=20)
    assert made.computed[4:] == ["slow"]
    assert reasons(other)["CHRF"] == "not asked for"


def test_kept_scores_have_no_texts(made: Made, tmp_path: Path) -> None:
    import gzip

    reproduce.run("made-up", tmp_path / "out", parts=["quick"], resamples=20)
    assert not (tmp_path / "out" / "unfinished").exists()
    kept = [gzip.decompress(path.read_bytes()) for path in (tmp_path / "out" / "scores").rglob("*.gz")]
    assert len(kept) == 2
    words = {word for row in load("sample").rows for word in (row.prediction or "").split()}
    assert not any(word.encode() in content for content in kept for word in words if len(word) > 9)
    assert msgspec.json.decode(kept[0])["cpu_seconds"] >= 0


def test_an_interrupted_run_continues(made: Made, tmp_path: Path) -> None:
    made.broken = "yes"
    stopped = run_command("reproduce", "made-up", "-o", str(tmp_path / "out"), "--resamples", "20")
    assert stopped.exit_code == 130
    assert "run the same command again" in stopped.stderr
    made.broken = ""
    assert (
        run_command("reproduce", "made-up", "-o", str(tmp_path / "out"), "--resamples", "20").exit_code == 0
    )
    assert made.computed == ["quick"]


def test_errors(made: Made, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'quick'"):
        reproduce.run("made-up", parts=["quik"])
    with pytest.raises(ModelError, match="nlgauge models add"):
        reproduce.run("made-up", model="no-such-model")
    with pytest.raises(ParameterError, match="at least 2"):
        reproduce.run("made-up", sample=1)
    with pytest.raises(InputError, match="reproduction"):
        reproduce.run("made-up", scores=tmp_path)
    reproduce.run("cosmic", tmp_path / "cosmic", parts=["from-print"], resamples=20)
    with pytest.raises(InputError, match="of cosmic, not of made-up"):
        reproduce.run("made-up", scores=tmp_path / "cosmic")
    lacking = run_command("reproduce", "made-up", "-o", str(tmp_path / "out"), "--part", "weights")
    assert lacking.exit_code == 3
    assert "nlgauge models add no-such-model" in lacking.stderr


def test_another_data_file_is_noted(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHECKED, "sample", "0")
    said: list[str] = []
    found = reproduce.run("made-up", parts=["quick"], resamples=20, say=said.append)
    assert any("other texts or ratings" in note for note in found.notes)
    assert any(message.startswith("warning") for message in said)


def test_without_matplotlib_the_page_has_tables(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nlgauge.reproduce import running

    monkeypatch.setattr(running, "find_spec", lambda _: None)
    found = reproduce.run("made-up", tmp_path / "out", parts=["quick"], resamples=20)
    assert not found.figures
    assert any("nlgauge[plot]" in note for note in found.notes)


def test_a_resumed_step_has_no_cpu_seconds_of_earlier_processes(tmp_path: Path) -> None:
    settings = Settings(step="quick", place=tmp_path)
    settings.keep("whole", lambda: {"a": 1})
    (tmp_path / "unfinished" / "quick-interrupted").mkdir(parents=True)
    settings.keep("interrupted", lambda: {"a": 2})
    whole, interrupted = settings.environments
    assert interrupted == f"{whole} (resumed: without the CPU seconds of earlier processes)"
    assert settings.keep("interrupted", lambda: {"a": 3}) == {"a": 2}
    assert settings.environments[-1] == interrupted

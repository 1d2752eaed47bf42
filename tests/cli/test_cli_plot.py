"""nlgauge plot: figures of a saved result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import mentions

pytest.importorskip("matplotlib")

import nlgauge
from tests.cli_cases import enter, printed, refused, run


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    enter(tmp_path, monkeypatch)
    printed("score", "sysA.txt", "sysB.txt", "-r", "refs.txt", "-m", "chrf,ter", "-o", "out", "-q")
    return "out"


@pytest.mark.parametrize("kind", ["intervals", "forest", "waterfall", "distributions", "heatmap"])
def test_a_figure_is_written_and_said_in_words(kind: str, result: str) -> None:
    resamples = ["--resamples", "20"] if kind in ("intervals", "forest") else []
    done = run("plot", result, kind, "-o", "figure.svg", *resamples)
    assert done.exit_code == 0, done.output
    text = Path("figure.svg").read_text("utf-8")
    said = done.stdout.splitlines()[0]
    assert said.endswith(".")
    assert f"<title>{said.replace('&', '&amp;')}</title>" in text


def test_metrics_and_systems_are_chosen(result: str) -> None:
    assert (
        "ter (lower is better)"
        in run("plot", result, "intervals", "-m", "ter", "-o", "a.pdf", "--resamples", "9").stdout
    )
    done = run(
        "plot", result, "waterfall", "-m", "ter", "--system", "sysB", "--system", "sysA", "-o", "b.pdf"
    )
    assert "Gains in ter (lower is better)" in done.stdout
    assert "sysB better on" in done.stdout


def test_an_explanation_is_drawn(result: str) -> None:
    done = run(
        "plot", result, "explanation", "-m", "ter", "--segment", "0", "--system", "sysA", "-o", "why.png"
    )
    assert done.exit_code == 0, done.output
    assert "5 equal, 1 substituted" in done.stdout
    assert Path("why.png").read_bytes()[1:4] == b"PNG"


def test_human_scores_of_one_system_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)
    rows = [
        {
            "prediction": f"a b {i % 3}",
            "references": ["a b 1"],
            "coherence": i,
            "fluency": -i,
            "year": 2000 + i,
        }
        for i in range(6)
    ]
    Path("one.jsonl").write_text("\n".join(map(json.dumps, rows)))
    printed("score", "one.jsonl", "-m", "chrf,ter", "-o", "one", "-q")
    for people in (
        ["--human", "coherence", "fluency"],
        ["--human", "coherence,fluency"],
        ["--human", "coherence", "--human", "fluency"],
    ):
        done = run("plot", "one", "human_map", "-o", "map.svg", "-c", "pearson", *people, "--overwrite")
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith(
            "Pearson, global level, n = 6 texts of one system, 2 metrics; the highest for coherence: "
        )
    assert "coherence, fluency, year" in " ".join(
        refused("plot", "one", "human_map", "-o", "other.pdf").split()
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pie"], "'pie' ... intervals"),
        (["explanation", "-m", "ter"], "--metric ... --segment"),
        (["explanation", "-m", "ter", "--segment", "9", "--system", "sysA"], "segment ... '9'"),
        (["waterfall", "-m", "ter", "-m", "chrf"], "--metric ... once ... ter, chrf"),
        (
            ["forest", "--system", "a", "--system", "b", "--system", "c"],
            "--system ... twice ... a, b, c",
        ),
        (["forest", "--system", "sysC"], "system ... 'sysC'"),
        (["forest", "-m", "ter"], "--metric ... forest"),
        (["intervals", "--level", "system"], "--level ... intervals"),
        (["waterfall", "--confidence", "0.9"], "--confidence ... waterfall"),
        (["forest", "sysA"], "argument 'sysA'"),
        (["human_map"], "human_map needs human scores"),
        (["heatmap", "-c", "darr"], "coefficient ... spearman"),
        (["intervals", "-m", "bleu"], "bleu"),
    ],
)
def test_what_cannot_be_drawn_says_why(words: list[str], message: str, result: str) -> None:
    assert mentions(" ".join(refused("plot", result, *words, "-o", "figure.pdf").split()), message)
    assert not Path("figure.pdf").exists()


def test_a_file_is_not_replaced_unasked_and_must_be_of_a_known_form(result: str) -> None:
    Path("there.pdf").write_text("mine")
    assert "use --overwrite" in run("plot", result, "heatmap", "-o", "there.pdf").stderr
    assert Path("there.pdf").read_text() == "mine"
    assert run("plot", result, "heatmap", "-o", "there.pdf", "--overwrite").exit_code == 0
    assert ".pdf, .png or .svg" in run("plot", result, "heatmap", "-o", "figure.doc").stderr


def test_a_preset_sets_the_width_and_writes_pages(tmp_path, monkeypatch):
    enter(tmp_path, monkeypatch)
    texts = [f"the ferry number {i} leaves at ten" for i in range(12)]
    systems = {f"system {place}": [text[place:] for text in texts] for place in range(10)}
    nlgauge.score(systems, [[text] for text in texts], metrics=["bleu", "chrf", "ter", "rouge"]).save("out")
    run("plot", "out", "intervals", "-o", "one.svg", "-m", "bleu", "--preset", "acl", "--resamples", "20")
    assert 'width="218.16pt"' in (tmp_path / "one.svg").read_text("utf-8")
    found = run("plot", "out", "intervals", "-o", "many.svg", "--preset", "acl", "--resamples", "20")
    assert found.exit_code == 0
    assert sorted(path.name for path in tmp_path.glob("many*")) == ["many-1.svg", "many-2.svg", "many-3.svg"]
    assert "many-2.svg" in found.stderr
    assert "unknown preset 'tacl'" in refused("plot", "out", "forest", "-o", "f.svg", "--preset", "tacl")
    assert "many-1.svg already exists" in refused(
        "plot", "out", "intervals", "-o", "many.svg", "--preset", "acl", "--resamples", "20"
    )

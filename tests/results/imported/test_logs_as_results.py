"""Results from logs: the scores that each tool printed, with repeats, reasons and notes."""

from __future__ import annotations

from pathlib import Path

import pytest
from log_cases import FOLDER, inspect_header, inspect_sample, sample_log, write_json

import nlgauge
from nlgauge.errors import InputError
from nlgauge.results.imported.logs import imported_tasks


def log(path: Path, values: list[object], model: str = "m", **changes: object) -> str:
    samples = [
        inspect_sample(f"q{i}", value, epoch, **changes) for i, value in enumerate(values) for epoch in (1, 2)
    ]
    return write_json(path, {**inspect_header(eval={"model": model}), "samples": samples})


def test_two_logs_are_one_result_with_repeats(tmp_path: Path) -> None:
    files = [
        log(tmp_path / f"{model}.json", values, model)
        for model, values in (("a", [1, 0, 1]), ("b", ["C", "I", "P"]))
    ]
    result = nlgauge.read_log(files)
    assert isinstance(result, nlgauge.Result)
    assert result.systems == ("a", "b")
    assert result["a"]["match"]["score"] == pytest.approx(2 / 3)
    assert result["b"]["match"]["score"] == pytest.approx(0.5)
    assert result["a"]["match"]["repeats"] == 2
    assert result.corpus.repeats
    assert result.corpus.sources is not None
    assert "repeats:mean" in result.add("chrf").signatures["chrf"]
    assert "inspect 0.3.285" in result.signatures["match"]


def test_errors_are_missing_with_their_reason(tmp_path: Path) -> None:
    samples = [
        inspect_sample("q0", 1),
        {**inspect_sample("q1", 0), "scores": {}, "error": {"message": "down"}},
    ]
    file = write_json(tmp_path / "a.json", {**inspect_header(), "samples": samples})
    result = nlgauge.read_log(file)
    assert isinstance(result, nlgauge.Result)
    assert result["match"]["score"] == 1
    assert [row["missing"] for row in result.missing("match")] == ["error"]


def test_categories_are_imported_only_with_their_order(tmp_path: Path) -> None:
    file = log(tmp_path / "a.json", ["low", "high", "low"])
    with pytest.raises(InputError, match="high, low"):
        nlgauge.read_log(file)
    result = nlgauge.read_log(file, scores=["match:low/high"])
    assert isinstance(result, nlgauge.Result)
    assert result["match"]["score"] == pytest.approx(1 / 3)
    with pytest.raises(InputError, match="did you mean 'match'"):
        nlgauge.read_log(file, scores="mach")


@pytest.mark.parametrize(
    "pattern",
    ["inspect/*Y4wy*.eval", "deepeval/*.json", "lm_eval/dummy/samples_tiny_mc*", "ragas/result.csv"],
)
def test_real_logs_have_the_scores_that_their_tool_printed(pattern: str) -> None:
    from nlgauge.io.logs import read_logs

    path = sample_log(pattern)
    (task,) = imported_tasks(path).values()
    own = {name: score for each in read_logs(path) for name, score in each.facts.own_scores.items()}
    for name, score in own.items():
        if name in task.result.labels:
            assert task.result[name]["score"] == pytest.approx(score, abs=1e-9)
    assert own or pattern.startswith("ragas")


def test_every_sample_becomes_a_result_that_can_be_saved(tmp_path: Path) -> None:
    files = [path for path in FOLDER.glob("*/*") if path.is_file() and path.suffix != ".csv"]
    if not files:
        pytest.skip(f"no logs in {FOLDER}")
    for number, path in enumerate(files):
        if "make" in path.parts or path.name == "README.md":
            continue
        for task in imported_tasks(str(path)).values():
            task.result.save(tmp_path / str(number), overwrite=True)
            assert nlgauge.load(tmp_path / str(number)).to_text() == task.result.to_text()

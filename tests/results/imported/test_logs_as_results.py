"""Results from logs: the scores that each tool printed, with repeats, reasons and notes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from log_cases import FOLDER, inspect_header, inspect_sample, sample_log, write_json, write_lines

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


def test_scores_with_the_names_of_other_columns_have_the_name_of_the_tool(tmp_path: Path) -> None:
    names = ["id", "system", "epoch", "prediction", "references", "error", "repeats", "", "a:b"]
    samples = [
        {**inspect_sample(f"q{i}", 1), "scores": {name: {"value": value} for name in names}}
        for i, value in enumerate((1, 0, 1))
    ]
    file = write_json(tmp_path / "a.json", {**inspect_header(), "samples": samples})
    result = nlgauge.read_log(file)
    assert isinstance(result, nlgauge.Result)
    assert result.labels == ("a:b", *(f"inspect.{name or 'score'}" for name in names[:-1]))
    assert all(result[label]["score"] == pytest.approx(2 / 3) for label in result.labels)
    assert list(result.corpus.ids) == ["q0", "q1", "q2"]
    assert result.systems == ("m",)
    assert result.add("chrf")["chrf"]["score"] > 0


def test_two_runs_in_one_log_are_named(tmp_path: Path) -> None:
    samples = [inspect_sample("q0", 1), inspect_sample("q1", 1), inspect_sample("q1", 0)]
    inspect = write_json(tmp_path / "a.json", {**inspect_header(), "samples": samples})
    lines = [
        {"doc_id": item, "resps": [], "filter": name, "metrics": ["acc"], "acc": value}
        for value in (1, 0)
        for item in range(3)
        for name in ("first", "last")
    ]
    harness = write_lines(tmp_path / "samples_x.jsonl", lines)
    result = {"provider": "p", "success": True, "promptIdx": 0, "namedScores": {}}
    tests = [
        {**result, "testIdx": index, "vars": {"x": index}, "score": score}
        for score in (1, 0)
        for index in range(4)
    ]
    promptfoo = write_lines(tmp_path / "out.jsonl", tests)
    for file, count, label, mean in (
        (inspect, "1 row", "match", 3 / 4),
        (harness, "6 rows", "acc.last", 1 / 2),
        (promptfoo, "4 rows", "score", 1 / 2),
    ):
        (task,) = imported_tasks(file).values()
        assert any(f"{count} with the identifier of another row" in note for note in task.notes)
        assert task.result[label]["score"] == pytest.approx(mean)
        assert task.result[label]["repeats"] > 1
    (once,) = imported_tasks(write_lines(tmp_path / "once.jsonl", tests[:4])).values()
    assert not any("identifier" in note for note in once.notes)


def test_the_heading_counts_answers_and_errors_and_notes_name_their_system(tmp_path: Path) -> None:
    samples = [inspect_sample("q0", 1), {**inspect_sample("q1", 0), "scores": {}, "error": {"message": "x"}}]
    totals = {"scores": [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.9}}}]}
    files = [
        write_json(
            tmp_path / f"{model}.json",
            {**inspect_header(eval={"model": model}), "samples": samples, "results": totals},
        )
        for model in "ab"
    ]
    (task,) = imported_tasks(files).values()
    assert task.heading == "Inspect 0.3.285, task capitals: 2 systems, 2 segments, 4 answers, 2 errors"
    assert [note.partition(":")[0] for note in task.notes] == ["a, match", "b, match"]


def test_a_saved_result_names_its_files_with_their_hashes(tmp_path: Path) -> None:
    files = []
    for model in "ab":
        (tmp_path / model).mkdir()
        files.append(log(tmp_path / model / "run.json", [1, 0], model))
    result = nlgauge.read_log(files)
    assert isinstance(result, nlgauge.Result)
    result.save(tmp_path / "out")
    digests = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
    assert nlgauge.load(tmp_path / "out").environment["imported run.json"] == (
        f"sha256 {digests[0]}, sha256 {digests[1]}"
    )


def test_a_task_of_two_tools_is_two_tasks(tmp_path: Path) -> None:
    result = {"provider": "p", "success": True, "promptIdx": 0, "namedScores": {}, "score": 1, "vars": {}}
    document = {
        "config": {"description": "capitals"},
        "results": {"version": 3, "results": [result], "prompts": []},
    }
    files = [
        write_json(tmp_path / "a.json", {**inspect_header(), "samples": [inspect_sample("q", 1)]}),
        write_json(tmp_path / "b.json", document),
    ]
    assert list(imported_tasks(files)) == ["capitals (inspect)", "capitals (promptfoo)"]


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

"""Names of systems, tasks and repeats of several logs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from log_cases import (
    inspect_header,
    inspect_sample,
    instance,
    promptfoo_result,
    write_eval,
    write_json,
    write_lines,
)

from nlgauge.errors import InputError
from nlgauge.io.logs import READERS, read_logs, tasks_of


def run(path: Path, items: str = "ab", epochs: int = 1, **facts: Any) -> str:
    samples = [inspect_sample(item, "C", epoch) for item in items for epoch in range(1, epochs + 1)]
    return write_eval(path, samples, inspect_header(eval=facts))


def systems(*paths: str, **options: Any) -> list[str]:
    [task] = tasks_of(read_logs(paths), **options).values()
    assert all(row.system == log.facts.system for log in task for row in log.rows)
    return [log.facts.system for log in task]


def test_models_are_the_names_of_systems(tmp_path: Path):
    paths = [run(tmp_path / f"{model}.eval", model=model) for model in ("gpt", "llama")]
    assert systems(*paths) == ["gpt", "llama"]


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ({"metadata": {"v": 1}, "tags": ["x"]}, {"metadata": {"v": 2}, "tags": ["y"]}, ["m v=1", "m v=2"]),
        ({"tags": ["x", "z"]}, {"tags": ["y"]}, ["m tags=x,z", "m tags=y"]),
        ({"task_args": {"shots": 0}}, {"task_args": {"shots": 5}}, ["m shots=0", "m shots=5"]),
        ({"metadata": {"v": "new"}}, {}, ["m v=new", "m"]),
        ({"model_generate_config": {"temperature": 0.5}}, {}, ["m temperature=0.5", "m"]),
        ({"metadata": {"prompt": "x" * 50}}, {"metadata": {"prompt": "y"}}, ["m (a)", "m (b)"]),
    ],
)
def test_the_facts_in_which_runs_differ_are_part_of_names(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], names: list[str]
):
    assert systems(run(tmp_path / "a.eval", **first), run(tmp_path / "b.eval", **second)) == names


def test_several_facts_are_named_if_none_is_enough(tmp_path: Path):
    facts = [{"v": "1", "t": "1"}, {"v": "1", "t": "2"}, {"v": "2", "t": "1"}]
    paths = [run(tmp_path / f"{i}.eval", metadata=each) for i, each in enumerate(facts)]
    assert systems(*paths) == ["m v=1 t=1", "m v=1 t=2", "m v=2 t=1"]


def test_the_user_may_name_systems(tmp_path: Path):
    first, second = run(tmp_path / "a.eval"), run(tmp_path / "b.eval")
    assert systems(f"old={first}", f"new={second}") == ["old", "new"]
    assert systems(f"old={first}", second) == ["old", "m"]


def test_an_existing_file_with_an_equals_sign_is_not_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    run(Path("x=1.eval"))
    assert systems("x=1.eval") == ["m"]
    assert systems("new=x=1.eval") == ["new"]


def test_the_systems_of_one_file_retain_their_names_after_the_name_of_the_user(tmp_path: Path):
    results = [
        promptfoo_result(promptIdx=i, prompt={"label": name}) for i, name in enumerate(["short", "long"])
    ]
    path = write_lines(tmp_path / "a.jsonl", results)
    assert systems(path) == ["model-a short", "model-a long"]
    assert systems(f"new={path}") == ["new model-a short", "new model-a long"]


def test_two_runs_of_one_system_are_an_error_unless_they_are_repeats(tmp_path: Path):
    first, second = run(tmp_path / "a.eval", epochs=2), run(tmp_path / "b.eval", "bc", epochs=2)
    with pytest.raises(
        InputError, match=r"a\.eval and .*b\.eval have the same segments of the system 'm'"
    ) as error:
        systems(first, second)
    assert "NAME=FILE" in str(error.value)
    assert "repeats=True" in str(error.value)
    assert "--repeats" in error.value.for_cli()
    [[one, two]] = tasks_of(read_logs([first, second]), repeats=True).values()
    assert sorted((row.item, row.repeat) for row in one.rows + two.rows if row.item == "b") == [
        ("b", 1),
        ("b", 2),
        ("b", 3),
        ("b", 4),
    ]
    assert systems(f"x={first}", f"x={second}", repeats=True) == ["x", "x"]


def test_parts_of_a_run_with_other_segments_are_one_system(tmp_path: Path):
    assert systems(run(tmp_path / "a.eval", "ab"), run(tmp_path / "b.eval", "cd")) == ["m", "m"]


def test_tasks_are_separate(tmp_path: Path):
    paths = [run(tmp_path / f"{task}.eval", task=task) for task in ("law", "maths")]
    tasks = tasks_of(read_logs(paths))
    assert {task: [log.facts.system for log in logs] for task, logs in tasks.items()} == {
        "law": ["m"],
        "maths": ["m"],
    }


def test_segments_with_other_contents_are_an_error(tmp_path: Path):
    first = write_lines(tmp_path / "a.jsonl", [instance("1", 1.0)])
    second = write_lines(tmp_path / "b.jsonl", [instance("1", 1.0, model_id="x", sample_hash="changed")])
    with pytest.raises(InputError, match=r"segment '1' has different contents in .*a\.jsonl and .*b\.jsonl"):
        systems(first, second)


def test_patterns_and_names_of_files(tmp_path: Path):
    for name in "ab":
        run(tmp_path / f"{name}.eval", model=name)
    assert systems(str(tmp_path / "*.eval")) == ["a", "b"]
    assert [log.facts.system for log in read_logs(tmp_path / "a.eval")] == ["a"]
    with pytest.raises(InputError, match=r"no file matches .*\*.log"):
        read_logs(str(tmp_path / "*.log"))
    with pytest.raises(InputError, match="cannot find the file"):
        read_logs(str(tmp_path / "c.eval"))


def test_a_log_is_recognized_by_its_content_whatever_its_name(tmp_path: Path):
    path = run(tmp_path / "a.eval")
    shutil.copy(path, tmp_path / "a.csv")
    assert systems(str(tmp_path / "a.csv")) == ["m"]
    lines = write_lines(tmp_path / "b.txt", [instance("1", 1.0), instance("2", 1.0)])
    assert systems(lines) == ["org/m"]


def test_the_user_may_name_the_tool(tmp_path: Path):
    table = write_json(tmp_path / "a.json", {"columns": ["inputs", "s"], "data": [["a", 1.0]], "extra": 1})
    with pytest.raises(InputError, match="not a log of a known tool"):
        read_logs(table)
    [log] = read_logs(table, tool="mlflow")
    assert log.rows[0].scores == {"s": 1.0}
    with pytest.raises(InputError):
        read_logs(table, tool="inspect")


def test_every_reader_states_the_version_that_it_was_tested_with():
    assert {name: str(reader.tested) for name, reader in READERS.items()} == {
        "inspect": "inspect_ai 0.3.285",
        "lm_eval": "lm_eval 0.4.13",
        "promptfoo": "promptfoo 0.121.20",
        "deepeval": "deepeval 4.3.1",
        "ragas": "ragas 0.4.3",
        "mlflow": "mlflow 3.17.2",
        "helm": "helm 0.5",
        "every_eval_ever": "every_eval_ever 0.3.0",
    }

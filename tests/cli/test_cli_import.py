"""nlgauge import, score --scores and add --scores: scores of other tools on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_cases import enter, printed, refused, run, write
from log_cases import inspect_header, inspect_sample, write_json
from messages import mentions

import nlgauge

ROWS = [
    {
        "id": f"q{i}",
        "model": model,
        "answer": "yes",
        "expected": "yes no",
        "faithful": value,
        "seconds": 1 + i,
    }
    for model, values in (("a", [0.5, 1, 0.2]), ("b", [0.7, 1, 0.9]))
    for i, value in enumerate(values)
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    write("runs.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS))
    return tmp_path


def test_a_file_of_records_is_imported_compared_and_extended() -> None:
    printed("import", "runs.jsonl", "--scores", "faithful:higher:0..1,seconds:lower", "-o", "out")
    result = nlgauge.load("out")
    assert result.labels == ("faithful", "seconds")
    assert result["b"]["faithful"]["score"] == pytest.approx(2.6 / 3)
    compared = json.loads(printed("compare", "out", "--json"))
    assert [row["metric"] for row in compared["rows"]] == ["faithful", "seconds"]
    printed("add", "out", "-m", "chrf")
    assert nlgauge.load("out").labels == ("faithful", "seconds", "chrf")
    assert run("check", "out", "--baseline", "a", "--fail-if", "faithful drops").exit_code in (0, 4)


def test_human_ratings_arrive_later_and_meta_reads_them() -> None:
    printed("score", "runs.jsonl", "--scores", "faithful:higher:0..1", "-m", "chrf", "-o", "out")
    rows = "".join(f"q{i},{model},{i + 1}\n" for i in range(3) for model in "ab")
    write("ratings.csv", f"key,name,rating\n{rows}q0,a,5\n")
    printed(
        "add",
        "out",
        "--scores",
        "helpful:higher:1..5=ratings.csv:rating",
        "--item",
        "key",
        "--system-field",
        "name",
    )
    result = nlgauge.load("out")
    assert result["a"]["helpful"]["score"] == pytest.approx((3 + 2 + 3) / 3)
    assert "faithful" in printed("meta", "out", "--human", "helpful")
    only = printed("meta", "out", "--human", "helpful", "-m", "faithful")
    assert "faithful" in only
    assert "chrf" not in only
    assert "labeled" in printed("meta", "estimate", "out", "--human", "helpful", "-m", "faithful")


def test_logs_are_recognized_by_their_content() -> None:
    for model, value in (("a", 1), ("b", 0)):
        header = inspect_header(eval={"model": model})
        write_json(
            Path(f"{model}.json"), {**header, "samples": [inspect_sample(f"q{i}", value) for i in range(8)]}
        )
    printed("import", "a.json", "b.json", "-o", "out")
    assert nlgauge.load("out").systems == ("a", "b")
    compared = json.loads(printed("compare", "a.json", "b.json", "--json"))
    assert compared["rows"][0]["gain"] == -1
    assert compared["rows"][0]["p"] < 0.05


def test_several_tasks_are_several_results(folder: Path) -> None:
    files = []
    for number, task in enumerate(("x", "../y z", "y_Z", "///", "..", "T" * 400)):
        content = {**inspect_header(eval={"task": task}), "samples": [inspect_sample("q", 1)]}
        files.append(write_json(Path(f"{number}.json"), content))
    printed("import", *files, "-o", "out")
    names = {path.name for path in Path("out").iterdir()}
    assert names == {"x", "y_z", "y_Z-2", "task", "task-2", "T" * 100}
    assert all(nlgauge.load(Path("out") / name)["match"]["score"] == 1 for name in names)
    assert not (folder.parent / "y z").exists()


def test_the_next_command_works_for_one_system_and_for_several() -> None:
    for models, command in (("a", "report"), ("ab", "compare")):
        files = [
            write_json(
                Path(f"{model}.json"),
                {**inspect_header(eval={"model": model}), "samples": [inspect_sample("q", 1)]},
            )
            for model in models
        ]
        outcome = run("import", *files, "-o", "out", "--overwrite")
        assert f"next: nlgauge {command} out" in outcome.stderr
        printed(command, "out", *(["-o", "page.html"] if command == "report" else []))


def test_a_log_without_a_complete_record_is_named() -> None:
    write("cut.json", '{"version": 2, "eval": {"task": "t"}, "samples": [{"id": "a"')
    write_json(Path("a.json"), {**inspect_header(), "samples": [inspect_sample("q", 1)]})
    assert "cut.json is incomplete" in refused("import", "a.json", "cut.json", "-o", "out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("import runs.jsonl -o out", "runs.jsonl ... --scores"),
        ("import runs.jsonl --scores faithfull -o out", "did you mean 'faithful'"),
        ("import runs.jsonl --scores faithful:1..2 -o out", "faithful is 0.5 ... 1..2"),
        ("import runs.jsonl --from inspekt -o out", "did you mean 'inspect'"),
        ("score runs.jsonl --scores faithful -r refs.txt", "omit -r"),
        ("add out", "--scores"),
        ("score runs.jsonl --scores faithful --until-sure", "--until-sure ... --scores"),
        ("score runs.jsonl runs.jsonl -m ari --until-sure --stream -o out", "--until-sure ... --stream"),
        ("score runs.jsonl runs.jsonl -m ari --decide-on ari", "--decide-on ... add --until-sure"),
        ("import runs.jsonl --scores faithful --map prediction=anser -o out", "did you mean 'answer'"),
    ],
)
def test_wrong_use_is_refused(arguments: str, message: str) -> None:
    assert mentions(refused(*arguments.split()), message)
    assert not Path("out").exists()

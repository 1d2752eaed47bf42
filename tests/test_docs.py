"""The pages of docs/ and CONTRIBUTING.md are true to the code."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cli_cases import run
from click.testing import CliRunner
from hostile_server import completion, serving

from nlgauge.cli.commands import app
from nlgauge.cli.run_file import (
    CheckTable,
    InputsTable,
    JudgeTable,
    OutputTable,
    RunFile,
    RunningTable,
    StatisticsTable,
    read_run_file,
)
from nlgauge.corpus.records import FIELD_NAMES
from nlgauge.engine.executors import EXECUTORS
from nlgauge.metric.card import card
from nlgauge.metric.registry import metric_classes
from nlgauge.models.weights.catalog import catalog
from tools.site import models
from tools.site.metrics import compare, packaged

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ADD_A_METRIC = (ROOT / "docs" / "about" / "add-a-metric.md").read_text("utf-8")
JUDGES = "".join(
    (ROOT / "docs" / "howto" / name).read_text("utf-8") for name in ("judges.md", "judge-costs.md")
)
OURS = [name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")]


def test_the_pages_of_metrics_and_models_have_all_of_them():
    table, page = compare(packaged(), []), models.page()
    assert all(f"| [`{name}`]({name}.md)" in table for name in OURS)
    assert all(f"| `{name}`: " in page for name in catalog())
    assert all(card(name).default_model in ("", *catalog()) for name in OURS)
    lines = page.splitlines()
    for model in ("stsb-roberta-large", "roberta-large-mnli", "gpt2"):  # all that NUBIA reads
        assert any(line.startswith(f"| `{model}`: ") and "`nubia`" in line for line in lines)


def test_every_card_says_what_its_numbers_were_tested_against():
    assert [name for name in OURS if not card(name).tested_against] == []


def test_the_page_of_inputs_runs_as_printed(tmp_path):
    page = (ROOT / "docs" / "howto" / "files.md").read_text("utf-8")
    (tmp_path / "page.py").write_text(
        "".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)), "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "page.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    assert [line for line in done.stdout.splitlines() if f"`{line}`" not in page] == []


def test_the_start_page_runs_as_printed(tmp_path):
    page = (ROOT / "docs" / "start" / "index.md").read_text("utf-8")
    for name, text in (
        ("refs", "the cat sat\na dog ran\n"),
        ("old", "a cat\na dog\n"),
        ("new", "the cat sat\na dog\n"),
    ):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    commands = [
        line.removeprefix("$ nlgauge ").split() for line in page.splitlines() if line.startswith("$ nlgauge")
    ]
    assert [command[0] for command in commands] == ["score", "compare"]
    for arguments in (["-c", script], *(["-m", "nlgauge", *command] for command in commands)):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "bleu" in done.stdout


def test_the_page_of_inputs_names_every_name_of_a_field():
    page = (ROOT / "docs" / "howto" / "files.md").read_text("utf-8")
    assert [
        row
        for row in (", ".join(f"`{name}`" for name in names) for names in FIELD_NAMES.values())
        if f"| {row} |" not in page
    ] == []


def test_the_metric_of_the_page_runs_as_printed(tmp_path):
    metric, use, check = re.findall(r"^```python\n(.*?)^```$", ADD_A_METRIC, re.MULTILINE | re.DOTALL)
    program = metric + use
    if importlib.util.find_spec("nlgauge.testing") is not None:
        program += check
    (tmp_path / "first_word.py").write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "first_word.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0.5 1.0\n"
    assert "This prints `0.5 1.0`." in ADD_A_METRIC


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(page):
    file = ROOT / page
    linked = [
        target for target in re.findall(r"\]\(([^)#]+)\)", file.read_text("utf-8")) if "://" not in target
    ]
    assert [target for target in linked if not (file.parent / target).is_file()] == []


@pytest.mark.parametrize(
    "path", re.findall(r"`((?:src|tests|tools|features|metrics)/[\w/]+\.py)`", CONTRIBUTING + ADD_A_METRIC)
)
def test_pages_for_contributors_name_files_that_exist(path):
    places = [ROOT / path, ROOT / "src" / "nlgauge" / path]
    assert "first_word" in path or any(file.is_file() for file in places)


def test_the_table_of_variables_names_all_that_the_code_reads():
    folders = (ROOT / name for name in ("src", "studies", "native"))
    files = (
        path
        for folder in folders
        for path in folder.rglob("*.[pch]*")
        if path.suffix in (".py", ".cpp", ".hpp")
    )
    code = "".join(path.read_text("utf-8") for path in files)
    page = (ROOT / "src" / "nlgauge" / "data" / "help" / "environment.md").read_text("utf-8")
    table = page.partition("\n## ")[0]
    read = r'(?:environ(?:\.get\(|\[)|getenv\(|user_folder\(.*)"((?:NLGAUGE|HF)_\w+)"'
    assert set(re.findall(read, code)) == set(re.findall(r"`((?:NLGAUGE|HF)_\w+)`", table))


def test_the_pages_of_judges_run_as_printed(tmp_path):
    page = JUDGES
    (tmp_path / "page.py").write_text(
        "".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)), "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "page.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert [line for line in done.stdout.splitlines() if f"`{line}`" not in page] == []


def test_the_page_of_clusters_runs_as_printed(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed")
    page = (ROOT / "docs" / "howto" / "clusters.md").read_text("utf-8")
    (tmp_path / "page.py").write_text(
        "".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)), "utf-8"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "page.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=kept,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["0.2", "0.2", "0.2", "0.2", "100.0"]
    assert "This prints `0.2` three times." in page and "This prints `0.2` and `100.0`." in page


def test_the_page_of_clusters_names_every_executor():
    page = (ROOT / "docs" / "howto" / "clusters.md").read_text("utf-8")
    assert [name for name in EXECUTORS if f'| `"{name}"`' not in page] == []


def test_the_page_of_answers_runs_as_printed(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "howto" / "rag-and-qa.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = {
        kind: re.findall(rf"^```{kind}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        for kind in ("json", "toml")
    }
    records, prompt = blocks["json"][0], blocks["toml"][-1]
    # More questions, because the verdict on one question is inconclusive.
    Path("chat.jsonl").write_text("".join(records.replace("q1", f"q{i}") for i in range(1, 13)), "utf-8")
    Path("tone.toml").write_text(prompt, "utf-8")
    commands = re.findall(r"^\$ (nlgauge .*)$", page, re.MULTILINE)
    assert [command.split()[1] for command in commands] == [
        *("score", "score", "compare", "explain", "report", "check", "score", "score")
    ]
    with serving(_reply) as server:
        monkeypatch.setenv("NLGAUGE_JUDGE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        done = [run(*shlex.split(command)[1:]) for command in commands]
    assert [each.exit_code for each in done] == [0, 0, 0, 0, 0, 3, 0, 0], [each.output for each in done]
    assert "Expected: 2 requests" in done[0].output and "- At nine." in done[3].output
    shown = "A customer asked: When does it open?\nThe assistant read: Closed on Sunday.\nThe assistant answered: Never."
    assert any(body["messages"][-1]["content"].startswith(shown) for body in server.bodies)


def _reply(body, number):
    """Answer as a judge that knows the claims of the page."""
    words = body["messages"][-1]["content"]
    if words.startswith("List the claims"):
        return completion("- At nine." if "At nine." in words else "- Never.")
    if "Claim:\nAt nine." in words:
        return completion("Yes", weights={"Yes": 0.99, "No": 0.01})
    level = "5" if "1 (rude) to 5" in words else "2" if "0, 1 or 2" in words else "No"
    return completion(level, weights={level: 0.99})


def test_the_pages_of_judges_name_every_setting_of_calls_and_every_prompt_has_a_source():
    from dataclasses import fields

    from nlgauge.judges import Calls

    assert [field.name for field in fields(Calls) if f"`{field.name}=" not in JUDGES] == []
    prompts = list((ROOT / "src" / "nlgauge" / "data" / "judges").glob("*.toml"))
    assert len(prompts) > 10
    assert [
        path.name
        for path in prompts
        if not {"source", "license", "version"} <= set(tomllib.loads(path.read_text("utf-8")))
    ] == []


def test_the_run_file_of_the_page_on_continuous_integration_runs(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "howto" / "ci.md").read_text("utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    rows = [
        f'{{"id": {i}, "answer": "page {i} of the book", "expected": "page {i} of a book"}}'
        for i in range(20)
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(rows), "utf-8")
    (tmp_path / "eval.toml").write_text(text, "utf-8")
    (tmp_path / "first.toml").write_text(re.sub(r"\[check\].*?\n\n", "", text, flags=re.DOTALL), "utf-8")
    monkeypatch.chdir(tmp_path)
    first = CliRunner().invoke(app, ["run", "first.toml", "-o", "main-result"])
    assert first.exit_code == 0, first.stderr
    done = CliRunner().invoke(app, ["run", "eval.toml"])
    assert done.exit_code == 0, done.stderr
    assert "2 passed" in done.stderr


def test_the_reference_of_run_files_names_every_key_and_its_blocks_are_valid(tmp_path):
    page = (ROOT / "docs" / "reference" / "run-file.md").read_text("utf-8")
    assert len(page.split()) <= 1500
    tables = {
        "": [InputsTable, CheckTable],
        "statistics.": [StatisticsTable],
        "running.": [RunningTable],
        "output.": [OutputTable],
    }
    names = [
        f"`{start}{key}`"
        for start, kinds in tables.items()
        for kind in kinds
        for key in kind.__struct_fields__
    ]
    names += [f"`{key}`" for key in (*JudgeTable.__struct_fields__, "key_env")]
    assert [name for name in names if name not in page] == []
    assert [name for name in RunFile.__struct_fields__ if f"[{name}" not in page] == []
    blocks = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for text in (blocks[0], blocks[1] + blocks[2]):
        (tmp_path / "eval.toml").write_text(f'{text}[inputs]\nsystems = ["a.txt"]\n', "utf-8")
        assert len(read_run_file(tmp_path / "eval.toml").specs()) == 2

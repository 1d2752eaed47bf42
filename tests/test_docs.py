"""The pages of docs/ and CONTRIBUTING.md are true to the code."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from nlgauge.corpus.records import FIELD_NAMES
from nlgauge.engine.executors import EXECUTORS
from nlgauge.metric.card import card
from nlgauge.metric.registry import metric_classes
from nlgauge.models.weights.catalogue import catalogue
from tools.site import models
from tools.site.metrics import compare, packaged

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
OURS = [name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")]


def test_the_pages_of_metrics_and_models_have_all_of_them():
    table, page = compare(packaged(), []), models.page()
    assert all(f"| [`{name}`]({name}.md)" in table for name in OURS)
    assert all(f"| `{name}`: " in page for name in catalogue())
    assert all(card(name).default_model in ("", *catalogue()) for name in OURS)
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


def test_the_page_of_inputs_names_every_name_of_a_field():
    page = (ROOT / "docs" / "howto" / "files.md").read_text("utf-8")
    assert [
        row
        for row in (", ".join(f"`{name}`" for name in names) for names in FIELD_NAMES.values())
        if f"| {row} |" not in page
    ] == []


def test_the_metric_of_contributing_runs_as_printed(tmp_path):
    metric, use, check = re.findall(r"^```python\n(.*?)^```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
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
    assert "This prints `0.5 1.0`." in CONTRIBUTING


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(page):
    file = ROOT / page
    linked = [
        target for target in re.findall(r"\]\(([^)#]+)\)", file.read_text("utf-8")) if "://" not in target
    ]
    assert [target for target in linked if not (file.parent / target).is_file()] == []


@pytest.mark.parametrize(
    "path", re.findall(r"`((?:src|tests|tools|features|metrics)/[\w/]+\.py)`", CONTRIBUTING)
)
def test_contributing_names_files_that_are_there(path):
    known = [ROOT / path, ROOT / "src" / "nlgauge" / path]
    assert "first_word" in path or any(file.is_file() for file in known)


def test_the_table_of_variables_names_all_that_the_code_reads():
    folders = (ROOT / name for name in ("src", "studies"))
    code = "".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    page = (ROOT / "src" / "nlgauge" / "data" / "help" / "environment.md").read_text("utf-8")
    table = page.partition("\n## ")[0]
    read = r'(?:environ(?:\.get\(|\[)|user_folder\(.*)"((?:NLGAUGE|HF)_\w+)"'
    assert set(re.findall(read, code)) == set(re.findall(r"`((?:NLGAUGE|HF)_\w+)`", table))


def test_the_page_of_judges_runs_as_printed(tmp_path):
    page = (ROOT / "docs" / "howto" / "judges.md").read_text("utf-8")
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


def test_the_page_of_judges_names_every_setting_of_calls_and_every_prompt_says_where_it_is_from():
    from dataclasses import fields

    from nlgauge.judges import Calls

    page = (ROOT / "docs" / "howto" / "judges.md").read_text("utf-8")
    assert [field.name for field in fields(Calls) if f"`{field.name}=" not in page] == []
    prompts = list((ROOT / "src" / "nlgauge" / "data" / "judges").glob("*.toml"))
    assert len(prompts) > 10
    assert [
        path.name
        for path in prompts
        if not {"source", "license", "version"} <= set(tomllib.loads(path.read_text("utf-8")))
    ] == []

"""Workflows name actions by commit, and targets and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.hashes import entry, hashes_of, version_of

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TOOLS = sorted((ROOT / ".github").glob("*-tools.txt"))
TEXTS = {path.name: path.read_text("utf-8") for path in WORKFLOWS}


def test_there_are_workflows() -> None:
    assert {"tests.yml", "docs.yml", "wheels.yml", "publish.yml", "links.yml"} == set(TEXTS)


@pytest.mark.parametrize("name", TEXTS)
def test_actions_are_pinned_by_commit(name: str) -> None:
    used = re.findall(r"^.*\buses: *(.*)$", TEXTS[name], re.MULTILINE)
    assert used
    for action in used:
        if action.startswith("./"):
            assert (ROOT / action).is_file()
        else:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


def test_one_action_has_one_commit() -> None:
    pins = dict.fromkeys(re.findall(r"uses: ([\w/-]+)@(\w+)", "".join(TEXTS.values())))
    assert len(pins) == len({action for action, _ in pins})


@pytest.mark.parametrize("name", TEXTS)
def test_make_targets_exist(name: str) -> None:
    rules = re.findall(r"^([a-z -]+):(?! *export)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"\bmake ([a-z-]+)", re.sub(r"#.*", "", TEXTS[name]))
    assert set(named) <= {target for rule in rules for target in rule.split()}


@pytest.mark.parametrize("name", TEXTS)
def test_files_exist(name: str) -> None:
    named = re.findall(r"[\w./-]*[\w-]+/[\w-]+\.(?:py|txt|toml)|constraints\.txt", TEXTS[name])
    assert [file for file in named if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / ".pre-commit-config.yaml"], ids=lambda path: path.name)
def test_files_are_yaml(path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.name)
def test_every_release_tool_has_hashes(path: Path) -> None:
    entries = path.read_text("utf-8").replace("\\\n", "").splitlines()
    pinned = [line for line in entries if not line.startswith("#")]
    assert len(pinned) > 10
    for line in pinned:
        assert re.fullmatch(
            r"[\w.-]+==[\w.]+(?: ; os_name == 'nt')? +(?:--hash=sha256:[0-9a-f]{64} *)+", line
        ), line


def test_hashes_are_those_of_all_files_of_a_version() -> None:
    from pip._internal.models.link import Link

    links = [
        Link(f"https://example.invalid/{name}#{hash_of}")
        for name, hash_of in {
            "some_tool-1.0.tar.gz": "sha256=bb",
            "some_tool-1.0-py3-none-any.whl": "sha256=aa",
            "some_tool-1.0.1-py3-none-any.whl": "sha256=cc",
            "some_tool-1.0.zip": "md5=dd",
            "some_tool-1.0.exe": "sha256=ee",
        }.items()
    ]
    assert hashes_of(links, "1.0") == ["aa", "bb"]
    assert version_of("some_tool-1.0.exe") is None
    assert entry("some-tool==1.0", ["aa"]) == "some-tool==1.0 \\\n    --hash=sha256:aa"

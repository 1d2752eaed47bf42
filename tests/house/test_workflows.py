"""Workflows name actions by commit, and targets and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.hashes import entry, hashes_of, is_for_linux, version_of

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HASHED = [*sorted((ROOT / ".github").glob("*-tools.txt")), ROOT / "hashes.txt"]
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


@pytest.mark.parametrize("path", HASHED, ids=lambda path: path.name)
def test_every_pinned_version_has_hashes(path: Path) -> None:
    entries = path.read_text("utf-8").replace("\\\n", "").splitlines()
    pinned = [line for line in entries if not line.startswith("#")]
    assert len(pinned) > 10
    for line in pinned:
        assert re.fullmatch(
            r"[\w.-]+==[\w.]+(?: ; os_name == 'nt')? +(?:--hash=sha256:[0-9a-f]{64} *)+", line
        ), line


def test_hashes_and_constraints_name_the_same_versions() -> None:
    constrained, hashed = (
        set(re.findall(r"^([\w.-]+==[\w.]+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("constraints.txt", "hashes.txt")
    )
    assert hashed <= constrained
    # Packages of .venv-bench, .venv-peers and of builds; torch is built for each machine.
    assert {pin.partition("==")[0] for pin in constrained - hashed} == {
        *("blanc", "bleuscore", "fastchrf", "pyemd", "rouge-rs"),
        *("cmake", "krippendorff", "nanobind", "ninja", "pip", "torch"),
    }


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("a-1.0.tar.gz", True),
        ("a-1.0-py3-none-any.whl", True),
        ("a-1.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", True),
        ("a-1.0-cp39-abi3-manylinux_2_28_aarch64.whl", True),
        ("a-1.0-cp310-cp310-manylinux2014_x86_64.whl", False),
        ("a-1.0-cp314-cp314t-manylinux2014_x86_64.whl", False),
        ("a-1.0-cp311-cp311-win_amd64.whl", False),
        ("a-1.0-cp311-cp311-musllinux_1_2_x86_64.whl", False),
    ],
)
def test_files_for_linux(filename: str, expected: bool) -> None:
    assert is_for_linux(filename) is expected


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

"""tools/release.py stops a release whose files disagree, and prints its notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import release

ROOT = Path(__file__).parents[2]
CHANGELOG = """# Changelog

## [Unreleased]

- Not yet.

## [0.2.0] - 2026-12-01

### Added

- A metric.

## [0.1.0] - unreleased

- The first.
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 0.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    switcher = tmp_path / "docs" / "_static" / "switcher.json"
    switcher.parent.mkdir(parents=True)
    switcher.write_text('[{"version": "dev"}, {"version": "0.2.0", "preferred": true}]')
    return tmp_path


def test_the_files_name_one_version() -> None:
    versions = release.versions(ROOT)
    assert list(versions) == ["pyproject.toml", "CITATION.cff", "docs/_static/switcher.json"]
    assert len(set(versions.values())) == 1


def test_a_consistent_release_passes(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["check", "v0.2.0"], tree) == 0
    assert release.main(["notes", "v0.2.0"], tree) == 0
    assert capsys.readouterr() == ("### Added\n\n- A metric.\n", "")


def test_another_version_is_an_error(tree: Path) -> None:
    (tree / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 0.1.0\n")
    assert release.problems("0.2.0", tree) == ["CITATION.cff has the version 0.1.0, not 0.2.0"]


@pytest.mark.parametrize("action", ["check", "notes"])
def test_a_section_without_a_date_is_an_error(
    tree: Path, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release.main([action, "v0.1.0"], tree) == 1
    printed, errors = capsys.readouterr()
    assert printed == "" and "CHANGELOG.md" in errors

"""The versions of the site: the list of the switcher, and the directories that are published."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tools.site.files import ADDRESS
from tools.site.versions import SWITCHER, assemble, directories


def _site(directory: Path, text: str) -> Path:
    (directory / "_static").mkdir(parents=True)
    (directory / "index.html").write_text(text)
    (directory / "_static" / "switcher.json").write_text("[]")
    return directory


def _archive(file: Path, site: Path) -> None:
    with tarfile.open(file, "w:gz") as files:
        files.add(site, ".")


@pytest.fixture
def switcher(tmp_path: Path) -> Path:
    file = tmp_path / "switcher.json"
    versions = {"0.2.0": ADDRESS, "dev": f"{ADDRESS}dev/", "0.1.3": f"{ADDRESS}0.1/"}
    file.write_text(json.dumps([{"version": version, "url": url} for version, url in versions.items()]))
    return file


def test_every_version_is_a_directory_of_the_site() -> None:
    entries = json.loads(SWITCHER.read_text("utf-8"))
    assert all(entry["url"].startswith(ADDRESS) and entry["url"].endswith("/") for entry in entries)
    assert directories()["dev"] == "dev"
    assert [directories()[entry["version"]] for entry in entries if entry.get("preferred")] == [""]
    assert len(set(directories().values())) == len(entries)


def test_each_version_gets_its_site_and_the_newest_list(tmp_path: Path, switcher: Path) -> None:
    archives, target = tmp_path / "archives", tmp_path / "target"
    archives.mkdir()
    for version in ("0.2.0", "0.1.3"):
        _archive(archives / f"{version}.tar.gz", _site(tmp_path / version, version))
    (target / "0.0").mkdir(parents=True)
    assemble(_site(tmp_path / "main", "main"), archives, target, switcher)
    assert (target / "index.html").read_text() == "0.2.0"
    assert (target / "0.1" / "index.html").read_text() == "0.1.3"
    assert (target / "dev" / "index.html").read_text() == "main"
    assert not (target / "0.0").exists()
    for place in (target, target / "0.1", target / "dev"):
        assert (place / "_static" / "switcher.json").read_text() == switcher.read_text()


def test_an_old_version_without_an_archive_is_an_error(tmp_path: Path, switcher: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"0\.1\.3"):
        assemble(_site(tmp_path / "main", "main"), tmp_path, tmp_path / "target", switcher)


def test_before_the_first_release_the_main_branch_is_the_stable_version(tmp_path: Path) -> None:
    assemble(_site(tmp_path / "main", "main"), tmp_path, tmp_path / "target")
    assert (tmp_path / "target" / "index.html").read_text() == "main"
    assert (tmp_path / "target" / "dev" / "index.html").read_text() == "main"

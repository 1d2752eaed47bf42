"""Names that become paths, and files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from nlgauge._core import paths
from nlgauge.errors import ParameterError

BAD = [
    "",
    ".",
    "..",
    "...",
    ".x",
    "~",
    "~root",
    "a/b",
    "a\\b",
    "C:x",
    "a\0",
    "a\x1b",
    "\x9b",
    "x.",
    "x ",
    "CON",
    "nul.txt",
    "é" * 101,
]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["a", "my-vectors", "owner--name@v1", "a b", "é", "-x", "x" * 200])
def test_names_that_stay_in_their_folder(name: str, tmp_path: Path) -> None:
    assert paths.within(tmp_path, name, "a model").parent == tmp_path


@pytest.mark.parametrize("name", BAD)
def test_names_that_do_not(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"name.*model"):
        paths.within(tmp_path, name, "a model")


def test_a_file_is_replaced_only_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    target.chmod(0o640)
    with pytest.raises(RuntimeError, match="disk"), paths.replacing(target) as stream:
        stream.write(b"half")
        raise RuntimeError("the disk is full")
    assert target.read_text() == "old"
    assert names_in(tmp_path) == ["report.html"]
    paths.write_whole(target, "new\r\n")
    assert target.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert names_in(tmp_path) == ["report.html"]


def test_links_stay_links_and_devices_are_written_to(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    paths.write_whole(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"x"
    paths.write_whole(os.devnull, "x")
    assert not Path(os.devnull).is_file()


def test_folders_are_not_made_on_the_way(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"directory.*create"):
        paths.write_whole(tmp_path / "new" / "x.html", "x")
    (tmp_path / "file").touch()
    with pytest.raises(ParameterError, match=r"x\.html.*file is not a directory"):
        paths.write_whole(tmp_path / "file" / "x.html", "x")
    assert names_in(tmp_path) == ["file"]


def test_only_marked_directories_are_removed(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        (tmp_path / name / "in").mkdir(parents=True)
        (tmp_path / name / "in" / "file").touch()
    (tmp_path / "ours" / "marker").touch()
    (tmp_path / "ours" / "out").symlink_to(tmp_path / "theirs")
    (tmp_path / "link").symlink_to(tmp_path / "ours")
    for name in ("theirs", "link", "nothing"):
        with pytest.raises(ParameterError, match="not removed"):
            paths.remove_tree(tmp_path / name, "marker")
    paths.remove_tree(tmp_path / "ours", "marker")
    assert not (tmp_path / "ours").exists()
    assert (tmp_path / "theirs" / "in" / "file").exists()

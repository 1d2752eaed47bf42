"""Paths of the repository, and files that are written only if their content changes, so that Sphinx rebuilds only
changed pages.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADDRESS = "https://nlgauge.github.io/nlgauge/"
# Scores of the leaderboard study: data for the tables, not pages.
SKIPPED = ("results/scores",)


class Target:
    """The directory of the pages; knows which files belong to this build."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.files: set[Path] = set()

    def write(self, path: str, content: str | bytes) -> None:
        """Write a page or another file, unless it already has this content."""
        file = self._file(path)
        data = content.encode() if isinstance(content, str) else content
        if not file.is_file() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def copy(self, source: Path) -> None:
        """Copy the hand-written pages and their pictures; time stamps are preserved.

        The gallery reads the scripts of tutorials from scripts/ and writes their pages to tutorials/.
        """
        for path in sorted(source.rglob("*")):
            name = path.relative_to(source).as_posix()
            if path.is_file() and not name.startswith(SKIPPED) and "__pycache__" not in path.parts:
                file = self._file(re.sub("^tutorials/", "scripts/", name))
                if not file.is_file() or file.read_bytes() != path.read_bytes():
                    file.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, file)

    def remove_others(self, written_by_sphinx: Sequence[str]) -> None:
        """Delete files of earlier builds."""
        for path in sorted(self.directory.rglob("*")):
            name = path.relative_to(self.directory).as_posix()
            if path.is_file() and path not in self.files and not name.startswith(tuple(written_by_sphinx)):
                path.unlink()

    def _file(self, name: str) -> Path:
        file = self.directory / name
        self.files.add(file)
        return file


def table(columns: Iterable[str], rows: Iterable[Iterable[str]], classes: str = "") -> str:
    """Return a table in Markdown."""
    lines = [_line(columns), _line("---" for _ in columns), *map(_line, rows)]
    text = "\n".join(lines) + "\n"
    return f"```{{table}}\n:class: {classes}\n\n{text}```\n" if classes else text


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

"""Check that a release is consistent, and print its notes.

python tools/release.py check v0.2.0   exit code 1 if a file names another version, or the changelog has no date
python tools/release.py notes v0.2.0   print the section of the changelog
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SWITCHER = "docs/_static/switcher.json"
_SECTION = re.compile(
    r"^## \[(?P<version>\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}\n(?P<notes>.*?)(?=^## |\Z)", re.M | re.S
)


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version that each file names."""
    entries = json.loads((root / SWITCHER).read_text("utf-8"))
    citation = re.search(r"^version: (\S+)$", (root / "CITATION.cff").read_text("utf-8"), re.M)
    return {
        "pyproject.toml": tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"],
        "CITATION.cff": citation[1] if citation else "none",
        SWITCHER: next(entry["version"] for entry in entries if entry.get("preferred")),
    }


def notes(version: str, root: Path = ROOT) -> str | None:
    """Return the section of the changelog of a version, None if it has no dated section."""
    sections = _SECTION.finditer((root / "CHANGELOG.md").read_text("utf-8"))
    return next((section["notes"].strip() for section in sections if section["version"] == version), None)


def problems(version: str, root: Path = ROOT) -> list[str]:
    """List the reasons why this version cannot be released."""
    different = [
        f"{file} has the version {named}, not {version}"
        for file, named in versions(root).items()
        if named != version
    ]
    if not notes(version, root):
        different.append(f"CHANGELOG.md has no section '## [{version}] - YYYY-MM-DD' with notes")
    return different


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["check", "notes"])
    parser.add_argument("tag", help="tag of the release, such as v0.2.0")
    options = parser.parse_args(arguments)
    version = options.tag.removeprefix("v")
    if options.action == "notes" and (text := notes(version, root)):
        print(text)
        return 0
    for problem in problems(version, root):
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems(version, root) else 0


if __name__ == "__main__":
    sys.exit(main())

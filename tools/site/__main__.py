"""Write the source of the site: python -m tools.site TARGET [--pictures METRIC...]."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from tools.site import api, choose, commands, errors, leaderboard, llms, metrics, models, simulations
from tools.site.evidence import other_tables, tables
from tools.site.files import ROOT, Target

SOURCES = "https://github.com/nlgauge/nlgauge/blob/main"
# Sphinx and its extensions write these next to the pages.
BY_SPHINX = ("reference/api/generated/", "tutorials/")


def main() -> None:
    """Copy the hand-written pages and generate the others."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("target", type=Path, help="directory of the pages, for Sphinx")
    parser.add_argument(
        "--pictures", nargs="+", metavar="METRIC", help="draw only these metrics (default: all)"
    )
    options = parser.parse_args()
    os.environ.setdefault("NLGAUGE_OFFLINE", "1")
    target = Target(options.target)
    target.copy(ROOT / "docs")
    repository_pages(target)
    evidence = tables()
    metrics.write(target, evidence, pictures=options.pictures)
    leaderboard.write(target, [*evidence, *other_tables()])
    choose.write(target)
    models.write(target)
    commands.write(target)
    api.write(target)
    errors.write(target)
    simulations.write(target)
    llms.write(target)
    target.remove_others(BY_SPHINX)


def repository_pages(target: Target) -> None:
    """Write the changelog and the contributing guide, which are files of the repository, as pages."""
    pages = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
    for name, page in pages.items():
        text = (ROOT / name).read_text("utf-8").replace("```mermaid", "```text").replace("](docs/", "](../")
        for other, its_page in pages.items():
            text = text.replace(f"]({other}", f"]({its_page}")
        target.write(f"about/{page}", re.sub(r"\]\((?![#h.]|change|contrib)", f"]({SOURCES}/", text))


if __name__ == "__main__":
    main()

"""Copy reproductions to docs/results/reproduce: the Markdown page, its figures, numbers, and scores without texts.

    python tools/keep_reproductions.py build/reproduce

A figure that shows a text of a benchmark is left out.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import msgspec

from nlgauge.reproduce.page import markdown_page
from nlgauge.reproduce.reproduction import FILE, Reproduction

KEPT = Path(__file__).resolve().parents[1] / "docs" / "results" / "reproduce"
SHOWS_TEXT = ("shannon-figure-1",)


def without_texts(found: Reproduction) -> Reproduction:
    """Return a reproduction without figures of texts."""
    figures = [figure for figure in found.figures if figure.id not in SHOWS_TEXT]
    return msgspec.structs.replace(found, figures=figures)


def keep(made: Path) -> Path:
    """Replace the kept files of a document by the files of a reproduction."""
    found = without_texts(Reproduction.load(made))
    target = KEPT / found.document
    shutil.rmtree(target, ignore_errors=True)
    (target / "figures").mkdir(parents=True)
    (target / FILE).write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    (target / "index.md").write_text(markdown_page(found), "utf-8")
    for figure in found.figures:
        shutil.copy(made / figure.file, target / figure.file)
    for part in found.parts:
        if part.done and (made / "scores" / part.name).is_dir():
            shutil.copytree(made / "scores" / part.name, target / "scores" / part.name)
    return target


if __name__ == "__main__":
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        if (folder / FILE).is_file():
            print(keep(folder))

"""Copy reproductions to docs/results/reproduce: the Markdown page, its figures, numbers, and scores without texts.

python tools/keep_reproductions.py build/reproduce
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

KEPT = Path(__file__).resolve().parents[1] / "docs" / "results" / "reproduce"


def keep(made: Path) -> Path:
    """Replace the kept files of a document by those of a reproduction."""
    target = KEPT / made.name
    shutil.rmtree(target, ignore_errors=True)
    (target / "figures").mkdir(parents=True)
    for name in ("reproduction.json", "index.md"):
        shutil.copy(made / name, target / name)
    for figure in sorted((made / "figures").glob("*.svg")):
        shutil.copy(figure, target / "figures" / figure.name)
    shutil.copytree(made / "scores", target / "scores")
    return target


if __name__ == "__main__":
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        if (folder / "reproduction.json").is_file():
            print(keep(folder))

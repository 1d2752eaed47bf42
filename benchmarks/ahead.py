"""The rows in which a peer is ahead, over all parts of `make bench`.

python -m benchmarks.ahead [--clear]

Each part writes the rows that it compared with a peer to a file of `.cache/bench`. This module prints those in which the
peer is ahead, at the end of `make bench`; `--clear` removes the files, at its beginning.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / ".cache" / "bench"
# Rows that are no goals, with the reason.
NO_GOALS = {
    ("character distance, 1 pair", "rapidfuzz"): "a bare function of two strings, without a list and checks",
    ("start: wer, 500 lines", "jiwer"): "jiwer imports no NumPy",
    ("start: wer, 2,000 lines", "jiwer"): "jiwer imports no NumPy",
}


class Compared(NamedTuple):
    """A row of nlgauge and of a peer, in the same unit; less is better."""

    row: str
    peer: str
    ours: float
    theirs: float
    unit: str

    def __str__(self) -> str:
        return f"{self.row}: {self.peer} {self.theirs:.3g} {self.unit}, nlgauge {self.ours:.3g} {self.unit}"


def write(part: str, rows: list[Compared]) -> None:
    """Write the rows of a part of `make bench`, and print those in which a peer is ahead."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{part}.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    show(rows)


def show(rows: list[Compared]) -> None:
    """Print the rows in which a peer is ahead."""
    behind = [row for row in rows if row.theirs < row.ours]
    goals = [row for row in behind if (row.row, row.peer) not in NO_GOALS]
    print(f"\nRows in which a peer is ahead: {len(goals)} of {len(rows)}")
    print(*(f"- {row}" for row in goals), sep="\n", end="\n" if goals else "")
    for row in behind:
        if row not in goals:
            print(f"- no goal: {row} ({NO_GOALS[row.row, row.peer]})")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ahead", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--clear", action="store_true", help="remove the rows of earlier runs")
    files = sorted(FOLDER.glob("*.json"))
    if parser.parse_args().clear:
        for path in files:
            path.unlink()
        return
    show([Compared(*row) for path in files for row in json.loads(path.read_text(encoding="utf-8"))])


if __name__ == "__main__":
    main()

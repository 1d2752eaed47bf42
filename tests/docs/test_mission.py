"""The page of items of the documents: its counts are the counts of its tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "about" / "mission.md"
STATES = ("done", "partly", "weights", "data", "license", "outlook")


def test_counts_are_those_of_the_tables() -> None:
    sections = PAGE.read_text("utf-8").split("\n## ")[1:]
    counts, *parts = sections
    found: Counter[str] = Counter()
    for part in parts:
        name, _, rows = part.partition("\n")
        cells = [row.replace("\\|", "/").split(" | ") for row in rows.splitlines() if row.startswith("| ")][
            1:
        ]
        states = Counter(row[1] for row in cells)
        assert set(states) <= set(STATES), name
        assert all(row[1] == "done" or "".join(row[2:]).strip(" |") for row in cells)
        numbers = [states[state] for state in STATES]
        assert f"| {name} | {' | '.join(map(str, [*numbers, len(cells)]))} |" in counts
        found += states
    assert f"| all | {' | '.join(str(found[state]) for state in STATES)} | {sum(found.values())} |" in counts

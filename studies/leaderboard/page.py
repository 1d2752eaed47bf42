"""The pages of the leaderboard, as Markdown: the summary with one table per benchmark, and one page per
benchmark with all human dimensions.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from studies import study
from studies.leaderboard import evidence
from studies.leaderboard.boards import BENCHMARKS
from studies.leaderboard.learned import learned
from studies.leaderboard.queries import Queries
from studies.leaderboard.shown import agreement, shown, shown_name, title
from studies.leaderboard.summary import beside_chrf, by_language, summary
from studies.leaderboard.tables import Table, Value, tables
from studies.leaderboard.words import ABOUT

TEMPLATE = Path(__file__).with_name("template.md")
CHOOSING = Path(__file__).with_name("choosing.md")
LEARNED = Path(__file__).with_name("learned.md")


def write(folder: Path, pages: Path, evidence_path: Path, benchmarks: Sequence[str], resamples: int) -> str:
    """Write the pages and the evidence of `nlgauge choose`.

    The summary and the evidence are of all benchmarks: they are written only if `benchmarks` has all of them.
    """
    found = tables(folder, benchmarks, resamples)
    (pages / "leaderboard").mkdir(parents=True, exist_ok=True)
    for name, each in found.items():
        (pages / "leaderboard" / f"{name}.md").write_text(details(name, each), encoding="utf-8")
    if set(benchmarks) == set(BENCHMARKS):
        (pages / "leaderboard.md").write_text(leaderboard(found, resamples), encoding="utf-8")
        evidence.write(evidence_path, found)
        write_choosing(pages, evidence_path)
        text = filled(evidence.read(evidence_path), LEARNED)
        (pages / "learned.md").write_text(learned(found, folder, text), encoding="utf-8")
    return (
        f"{len(found)} benchmarks, {sum(len(table.lines) for each in found.values() for table in each)} rows."
    )


def write_choosing(pages: Path, evidence_path: Path) -> Path:
    """Write the page for practitioners, if the evidence says what its sentences say."""
    place = pages / "choosing.md"
    place.write_text(choosing(evidence.read(evidence_path)), encoding="utf-8")
    return place


def choosing(record: Mapping[str, Any]) -> str:
    """Return the page for practitioners."""
    return filled(record, CHOOSING)


def filled(record: Mapping[str, Any], template: Path) -> str:
    """Return a template with what its queries find, in lines of the usual width; commands, tables and headings stay."""
    text = Queries(record).filled(template.read_text(encoding="utf-8").rstrip("\n"))
    blocks = re.split(r"(\n\s*\n|\n(?=- ))", text)
    return (
        "".join(block if block.startswith(("#", "|", "\n", "    ")) else _wrapped(block) for block in blocks)
        + "\n"
    )


def _wrapped(block: str) -> str:
    indent = "  " if block.startswith("- ") else ""
    return textwrap.fill(
        " ".join(block.split()),
        120,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def leaderboard(found: Mapping[str, Sequence[Table]], resamples: int) -> str:
    """The main page."""
    parts = []
    for task, names in groupby(found, key=lambda name: BENCHMARKS[name].task):
        parts.append(f"## {task.capitalize()}")
        for name in names:
            parts.append(f"### {name}")
            parts.append(f"{ABOUT[name]} [All human dimensions](leaderboard/{name}.md).")
            parts += [part for table in found[name] for part in shown(table)]
    page = TEMPLATE.read_text(encoding="utf-8")
    made = {
        "draws": f"{resamples:,}",
        "summary": summary([each[0] for each in found.values()]),
        "languages": by_language([each[0] for each in found.values()]),
        "models": beside_chrf(found),
        "tables": "\n\n".join(parts),
    }
    for name, text in made.items():
        page = page.replace(f"<!-- {name} -->", text)
    return page


def details(name: str, found: Sequence[Table]) -> str:
    """The page of one benchmark, with every human dimension."""
    board = BENCHMARKS[name]
    parts = [
        f"# {name}",
        f"{ABOUT[name]} [The leaderboard](../leaderboard.md#how-to-read-the-tables) explains the tables.",
    ]
    whole = found[0]
    for level in board.coefficients:
        parts.append(f"## {title(whole, level)}")
        dimensions = [human for human, at in whole.ceilings if at == level]
        header = ["metric", *dimensions]
        lines = [
            [shown_name(line), *(agreement(line.values.get((human, level), Value())) for human in dimensions)]
            for line in whole.lines
        ]
        ceilings = ["*one annotator*", *(_plain(whole.ceilings[human, level]) for human in dimensions)]
        known = (
            [ceilings] if any(not math.isnan(whole.ceilings[human, level]) for human in dimensions) else []
        )
        parts.append(study.table(header, [*known, *lines]))
    parts += _further(whole)
    return "\n\n".join(parts) + "\n"


def _further(table: Table) -> list[str]:
    """The further coefficients of a benchmark, and the shares of pairs by part."""
    found = []
    names = {"spa": "soft pairwise accuracy of systems", "acc_eq_calibrated": "calibrated acc_eq over texts"}
    if table.board.also:
        chosen = list(table.board.also.values())
        constant = ["*a constant metric*", *(_plain(table.floors[name], 3) for name in chosen)]
        lines = [
            [shown_name(line), *(_plain(line.also.get(name, math.nan), 3) for name in chosen)]
            for line in table.lines
            if line.also
        ]
        found += [
            "## The measures of WMT",
            study.table(["metric", *(names[name] for name in chosen)], [constant, *lines]),
        ]
    if table.board.parts:
        parts = list(next(line.parts for line in table.lines if line.parts))
        lines = [
            [
                shown_name(line),
                *(f"{100 * right:.1f} ({100 * ties:.1f})" for right, ties in line.parts.values()),
            ]
            for line in table.lines
            if line.parts
        ]
        found += [
            f"## Percent of pairs in the order of people, by {table.board.parts}",
            "A tie of the metric is wrong; in parentheses is the percentage of ties.",
            study.table(["metric", *parts], lines),
        ]
    return found


def _plain(value: float, digits: int = 2) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"

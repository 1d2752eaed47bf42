"""The pages of the leaderboard, as Markdown: the summary with one table per benchmark, and one page per
benchmark with all human dimensions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from studies import study
from studies.leaderboard import evidence
from studies.leaderboard.boards import BENCHMARKS
from studies.leaderboard.learned import learned
from studies.leaderboard.shown import agreement, shown, shown_name, title
from studies.leaderboard.summary import beside_chrf, summary
from studies.leaderboard.tables import Table, Value, tables
from studies.leaderboard.words import ABOUT

TEMPLATE = Path(__file__).with_name("template.md")
CHOOSING = Path(__file__).with_name("choosing.md")


def write(folder: Path, pages: Path, evidence_path: Path, benchmarks: Sequence[str], resamples: int) -> str:
    """Write the pages and the evidence of `nlgauge choose`.

    The summary and the evidence are of all benchmarks: they are written only if `benchmarks` has all of them.
    """
    found = {}
    for name in benchmarks:
        print(name, flush=True)
        found[name] = tables(folder, name, resamples)
        (pages / "leaderboard").mkdir(parents=True, exist_ok=True)
        (pages / "leaderboard" / f"{name}.md").write_text(details(name, found[name]), encoding="utf-8")
    if set(benchmarks) == set(BENCHMARKS):
        (pages / "leaderboard.md").write_text(leaderboard(found, resamples), encoding="utf-8")
        (pages / "choosing.md").write_text(choosing(found), encoding="utf-8")
        (pages / "learned.md").write_text(filled(learned(found, folder), found), encoding="utf-8")
        evidence.write(evidence_path, found)
    return (
        f"{len(found)} benchmarks, {sum(len(table.lines) for each in found.values() for table in each)} rows."
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
        "models": beside_chrf(found),
        "tables": "\n\n".join(parts),
    }
    for name, text in made.items():
        page = page.replace(f"<!-- {name} -->", text)
    return page


def choosing(found: Mapping[str, Sequence[Table]]) -> str:
    """The page for practitioners."""
    return filled(CHOOSING.read_text(encoding="utf-8"), found)


def filled(text: str, found: Mapping[str, Sequence[Table]]) -> str:
    """A text with numbers of the tables in the place of {{benchmark; metric; level}}, and a human dimension
    if not the main one.

    A benchmark with a number, "summeval-8", is its sample of so many inputs. {{pairs; benchmark; level}} has
    how many of all pairs of metrics differ significantly, {{planned; benchmark; level; yardstick}} how many
    metrics are significantly better than a yardstick after correction for the planned pairs, {{alone; ...}}
    how many if each is tested by itself, and {{p; benchmark; level; yardstick; metric}} the p-value of one
    such test.
    """
    by_name = {
        name if table.drawn is None else f"{name}-{table.drawn}": table
        for name, tables in found.items()
        for table in tables
    }

    def number(place: re.Match[str]) -> str:
        name, metric, level, *human = place[1].split("; ")
        if name == "pairs":
            made, pairs = by_name[metric].claims()[level]
            return f"{made:,} of {pairs:,}"
        if name in ("planned", "alone", "p"):
            compared = by_name[metric].planned[level, human[0]]
            if name == "p":
                return f"{compared.p[human[1]]:.3f}"
            return f"{compared.better if name == 'planned' else compared.alone} of {compared.metrics}"
        line = next(line for line in by_name[name].lines if line.metric == metric)
        return agreement(line.values[human[0] if human else by_name[name].human, level])

    return re.sub(r"\{\{(.+?)\}\}", number, text)


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
    return "\n\n".join(parts) + "\n"


def _plain(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"

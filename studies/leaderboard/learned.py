"""The page of the metrics that have real weights here: their rows of the leaderboard beside a few cheap
ones, and what a small judge is worth.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nlgauge.meta.benchmarks import MetricScores
from nlgauge.metric.registry import parse
from studies import study
from studies.leaderboard.boards import (
    ABOUT_JUDGE,
    CONSISTENT,
    COVERED,
    FIRST,
    JUDGES,
    METRICS,
    drawn,
    folder_name,
    has_weights,
)
from studies.leaderboard.comparisons import LENGTH, RANDOM
from studies.leaderboard.kept import Kept
from studies.leaderboard.shown import agreement, shown
from studies.leaderboard.tables import Line, Table
from studies.leaderboard.words import ABOUT

SHOWN = ("summeval", "realsumm", "webnlg2020_en", "wmt17_da_seg")
YARDSTICKS = ("bleu", "sentence_bleu", "chrf", "rouge.rougeL", LENGTH, RANDOM)


def learned(found: Mapping[str, Sequence[Table]], folder: Path, page: str) -> str:
    """The page with its tables: those of the leaderboard and, for what judges say of themselves, the kept scores."""
    names = [name for name in SHOWN if name in found]
    parts = []
    for name in names:
        parts += [f"### {name}", ABOUT[name]]
        parts += [
            part
            for table in found[name]
            if (some := _chosen(table)).lines
            for part in shown(some, claims=False)
        ]
    made = {"tables": "\n\n".join(parts), "judges": _judges({name: found[name] for name in names}, folder)}
    for place, text in made.items():
        page = page.replace(f"<!-- {place} -->", text)
    return page


def _chosen(table: Table) -> Table:
    """The rows with weights and the yardsticks; none where nothing has weights."""
    labels = [str(parse(spec)) for spec in METRICS if has_weights(spec)]
    weighty = [
        line
        for line in table.lines
        if any(line.metric == label or line.metric.startswith(f"{label}.") for label in labels)
    ]
    lines: list[Line] = (
        [line for line in table.lines if line in weighty or line.metric in YARDSTICKS] if weighty else []
    )
    return replace(table, lines=lines, undefined=[])


def _judges(found: Mapping[str, Sequence[Table]], folder: Path) -> str:
    """One line per judge: its agreement with people beside that of chrF and of the length, and what is
    known of its replies.
    """
    lines = []
    for name, tables in found.items():
        table = next(
            (each for each in tables if each.drawn is not None and each.drawn == drawn(name, JUDGES)), None
        )
        if table is None:
            continue
        by_metric = {line.metric: line for line in table.lines}
        of_texts = table.human, next(reversed(table.board.coefficients))
        beside = [agreement(by_metric[metric].values[of_texts]) for metric in ("chrf", LENGTH)]
        for label, scores in Kept.of(folder, folder_name(name, JUDGES)).scores.items():
            own = agreement(by_metric[label].values[of_texts]) if label in by_metric else ""
            lines.append(
                [
                    f"`{label}`",
                    name,
                    _answered(scores),
                    own,
                    *beside,
                    *(_mean(scores, output) for output in ABOUT_JUDGE),
                ]
            )
    names = {COVERED: "covered", CONSISTENT: "same winner in both orders", FIRST: "for the first text"}
    return study.table(
        [
            "judge",
            "benchmark",
            "texts with a score",
            "agreement [95%]",
            "`chrf`",
            LENGTH,
            *(names[output] for output in ABOUT_JUDGE),
        ],
        lines,
    )


def _answered(scores: MetricScores) -> str:
    values = scores.segments[scores.main]
    return f"{sum(value is not None for value in values)} of {len(values)}"


def _mean(scores: MetricScores, output: str) -> str:
    known = [value for value in scores.segments.get(output, []) if value is not None]
    return f"{statistics.mean(known):.2f}" if known else ""

"""The answer of `nlgauge meta` in words: metrics best first, with letters, and a sentence."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.meta.comparison import MetricComparison
    from nlgauge.meta.findings import Findings
    from nlgauge.meta.judgments import Judgments

# Beyond system level, tests of more metrics than these take minutes; `nlgauge meta compare` has them.
_MOST_METRICS = 30
_TABLE = ("human", "level", "coefficient", "group")


def answered(
    found: Findings, judgments: Judgments, resamples: int, seed: int, with_letters: bool
) -> Findings:
    """The rows of `correlate`, the best metric of each table first, with letters of a comparison at the
    first level, and its sentences as notes.
    """
    tables = list(dict.fromkeys(_table(row) for row in found.rows))
    rows = sorted(
        found.rows, key=lambda row: (tables.index(_table(row)), math.isnan(row["value"]), -row["value"])
    )
    compared = _compared(found, judgments, resamples, seed)
    if compared is None:
        return replace(found, rows=rows)
    if with_letters:
        letters = {
            human: compared.where(human=human).letters() for human in dict.fromkeys(compared.column("human"))
        }
        here = {name: compared.made[name] for name in ("level", "coefficient")}
        rows = [
            {
                **row,
                "letters": letters[row["human"]].get(row["metric"])
                if all(row[name] == value for name, value in here.items())
                else None,
            }
            for row in rows
        ]
    return replace(found, rows=rows, notes=(*found.notes, *compared.answer()))


def _table(row: Any) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _TABLE)


def _compared(found: Findings, judgments: Judgments, resamples: int, seed: int) -> MetricComparison | None:
    """The comparison of all pairs at the first level with the first coefficient; None if there is nothing
    to compare, or it would take long.
    """
    from nlgauge.errors import InputError
    from nlgauge.stats.measures import OfCoefficient, measure

    if len(judgments.labels) < 2 or judgments.groups is not None or not judgments.humans:
        return None
    level, coefficient = found[0]["level"], found[0]["coefficient"]
    scored = [label for label in judgments.labels if level == "system" or label in judgments.metrics]
    if not isinstance(measure(coefficient), OfCoefficient) or not 2 <= len(scored) <= (
        _MOST_METRICS if level != "system" else math.inf
    ):
        return None
    try:
        return judgments.compare(
            level=level,
            coefficient=coefficient,
            resamples=resamples,
            seed=seed,
            human=list(judgments.humans),
            metrics=scored,
        )
    except InputError:
        # Weights of segments, or scores that no test takes: the table stands alone.
        return None

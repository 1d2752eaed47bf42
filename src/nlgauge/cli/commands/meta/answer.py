"""The table of `nlgauge meta`: metrics best first, with letters, and a sentence about the best."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.meta.comparison import MetricComparison
    from nlgauge.meta.findings import Findings
    from nlgauge.meta.judgments import Judgments

# Except at system level, tests of more metrics take minutes; `nlgauge meta compare` runs them.
_MOST_METRICS = 30
_TABLE = ("human", "level", "coefficient", "group")


def answered(
    correlations: Findings, judgments: Judgments, resamples: int, seed: int, with_letters: bool
) -> Findings:
    """Sort the rows of `correlate`, the best metric of each table first, and add the letters and the
    sentences of a comparison at the first level.
    """
    tables = list(dict.fromkeys(_table(row) for row in correlations.rows))
    rows = sorted(
        correlations.rows,
        key=lambda row: (tables.index(_table(row)), math.isnan(row["value"]), -row["value"]),
    )
    compared = _compared(correlations, judgments, resamples, seed)
    if compared is None:
        return replace(correlations, rows=rows)
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
    return replace(correlations, rows=rows, notes=(*correlations.notes, *compared.answer()))


def _table(row: Any) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _TABLE)


def _compared(
    correlations: Findings, judgments: Judgments, resamples: int, seed: int
) -> MetricComparison | None:
    """Compare all pairs at the first level with the first coefficient; return None if there is nothing to
    compare, or if the comparison would take long.
    """
    from nlgauge.errors import InputError
    from nlgauge.stats.measures import OfCoefficient, measure

    if len(judgments.labels) < 2 or judgments.groups is not None or not judgments.humans:
        return None
    level, coefficient = correlations[0]["level"], correlations[0]["coefficient"]
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
        # No test supports weighted segments or these scores: print only the table.
        return None

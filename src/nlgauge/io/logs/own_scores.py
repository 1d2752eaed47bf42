"""Comparison of a harness's own scores with the means over segments."""

from __future__ import annotations

import math
from collections.abc import Iterable

from nlgauge.io.logs.readers import READERS
from nlgauge.io.logs.rows import Log, LogRow

_TOLERANCE = 1e-9


def segment_mean(rows: Iterable[LogRow], name: str) -> float:
    """Return the mean of a score over segments, each of which counts once whatever its number of repeats.

    Parameters
    ----------
    rows : iterable of LogRow
        Rows of one system and one task.
    name : str
        Name of a score.

    Returns
    -------
    float
        Mean; NaN if no row has a number.
    """
    values: dict[str, list[float]] = {}
    for row in rows:
        value = row.scores.get(name)
        if isinstance(value, float):
            values.setdefault(row.item, []).append(value)
    if not values:
        return math.nan
    return math.fsum(math.fsum(numbers) / len(numbers) for numbers in values.values()) / len(values)


def own_score_differences(log: Log) -> list[str]:
    """Compare the scores that the harness computed with the means over segments.

    Parameters
    ----------
    log : Log
        Log.

    Returns
    -------
    list of str
        A sentence for each score that differs by more than 1e-9, relative to the score if it is larger than 1.
    """
    title = READERS[log.facts.tool].title
    sentences = []
    for name, reported in log.facts.own_scores.items():
        mean = segment_mean(log.rows, name)
        if math.isclose(reported, mean, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
            continue
        remark = log.facts.own_remarks.get(name)
        sentences.append(
            f"{name}: {title} reports {reported:.4f}, the mean over segments is {mean:.4f}"
            f"{f' ({remark})' if remark else ''}; intervals and tests are about the latter."
        )
    return sentences

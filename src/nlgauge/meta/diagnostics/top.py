"""top_systems: do metrics still agree with people when only good systems are compared?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.correlation import correlate
from nlgauge.meta.findings import Findings, made
from nlgauge.meta.judgments import Judgments
from nlgauge.stats.levels import human_means
from nlgauge.stats.measures import Measure


def top_systems(
    judgments: Judgments,
    human: str | None = None,
    coefficient: str | Measure = "kendall",
    level: str = "system",
    ks: Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    **options: Any,
) -> Findings:
    """One row per metric and k: its agreement with people among the k systems that people find best
    (REALSumm's second experiment).

    `ks` are from 4 to all systems by default. Further options are those of `correlate`; `interval` is None
    unless it is given. Choosing systems by what they are then judged by narrows the range of human scores, so
    that values for small k are lower for good metrics, too.
    """
    if judgments.groups is not None:
        raise InputError("top_systems takes one group at a time: give each part of judgments.by_group().")
    dimension = judgments.dimension(human)
    means = human_means(judgments.humans[dimension], judgments.weights)
    judged = [i for i in np.argsort(-means, kind="stable").tolist() if not np.isnan(means[i])]
    least = min(4, len(judged))
    chosen = list(range(least, len(judged) + 1)) if ks is None else sorted(set(ks))
    if not judged or not chosen or chosen[0] < 2 or chosen[-1] > len(judged):
        raise ParameterError(
            f"ks must be whole numbers from 2 to {len(judged)}, the number of judged systems; got"
            f" {chosen!r:.60}."
        )
    rows = []
    for k in chosen:
        part = judgments.only(systems=[judgments.systems[i] for i in judged[:k]], metrics=metrics)
        found = correlate(part, level, coefficient, dimension, **{"interval": None, **options})
        rows += [{"k": k, **row} for row in found.rows]
    how = made(analysis="top_systems", systems=[judgments.systems[i] for i in judged], **options)
    return Findings(rows, how, "Agreement among the best systems", drawn_as="topk")

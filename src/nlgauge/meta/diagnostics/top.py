"""top_systems: do metrics still agree with people when only good systems are compared?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.correlation import correlate
from nlgauge.meta.findings import Findings
from nlgauge.stats.levels import human_means
from nlgauge.stats.measures import Measure

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments


def top_systems(
    judgments: Judgments,
    human: str | None = None,
    coefficient: str | Measure = "kendall",
    level: str = "system",
    ks: Sequence[int] | None = None,
    metrics: str | Sequence[str] | None = None,
    interval: str | None = None,
    method: str = "percentile",
    resamples: int = 1000,
    seed: int = 12345,
    confidence: float = 0.95,
) -> Findings:
    """Measure how well metrics agree with people about the best systems alone (REALSumm's second
    experiment).

    Choosing systems by what they are then judged by narrows the range of human scores, so that values for
    small k are lower for good metrics, too.

    Parameters
    ----------
    judgments
        Human and metric scores of one group.
    human, coefficient, level
        One of those of `correlate`.
    ks
        Numbers of systems, by default from 4 to all: the k systems that people find best.
    metrics, interval, method, resamples, seed, confidence
        As for `correlate`.

    Returns
    -------
    Findings
        One row per metric and k.
    """
    if judgments.groups is not None:
        raise InputError("top_systems needs judgments of one group; pass each part of judgments.by_group().")
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
        agreement = correlate(
            part, level, coefficient, dimension, None, interval, method, resamples, seed, confidence
        )
        rows += [{"k": k, **row} for row in agreement.rows]
    how = {**agreement.made, "analysis": "top_systems", "systems": [judgments.systems[i] for i in judged]}
    return Findings(rows, how, "Agreement among the best systems", drawn_as="topk")

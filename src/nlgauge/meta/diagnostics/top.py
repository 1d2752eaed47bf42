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
    """Correlate metrics with human scores among the k best systems.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics and at least one human dimension, of one group.
    human : str, optional
        Human dimension. Required if there are several.
    coefficient : str or Measure
        Name in `nlgauge.stats.measures.MEASURES`, or a Measure.
    level : {"system", "input", "global", "by_system"}
        Scores to correlate: S system means ("system"), S scores per segment, averaged over segments ("input"), all
        S * N scores ("global"), or N scores per system, averaged over systems ("by_system").
    ks : sequence of int, optional
        Numbers of best systems by human scores. Default: 4 to all.
    metrics : str or sequence of str, optional
        Metrics. Default: all.
    interval : {"both", "systems", "inputs", "fisher", None}
        Unit that the bootstrap resamples: systems, segments ("inputs") or both; "fisher" uses Fisher's formula, None
        computes no interval. An interval over inputs does not generalize to other systems.
    method : {"percentile", "bca"}
        Type of the bootstrap interval.
    resamples : int, default 1000
        Number of resamples B.
    seed : int, default 12345
        Seed of the resamples.
    confidence : float, default 0.95
        Confidence of the intervals.

    Returns
    -------
    Findings
        One row per metric and k.

    Raises
    ------
    InputError
        If the judgments have groups.
    ParameterError
        If `ks` is not from 2 to the number of judged systems.

    Notes
    -----
    This is the second experiment of REALSumm. Selecting systems by human score narrows the range of human scores, so values
    for small k are lower even for good metrics.
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

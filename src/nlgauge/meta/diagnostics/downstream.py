"""Downstream agreement: does a metric prefer the systems whose outputs a task treats as it treats their
sources? (The COSMIC paper.)

    P_e = share of inputs whose output gets another label than the source

`nlgauge.meta.papers.cosmic` labels texts with classifiers and estimates information; this module compares
metrics with labels, or with any agreement of output and source such as the cosine of embeddings, and computes
the least error that information allows.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.findings import Findings, listed, made
from nlgauge.meta.judgments import Judgments
from nlgauge.stats.agreement import known_mean
from nlgauge.stats.arrays import mean_of_known
from nlgauge.stats.coefficients import coefficient as coefficient_of
from nlgauge.stats.levels import at_level

if TYPE_CHECKING:
    from nlgauge.meta.papers.cosmic import InformationGraph

MEAN = "mean"


def label_agreement(source_labels: Sequence[Hashable], output_labels: Sequence[Sequence[Hashable]]) -> Array:
    """(systems, segments) 1 where the output has the label of its source, 0 where it has another, NaN where
    either label is None.

    >>> label_agreement(["news", "sport"], [["news", "news"], ["news", None]]).tolist()
    [[1.0, 0.0], [1.0, nan]]
    """
    sources = list(source_labels)
    rows = [list(row) for row in output_labels]
    for number, row in enumerate(rows):
        if len(row) != len(sources):
            raise InputError(
                f"system {number} has {len(row)} labels for {len(sources)} sources; pass one label per source."
            )
    return np.array(
        [
            [math.nan if a is None or b is None else float(a == b) for a, b in zip(sources, row, strict=True)]
            for row in rows
        ]
    )


def error_probability(agreement: Any) -> Array:
    """Return P_e of each system: 1 - the mean agreement over the segments with a known value; NaN without one.

    >>> error_probability([[1.0, 0.0], [1.0, float("nan")]]).tolist()
    [0.5, 0.0]
    """
    found: Array = 1 - mean_of_known(np.asarray(agreement, dtype=np.float64))
    return found


def downstream(
    judgments: Judgments,
    agreement: Any,
    *,
    coefficient: str | Sequence[str] = ("pearson", "spearman", "kendall"),
) -> Findings:
    """How well metrics agree with 1 - P_e over systems, by dataset (the judgments' groups) and in the mean
    of datasets.

    agreement: (systems, segments), of `label_agreement`, or any other that is higher where the output is
    closer to its source.
    """
    judged = replace(judgments, humans={"agreement": agreement}, ratings={})
    parts = judged.by_group()
    rows: list[dict[str, Any]] = []
    for label in judgments.labels:
        for name in listed(coefficient):
            by_name = coefficient_of(name)
            values = []
            for group, part in parts.items():
                found = at_level(by_name, "system", part.scores(label))
                values.append(found.value)
                reason = "" if not math.isnan(found.value) else "fewer than two systems, or all are alike"
                if judgments.groups is not None:
                    rows.append(
                        {
                            "metric": label,
                            "coefficient": by_name.name,
                            "group": group,
                            "value": found.value,
                            "n": found.n,
                            "reason": reason,
                        }
                    )
            mean, known = known_mean(values), sum(not math.isnan(value) for value in values)
            reason = "" if known else "not defined in any group"
            rows.append(
                {
                    "metric": label,
                    "coefficient": by_name.name,
                    "group": MEAN,
                    "value": mean,
                    "n": known,
                    "reason": reason,
                }
            )
    return Findings(
        rows,
        made(level="system", rule="1 - P_e, by group, then the mean"),
        "Agreement with a downstream task",
    )


def fano_floor(information: float, classes: int) -> float:
    """The least P_e that this information (in nats) about one of so many equally likely classes allows, by
    Fano's inequality.

    It solves log m - H(D) - D log(m - 1) = I for D, H the entropy of D and 1 - D.

    >>> round(fano_floor(0.5, 4), 6)
    0.273074
    """
    if not isinstance(classes, int) or classes < 2:
        raise ParameterError(f"classes must be a whole number from 2, got {classes!r}.")
    if math.isnan(information):
        return math.nan
    if information >= math.log(classes):
        return 0.0
    low, high = 0.0, 1 - 1 / classes
    if information <= 0:
        return high
    for _ in range(100):
        middle = (low + high) / 2
        entropy = -middle * math.log(middle) - (1 - middle) * math.log(1 - middle)
        low, high = (
            (middle, high)
            if math.log(classes) - entropy - middle * math.log(classes - 1) > information
            else (low, middle)
        )
    return (low + high) / 2


def hierarchy(graph: InformationGraph, quantile: float = 0.5) -> Findings:
    """The strongest edges of a graph of systems (`nlgauge.meta.papers.cosmic.information_graph`): those above
    a quantile of all, strongest first.

    outgoing: the mean of what the predicting system tells about others; incoming: of what others tell about
    the predicted one.
    """
    if not 0 <= quantile <= 1:
        raise ParameterError(f"quantile must be from 0 to 1, got {quantile!r}.")
    edges = [edge for edge in graph.edges() if not math.isnan(edge.information)]
    if not edges:
        raise InputError("the graph has no edge whose information is known.")
    cut = float(np.quantile([edge.information for edge in edges], quantile))
    outgoing, incoming = graph.outgoing, graph.incoming
    rows = [
        {**edge._asdict(), "outgoing": outgoing[edge.predicting], "incoming": incoming[edge.predicted]}
        for edge in edges
        if edge.information >= cut
    ]
    return Findings(
        rows, made(quantile=quantile, cut=cut, n_edges=len(edges)), "Information of systems about each other"
    )

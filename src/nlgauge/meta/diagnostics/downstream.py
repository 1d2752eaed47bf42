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
    """Compare the labels of outputs with the labels of their sources.

    Parameters
    ----------
    source_labels : sequence
        N labels of the sources.
    output_labels : sequence of sequences
        S sequences of N labels of the outputs.

    Returns
    -------
    ndarray of shape (S, N)
        1 if both labels are equal, 0 if they differ, NaN if either is None.

    Raises
    ------
    InputError
        If a system does not have N labels.

    Examples
    --------
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
    errors: Array = 1 - mean_of_known(np.asarray(agreement, dtype=np.float64))
    return errors


def downstream(
    judgments: Judgments,
    agreement: Any,
    *,
    coefficient: str | Sequence[str] = ("pearson", "spearman", "kendall"),
) -> Findings:
    """Correlate metrics with the accuracy of a downstream task (1 - P_e) over systems.

    Parameters
    ----------
    judgments : Judgments
        Scores of S systems on N segments by M metrics.
    agreement : array_like of shape (S, N)
        Result of `label_agreement`, or other numbers that are higher if an output is closer to its source.
    coefficient : str or sequence of str
        Names in `nlgauge.stats.coefficients`.

    Returns
    -------
    Findings
        One row per metric, coefficient and dataset (group of the judgments), and one for the mean of the datasets.
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
    """Return the lowest error probability P_e that Fano's inequality allows.

    Parameters
    ----------
    information : float
        Information about the class in nats.
    classes : int
        Number of equally likely classes.

    Returns
    -------
    float
        Lower bound of P_e.

    Raises
    ------
    ParameterError
        If `classes` is not an integer of at least 2.

    Notes
    -----
    The bound D solves log m - H(D) - D log(m - 1) = I, where m is the number of classes, I the information and H(D) the
    entropy of D and 1 - D.

    Examples
    --------
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
    """Return the strongest edges of an information graph of systems, strongest first.

    Parameters
    ----------
    graph : InformationGraph
        Result of `nlgauge.meta.papers.cosmic.information_graph`.
    quantile : float, default 0.5
        Edges from this quantile of all edges on are returned.

    Returns
    -------
    Findings
        One row per edge. `outgoing` is the mean information of the predicting system about others, `incoming` the mean
        information of others about the predicted system.

    Raises
    ------
    ParameterError
        If `quantile` is not from 0 to 1.
    InputError
        If the graph has no edge with known information.
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

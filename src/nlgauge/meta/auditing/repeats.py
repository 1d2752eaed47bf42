"""Repeatability of a judge, and panels of judges."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.auditing.agreement import table_measures, tables_of
from nlgauge.meta.auditing.draws import Draws, Row, row
from nlgauge.meta.auditing.verdicts import Verdicts
from nlgauge.stats import weighted
from nlgauge.stats.components import components
from nlgauge.stats.crossed import panel_components


def repeat_rows(verdicts: Verdicts) -> list[Row]:
    """Return the share of unequal runs of the same answer, and the variance components of each judge and system."""
    rows = []
    for judge in verdicts.cells.columns.judges:
        by_system = verdicts.runs(judge)
        answers = [runs for segments in by_system.values() for answer in segments for runs in answer]
        rows += _of_runs(answers, judge)
        for system, segments in by_system.items():
            name = " ".join([judge, *([system] if len(by_system) > 1 else [])])
            rows += _of_components(segments, name)
    return rows


def disagreement_with_itself(answers: list[list[float]]) -> tuple[float, int]:
    """Return the share of pairs of runs of an answer that differ, averaged over answers, and their number."""
    shares = []
    for runs in answers:
        pairs = [first != second for first, second in combinations(runs, 2)]
        if pairs:
            shares.append(sum(pairs) / len(pairs))
    return (math.fsum(shares) / len(shares) if shares else math.nan), len(shares)


def _of_runs(answers: list[list[float]], judge: str) -> list[Row]:
    share, count = disagreement_with_itself(answers)
    return [row("repeatability", "unequal runs", share, n=count, of=judge)] if count else []


def _of_components(segments: list[list[list[float]]], name: str) -> list[Row]:
    """Return the variance components of items, answers and runs; none if no item has several scores."""
    if not any(sum(map(len, answers)) > 1 for answers in segments):
        return []
    try:
        parts = components(segments)
    except InputError:
        return []
    variances = {"item": parts.item, "answer": parts.answer, "run": parts.run}
    total = math.fsum(value for value in variances.values() if not math.isnan(value))
    remark = "; ".join(parts.remarks)
    rows = []
    for measure, value in variances.items():
        rows.append(
            row("repeatability", f"variance of {measure}", value, n=parts.items, of=name, remark=remark)
        )
        share = value / total if total > 0 else math.nan
        rows.append(row("repeatability", f"share of {measure}", share, n=parts.items, of=name))
    rows.append(
        row("repeatability", "standard error of the mean", parts.standard_error, n=parts.items, of=name)
    )
    return rows


def panel_rows(verdicts: Verdicts, draws: Draws) -> list[Row]:
    """Return the agreement of each member of a panel, the lead of the panel over its best member, and the variance
    components of systems, items and judges.
    """
    if not verdicts.members:
        return []
    members = {**verdicts.members, verdicts.judge: verdicts.verdicts}
    here = ~np.isnan(verdicts.labels) & ~np.isnan(np.sum(list(members.values()), axis=0))
    z, clusters = verdicts.labels[here], verdicts.cells.clusters[here]
    measure = "kappa" if verdicts.coding.is_categorical else "spearman"

    def measured(weights: Array) -> Array:
        return np.stack(
            [_agreement(verdicts, values[here], z, weights) for values in members.values()], axis=1
        )

    rows = []
    if here.any():
        values = measured(np.ones((1, len(z))))[0]
        replicates = draws.replicates(clusters, measured)
        for place, name in enumerate(members):
            of = "panel" if place == len(members) - 1 else name
            bounds = draws.bounds(replicates[:, place])
            rows.append(row("panel", measure, values[place], bounds, n=len(z), of=of))
        if not np.isnan(values[:-1]).all():
            best = int(np.nanargmax(values[:-1]))
            lead = draws.bounds(replicates[:, -1] - replicates[:, best])
            remark = "the best member is chosen by the same labels, which favors it"
            of = f"panel - {list(members)[best]}"
            rows.append(
                row(
                    "panel",
                    f"difference of {measure}",
                    values[-1] - values[best],
                    lead,
                    n=len(z),
                    of=of,
                    remark=remark,
                )
            )
    return rows + _panel_components(verdicts)


def _agreement(verdicts: Verdicts, x: Array, z: Array, weights: Array) -> Array:
    if not verdicts.coding.is_categorical:
        return weighted.fixed_spearman(x, z, weights)
    return table_measures(verdicts.coding)["kappa"](tables_of(verdicts.coding, x, z)(weights))


def _panel_components(verdicts: Verdicts) -> list[Row]:
    """Return the shares of effects in the variance of one score and of a difference between systems; judge x system
    is first, because more items do not reduce it.
    """
    cells = verdicts.cells
    if verdicts.coding.scale == "nominal" or (cells.answer > 0).any():
        return []
    shape = len(cells.result.systems), len(cells.result.corpus), len(verdicts.members)
    scores = np.full(shape, np.nan)
    for place, values in enumerate(verdicts.members.values()):
        scores[cells.system, cells.segment, place] = verdicts.coding.values(values)
    complete = ~np.isnan(scores).any(axis=(0, 2))
    if complete.sum() < 2:
        return []
    parts = panel_components(scores[:, complete])
    kinds = {"one score": dict(parts.variances)}
    if shape[0] > 1:
        kinds = {"a difference of systems": parts.of_difference(), **kinds}
    rows = []
    for kind, variances in kinds.items():
        total = math.fsum(variances.values())
        for effect in sorted(variances, key=lambda name: name != "system x judge"):
            share = variances[effect] / total if total > 0 else math.nan
            remark = "the estimate was negative" if effect in parts.negative else ""
            rows.append(
                row("panel", f"share of {effect}", share, n=int(complete.sum()), of=kind, remark=remark)
            )
    return rows

"""Agreement of verdicts with labels: coefficients, errors, leniency, and agreement by group."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.meta.auditing.draws import Draws, Row, is_clustered, row, weighted_mean
from nlgauge.meta.auditing.verdicts import Coding, Verdicts
from nlgauge.stats import weighted
from nlgauge.stats.agreement import krippendorff
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.corrections import bootstrap_max_t
from nlgauge.stats.intervals import wilson
from nlgauge.stats.regression import linear
from nlgauge.stats.two_raters import alpha_of_tables, costs, gwet_of_tables, kappa_of_tables

# Kendall's tau of more cells than this has no interval: it would take minutes.
_MOST_PAIRED = 2000


def agreement_rows(verdicts: Verdicts, draws: Draws) -> list[Row]:
    """Return the agreement of the judge with people, and of people with each other."""
    here = verdicts.both
    x, z, clusters = verdicts.verdicts[here], verdicts.labels[here], verdicts.cells.clusters[here]
    rows = []
    if verdicts.coding.is_categorical:
        rows += _of_categories(verdicts.coding, x, z, clusters, draws)
    if verdicts.coding.scale in ("ordinal", "interval"):
        values = verdicts.coding.values
        rows += _of_numbers(values(x), values(z), clusters, draws)
    if verdicts.ratings is not None:
        scale: Any = "nominal" if verdicts.coding.scale == "binary" else verdicts.coding.scale
        alpha = krippendorff(verdicts.ratings, scale)
        rated = int(((~np.isnan(verdicts.ratings)).sum(axis=1) > 1).sum())
        rows.append(row("people", "alpha", alpha, n=rated, remark="agreement of people with each other"))
    return rows


def table_measures(coding: Coding) -> dict[str, Callable[[Array], Array]]:
    """Return the measures of tables (people in rows, the judge in columns) that a scale has."""
    weights: Any = "quadratic" if coding.scale == "ordinal" else None
    size = len(coding.levels)
    cost = costs(size, weights)
    scale: Any = "ordinal" if coding.scale == "ordinal" else "nominal"
    measures: dict[str, Callable[[Array], Array]] = {
        "agreement": lambda tables: _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-1, -2))),
        "kappa": lambda tables: kappa_of_tables(tables, cost),
        "AC2" if weights else "AC1": lambda tables: gwet_of_tables(tables, cost),
        "alpha": lambda tables: alpha_of_tables(tables, scale),
    }
    if coding.scale == "binary" and size == 2:
        measures |= {
            "sensitivity": lambda tables: _ratio(tables[..., 1, 1], tables[..., 1, :].sum(axis=-1)),
            "specificity": lambda tables: _ratio(tables[..., 0, 0], tables[..., 0, :].sum(axis=-1)),
        }
        measures["J"] = lambda tables: measures["sensitivity"](tables) + measures["specificity"](tables) - 1
    return measures


def tables_of(coding: Coding, x: Array, z: Array) -> Callable[[Array], Array]:
    """Return the function of (b, n) weights to (b, k, k) tables of labels z and verdicts x."""
    size = len(coding.levels)
    cells = np.zeros((len(x), size * size))
    cells[np.arange(len(x)), (z * size + x).astype(np.int64)] = 1.0
    return lambda weights: (weights @ cells).reshape(-1, size, size)


def _of_categories(coding: Coding, x: Array, z: Array, clusters: Array, draws: Draws) -> list[Row]:
    if not len(x):
        return [row("agreement", name, math.nan) for name in table_measures(coding)]
    measures, tables = table_measures(coding), tables_of(coding, x, z)
    table = tables(np.ones((1, len(x))))
    replicates = draws.replicates(
        clusters, lambda weights: np.stack([each(tables(weights)) for each in measures.values()], axis=1)
    )
    plain = {"agreement": x == z}
    chosen = {"agreement": np.ones(len(x), bool), "sensitivity": z == 1, "specificity": z == 0}
    rows = []
    for column, (name, measure) in enumerate(measures.items()):
        bounds = draws.bounds(replicates[:, column])
        part = "errors" if name in ("sensitivity", "specificity", "J") else "agreement"
        hits = plain.get(name, x == z)
        if name in chosen:
            _, bounds = draws.share(hits[chosen[name]], clusters[chosen[name]])
        n = int(chosen.get(name, chosen["agreement"]).sum())
        rows.append(row(part, name, float(measure(table)[0]), bounds, n=n))
    return rows


def _of_numbers(x: Array, z: Array, clusters: Array, draws: Draws) -> list[Row]:
    rows = []
    functions: dict[str, Callable[[Array], Array]] = {
        "spearman": lambda weights: weighted.fixed_spearman(x, z, weights)
    }
    tau = COEFFICIENTS["kendall"].of_pairs
    assert tau is not None
    functions["kendall"] = lambda weights: tau(weighted.fixed_pairs(x, z, weights))
    functions["pearson"] = lambda weights: weighted.fixed_pearson(x, z, weights)
    for name, function in functions.items():
        value = float(function(np.ones((1, len(x))))[0]) if len(x) else math.nan
        slow = name == "kendall" and len(x) > _MOST_PAIRED
        bounds = (math.nan, math.nan)
        if len(x) and not slow:
            bounds = draws.bounds(draws.replicates(clusters, function))
        remark = f"no interval above {_MOST_PAIRED:,} cells" if slow else ""
        rows.append(row("agreement", name, value, bounds, n=len(x), remark=remark))
    difference, bounds = draws.mean(x - z, clusters)
    p = draws.sign_p(x - z, clusters) if len(x) else math.nan
    rows.append(row("calibration", "mean difference", difference, bounds, p=p, n=len(x)))
    fit = linear(z, np.stack([np.ones(len(x)), x], axis=1), clusters if is_clustered(clusters) else None)
    reach = fit.reach(draws.confidence)
    for place, name in enumerate(("intercept", "slope")):
        value = float(fit.coefficients[place])
        interval = (value - float(reach[place]), value + float(reach[place]))
        rows.append(row("calibration", name, value, interval, n=len(x), remark=fit.reason))
    return rows


def leniency_rows(verdicts: Verdicts, draws: Draws) -> list[Row]:
    """Return the difference of the rates of the positive level, and the verdicts on each level of the labels."""
    coding, here = verdicts.coding, verdicts.both
    if not coding.is_categorical:
        return []
    x, z, clusters = verdicts.verdicts[here], verdicts.labels[here], verdicts.cells.clusters[here]
    rows = []
    if coding.scale == "binary" and len(x):
        value, bounds = draws.mean(x - z, clusters)
        remark = f"share of {coding.levels[-1]!r} by the judge, minus the share by people"
        p = draws.sign_p(x - z, clusters)
        rows.append(row("leniency", "difference", value, bounds, p=p, n=len(x), remark=remark))
    for place, level in enumerate(coding.levels):
        labeled = z == place
        for number, verdict in enumerate(coding.levels):
            count, n = int((x[labeled] == number).sum()), int(labeled.sum())
            share = count / n if n else math.nan
            bounds = wilson(count, n, draws.confidence)
            rows.append(row("confusion", f"judged {verdict}", share, bounds, n=n, of=f"labeled {level}"))
    return rows


def group_rows(verdicts: Verdicts, by: Sequence[str], draws: Draws) -> list[Row]:
    """Return the agreement in each group, and p of its difference from the rest, corrected for all groups (max-T)."""
    here = verdicts.both
    rows = []
    for name in by:
        groups = np.array([str(value) for value in verdicts.cells.field(name)])[here]
        rows += _of_groups(verdicts, name, groups, draws)
    return rows


def _of_groups(verdicts: Verdicts, name: str, groups: Array, draws: Draws) -> list[Row]:
    here = verdicts.both
    x, z, clusters = verdicts.verdicts[here], verdicts.labels[here], verdicts.cells.clusters[here]
    names = sorted(set(groups.tolist()))
    masks = [groups == group for group in names]

    def measured(weights: Array, mask: Array) -> Array:
        if verdicts.coding.is_categorical:
            return weighted_mean(weights[:, mask], (x == z)[mask].astype(float))
        return weighted.fixed_spearman(x[mask], z[mask], weights[:, mask])

    def both_sides(weights: Array) -> Array:
        parts = [(measured(weights, mask), measured(weights, ~mask)) for mask in masks]
        return np.stack([np.stack([inside, inside - outside], axis=1) for inside, outside in parts], axis=1)

    values = both_sides(np.ones((1, len(x))))[0]
    replicates = draws.replicates(clusters, both_sides)
    units = np.array([len(np.unique(clusters[mask])) for mask in masks])
    null = replicates[:, :, 1] - values[:, 1]
    judged = (~np.isnan(values[:, 1])) & (units > 1) if len(names) > 1 else np.zeros(len(names), bool)
    p = np.full(len(names), np.nan)
    if judged.any():
        p[judged] = bootstrap_max_t(values[judged, 1], np.nan_to_num(null[:, judged]), units[judged])
    measure = "agreement" if verdicts.coding.is_categorical else "spearman"
    rows = []
    for place, group in enumerate(names):
        mask = masks[place]
        bounds = draws.bounds(replicates[:, place, 0])
        if verdicts.coding.is_categorical:
            _, bounds = draws.share((x == z)[mask], clusters[mask])
        rows.append(
            row(
                "groups",
                measure,
                values[place, 0],
                bounds,
                p=p[place],
                n=int(mask.sum()),
                of=f"{name} {group}",
            )
        )
    return rows


def _ratio(above: Array, below: Array) -> Array:
    return np.asarray(above / np.where(below == 0, np.nan, below))

"""cost: what agreement with people costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.meta.findings import Findings, made


def cost(found: Findings, seconds: Mapping[str, float], co2: Mapping[str, float] | None = None) -> Findings:
    """Compare agreement with computing time: one row per metric, fastest first.

    Parameters
    ----------
    found : Findings
        Rows of `correlate`. A metric with several rows (levels, human dimensions) gets their mean and no interval.
    seconds : mapping of str to float
        Seconds per 1,000 texts by metric, for example from `seconds_per_thousand`.
    co2 : mapping of str to float, optional
        Grams of CO2-equivalents per 1,000 texts by metric. They replace the seconds in the order and in `frontier`.

    Returns
    -------
    Findings
        One row per metric. `frontier` is True if no other metric is both faster (or emits less) and better. Metrics without
        known seconds are last, with NaN and without a frontier value, and a note names them.

    Raises
    ------
    InputError
        If a number of seconds or grams is not positive.

    Examples
    --------
    >>> rows = [{"metric": "slow", "value": 0.4, "low": 0.3, "high": 0.5}, {"metric": "quick", "value": 0.6, "low": 0.5, "high": 0.7}]
    >>> [(row["metric"], row["frontier"]) for row in cost(Findings(rows), {"quick": 0.1, "slow": 9.0})]
    [('quick', True), ('slow', False)]
    """
    names = list(dict.fromkeys(found.column("metric")))
    measured = {"seconds": seconds, **({} if co2 is None else {"co2": co2})}
    for what, of in measured.items():
        if wrong := [name for name in names if name in of and not (of[name] > 0 or math.isnan(of[name]))]:
            raise InputError(
                f"the {what} of a metric must be above 0, or be left out if they are not known; got"
                f" {of[wrong[0]]!r} for {wrong[0]}."
            )
    spent, column = (seconds, "seconds_per_1000") if co2 is None else (co2, "co2_grams_per_1000")
    rows = []
    for name in sorted(names, key=lambda name: (not spent.get(name, 0) > 0, spent.get(name, 0))):
        own = [row for row in found.rows if row["metric"] == name]
        bounds = {side: own[0].get(side, math.nan) if len(own) == 1 else math.nan for side in ("low", "high")}
        value = float(np.mean([row["value"] for row in own]))
        emitted = {} if co2 is None else {column: float(co2.get(name, math.nan))}
        spent_here = {"seconds_per_1000": float(seconds.get(name, math.nan)), **emitted}
        rows.append({"metric": name, **spent_here, "value": value, **bounds, "n_values": len(own)})
    known = [row for row in rows if row[column] > 0]
    best = frontier([row[column] for row in known], [row["value"] for row in known])
    shared = {
        name: values[0]
        for name in ("level", "coefficient", "human")
        if name in found.names and len(values := list(set(found.column(name)))) == 1
    }
    marked = [
        {**row, **shared, "frontier": place in best if place < len(known) else None}
        for place, row in enumerate(rows)
    ]
    lacking = ", ".join(row["metric"] for row in rows[len(known) :])
    unknown = (
        f"The cost of {lacking} is not known: scores came from the cache, or were published. To measure"
        " it, score in a new directory without the cache."
    )
    notes = [unknown] if lacking else []
    return Findings(
        marked, made(**{**found.made, "analysis": "cost"}), "Agreement and cost", notes, drawn_as="pareto"
    )


def frontier(times: Any, values: Any) -> list[int]:
    """Return the places of entries that no other entry beats in both time and value, the fastest first.

    >>> frontier([1, 2, 3], [0.5, 0.4, 0.6])
    [0, 2]
    """
    best, places = -math.inf, []
    for place in sorted(range(len(times)), key=lambda i: (times[i], -values[i])):
        if values[place] > best:
            best = values[place]
            places.append(place)
    return places

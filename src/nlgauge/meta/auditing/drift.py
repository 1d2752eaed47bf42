"""Drift: the judge now and before, on the cells that both have."""

from __future__ import annotations

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.auditing.draws import Draws, Row, row
from nlgauge.meta.auditing.repeats import disagreement_with_itself
from nlgauge.meta.auditing.verdicts import Verdicts


def drift_rows(now: Verdicts, before: Verdicts, draws: Draws) -> list[Row]:
    """Return the change of the judge's errors since an earlier run, and the share of changed verdicts."""
    places = {key: place for place, key in enumerate(before.cells.keys())}
    pairs = [(place, places[key]) for place, key in enumerate(now.cells.keys()) if key in places]
    if not pairs:
        raise InputError(
            "the anchor has no system and segment of the audited verdicts",
            python="pass an anchor with the same ids of segments and names of systems",
            cli="name an --anchor with the same ids of segments and names of systems",
        )
    here, there = np.array(pairs).T
    labels = np.where(np.isnan(now.labels[here]), before.labels[there], now.labels[here])
    new, old, clusters = now.verdicts[here], before.verdicts[there], now.cells.clusters[here]
    both = ~np.isnan(new + old)
    changed, bounds = draws.share((new != old)[both], clusters[both])
    rows = [row("drift", "changed verdicts", changed, bounds, n=int(both.sum()))]
    answers = [
        runs
        for judge in now.cells.columns.judges
        for segments in now.runs(judge).values()
        for answer in segments
        for runs in answer
    ]
    itself, count = disagreement_with_itself(answers)
    if count:
        rows.append(row("drift", "unequal runs", itself, n=count))
    known = both & ~np.isnan(labels)
    if known.any():
        rows += _of_errors(now, new[known], old[known], labels[known], clusters[known], draws)
    rows[0]["remark"] = _signatures(now, before)
    return rows


def _of_errors(
    now: Verdicts, new: Array, old: Array, labels: Array, clusters: Array, draws: Draws
) -> list[Row]:
    """Return accuracy (categories) or mean absolute error (numbers) before and now, and the change."""
    if now.coding.is_categorical and now.coding.scale != "ordinal":
        name, scores = "accuracy", [(side == labels).astype(float) for side in (old, new)]
    else:
        name, scores = "mean absolute error", [np.abs(side - labels) for side in (old, new)]
    change, bounds = draws.mean(scores[1] - scores[0], clusters)
    p = draws.sign_p(scores[1] - scores[0], clusters)
    return [
        row("drift", f"{name} before", float(scores[0].mean()), n=len(labels)),
        row("drift", f"{name} now", float(scores[1].mean()), n=len(labels)),
        row("drift", f"change of {name}", change, bounds, p=p, n=len(labels)),
    ]


def _signatures(now: Verdicts, before: Verdicts) -> str:
    """Return a remark if the signatures of a judge differ, such as another model or fingerprint."""
    for judge in now.cells.columns.judges:
        new, old = (each.cells.result.signatures.get(judge, "") for each in (now, before))
        if new and old and new != old:
            return f"the signature of {judge} has changed from {old} to {new}"
    return ""

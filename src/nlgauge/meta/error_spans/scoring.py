"""The parts of `span_scores`: sentinels, groups of texts, units, and the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.error_spans.additive import WIDTH, Expected, text_rows, values_of
from nlgauge.meta.error_spans.pairs import Sample, compared
from nlgauge.spans.columns import Spans
from nlgauge.spans.combining import first_of
from nlgauge.spans.measures import Rules
from nlgauge.spans.sentinels import SENTINELS, at_random, everything, not_in_the_reference, nothing
from nlgauge.stats.intervals import bca
from nlgauge.stats.letters import letters
from nlgauge.stats.units import Clusters, resampled_sums

# Group of the rows of all texts and spans.
ALL_TEXTS = "all"


@dataclass(frozen=True)
class Plan:
    """Options of span scores."""

    measures: tuple[str, ...]
    average: str
    rules: Rules
    gold: str
    units: str
    resamples: int
    seed: int
    confidence: float


def sentinels_of(several: Sequence[Spans], read: Array, seed: int) -> dict[str, Spans]:
    """Return the spans of the sentinels that these texts allow."""
    texts = several[0].texts
    if texts is None:
        return {}
    known = read & np.array([[text is not None for text in row] for row in texts.targets], bool).reshape(
        read.shape
    )
    if not known.all() and not known[read].all():
        return {}
    found = {SENTINELS[0]: nothing(texts, read), SENTINELS[1]: everything(texts, read)}
    unknown = not_in_the_reference(texts, read)
    if unknown.looked.any():
        found[SENTINELS[2]] = unknown
    found[SENTINELS[3]] = at_random(first_of(several), seed)
    return found


def groups_of(by: str | None, first: Spans, expected: Expected, read: Array, rules: Rules) -> Iterator[Any]:
    """Yield the name of each group of texts or spans, its annotations, and the change of predicted spans."""
    yield "", expected, lambda each: each
    if by == "severity":
        merged = rules.severity == "penalty"
        names = dict.fromkeys("major" if merged and n == "critical" else n for n in expected.spans.severities)
        for name in sorted(names):
            same = [name, "critical"] if merged and name == "major" else [name]

            def limited(each: Spans, same: list[str] = same) -> Spans:
                codes = [k for k, other in enumerate(each.severities) if other in same]
                return each.where(np.isin(each.severity, codes))

            yield name, Expected(limited(expected.spans), expected.cells, expected.weights), limited
    elif by == "system":
        for s, system in enumerate(first.systems):
            which = np.zeros(read.shape, bool)
            which[s] = read[s]
            if which.any():
                yield system, expected.within(which.ravel()), lambda each: each
    elif by == "group":
        groups = None if first.texts is None else first.texts.groups
        if groups is None:
            raise InputError("these spans have no groups of segments, such as language pairs.")
        for name in dict.fromkeys(groups):
            which = read & np.array([group == name for group in groups])[None, :]
            if which.any():
                yield name, expected.within(which.ravel()), lambda each: each


def units_of(first: Spans, plan: Plan) -> tuple[Array, int]:
    """Return the unit of each text and the number of units."""
    systems, segments = len(first.systems), len(first.segments)
    numbers = np.arange(segments)
    if plan.units == "documents":
        documents = None if first.texts is None else first.texts.documents
        if documents is None:
            raise InputError("these spans have no documents; use units='inputs'.")
        names: dict[Any, int] = {}
        # A segment without a document is a unit.
        keys = [("segment", n) if name is None else name for n, name in enumerate(documents)]
        numbers = np.array([names.setdefault(key, len(names)) for key in keys])
    return np.tile(numbers, systems), int(numbers.max()) + 1


def samples_of(
    predicted: Mapping[str, Spans],
    expected: Expected,
    owners: Array,
    count: int,
    plan: Plan,
    cells: int,
) -> dict[str, Sample]:
    """Return the sums of each metric and unit, by measure."""
    rows = {
        name: text_rows(each, expected, plan.measures, plan.average, plan.rules, cells)
        for name, each in predicted.items()
    }
    annotated = np.zeros(cells, bool)
    annotated[expected.cells] = True
    masks = {name: annotated & each.looked.ravel() for name, each in predicted.items()}
    used = np.unique(owners[annotated])
    return {
        measure: Sample(
            tuple(predicted),
            {name: rows[name][measure] for name in predicted},
            masks,
            np.searchsorted(used, owners),
            len(used),
            plan.average,
            plan.resamples,
            plan.seed,
            plan.confidence,
        )
        for measure in plan.measures
    }


def table_rows(
    sample: Sample, measure: str, group: str, kinds: Mapping[str, str], plan: Plan, by: str | None
) -> Iterator[dict[str, Any]]:
    """Yield one row per metric, best first."""
    totals = np.concatenate([sample.totals(name) for name in sample.names], axis=1)
    drawn = resampled_sums(Clusters(None, sample.units).bootstrap(plan.resamples, plan.seed), totals)
    values = values_of(totals.sum(axis=0).reshape(-1, WIDTH), plan.average)
    replicates = values_of(drawn.reshape(len(drawn), -1, WIDTH), plan.average)[..., 2]
    left_out = values_of((totals.sum(axis=0) - totals).reshape(len(totals), -1, WIDTH), plan.average)[..., 2]
    shown = _letters(sample, values[:, 2], 1 - plan.confidence)
    for k in np.argsort(-values[:, 2], kind="stable").tolist():
        name = sample.names[k]
        few = sample.units < 2
        low, high, _ = bca(replicates[:, k], float(values[k, 2]), left_out[:, k], plan.confidence)
        yield {
            "measure": measure,
            **({} if by is None else {"group": group or ALL_TEXTS}),
            "metric": name,
            "kind": kinds[name],
            "precision": float(values[k, 0]),
            "recall": float(values[k, 1]),
            "value": float(values[k, 2]),
            "low": float("nan") if few else low,
            "high": float("nan") if few else high,
            "letters": shown[k],
            "n_texts": int(sample.masks[name].sum()),
            "n_units": sample.units,
        }


def _letters(sample: Sample, values: Array, alpha: float) -> list[str | None]:
    size = len(sample.names)
    p = np.full((size, size), np.nan)
    differences = np.zeros((size, size))
    for row in compared(sample, "", "", alpha):
        i, j = sample.names.index(row["metric"]), sample.names.index(row["other"])
        p[i, j] = p[j, i] = row["p_adjusted"]
        differences[i, j], differences[j, i] = row["delta"], -row["delta"]
    if size < 2 or sample.units < 2:
        return [None] * size
    return letters(values, p, alpha, differences)
